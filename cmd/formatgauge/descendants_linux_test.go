package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
)

// TestDescendants: processes that an adapter has started in a session of their own
// do not outlive the command.
func TestDescendants(t *testing.T) {
	for _, c := range []struct {
		name, mode string
		signal     syscall.Signal // 0: the run ends by itself
		want       int
	}{
		{"ends", "right", 0, exitOK},
		{"adapter crashes", "crashes-always", 0, exitFailed},
		{"interrupted", "hangs-always", syscall.SIGINT, exitSignal + int(syscall.SIGINT)},
		{"terminated", "hangs-always", syscall.SIGTERM, exitSignal + int(syscall.SIGTERM)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pids := filepath.Join(t.TempDir(), "pids")
			// The parent of the second one ends before the adapter does.
			const script = `setsid sleep 3600 & echo $! >> "$0"; setsid sh -c 'sleep 3600 & echo $! >> "$0"' "$0"; exec "$@"`
			cmd, out := process(t, append([]string{
				"test", "--timeout", "1h", "--run", "upkg/CompactIndex/zero", "--no-derived", "--", "sh",
				"-c", script, pids,
			}, judgetest.Command(c.mode)...)...)
			cmd.Stdout = out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.signal != 0 {
				waitForLines(t, pids, 2)
				if err := cmd.Process.Signal(c.signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // the exit code is checked
			if got := cmd.ProcessState.ExitCode(); got != c.want {
				t.Errorf("exit code %d, want %d\n%s", got, c.want, out)
			}
			for _, pid := range waitForLines(t, pids, 2) {
				if alive(pid) {
					t.Errorf("process %s still runs", pid)
					end(pid)
				}
			}
		})
	}
}

// TestProcessesOfOthers: the command does not end what the shell has started that
// executed it.
func TestProcessesOfOthers(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	self, _ := process(t, append([]string{"test", "--run", "upkg/CompactIndex/zero", "--"}, judgetest.Command("right")...)...)
	cmd := exec.Command("sh", "-c", `sleep 3600 >&- 2>&- & echo $! > "$0"; exec "$1"`, pids, os.Args[0])
	cmd.Env = self.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pid := waitForLines(t, pids, 1)[0]
	if !alive(pid) {
		t.Errorf("process %s has been ended", pid)
	}
	end(pid)
}

// waitForLines waits until a file has some lines.
func waitForLines(t *testing.T, name string, n int) []string {
	t.Helper()
	var lines []string
	eventually(t, fmt.Sprintf("%s has %d lines", name, n), func() bool {
		text, _ := os.ReadFile(name) // it may not exist yet
		lines = strings.Fields(string(text))
		return len(lines) >= n
	})
	return lines
}
