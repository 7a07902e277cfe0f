//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/internal/wrong"
)

// Ctrl-C ends the adapter and what it started, and what is known is printed.
func TestInterrupt(t *testing.T) {
	for name, c := range map[string]struct {
		sig                 syscall.Signal
		args                []string
		printed, complained string
	}{
		"SIGINT":  {syscall.SIGINT, []string{"test", "--timeout", "1h", "--run", "upkg"}, "passed", "interrupted after "},
		"SIGTERM": {syscall.SIGTERM, []string{"test", "--timeout", "1h", "--run", "upkg"}, "passed", "interrupted after "},
		"diff":    {syscall.SIGINT, []string{"diff", "--timeout", "1h", "upkg.Name"}, "each s", "interrupted: "},
	} {
		t.Run(name, func(t *testing.T) {
			marker := filepath.Join(t.TempDir(), "pids")
			// The adapter's process, and one that it starts, write down who they are.
			script := `echo $$ >> ` + marker + `; sleep 3600 & echo $! >> ` + marker + `; ` + wrong.Env + `=hangs-nth exec ` + strings.Join(wrong.Command("hangs-nth"), " ")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asCommand+"="+strings.Join(append(c.args, "--", "sh", "-c", script), "\x1f"))
			var out, errOut bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errOut
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			time.Sleep(2 * time.Second) // for it to be well under way
			if err := cmd.Process.Signal(c.sig); err != nil {
				t.Fatal(err)
			}
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				_ = cmd.Process.Kill() // the failure is reported below
				t.Fatal("it does not end")
			}
			if code := cmd.ProcessState.ExitCode(); code != exitFailed {
				t.Errorf("exit code %d, want %d", code, exitFailed)
			}
			if !strings.Contains(errOut.String(), c.complained) || !strings.Contains(out.String(), c.printed) {
				t.Errorf("it prints\n%s%s", &out, &errOut)
			}
			pids, err := os.ReadFile(marker)
			if err != nil || len(strings.Fields(string(pids))) < 2 {
				t.Fatalf("the adapter has not run: %v %s", err, pids)
			}
			for _, pid := range strings.Fields(string(pids)) {
				if alive(pid) {
					t.Errorf("process %s lives on", pid)
				}
			}
		})
	}
}

// alive reports whether a process runs; one that has ended and was not waited
// for does not.
func alive(pid string) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z") && len(bytes.TrimSpace(out)) > 0
}
