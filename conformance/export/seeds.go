package export

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
)

// Seeds returns inputs of a type for fuzzing: those of its vectors, the bytes to
// which they encode, and the derived cases under both base profiles. Of truncated
// inputs it has those that end at the border of an annotated line, or one byte before
// it: others end in the same field. None is empty, none occurs twice. They are sorted,
// and callers must not change them.
func Seeds(typ string) ([][]byte, error) {
	if _, ok := codec.Find(typ); !ok {
		return nil, fmt.Errorf("unknown type %s", typ)
	}
	all, err := corpus.Of(typ)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, v := range all {
		out = append(out, v.Inputs()...)
		border := map[int]bool{}
		for _, l := range v.Lines {
			border[l.Offset], border[l.Offset+l.Len-1] = true, true
		}
		for _, p := range bases {
			for _, c := range judge.Derive(v, p) {
				if c.Rule != judge.Truncated || border[len(c.Input())] {
					out = append(out, c.Input())
				}
			}
		}
	}
	slices.SortFunc(out, bytes.Compare)
	out = slices.CompactFunc(out, bytes.Equal)
	if len(out) > 0 && len(out[0]) == 0 {
		out = out[1:]
	}
	return out, nil
}
