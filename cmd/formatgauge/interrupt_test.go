//go:build unix

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
)

// interrupted is a run of the command over adapters that hang, each with a
// process that it has started.
type interrupted struct {
	cmd         *exec.Cmd
	out, errOut bytes.Buffer
	marker      string // holds the processes, one a line
	ended       chan struct{}
}

func interruptible(t *testing.T, args []string, jobs int, stdout *os.File) *interrupted {
	t.Helper()
	r := &interrupted{marker: filepath.Join(t.TempDir(), "pids"), ended: make(chan struct{})}
	// The adapter's process, and one that it starts, write down who they are.
	script := `echo $$ >> ` + r.marker + `; sleep 3600 & echo $! >> ` + r.marker + `; ` + judgetest.Env + `=hangs-nth exec ` + strings.Join(judgetest.Command("hangs-nth"), " ")
	r.cmd = exec.Command(os.Args[0])
	r.cmd.Env = append(os.Environ(), asCommand+"="+strings.Join(append(args[:len(args):len(args)], "--", "sh", "-c", script), "\x1f"))
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.errOut
	if stdout != nil {
		r.cmd.Stdout = stdout
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait() // how it ended is looked at
		close(r.ended)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // it has ended, unless the test failed
		for _, pid := range r.pids(t) {
			if n, err := strconv.Atoi(pid); err == nil && alive(pid) {
				_ = syscall.Kill(n, syscall.SIGKILL)
			}
		}
	})
	for began := time.Now(); len(r.pids(t)) < 2*jobs; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("the adapters have not run: %v", r.pids(t))
		}
	}
	time.Sleep(2 * time.Second) // for it to be well under way
	return r
}

func (r *interrupted) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

func (r *interrupted) ends(t *testing.T) {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
}

func (r *interrupted) pids(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(r.marker)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// gone: nothing that was started lives on.
func (r *interrupted) gone(t *testing.T) {
	t.Helper()
	for _, pid := range r.pids(t) {
		for began := time.Now(); alive(pid); time.Sleep(50 * time.Millisecond) {
			if time.Since(began) > 5*time.Second {
				t.Errorf("process %s lives on", pid)
				break
			}
		}
	}
}

// judging is what is interrupted, adapters left out.
var judging = []string{"test", "--timeout", "1h", "--run", "upkg"}

// Ctrl-C ends the adapters and what they started, and what is known is
// printed; a second one right behind it changes nothing.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name                string
		args                []string
		jobs                int
		signals             []syscall.Signal
		printed, complained string
	}{
		{"interrupt", judging, 1, []syscall.Signal{syscall.SIGINT}, "passed", "interrupted after "},
		{"terminated", judging, 1, []syscall.Signal{syscall.SIGTERM}, "passed", "interrupted after "},
		{"two adapters", append(judging[:len(judging):len(judging)], "--jobs", "2"), 2, []syscall.Signal{syscall.SIGINT}, "passed", "interrupted after "},
		{"twice", append(judging[:len(judging):len(judging)], "--jobs", "2"), 2, []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, "passed", "interrupted after "},
		{"diff", []string{"diff", "--timeout", "1h", "upkg.Name"}, 1, []syscall.Signal{syscall.SIGINT}, "each s", "interrupted: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := interruptible(t, c.args, c.jobs, nil)
			for _, sig := range c.signals {
				r.signal(t, sig)
			}
			r.ends(t)
			if code := r.cmd.ProcessState.ExitCode(); code != exitFailed {
				t.Errorf("exit code %d, want %d", code, exitFailed)
			}
			if !strings.Contains(r.errOut.String(), c.complained) || !strings.Contains(r.out.String(), c.printed) {
				t.Errorf("it prints\n%s%s", &r.out, &r.errOut)
			}
			r.gone(t)
		})
	}
}

// Where nobody reads what is printed, the first Ctrl-C ends the adapters and
// the second one the command.
func TestInterruptInsists(t *testing.T) {
	t.Parallel()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	fill(t, out)
	r := interruptible(t, judging, 1, out)
	r.signal(t, syscall.SIGINT)
	r.gone(t)
	time.Sleep(2 * insisting)
	select {
	case <-r.ended:
		t.Fatalf("it has ended, though it cannot print: %s", &r.errOut)
	default:
	}
	r.signal(t, syscall.SIGINT)
	r.ends(t)
	if code := r.cmd.ProcessState.ExitCode(); code == exitOK {
		t.Errorf("exit code %d", code)
	}
}

// fill writes into a pipe until it takes no more.
func fill(t *testing.T, out *os.File) {
	t.Helper()
	if err := out.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := out.Write(make([]byte, 4096)); errors.Is(err, os.ErrDeadlineExceeded) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.SetWriteDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// alive reports whether a process runs; one that has ended and was not waited
// for does not.
func alive(pid string) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z") && len(bytes.TrimSpace(out)) > 0
}
