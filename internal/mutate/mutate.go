// Package mutate is a placeholder.
package mutate

import "github.com/formatgauge/formatgauge/codec"

type Mutator struct{}

func New(*codec.Type, int64) *Mutator                { return &Mutator{} }
func (*Mutator) Seed(int64)                          {}
func (*Mutator) Mutate(data []byte, limit int) []byte { return data[:min(len(data), limit)] }
func (*Mutator) Cross(a, b []byte, limit int) []byte { return a[:min(len(a), limit)] }
