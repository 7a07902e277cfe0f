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
	By      *implementation
	Clauses []*spec.Clause
	Shown   *failure // the shortest vector
}

// failure is a vector that an implementation fails.
type failure struct {
	*deviation
	By *implementation
}

// findFaults reads the lists of known failures.
func (s *site) findFaults(m *implementation) {
	for _, x := range find.Faults(m.Name, s.vectors) {
		f := &fault{Fault: x, By: m, Shown: &failure{By: m, deviation: &deviation{Vector: x.Vectors[0]}}}
		for _, id := range x.Clauses {
			if c, ok := s.records.Clause(id); ok {
				f.Clauses = append(f.Clauses, c)
			}
		}
		for _, failed := range s.failing[x.Vectors[0].ID] {
			if failed.By == m {
				f.Shown = failed
			}
		}
		m.Faults = append(m.Faults, f)
	}
}

// failsOn is an implementation with the vectors of a clause or flag that it fails.
type failsOn struct {
	*judged
	By *implementation
}

// Failing lists the implementations that fail vectors of a clause or a flag.
func (p *sheet) Failing(id any) (out []failsOn) {
	for _, m := range p.judged {
		if j := m.byID[fmt.Sprint(id)]; j != nil && j.Failed() > 0 {
			out = append(out, failsOn{j, m})
		}
	}
	return out
}

// FailedBy lists the implementations that fail a vector.
func (p *sheet) FailedBy(v *corpus.Vector) []*failure { return p.failing[v.ID] }

// Address returns where the page of the implementation lists the vectors.
func (f failsOn) Address() string { return f.By.Page() + "#" + f.ID }

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
