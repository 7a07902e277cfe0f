// Command measure times readers and writers on files. Command ratios builds it
// twice, from the current tree and from an earlier revision, so it uses only
// the API that both have.
//
// Each line of standard input is a job: an operation and the files that one
// pass handles, separated by tabs. For each job the output has one line: bytes
// per second, then the allocations and the bytes allocated in one pass. If an
// operation fails, the line is "error: " and the reason.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tinylib/msgp/msgp"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

const (
	rounds = 8     // the jobs take turns; the fastest round of each counts
	round  = 0.004 // seconds that a job runs in one round
	slow   = 0.1   // seconds; a job whose pass takes longer runs once
)

// An operation returns what one pass does with src, and the number of bytes
// that it looks at.
type operation func(src []byte) (pass func() error, looked int, err error)

var operations = map[string]operation{
	"ka.Archive read":        read(ka.New(wire.Settings{}).Archive()),
	"ka.Archive append":      write(ka.New(wire.Settings{}).Archive()),
	"ka.Scan":                scan(false),
	"ka.Scan, gives up":      scan(true),
	"uasset.Package read":    read(uasset.New(wire.Settings{}).Package()),
	"ubi.Color read":         read(ubi.New(wire.Settings{}).Color()),
	"ubi.Vector3 read":       read(ubi.New(wire.Settings{}).Vector3()),
	"upkg.CompactIndex read": read(upkg.New(wire.Settings{}).CompactIndex()),
	"upkg.Package read":      read(upkg.New(wire.Settings{}).Package()),
	"msgp read":              readPeer,
	"msgp append":            writePeer,
}

func read[T any](s wire.Structure[T]) operation {
	return func(src []byte) (func() error, int, error) {
		v := new(T) // keeps the result alive
		return func() (err error) { *v, err = s.Decode(src); return err }, len(src), nil
	}
}

func write[T any](s wire.Structure[T]) operation {
	return func(src []byte) (func() error, int, error) {
		v, err := s.Decode(src)
		if err != nil {
			return nil, 0, err
		}
		dst := make([]byte, 0, len(src))
		if b, err := s.Append(dst, v); err != nil || !bytes.Equal(b, src) {
			return nil, 0, fmt.Errorf("the encoding differs from the input; error: %v", err)
		}
		return func() error { _, err := s.Append(dst, v); return err }, len(src), nil
	}
}

func readPeer(src []byte) (func() error, int, error) {
	v := new(any)
	return func() (err error) { *v, _, err = msgp.ReadIntfBytes(src); return err }, len(src), nil
}

func writePeer(src []byte) (func() error, int, error) {
	v, _, err := msgp.ReadIntfBytes(src)
	dst := make([]byte, 0, 2*len(src))
	return func() error { _, err := msgp.AppendIntf(dst, v); return err }, len(src), err
}

// scan looks for archives in hostile data, which contains none. A scan that
// gives up has read 1 MiB and 64 times the input in vain.
func scan(givesUp bool) operation {
	return func(src []byte) (func() error, int, error) {
		c, looked := ka.New(wire.Settings{}), len(src)
		if givesUp {
			looked = 1<<20 + 64*len(src)
		}
		return func() error {
			found, err := c.Scan(src)
			if len(found) > 0 || errors.Is(err, wire.Limit) != givesUp {
				return fmt.Errorf("unexpected result: %d archives, error %v", len(found), err)
			}
			return nil
		}, looked, nil
	}
}

// A job is an operation on the files of one line.
type job struct {
	passes []func() error // one per file
	looked int            // bytes, in one pass over all files
	repeat int            // passes per round; 0 if there are no more rounds
	best   cost
	err    error
}

// cost is what one pass costs.
type cost struct {
	seconds   float64
	allocs    uint64
	allocated float64 // bytes
}

func newJob(line string) *job {
	j := &job{}
	fields := strings.Split(line, "\t")
	op := operations[fields[0]]
	if op == nil {
		j.err = fmt.Errorf("unknown operation %q", fields[0])
		return j
	}
	for _, name := range fields[1:] {
		src, err := os.ReadFile(name)
		if err != nil {
			j.err = err
			return j
		}
		pass, looked, err := op(src)
		if err != nil {
			j.err = err
			return j
		}
		j.passes = append(j.passes, pass)
		j.looked += looked
	}
	j.best = j.run(1)
	if j.err == nil && j.best.seconds < slow {
		j.best = j.run(20)
		j.repeat = int(round/j.best.seconds) + 1
	}
	return j
}

// run returns the mean cost of n passes.
func (j *job) run(n int) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		for _, pass := range j.passes {
			if err := pass(); err != nil {
				j.err = err
				return cost{}
			}
		}
	}
	seconds := time.Since(start).Seconds()
	runtime.ReadMemStats(&after)
	return cost{
		seconds / float64(n),
		(after.Mallocs - before.Mallocs) / uint64(n),
		float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
	}
}

func main() {
	// With a heap of a few megabytes the collector would run every few passes.
	debug.SetGCPercent(400)
	var jobs []*job
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		jobs = append(jobs, newJob(in.Text()))
	}
	for range rounds {
		for _, j := range jobs {
			if j.err == nil && j.repeat > 0 {
				j.best.seconds = min(j.best.seconds, j.run(j.repeat).seconds)
			}
		}
	}
	for _, j := range jobs {
		if j.err != nil {
			fmt.Println("error:", j.err)
			continue
		}
		fmt.Printf("%g\t%d\t%g\n", float64(j.looked)/j.best.seconds, j.best.allocs, j.best.allocated)
	}
}
