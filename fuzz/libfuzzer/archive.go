//go:build cgo

package main

// #include <stddef.h>
// #include <stdint.h>
import "C"

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"unsafe"

	"github.com/formatgauge/formatgauge/fuzz"
	"github.com/formatgauge/formatgauge/internal/mutate"
)

// The state of the process: libFuzzer calls its targets from one thread.
var (
	target   fuzz.Target
	subjects [][]fuzz.Subject
	mutators []*mutate.Mutator
	check    func([]fuzz.Subject, []byte) error
)

// gcPercent makes collections rare. What an execution allocates is small, and
// nothing of it lives on.
const gcPercent = 1000

// formatgauge_open selects the target. It returns the number of bytes of an input
// before those of the structure, or -1.
//
//export formatgauge_open
func formatgauge_open(name *C.char) C.int {
	debug.SetGCPercent(gcPercent)
	var err error
	if check, err = fuzz.Check(cmp.Or(os.Getenv(fuzz.CheckVariable), "quick")); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", fuzz.CheckVariable, err)
		return -1
	}
	var ok bool
	if target, ok = fuzz.Find(C.GoString(name)); !ok {
		fmt.Fprintf(os.Stderr, "target %s does not exist\n", C.GoString(name))
		return -1
	}
	subjects = target.Subjects()
	for _, t := range target.Types {
		mutators = append(mutators, mutate.New(t, 0))
	}
	return C.int(target.Prefix())
}

func view(data *C.uint8_t, size C.size_t) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(data)), size)
}

// formatgauge_check checks an input. It returns 0, or 1 after a
// finding.
//
//export formatgauge_check
func formatgauge_check(data *C.uint8_t, size C.size_t) C.int {
	i, src := target.Split(view(data, size))
	if err := check(subjects[i], src); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// formatgauge_mutate changes an input in place and returns its new size, at most
// limit. The type remains.
//
//export formatgauge_mutate
func formatgauge_mutate(data *C.uint8_t, size, limit C.size_t, seed C.uint) C.size_t {
	i, src := target.Split(view(data, size))
	m := mutators[i]
	m.Seed(int64(seed))
	prefix := target.Prefix()
	return C.size_t(prefix + copy(view(data, limit)[prefix:], m.Mutate(src, int(limit)-prefix)))
}
