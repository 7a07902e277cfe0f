// Command measure measures which wrong implementations the corpus kills, and
// writes docs/power.md. It prints the surviving mutants, and what a vector needs to
// kill each.
//
//	go run ./conformance/power/measure
//	go run ./conformance/power/measure -family ka
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/power"
	"github.com/formatgauge/formatgauge/corpus"
)

func main() {
	family := flag.String("family", "", "measure only this family, and write no page")
	subject := flag.String("subject", "", "measure only subjects that begin with this, such as ka.Vector3, and write "+
		"no page")
	flag.Parse()
	if err := run(*family, *subject); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(family, subject string) error {
	vectors, err := corpus.All()
	if err != nil {
		return err
	}
	var wanted func(*power.Mutant) bool
	if family+subject != "" {
		vectors = slices.DeleteFunc(slices.Clone(vectors),
			func(v *corpus.Vector) bool { return family != "" && v.Family() != family })
		wanted = func(m *power.Mutant) bool {
			return (family == "" || m.Family == family) && strings.HasPrefix(m.Subject, subject)
		}
	}
	mutants, err := power.Measure(vectors, wanted)
	if mutants == nil {
		return err
	}
	fmt.Print(power.Survivors(mutants))
	fmt.Fprintln(os.Stderr, power.CountOf(mutants).Headline())
	if err != nil || wanted != nil {
		return err
	}
	return os.WriteFile(power.Page, []byte(power.Markdown(mutants)), 0o666)
}
