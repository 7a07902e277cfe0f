package corpus_test

import (
	"fmt"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A vector has one input and a verdict for each profile.
func ExampleFind() {
	v, ok := corpus.Find("upkg/CompactIndex/fifth-byte-high-bits")
	if !ok {
		fmt.Println("no such vector")
		return
	}
	fmt.Printf("% x\n", v.Bytes)
	for _, p := range []ids.Profile{ids.Documented(), ids.Observed()} {
		fmt.Println(p, v.Select(p).Short(), v.Select(p).Tree)
	}
	// Output:
	// 40 80 80 80 ff
	// documented accept "34225520640"
	// observed noncanonical "-134217728"
}
