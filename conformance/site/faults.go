package site

import (
	"fmt"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// fault is a fault of a judged reader: a cause in its list of known failures.
type fault struct {
	*find.Fault
	Clauses []*spec.Clause
	Shown   *deviation // the shortest vector
}

// findFaults reads the lists of known failures.
func (s *site) findFaults(m *implementation) {
	for _, x := range find.Faults(m.Name, s.vectors) {
		f := &fault{Fault: x, Clauses: s.clausesOf(x.Clauses), Shown: &deviation{Vector: x.Vectors[0]}}
		for _, failed := range s.failing[x.Vectors[0].ID] {
			if failed.By == m {
				f.Shown = failed
			}
		}
		m.Faults = append(m.Faults, f)
	}
}

// Failing lists the results of the implementations that fail vectors of a clause or a flag.
func (p *sheet) Failing(id any) (out []*judged) {
	for _, m := range p.judged {
		if j := m.byID[fmt.Sprint(id)]; j != nil && j.Failed() > 0 {
			out = append(out, j)
		}
	}
	return out
}

// FailedBy lists who fails a vector, and how.
func (p *sheet) FailedBy(v *corpus.Vector) []*deviation { return p.failing[v.ID] }

// Faults counts the faults of all implementations.
func (p *sheet) Faults() (n int) {
	for _, m := range p.judged {
		n += len(m.Faults)
	}
	return n
}

// Input shows the bytes of the shortest vector, or the value to write.
func (f *fault) Input() string {
	if v := f.Shown.Vector; v.EncodeOnly() {
		return strings.Join(strings.Fields(v.Tree), " ")
	}
	return page.ShortHex(f.Shown.Bytes, 24)
}
