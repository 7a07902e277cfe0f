//go:build unix

package check_test

import "syscall"

func makePipe(name string) error { return syscall.Mkfifo(name, 0o666) }
