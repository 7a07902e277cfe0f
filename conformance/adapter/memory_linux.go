package adapter

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const canLimitMemory = true

// limitMemory limits the data segment of a running process and of the processes
// that it starts from now on. It does not limit the address space: JavaScript
// engines reserve much more of it than they use.
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil); err != nil {
		return fmt.Errorf("limit the memory of process %d: %w", pid, os.NewSyscallError("prlimit", err))
	}
	return nil
}
