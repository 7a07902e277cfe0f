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

// Find returns [corpus.Find]. It ends the test if there is no such vector.
func Find(t testing.TB, id string) *corpus.Vector {
	t.Helper()
	v, ok := corpus.Find(id)
	if !ok {
		t.Fatalf("no vector %s", id)
	}
	return v
}
