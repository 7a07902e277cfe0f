package power

import (
	"errors"
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
)

// Parts and bytes of a value that are changed to find rejections.
const (
	changedBytes = 128
	changedParts = 48
	// changedInput is the size of an input up to which it is changed: a longer one shows no
	// other rejection, and each change decodes all of it.
	changedInput = 1 << 12
)

// unseenRejections makes a mutant of each check of the reference that no vector
// reaches: it accepts. The checks are found by changing accepted inputs byte by
// byte, and values part by part.
func unseenRejections(cases []*testCase) (out []*Mutant) {
	seen, examples := map[rejection]bool{}, map[rejection]string{}
	for _, tc := range cases {
		for _, w := range ways {
			if r, e := tc.rejectionOf(w.op); e != nil {
				seen[r] = true
			}
		}
	}
	note := func(tc *testCase, way string, err error, format string, args ...any) {
		e, ok := errors.AsType[*wire.Error](err)
		if !ok {
			return
		}
		r := rejection{tc.Vector.Family(), e.Class, e.Clause, way}
		if seen[r] {
			return
		}
		if text := fmt.Sprintf(format, args...); examples[r] == "" || len(text) < len(examples[r]) {
			examples[r] = text
		}
	}
	for _, tc := range cases {
		if tc.read != nil && tc.read.excess() == 0 && len(tc.Input()) <= changedInput {
			b := slices.Clone(tc.Input())
			for i := range min(len(b), changedBytes) {
				for _, x := range []byte{0, 0x7F, 0xFF, tc.Input()[i] + 1, tc.Input()[i] ^ 0x80} {
					b[i] = x
					_, err := tc.codec.Decode(b)
					note(tc, "read", err, "%s %x", tc.typ.Name, b)
				}
				b[i] = tc.Input()[i]
			}
		}
		if tc.write == nil || tc.writeErr != nil || tc.write.excess() > 0 {
			continue
		}
		for _, p := range tc.write.all[:min(len(tc.write.all), changedParts)] {
			for i := range operators {
				op := &operators[i]
				if op.scope == family || op.group == "state" {
					continue
				}
				if to, ok := op.change(p); ok {
					_, err := tc.append(tc.write.root.Replace(map[*tree.Node]tree.Node{p.Node: to}))
					note(tc, "written", err, "%s with %s: %s", tc.ID, p.as, op.name)
				}
			}
		}
	}
	for r, example := range examples {
		needs := "an input with this fault alone, such as " + example
		out = append(out, &Mutant{
			Family: r.family, Kind: "rejections, " + r.way, Subject: r.String(), Operator: "accepted",
			Needs: needs,
		})
	}
	return out
}
