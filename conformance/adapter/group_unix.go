//go:build unix

package adapter

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a child into a process group of its own, so that killGroup also
// ends the processes that it starts.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		_ = cmd.Process.Kill() // the group has ended already
	}
}
