// Command formatgauge judges, decodes, encodes and explains game-asset formats.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

func main() {
	vs, err := corpus.Load(os.DirFS("corpus"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	n := 0
	for _, f := range corpus.Lint(vs) {
		if len(os.Args) > 1 && !strings.HasPrefix(strings.ToLower(f.Where), os.Args[1]) {
			continue
		}
		fmt.Println(f)
		n++
	}
	fmt.Println(len(vs), "vectors,", n, "findings;", len(spec.Families()), "families")
}
