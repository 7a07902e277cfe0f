package fuzz

import (
	"bytes"

	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/corpus"
)

// MaxSeed is the greatest length in bytes of a seed of a campaign. With a longer one,
// an engine would spend its time on changes of few long inputs: a vector of
// upkg.Package has 65,537 names.
const MaxSeed = 4 << 10

// Seeds returns the seeds of a type for campaigns: those of [export.Seeds], except long
// ones and all truncated inputs that are no vectors. There are more of those than of
// all others together, and every engine truncates inputs.
func Seeds(typ string) ([][]byte, error) {
	all, err := export.Seeds(typ)
	if err != nil {
		return nil, err
	}
	vectors, err := corpus.Of(typ)
	if err != nil {
		return nil, err
	}
	inputs := map[string]bool{}
	for _, v := range vectors {
		inputs[string(v.Bytes)] = true
	}
	var out [][]byte
	for i, b := range all {
		truncated := i+1 < len(all) && bytes.HasPrefix(all[i+1], b) // they are sorted
		if len(b) <= MaxSeed && (!truncated || inputs[string(b)]) {
			out = append(out, b)
		}
	}
	return out, nil
}
