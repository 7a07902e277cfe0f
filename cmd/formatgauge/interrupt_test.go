//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
)

// hangingRun is a run of the command with adapters that hang. Each adapter has
// started other processes.
type hangingRun struct {
	cmd    *exec.Cmd
	out    bytes.Buffer
	errOut *bytes.Buffer
	marker string // file with the ids of the processes, one per line
	ended  chan struct{}
}

func startHanging(t *testing.T, line string, stdout *os.File) *hangingRun {
	t.Helper()
	jobs := 1 + strings.Count(line, "--jobs 2")
	r := &hangingRun{marker: filepath.Join(t.TempDir(), "pids"), ended: make(chan struct{})}
	adapter, least := "hangs-nth", int64(20) // bytes of traffic: some requests were answered
	if line == "smoke" {                     // it sends few requests
		adapter, least = "hello-silent", 1
	}
	by := ""
	if runtime.GOOS == "linux" && stdout == nil { // what is in another session ends with the command only
		by = "setsid"
	}
	args := append(strings.Fields(line), "--timeout", "1h", "--", "sh", "-c", forks(by), r.marker)
	r.cmd, r.errOut = process(t, append(args, "wrong", adapter)...)
	r.cmd.Env = append(r.cmd.Env, judgetest.TrafficEnv+"="+r.marker+".")
	r.cmd.Stdout = &r.out
	if stdout != nil {
		r.cmd.Stdout = stdout
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait() // the tests check the state of the process
		close(r.ended)
	}()
	t.Cleanup(func() {
		for _, pid := range lines(r.marker) {
			end(pid)
		}
	})
	eventually(t, "each adapter gets requests", func() bool {
		files, _ := filepath.Glob(r.marker + ".*") // the pattern is valid
		return len(lines(r.marker)) >= 3*jobs && len(files) >= jobs && !slices.ContainsFunc(files, func(name string) bool {
			info, err := os.Stat(name)
			return err != nil || info.Size() < least
		})
	})
	return r
}

// eventually waits until something is the case.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for start := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func (r *hangingRun) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// forks is a script that starts two processes with a command before them, one from a process
// that ends, and becomes an adapter. The file $0 gets the ids of all three.
func forks(by string) string {
	const script = `echo $$ >> "$0"; BY sleep 3600 & echo $! >> "$0"; BY sh -c 'sleep 3600 & echo $! >> "$0"' "$0"; exec "$@"`
	return strings.ReplaceAll(script, "BY", by)
}

// lines returns the words of a file, which may not exist yet.
func lines(name string) []string {
	text, _ := os.ReadFile(name)
	return strings.Fields(string(text))
}

// checkProcesses checks that all processes of the adapters end.
func (r *hangingRun) checkProcesses(t *testing.T) {
	t.Helper()
	for _, pid := range lines(r.marker) {
		eventually(t, "process "+pid+" ends", func() bool { return !alive(pid) })
	}
}

// Ctrl-C ends the adapters and the processes that they started, as SIGTERM does. The results so
// far are printed. A second Ctrl-C immediately after it has no effect.
func TestInterrupt(t *testing.T) {
	const sigint, sigterm = syscall.SIGINT, syscall.SIGTERM
	for _, c := range []struct {
		args           string
		signals        []syscall.Signal
		stdout, stderr string // expected parts of the output
	}{
		{"test --run upkg.CompactIndex", []syscall.Signal{sigint}, "passed", "interrupted after "},
		{"test --run upkg.CompactIndex", []syscall.Signal{sigterm}, "passed", "interrupted after "},
		{"test --run upkg.CompactIndex --jobs 2", []syscall.Signal{sigint}, "passed", "interrupted after "},
		{"test --run upkg.CompactIndex --jobs 2", []syscall.Signal{sigint, sigint}, "passed", "interrupted after "},
		{"diff upkg.Name", []syscall.Signal{sigint}, "per s", "interrupted: "},
		{"claim", []syscall.Signal{sigint}, "", "interrupted: no claim was written"},
		{"fingerprint", []syscall.Signal{sigterm}, "", "interrupted: no fingerprint was computed"},
		{"smoke", []syscall.Signal{sigint}, "", "interrupted: the check is not complete"},
	} {
		t.Run(fmt.Sprint(c.args, c.signals), func(t *testing.T) {
			t.Parallel()
			r := startHanging(t, c.args, nil)
			for _, sig := range c.signals {
				r.signal(t, sig)
			}
			<-r.ended
			if code, want := r.cmd.ProcessState.ExitCode(), exitSignal+int(c.signals[0]); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			if strings.Contains(r.out.String(), "WRONG") {
				t.Errorf("the adapter is blamed:\n%s", &r.out)
			}
			if !strings.Contains(r.errOut.String(), c.stderr) || !strings.Contains(r.out.String(), c.stdout) {
				t.Errorf("expected %q and %q in\n%s%s", c.stdout, c.stderr, &r.out, r.errOut)
			}
			r.checkProcesses(t)
		})
	}
}

// A signal ends a command that reads input, although the input does not end.
func TestInterruptReading(t *testing.T) {
	for _, args := range []string{
		"decode upkg.Name", "encode upkg.Name", "inspect upkg.Name", "ka scan", "ka convert --to 1",
		"uasset info", "upkg info",
		"report text -", "claim verify -", "serve",
	} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			in, w := io.Pipe()
			var errOut bytes.Buffer
			code := make(chan int, 1)
			go func() { code <- run(strings.Fields(args), in, io.Discard, &errOut) }()
			_, _ = w.Write(nil) // it returns when the command reads
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			if got, want := <-code, exitSignal+int(sig); got != want || errOut.String() != "formatgauge: interrupted\n" {
				t.Errorf("formatgauge %s: exit code %d, want %d\n%s", args, got, want, &errOut)
			}
			w.Close()
		}
	}
}

// A signal ends a command although something else than its input blocks: files of
// a folder that are pipes.
func TestInterruptBlocked(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "upkg", "Name", "x.txtar")
	if err := os.MkdirAll(filepath.Dir(pipe), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"corpus", "hash", dir},
		{"corpus", "lint", dir},
		{"test", "--corpus", dir},
		{"test", "--known", pipe},
		{"test", "--edition", pipe},
		{"corpus", "diff", pipe, dir},
		{"corpus", "promote", "--type", "upkg.Name", pipe},
		{"decode", "upkg.Name", pipe},
		{"check", "--baseline", pipe, dir},
	} {
		// A pipe can be opened for writing once a process reads it.
		var writer int
		stderr := terminate(t, args, "the pipe is read", func(int) bool {
			var err error
			writer, err = syscall.Open(pipe, syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
			return err == nil
		})
		_ = syscall.Close(writer)
		if stderr != "formatgauge: interrupted\n" {
			t.Errorf("formatgauge %s: %s", strings.Join(args, " "), stderr)
		}
	}
}

// terminate runs a command line in a process, and terminates it when something is the case. It
// checks the exit code, and returns what the process has printed to standard error.
func terminate(t *testing.T, args []string, what string, is func(pid int) bool) string {
	t.Helper()
	cmd, errOut := process(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, what, func() bool { return is(cmd.Process.Pid) })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is checked
	if code, want := cmd.ProcessState.ExitCode(), exitSignal+int(syscall.SIGTERM); code != want {
		t.Errorf("%q: exit code %d, want %d\n%s", args, code, want, errOut)
	}
	return errOut.String()
}

// TestInterruptCheck: a signal ends check while it reads a file that it could read for
// hours, with an adapter and without one.
func TestInterruptCheck(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the open files of a process")
	}
	name := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 1<<42); err != nil {
		t.Skip(err)
	}
	for _, command := range [][]string{nil, append([]string{"--"}, judgetest.Command("right")...)} {
		args := append([]string{"check", "--json", name}, command...)
		terminate(t, args, "the file is read", func(pid int) bool {
			open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
			return slices.ContainsFunc(open, func(fd string) bool {
				at, _ := os.Readlink(fd)
				return at == name
			})
		})
	}
}

// If nobody reads standard output, the first Ctrl-C ends the adapters and the
// second one ends the command.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	fill(t, out)
	r := startHanging(t, "test --run upkg.CompactIndex", out)
	r.signal(t, syscall.SIGINT)
	r.checkProcesses(t)
	time.Sleep(2 * secondInterrupt)
	select {
	case <-r.ended:
		t.Fatalf("the command has ended without printing: %s", r.errOut)
	default:
	}
	r.signal(t, syscall.SIGINT)
	select {
	case <-r.ended:
	case <-time.After(2 * secondInterrupt): // a busy machine: it took both for one
		r.signal(t, syscall.SIGINT)
		<-r.ended
	}
	if code, want := r.cmd.ProcessState.ExitCode(), exitSignal+int(syscall.SIGINT); code != want { // not killed
		t.Errorf("exit code %d, want %d", code, want)
	}
}

// fill writes to a pipe until it is full.
func fill(t *testing.T, out *os.File) {
	t.Helper()
	conn, err := out.SyscallConn()
	for full := false; err == nil && !full; {
		err = conn.Write(func(fd uintptr) bool {
			_, failed := syscall.Write(int(fd), make([]byte, 4096))
			full = failed != nil
			return true
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// end kills a process that should not run.
func end(pid string) {
	if alive(pid) {
		_ = exec.Command("kill", "-9", pid).Run()
	}
}

// alive reports whether a process runs. A zombie does not run.
func alive(pid string) bool {
	if n, err := strconv.Atoi(pid); err == nil && errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
		return false
	}
	out, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z") && len(bytes.TrimSpace(out)) > 0
}
