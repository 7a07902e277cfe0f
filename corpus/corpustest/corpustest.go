// Package corpustest gives tests the vectors.
package corpustest

import (
	"testing"

	"github.com/formatgauge/formatgauge/corpus"
)

// All returns [corpus.All].
func All(t testing.TB) []*corpus.Vector {
	t.Helper()
	return Of(t, "")
}

// Of returns [corpus.Of]. It ends the test if the vectors cannot be read.
func Of(t testing.TB, name string) []*corpus.Vector {
	t.Helper()
	vectors, err := corpus.Of(name)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}
