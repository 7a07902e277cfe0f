package site

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/implementations"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// fault is a fault of a judged reader: a cause in its list of known failures.
type fault struct {
	By       *implementation
	ID, Text string
	Clauses  []*spec.Clause
	Vectors  []*corpus.Vector // that fail, the shortest first
	Cases    int              // number of patterns of derived cases, if there is no vector
	Shown    *failure         // the shortest vector
}

// failure is a vector that an implementation fails.
type failure struct {
	*deviation
	By *implementation
}

var clauseForm = regexp.MustCompile(`\b[A-Z]{2,5}-[A-Z0-9]+-[0-9]+\b`)

// findFaults reads the lists of known failures. A cause is a comment and the entries
// below it.
func (s *site) findFaults(m *implementation) {
	text, err := implementations.Known.ReadFile(m.Name + "/known-failures.txt")
	if err != nil {
		return // the examples of this project have none
	}
	for part := range strings.SplitSeq(string(text), "\n\n") {
		f := &fault{By: m}
		var said, own, derived []string
		for line := range strings.Lines(part) {
			comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
			if isComment {
				said = append(said, strings.TrimSpace(comment))
			} else if words := strings.Fields(line); len(words) > 1 {
				if id, _, isDerived := strings.Cut(words[0], "#"); isDerived {
					derived = append(derived, id)
				} else {
					own = append(own, id)
				}
			}
		}
		patterns := own
		if len(own) == 0 {
			patterns, f.Cases = derived, len(derived)
		}
		if len(patterns) == 0 {
			continue
		}
		f.Text = strings.Join(said, " ")
		for _, id := range clauseForm.FindAllString(f.Text, -1) {
			if c, ok := s.records.Clause(ids.Clause(id)); ok && !slices.Contains(f.Clauses, c) {
				f.Clauses = append(f.Clauses, c)
			}
		}
		for _, v := range s.vectors {
			if slices.ContainsFunc(patterns, func(id string) bool { ok, _ := path.Match(id, v.ID); return ok }) {
				f.Vectors = append(f.Vectors, v)
			}
		}
		slices.SortStableFunc(f.Vectors, func(a, b *corpus.Vector) int {
			return cmp.Or(len(a.Bytes)+len(a.Tree)-len(b.Bytes)-len(b.Tree), strings.Compare(a.ID, b.ID))
		})
		if len(f.Vectors) == 0 {
			continue
		}
		f.Shown = &failure{By: m, deviation: &deviation{Vector: f.Vectors[0]}}
		for _, x := range s.failing[f.Vectors[0].ID] {
			if x.By == m {
				f.Shown = x
			}
		}
		f.ID = fmt.Sprintf("%s-%d", m.Name, len(m.Faults)+1)
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
