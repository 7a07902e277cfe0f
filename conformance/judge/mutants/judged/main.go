// Command judged judges the built-in reference by the vectors of families, under
// every side of every flag. It exits with 1 at the first failure. Command mutants
// builds it with mutants of the codec.
//
// With -reach it prints, for each vector and each part of the run, which functions
// ran. A function that runs only when a vector is judged for the first time computes
// something that the program keeps: a line with * in place of a vector names it. With
// -only FILE it judges the vectors and parts in the lines of that file.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/mutants/reached"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// maxMemory is the limit in bytes; a mutant that exceeds it is detected.
const maxMemory = 1 << 30

const partSize = 48

func main() {
	first := flag.String("first", "", "ids of vectors that are judged first, separated by commas")
	flag.BoolVar(&reach, "reach", false, "print which functions each vector runs")
	onlyFile := flag.String("only", "", "`file` with the vectors and parts to judge")
	flag.Parse()
	if *onlyFile != "" {
		b, err := os.ReadFile(*onlyFile)
		if err != nil {
			fail(err)
		}
		only = map[string]bool{}
		for line := range strings.Lines(string(b)) {
			only[strings.TrimSpace(line)] = true
		}
	}
	go func() {
		for range time.Tick(50 * time.Millisecond) {
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.Sys > maxMemory {
				fail("memory", m.Sys)
			}
		}
	}()
	vectors, err := corpus.All()
	if err != nil {
		fail(err)
	}
	var favorites []*corpus.Vector
	for _, v := range vectors {
		if slices.Contains(strings.Split(*first, ","), v.ID) {
			favorites = append(favorites, v)
		}
	}
	var families []*spec.Family
	for _, name := range flag.Args() {
		f, ok := spec.FindFamily(name)
		if !ok {
			fail("unknown family", name)
		}
		families = append(families, f)
	}
	run(favorites, nil, false)
	// Most mutants fail soon: small parts in a mixed order first.
	var mixed []*corpus.Vector
	for _, v := range vectors {
		if slices.Contains(flag.Args(), v.Family()) {
			mixed = append(mixed, v)
		}
	}
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	for part := range slices.Chunk(mixed, partSize) {
		run(part, nil, false)
	}
	for _, derived := range []bool{false, true} {
		for _, f := range families {
			own := slices.DeleteFunc(slices.Clone(mixed), func(v *corpus.Vector) bool { return v.Family() != f.Name })
			if derived {
				run(own, nil, true)
				continue
			}
			for _, p := range f.Departures() {
				run(own, &p, false)
			}
		}
	}
}

var (
	reach bool
	only  map[string]bool // by item; nil: all
)

// item names a vector in a part of the run.
func item(v *corpus.Vector, p *ids.Profile, derived bool) string {
	part := "base"
	switch {
	case derived:
		part = "derived"
	case p != nil:
		part = p.String()
	}
	return v.ID + "@" + part
}

// run judges vectors, and ends the program at the first failure.
func run(vectors []*corpus.Vector, p *ids.Profile, derived bool) {
	if reach {
		for i, v := range vectors {
			judgeAll(vectors[i:i+1], p, derived)
			ids := reached.Take()
			fmt.Println(item(v, p, derived), numbers(ids))
			if p == nil && !derived {
				judgeAll(vectors[i:i+1], p, derived)
				again := reached.Take()
				fmt.Println("*", numbers(slices.DeleteFunc(ids, func(id int) bool { return slices.Contains(again, id) })))
			}
		}
		return
	}
	if only != nil {
		vectors = slices.DeleteFunc(slices.Clone(vectors), func(v *corpus.Vector) bool { return !only[item(v, p, derived)] })
	}
	if len(vectors) > 0 {
		judgeAll(vectors, p, derived)
	}
}

func numbers(ids []int) string { return strings.Trim(fmt.Sprint(ids), "[]") }

func judgeAll(vectors []*corpus.Vector, p *ids.Profile, derived bool) {
	r, err := judge.Run(context.Background(), adapter.NewReference(), vectors, judge.Options{Profile: p, Jobs: 1, NoDerived: !derived})
	if err != nil {
		fail(err)
	}
	for _, x := range r.Results {
		if x.Status != judge.Pass && x.Status != judge.Open {
			fail(x.ID, x.Profile, x.Detail)
		}
	}
}

func fail(what ...any) {
	fmt.Println(what...)
	os.Exit(1)
}
