// Command measure measures which wrong implementations the corpus notices.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/formatgauge/formatgauge/conformance/power"
	"github.com/formatgauge/formatgauge/corpus"
)

func main() {
	family := flag.String("family", "", "only this family")
	alive := flag.Bool("alive", false, "print the living mutants")
	flag.Parse()
	if err := run(*family, *alive); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(family string, alive bool) error {
	start := time.Now()
	vectors, err := corpus.All()
	if err != nil {
		return err
	}
	mutants, err := power.Measure(context.Background(), vectors, power.Options{Filter: func(m *power.Mutant) bool { return family == "" || m.Family == family }})
	if err != nil {
		return err
	}
	slices.SortFunc(mutants, power.ByFamily)
	count := map[string]map[power.State]int{}
	var rows []string
	for _, m := range mutants {
		row := m.Family + " " + m.Kind
		if count[row] == nil {
			count[row] = map[power.State]int{}
			rows = append(rows, row)
		}
		count[row][m.State]++
		if alive && m.State == power.Alive {
			fmt.Println(m.Kind, m, "NEEDS", m.Needs, m.Cases, m.Changed)
		}
	}
	for _, row := range rows {
		fmt.Println(row, count[row])
	}
	fmt.Fprintln(os.Stderr, len(mutants), time.Since(start))
	return nil
}
