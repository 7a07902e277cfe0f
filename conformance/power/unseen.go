package power

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
)

// Parts and bytes of a value that are changed to find rejections.
const (
	changedBytes = 128
	changedParts = 48
)

// unseenRejections makes a mutant of each check of the reference that no vector
// reaches: it accepts. The checks are found by changing accepted inputs byte by
// byte, and values part by part.
func unseenRejections(cases []*testCase) []*Mutant {
	seen := map[bool]map[rejection]bool{true: {}, false: {}} // by: reading
	for _, tc := range cases {
		for reading, e := range map[bool]*wire.Error{true: tc.readErr, false: tc.writeErr} {
			if e != nil {
				seen[reading][rejectionOf(tc.Vector.Family(), e)] = true
			}
		}
	}
	type unseen struct {
		rejection
		reading bool
	}
	examples := map[unseen]string{}
	note := func(tc *testCase, reading bool, err error, input func() string) {
		var e *wire.Error
		if !errors.As(err, &e) {
			return
		}
		r := rejectionOf(tc.Vector.Family(), e)
		if k := (unseen{r, reading}); !seen[reading][r] {
			if text := input(); examples[k] == "" || len(text) < len(examples[k]) {
				examples[k] = text
			}
		}
	}
	for _, tc := range cases {
		if tc.read != nil && tc.read.excess() == 0 {
			b := slices.Clone(tc.Input)
			for i := range min(len(b), changedBytes) {
				for _, x := range []byte{0, 0x7F, 0xFF, b[i] + 1, b[i] ^ 0x80} {
					old := b[i]
					b[i] = x
					_, err := tc.codec.Decode(b)
					note(tc, true, err, func() string { return fmt.Sprintf("%s %s", tc.typ.Name, hex.EncodeToString(b)) })
					b[i] = old
				}
			}
		}
		if tc.write == nil || tc.writeErr != nil || tc.write.excess() > 0 {
			continue
		}
		for _, p := range tc.write.parts[:min(len(tc.write.parts), changedParts)] {
			for i := range operators {
				op := &operators[i]
				if op.whole && op.group != "fields" || op.perFamily || !op.fits(p.v.Type()) {
					continue
				}
				to, ok := op.apply(p)
				if !ok {
					continue
				}
				root, _ := tc.write.with(map[int]reflect.Value{p.number: to})
				_, err := tc.codec.Append(nil, modelOf(root))
				note(tc, false, err, func() string { return fmt.Sprintf("%s with %s: %s", tc.ID, cmp.Or(p.path, "the value"), op.name) })
			}
		}
	}
	var out []*Mutant
	for _, k := range slices.SortedFunc(maps.Keys(examples), func(a, b unseen) int { return cmp.Compare(a.String(), b.String()) }) {
		kind := "rejections, written"
		if k.reading {
			kind = "rejections, read"
		}
		out = append(out, &Mutant{Family: k.family, Kind: kind, Subject: k.String(), Operator: "accepted", Needs: "an input with this fault alone, such as " + examples[k]})
	}
	return out
}
