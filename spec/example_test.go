package spec_test

import (
	"fmt"

	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A clause is found by its permanent id.
func ExampleFindClause() {
	c, ok := spec.FindClause("UPKG-CI-1")
	if !ok {
		return
	}
	fmt.Println(c.Structure, c.Level, c.Document)
	// Output: upkg.CompactIndex must 004
}

// A switchable flag has sides; a profile takes one of them.
func ExampleFindFlag() {
	f, ok := spec.FindFlag("upkg.ci-range")
	if !ok {
		return
	}
	for _, s := range f.Sides {
		fmt.Println(s.Name)
	}
	fmt.Println(ids.Observed().Side(f.ID), ids.Documented().Side(f.ID))
	// Output:
	// documented
	// observed
	// observed documented
}
