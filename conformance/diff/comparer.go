package diff

import (
	"context"
	"errors"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
)

// A Comparer compares the answers of two implementations to inputs that the caller has.
// It is used by one goroutine.
type Comparer struct{ run *run }

// NewComparer asks both implementations for hello. Requests are made under the profile
// that A declares, otherwise under that of B, otherwise under observed.
func NewComparer(ctx context.Context, a, b adapter.Implementation) (*Comparer, error) {
	r := newRun(a, b, Options{})
	return &Comparer{r}, r.sayHello(ctx)
}

// Compare asks for the value of src and, if the answers are equal, for the bytes of this
// value. difference says how the answers of A and B differ, and shows the rejection of what the
// other one accepts; it is empty if they do not differ. compared is false if one of them does
// not support the type, or rejects src because of a limit of its own. An error ends the comparison: the context has ended, or an
// implementation was given up.
func (c *Comparer) Compare(
	ctx context.Context, t *codec.Type, src []byte,
) (difference string, compared bool, err error) {
	r := c.run
	if !r.isCommon(t) {
		return "", false, nil
	}
	all := r.ask(ctx, []Input{{Type: t, Bytes: src}})
	switch {
	case len(all) == 0:
		return "", false, context.Cause(ctx)
	case all[0].stopped != "":
		return "", false, errors.New(all[0].stopped)
	case all[0].diff == nil:
		return "", !all[0].skipped, nil
	}
	d := all[0].diff
	difference = (&Finding{Kind: d.kind, Letter: d.letter, Detail: d.detail}).Sentence()
	for letter, p := range map[string]*reply{"A": &d.a, "B": &d.b} {
		if d.kind == Verdict && p.Reject != nil { // the other one accepts
			difference += "; " + letter + ": " + oneLine(textOf(&p.Response))
		}
	}
	return difference, true, nil
}
