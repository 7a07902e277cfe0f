// Package testrun says how large a run of the tests is, and from which seed it
// draws. The same commit gives the same result, unless [SeedVariable] is set. It
// also has two helpers for tests of any package.
package testrun

import (
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	_ "pgregory.net/rapid" // its flags exist before init runs
)

// SeedVariable is the environment variable with the seed of a run, a positive
// integer. Whoever sets it prints it: it repeats the run.
const SeedVariable = "FORMATGAUGE_SEED"

// Answer is how long a test waits for an answer of an adapter that should give one: none
// is late on a slow machine, and a test does not wait longer for one that cannot come.
const Answer = 20 * time.Second

// seed is the seed of rapid, and part of every other one.
var seed uint64 = 1

func init() {
	if s := os.Getenv(SeedVariable); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil || n == 0 {
			fmt.Fprintf(os.Stderr, "%s: expected a positive integer, found %q\n", SeedVariable, s)
			os.Exit(2)
		}
		seed = n
	}
	// Tests allocate much and keep little: fewer collections save a sixth of their time.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	// A flag of the command line, such as -rapid.seed, is parsed later and wins.
	if os.Getenv("RAPID_SEED") == "" {
		if err := flag.Set("rapid.seed", strconv.FormatUint(seed, 10)); err != nil {
			panic(err)
		}
	}
}

// Must returns the result of a call that fails in no sound test. Otherwise it panics.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Allocated returns the number of bytes that a call allocates. It stops the program twice.
func Allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Seed returns the seed of the run.
func Seed() uint64 { return seed }

// Rand returns a source of random numbers for a test. It depends on the seed and
// on the name of the test.
func Rand(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(crc32.ChecksumIEEE([]byte(t.Name())))))
}

// Sampled reports whether an ordinary run includes an item: about one in n of all
// names, always the same ones. An exhaustive run includes every item.
func Sampled(name string, n uint32) bool {
	return Exhaustive || crc32.ChecksumIEEE([]byte(name))%n == 0
}
