// Command measure measures which wrong implementations the corpus kills, and
// writes docs/power.md.
//
//	go run ./conformance/power/measure
//	go run ./conformance/power/measure -family ka -survived
//	go run ./conformance/power/measure -primitives
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/conformance/power"
	"github.com/formatgauge/formatgauge/corpus"
)

func main() {
	family := flag.String("family", "", "measure only this family, and write no page")
	survived := flag.Bool("survived", false, "print the surviving mutants and what a vector needs to kill each")
	alone := flag.Bool("alone", false, "print the mutants that only one vector kills")
	acceptable := flag.Bool("acceptable", false, "print the mutants whose only effect is allowed")
	subject := flag.String("subject", "", "measure only subjects that begin with this, such as ka.Vector3, and write no page")
	primitives := flag.Bool("primitives", false, "measure nothing, and write only the section of the page about shared primitives")
	flag.Parse()
	if *primitives {
		if err := writePrimitives(); err != nil {
			fmt.Fprintln(os.Stderr, "measure:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*family, *subject, *survived, *alone, *acceptable); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(family, subject string, survived, alone, acceptable bool) error {
	start := time.Now()
	vectors, err := corpus.All()
	if err != nil {
		return err
	}
	opts := power.Options{}
	if family+subject != "" {
		vectors = slices.DeleteFunc(slices.Clone(vectors), func(v *corpus.Vector) bool { return family != "" && v.Family() != family })
		opts.Filter = func(m *power.Mutant) bool {
			return (family == "" || m.Family == family) && strings.HasPrefix(m.Subject, subject)
		}
	}
	mutants, err := power.Measure(context.Background(), vectors, opts)
	if mutants == nil {
		return err
	}
	for _, s := range []struct {
		wanted bool
		chosen func(*power.Mutant) bool
	}{
		{survived, func(m *power.Mutant) bool { return m.State == power.Survived }},
		{alone, func(m *power.Mutant) bool { return len(m.Killers) == 1 }},
		{acceptable, func(m *power.Mutant) bool { return m.State == power.Acceptable }},
	} {
		if s.wanted {
			fmt.Print(power.ForAuthors(slices.DeleteFunc(slices.Clone(mutants), func(m *power.Mutant) bool { return !s.chosen(m) })))
		}
	}
	counts := power.Counts(mutants, func(m *power.Mutant) string { return m.Family + ", " + m.Kind })
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		c := counts[k]
		fmt.Fprintf(os.Stderr, "%-32s made %5d  killed %5d  acceptable %4d  equivalent %4d  survived %5d\n", k, c.Made(), c[power.Killed], c[power.Acceptable], c[power.Equivalent], c[power.Survived])
	}
	fmt.Fprintf(os.Stderr, "%d mutants in %.0f s\n", len(mutants), time.Since(start).Seconds())
	if opts.Filter != nil {
		return err
	}
	section, fault := power.Primitives(vectors)
	err = errors.Join(err, fault)
	page := power.Markdown(mutants, vectors, section)
	return errors.Join(err, os.WriteFile(power.Page, []byte(page), 0o666))
}

func writePrimitives() error {
	vectors, err := corpus.All()
	if err != nil {
		return err
	}
	section, err := power.Primitives(vectors)
	page, fault := os.ReadFile(power.Page)
	if fault != nil {
		return errors.Join(err, fault)
	}
	return errors.Join(err, os.WriteFile(power.Page, []byte(power.WithPrimitives(string(page), section)), 0o666))
}
