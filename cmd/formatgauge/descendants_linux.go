package main

import (
	"bytes"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// adopting is true after adoptDescendants has succeeded.
var adopting atomic.Bool

// adoptDescendants makes this process the parent of each descendant whose parent
// ends, so that endDescendants finds also those in a session of their own. It does
// nothing if this process has children already: they are those of a shell that has
// executed this command in its place.
func adoptDescendants() {
	if !hasChildren() && unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil {
		adopting.Store(true)
	}
}

// endDescendants ends the processes that adapters have started and that still run.
// It is called last: this process starts nothing but adapters.
func endDescendants() {
	const (
		most  = 2 * time.Second // a process may start others faster than they are ended
		pause = time.Millisecond
	)
	if !adopting.Load() {
		return
	}
	// When a child ends, its children become children of this process.
	for start := time.Now(); time.Since(start) < most; time.Sleep(pause) {
		if !hasChildren() {
			return
		}
		for _, pid := range children() {
			_ = unix.Kill(pid, unix.SIGKILL) // a child keeps its id until it is waited for
		}
		for pid := 1; pid > 0; {
			pid, _ = unix.Wait4(-1, nil, unix.WNOHANG, nil) // -1 after an error: there are no children
		}
	}
}

// hasChildren reports whether this process has children. It is asked by every command, and
// need not read /proc.
func hasChildren() bool {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) != unix.ECHILD
}

// children returns the ids of the children of this process.
func children() (pids []int) {
	entries, _ := os.ReadDir("/proc") // without it, no children are found
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // the process has ended
		}
		// The name of the process, in parentheses, can contain anything.
		f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(f) > 1 && string(f[1]) == strconv.Itoa(os.Getpid()) {
			pids = append(pids, pid)
		}
	}
	return pids
}
