//go:build unix && !solaris && !aix

package outfile

import (
	"os"
	"syscall"
)

// lock locks a file until it is closed, or the process ends. It does not wait.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
