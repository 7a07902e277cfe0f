// Command judged judges the built-in reference by the vectors of one family, under
// every side of every flag. It exits with 1 at the first failure. Command mutants
// builds it with a mutant of the codec.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// maxMemory is the limit in bytes; a mutant that exceeds it is detected.
const maxMemory = 2 << 30

func main() {
	go func() {
		for range time.Tick(50 * time.Millisecond) {
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.Sys > maxMemory {
				fail("memory", m.Sys)
			}
		}
	}()
	if len(os.Args) != 2 {
		fail("expected the name of one family")
	}
	vectors, err := corpus.All()
	if err != nil {
		fail(err)
	}
	f, ok := spec.FindFamily(os.Args[1])
	if !ok {
		fail("unknown family", os.Args[1])
	}
	run := func(p *ids.Profile, derived bool) {
		r, err := judge.Run(context.Background(), adapter.NewReference(), vectors, judge.Options{
			Profile: p, Jobs: 1, NoDerived: !derived, Filter: func(v *corpus.Vector) bool { return v.Family() == f.Name },
		})
		if err != nil {
			fail(err)
		}
		for _, x := range r.Results {
			if x.Status != judge.Pass && x.Status != judge.Open {
				fail(x.ID, x.Profile, x.Detail)
			}
		}
	}
	run(nil, false)
	for _, p := range f.Departures() {
		run(&p, false)
	}
	run(nil, true)
}

func fail(what ...any) {
	fmt.Println(what...)
	os.Exit(1)
}
