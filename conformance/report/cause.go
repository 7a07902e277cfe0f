package report

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A cause groups failures that probably have one reason.
type cause struct {
	Title   string // what they have in common
	About   string // what to do, or the text of the clause
	Clause  ids.Clause
	Example *failure
	IDs     []string // of the vectors, in order; derived cases count for their vector
	cases   int      // number of failed cases, each profile counted once
}

// A causeKey says what failures have in common. The first of these that is known
// decides: the side, the view or the parameter of the context that explains them; what
// happened in place of an answer; the rule of derived cases; of the message of the
// implementation, and of the clauses with the field, the one of the most failures.
type causeKey struct {
	side, view, ignored string
	rule                judge.Rule
	clause              ids.Clause
	field               string // path of the first difference without indices
	message             string
	class               judge.Class
}

// aboutClass says what happened, in the title of a cause.
var aboutClass = map[judge.Class]string{
	judge.Accepted:      "accepted, expected a rejection",
	judge.Rejected:      "rejected, expected acceptance",
	judge.WrongClass:    "rejected with another class",
	judge.WrongOffset:   "rejected at another offset",
	judge.WrongTree:     "another value",
	judge.WrongBytes:    "other bytes",
	judge.Errored:       "answered error",
	judge.Flaky:         "no answer, but an answer when asked alone",
	judge.Crashed:       "crash",
	judge.TimedOut:      "timeout",
	judge.BrokeProtocol: "violation of the protocol",
}

// causes groups the failures. The cause with the most vectors is the first.
func (r *Run) causes() []*cause {
	all := r.failures()
	keys := make([]causeKey, len(all))
	perKey := map[causeKey]int{} // failures
	own := map[string]causeKey{} // of the failed vectors
	candidates := func(f *failure, key causeKey) []causeKey {
		var out []causeKey
		for _, id := range clausesOf(f.Result) {
			key.clause = id
			out = append(out, key)
		}
		if message := pattern(f.Message); f.Class == judge.Rejected || f.Class == judge.WrongClass {
			out = append(out, causeKey{class: f.Class, message: message})
		}
		return slices.DeleteFunc(out, func(k causeKey) bool { return k.lacksClause() })
	}
	for i, f := range all {
		keys[i] = keyWithoutClause(f.Result)
		if keys[i].lacksClause() {
			for _, k := range candidates(f, keys[i]) {
				perKey[k]++
			}
		}
	}
	var out []*cause
	at := map[causeKey]*cause{}
	for i, f := range all {
		key := keys[i]
		if key.lacksClause() {
			// Of several clauses, the one of the most failures is the best guess.
			for _, k := range candidates(f, keys[i]) {
				if key.lacksClause() || perKey[k] > perKey[key] {
					key = k
				}
			}
		}
		switch first, failed := own[f.Vector.ID]; {
		case !f.Derived && !failed:
			own[f.Vector.ID] = key
		case f.Derived && failed && key.message == "":
			key = first // the fault of the vector may be the cause of this one too
		}
		c := at[key]
		if c == nil {
			c = &cause{Clause: key.clause}
			c.Title, c.About = key.text()
			at[key] = c
			out = append(out, c)
		}
		c.add(f)
	}
	slices.SortStableFunc(out, func(a, b *cause) int { return cmp.Compare(len(b.IDs), len(a.IDs)) })
	return out
}

func (c *cause) add(f *failure) {
	if n := len(c.IDs); n == 0 || c.IDs[n-1] != f.Vector.ID && !slices.Contains(c.IDs, f.Vector.ID) {
		c.IDs = append(c.IDs, f.Vector.ID)
	}
	c.cases += 1 + len(f.sameFailure)
	if c.Example == nil || f.simplerThan(c.Example) {
		c.Example = f
	}
}

// simplerThan prefers vectors to derived cases, and short inputs that are not
// empty.
func (f *failure) simplerThan(than *failure) bool {
	if f.Derived != than.Derived {
		return than.Derived
	}
	size := func(f *failure) int {
		if f.Vector.EncodeOnly() {
			return cmp.Or(len(f.Vector.Tree), 1<<30)
		}
		return cmp.Or(len(f.Input), 1<<30)
	}
	return size(f) < size(than)
}

// lacksClause reports whether the clause is to be chosen.
func (k *causeKey) lacksClause() bool {
	return k.side == "" && k.view == "" && k.ignored == "" && k.rule == "" && k.message == "" && k.clause == ""
}

// maxMessage is the length of a message in a title.
const maxMessage = 60

var (
	indices = regexp.MustCompile(`\[\d+\]`)
	quoted  = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*(?:\"|$)|`[^`]*`|\\B'[^']*'\\B")
	number  = regexp.MustCompile(`^([(\[{=:#+-]*?)-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?)([)\]},:;.%]*)$`)
)

// pattern returns a message without what differs from one input to another: numbers, and
// what it quotes. A word with digits, such as UTF-8, is no number.
func pattern(message string) string {
	words := strings.Fields(quoted.ReplaceAllString(message, "…"))
	for i, w := range words {
		words[i] = number.ReplaceAllString(w, "${1}N${2}")
	}
	return strings.Join(words, " ")
}

// keyWithoutClause returns the key of a failure, with the class at least.
func keyWithoutClause(r *judge.Result) causeKey {
	names := sideNames(r)
	switch key := (causeKey{class: r.Class}); {
	case len(names) > 0:
		return causeKey{side: strings.Join(names, ", ")}
	case r.View != "":
		return causeKey{view: r.View}
	case r.Ignored != "":
		return causeKey{ignored: r.Ignored}
	case slices.Contains([]judge.Class{judge.Errored, judge.Flaky, judge.Crashed, judge.TimedOut, judge.BrokeProtocol},
		r.Class):
		key.message = truncate(pattern(r.Message), 2*textWidth)
		return key
	case r.Derived:
		key.rule = r.Rule
		return key
	case r.Class == judge.WrongTree && r.Difference != nil:
		key.field = indices.ReplaceAllString(r.Difference.Path, "[]")
		return key
	default:
		return key
	}
}

// clausesOf lists the clauses that decide the verdict of a vector, or all of its
// clauses.
func clausesOf(r *judge.Result) []ids.Clause {
	var out []ids.Clause
	for _, d := range r.Vector.Decided {
		if d.Clause != "" && !slices.Contains(out, d.Clause) {
			out = append(out, d.Clause)
		}
	}
	if out == nil {
		out = slices.Clone(r.Vector.Clauses)
	}
	if r.Op != adapter.OpDecode {
		return out
	}
	// Who reads wrongly has broken no rule about writers.
	about := func(id ids.Clause) bool {
		c, ok := spec.FindClause(id)
		return ok && strings.HasPrefix(c.Text, "A writer MUST")
	}
	if !slices.ContainsFunc(out, func(id ids.Clause) bool { return !about(id) }) {
		return out
	}
	return slices.DeleteFunc(out, about)
}

// text returns the title and the explanation of a cause.
func (k *causeKey) text() (title, about string) {
	switch {
	case k.side != "":
		return k.side, "The answers are the expected ones under " + k.side + ": declare this in profile if it is intended."
	case k.view != "":
		about = "The values differ only in what the view " + k.view +
			" loses: declare it in views if the values of the reader do not contain this."
		if v, ok := spec.FindView(k.view); ok {
			about += " " + v.Meaning
		}
		return "view " + k.view, about
	case k.ignored != "":
		return "the context " + k.ignored + " is ignored", "The answers are those for the same requests without " +
			k.ignored + "."
	}
	title = aboutClass[k.class]
	if title == "" {
		title = string(k.class)
	}
	switch {
	case k.message != "":
		short := truncate(k.message, maxMessage)
		if short != k.message {
			about = k.message
		}
		return title + ": " + short, about
	case k.rule != "":
		return "derived, " + string(k.rule) + ": " + title, k.rule.Description()
	}
	if k.field != "" {
		title = k.field + ": " + title
	}
	if k.clause == "" {
		return title, ""
	}
	if c, ok := spec.FindClause(k.clause); ok {
		about = c.Text
	}
	if k.field != "" {
		return string(k.clause) + ", " + title, about
	}
	return string(k.clause) + ": " + title, about
}

// Counted returns "3 vectors" or, with derived cases or several failures, "3
// vectors, 12 cases".
func (c *cause) Counted() string {
	s := plural(len(c.IDs), "vector")
	if c.cases > len(c.IDs) {
		s += ", " + plural(c.cases, "case")
	}
	return s
}

// VectorList lists up to most vectors. The names of a folder follow the folder.
func (c *cause) VectorList(most int) string {
	var out strings.Builder
	folder := ""
	for i, id := range c.IDs[:min(most, len(c.IDs))] {
		k := strings.LastIndexByte(id, '/') + 1
		switch {
		case i > 0 && id[:k] == folder:
			out.WriteString(", " + id[k:])
		case i > 0:
			out.WriteString("; " + id)
		default:
			out.WriteString(id)
		}
		folder = id[:k]
	}
	if n := len(c.IDs) - most; n > 0 {
		out.WriteString(" and " + plural(n, "more vector"))
	}
	return out.String()
}
