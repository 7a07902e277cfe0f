package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
)

// TestDescendants: processes that an adapter has started in sessions of their own
// do not outlive the command, also if the adapter crashes.
func TestDescendants(t *testing.T) {
	for mode, want := range map[string]int{"right": exitOK, "crashes-always": exitFailed} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			pids := filepath.Join(t.TempDir(), "pids")
			cmd, errOut := process(t, "test", "--run", "upkg/CompactIndex/zero", "--no-derived", "--",
				"sh", "-c", forks("setsid"), pids, judgetest.Program, mode)
			_ = cmd.Run() // the exit code is checked
			if got := cmd.ProcessState.ExitCode(); got != want || len(lines(pids)) < 3 {
				t.Errorf("exit code %d, want %d; processes %v\n%s", got, want, lines(pids), errOut)
			}
			for _, pid := range lines(pids) {
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
	const script = `sleep 3600 >&- 2>&- & echo $! > "$0"; exec formatgauge test --run upkg/CompactIndex/zero -- wrong right`
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", script, pids).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if pid := lines(pids)[0]; alive(pid) {
		end(pid)
	} else {
		t.Errorf("process %s has been ended", pid)
	}
}
