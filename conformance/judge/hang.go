package judge

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/adapter"
)

// hangs holds the inputs on which an implementation hung: each costs the time limit, so
// what hangs alike is asked once. Two inputs of a type are alike if the reference finds the
// same fault in both, and the second is not less far from right.
type hangs map[likeness][]hang

type likeness struct{ typ, fault string }

type hang struct {
	id    string
	width int // see widths
}

// add adds a case without an answer to decode.
func (h hangs) add(p *pending) {
	if k := likenessOf(p); k.fault != "" {
		_, most := faultWidth(p.testCase)
		h[k] = append(h[k], hang{p.testCase.ID, most})
	}
}

// alike returns the id of a case that hung alike; "" if there is none.
func (h hangs) alike(p *pending) string {
	if len(h) == 0 {
		return ""
	}
	least, _ := faultWidth(p.testCase)
	for _, other := range h[likenessOf(p)] {
		if other.width <= least {
			return other.id
		}
	}
	return ""
}

// likenessOf has no fault if nothing is like the next request of a case.
func likenessOf(p *pending) likeness {
	c := p.testCase
	if p.ops[0] != adapter.OpDecode {
		return likeness{}
	}
	q, _ := p.request(adapter.OpDecode) // it has no tree that could be invalid
	a := c.askReference(q, c.Profile, c.Context)
	if a.Reject == nil {
		return likeness{}
	}
	text := strings.Replace(a.Reject.Message, a.Reject.Path, "", 1)
	return likeness{c.Vector.Type, inMessage.ReplaceAllString(text, "")}
}

// inMessage is what differs in messages about the same fault: quoted texts and numbers,
// but not those in names.
var inMessage = regexp.MustCompile(`"[^"]*"|[ (](0x[0-9a-f]+|-?\d+)( bytes?)?`)

// faultWidth returns how many bytes at least, and at most, the number takes by which the
// input of a case exceeds what is there: a reader that hangs at a great length may read a
// small one.
func faultWidth(c *Case) (least, most int) {
	switch c.Rule {
	case Raised:
		zeros := bytes.TrimRight
		if c.Vector.Context["order"] == "big" {
			zeros = bytes.TrimLeft
		}
		n := len(zeros(c.Edit.Inserted, "\x00"))
		return n, n
	case Truncated, Trailing:
		return 1, 1
	}
	return 1, 8
}
