package report

import (
	"encoding/json"
	"fmt"

	"github.com/formatgauge/formatgauge/conformance/judge"
)

// A Tally holds the numbers that every form shows. Each vector counts once under each
// profile, and apart from the vectors each derived case once under each profile, by its one
// outcome; a failure in the list of known failures counts as known, not as failed, and a type
// that the adapter does not list, or lists in skips, is left out.
type Tally struct{ Own, Derived Counts }

// Add counts a result. Nothing else counts results for a form.
func (t *Tally) Add(r *judge.Result) {
	switch {
	case leftOut(r):
	case r.Derived:
		t.Derived.Add(StatusOf(r))
	default:
		t.Own.Add(StatusOf(r))
	}
}

// leftOut reports whether hello excludes the type of a result.
func leftOut(r *judge.Result) bool {
	return r.Status == judge.Skip && (r.Reason == judge.Unlisted || r.Reason == judge.Declared)
}

// Counts counts the results.
func (r *Run) Counts() Tally {
	t := Tally{Counts{}, Counts{}}
	for i := range r.Results {
		t.Add(&r.Results[i])
	}
	return t
}

// Counts holds the number of cases by status.
type Counts map[judge.Status]int

// UnmarshalJSON implements json.Unmarshaler.
func (c *Counts) UnmarshalJSON(text []byte) error {
	var m map[judge.Status]int
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	for s, n := range m {
		if n < 1 || s != Known && !isStatus(s) {
			return fmt.Errorf("invalid count %q: %d", s, n)
		}
	}
	*c = m
	return nil
}

// Add counts an outcome.
func (c *Counts) Add(s judge.Status) {
	if *c == nil {
		*c = Counts{}
	}
	(*c)[s]++
}

// Failed returns the number of cases that count against the implementation.
func (c Counts) Failed() int {
	return c[judge.Fail] + c[judge.Crash] + c[judge.Timeout] + c[judge.Protocol]
}

// Total returns the number of cases.
func (c Counts) Total() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// Judged returns the number of cases with an answer and a verdict.
func (c Counts) Judged() int { return c.Total() - c[judge.Skip] - c[judge.NotApplicable] }

// String returns the counts as text. Zeros are omitted, except of passed and
// failed.
func (c Counts) String() string {
	out := fmt.Sprintf("%d passed, %d failed", c[judge.Pass], c.Failed())
	for _, w := range statusWords {
		if n := c[w.Status]; n > 0 && w.Status != judge.Pass && !w.Status.Failed() {
			out += fmt.Sprintf(", %d %s", n, w.count)
		}
	}
	return out
}

// Failed returns the number of failures of both kinds.
func (t Tally) Failed() int { return t.Own.Failed() + t.Derived.Failed() }

// Has reports whether a status occurs.
func (t Tally) Has(s judge.Status) bool { return t.Own[s]+t.Derived[s] > 0 }

// Text describes the counts of vectors and, after a label, of derived cases.
func (t Tally) Text(label string) string {
	if t.Derived.Total() == 0 {
		return t.Own.String()
	}
	return t.Own.String() + label + t.Derived.String()
}
