package report

import (
	"cmp"
	"maps"
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
	Title   string // the fields, and what they have in common
	About   string // what to do, or the text of the clause
	Clause  ids.Clause
	Example *failure
	IDs     []string // of the vectors, in order; derived cases count for their vector
	cases   int      // number of failed cases, each profile counted once
	causeKey
	clues []*clue
}

// A causeKey says what failures have in common. Failures with a reason have nothing else.
type causeKey struct {
	reason string // explains the failures, whatever the field: a side, a parameter, a message
	about  string // more about the reason, or the view that loses the differences
	what   string // happened
	change string // of the value, common to all failures at the field
	kind   string // of the field, if fields have a cause in common
	field  string // structure and path, if they have not
}

// A clue is a failure with what tells its cause.
type clue struct {
	*failure
	at place
	causeKey
	changes []string
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
	judge.Crashed:       "crash",
	judge.TimedOut:      "timeout",
	judge.BrokeProtocol: "violation of the protocol",
}

// dependsOnOthers is the reason of failures that are none when the case is asked alone.
const dependsOnOthers = "the answer depends on earlier requests"

// causes groups the failures: by what explains them, otherwise by what happened at which
// field. Fields of one kind whose values all changed in the same way are one cause. The
// cause with the most vectors is the first, after one of earlier requests.
func (r *Run) causes() []*cause {
	var clues []*clue
	messages := map[string]int{}
	if r.traces == nil {
		r.traces = places{}
	}
	for _, f := range r.failures() {
		c := r.traces.clue(f)
		clues = append(clues, c)
		messages[c.message()]++
	}
	own := map[string]*clue{} // of the failed vectors
	for _, c := range clues {
		first := own[c.Vector.ID]
		switch {
		case c.Derived && first != nil && c.reason == "" && (first.Class != judge.WrongTree || c.Class != judge.Accepted):
			c.causeKey = first.causeKey // the fault of the vector may be the cause of this one too
			c.at, c.changes = first.at, first.changes
		case c.reason == "" && messages[c.message()] > 1 && c.message() != "":
			c.causeKey = causeKey{reason: c.message()}
		}
		if !c.Derived && first == nil {
			own[c.Vector.ID] = c
		}
	}
	for _, g := range grouped(clues) {
		g.generalize()
	}
	out := grouped(clues)
	for _, c := range out {
		c.describe()
	}
	slices.SortStableFunc(out, func(a, b *cause) int { return cmp.Compare(len(b.IDs), len(a.IDs)) })
	putFirst(out, func(c *cause) bool { return c.reason == dependsOnOthers })
	return out
}

// grouped returns the groups of clues with the same key.
func grouped(clues []*clue) (out []*cause) {
	for _, g := range groupBy(clues, func(c *clue) causeKey { return c.causeKey }) {
		out = append(out, &cause{causeKey: g[0].causeKey, clues: g})
	}
	return out
}

// clue finds what tells the cause of a failure.
func (p places) clue(f *failure) *clue {
	c := &clue{failure: f}
	names := sideNames(f.Result)
	switch {
	case f.Class == judge.Flaky:
		c.reason, c.about = dependsOnOthers, "The same request has another answer if it is the only one of a process."
		return c
	case len(names) > 0:
		c.reason = strings.Join(names, ", ")
		c.about = "The answers are the expected ones under " + c.reason + ": declare this in profile if it is intended."
		return c
	case f.Ignored != "":
		c.reason = "the context " + f.Ignored + " is ignored"
		c.about = "The answers are those for the same requests without " + f.Ignored + "."
		return c
	case slices.Contains([]judge.Class{judge.Errored, judge.Crashed, judge.TimedOut, judge.BrokeProtocol}, f.Class):
		c.reason = aboutClass[f.Class] + ": " + happened(f.Outcome)
		return c
	}
	c.at = p.of(f.Result)
	c.what = cmp.Or(aboutClass[f.Class], string(f.Class))
	switch check := checkOf(f.Result); {
	case check != "":
		c.what = check + ": " + c.what
		if c.kind = c.at.size(); check == string(judge.Trailing) {
			c.kind, c.at.name = "", f.Vector.Type
		}
	case f.Class == judge.WrongTree && f.Difference != nil:
		c.field, c.changes = c.at.key(), changesOf(f.Result, c.at.kind())
	default:
		c.field = c.at.key()
	}
	return c
}

// checkOf returns what should have been noticed whatever the structure: the rule of a
// derived case, or the end of the input.
func checkOf(r *judge.Result) string {
	switch want := rejection(r.Expected).Class; {
	case r.Derived && r.Class != judge.WrongTree:
		return string(r.Rule)
	case want == string(judge.Truncated) || want == string(judge.Trailing):
		return want
	}
	return ""
}

// message returns what the implementation says of a wrong rejection.
func (c *clue) message() string {
	text := firstClause(c.Message)
	if c.Class != judge.Rejected && c.Class != judge.WrongClass || text == "" {
		return ""
	}
	return "rejected: " + text
}

// generalize gives clues at one field, if at least three of four of their values changed in
// known ways, the key of the change and of the kind of the field; otherwise that of a view
// if one explains most of them. Fewer can be chance.
func (c *cause) generalize() {
	if c.field == "" || c.clues[0].Class != judge.WrongTree {
		return
	}
	changes, views := map[string]int{}, map[string]int{}
	known := 0
	for _, f := range c.clues {
		known += min(1, len(f.changes))
		for _, change := range f.changes {
			changes[change]++
		}
		views[f.View]++
	}
	for _, f := range c.clues {
		byView := f.View != "" && 2*views[f.View] > len(c.clues)
		best := ""
		for _, change := range f.changes {
			if best == "" || changes[change] > changes[best] {
				best = change
			}
		}
		switch {
		case best != "" && 4*known >= 3*len(c.clues) && !(byView && best == nothing):
			f.change, f.kind, f.field = best, f.at.kind(), ""
		case byView:
			f.about, f.field = f.View, ""
		}
	}
}

// describe sets what is shown.
func (c *cause) describe() {
	clauses, fields, kinds := map[ids.Clause]int{}, map[string]int{}, map[string]bool{}
	view := c.clues[0].View
	for _, f := range c.clues {
		c.add(f.failure)
		if f.View != view && c.about == "" {
			view = ""
		}
		for _, id := range f.clauses() {
			clauses[id]++
		}
		if f.at.name != "" {
			fields[f.at.name]++
			kinds[f.at.kind()] = true
		}
	}
	title := truncate(c.reason, 2*textWidth)
	c.About = c.about
	if c.reason == "" {
		title = c.what
		if c.change != "" {
			title = c.change
		}
		if of := byFrequency(clauses); len(of) > 0 {
			c.Clause = of[0]
		}
		if record, ok := spec.FindClause(c.Clause); ok {
			title += " (" + string(c.Clause) + ")"
			c.About = record.Text
		}
	}
	c.Title = title
	if names := fieldsText(fields, kinds); names != "" && (c.reason == "" || len(fields) == 1) {
		c.Title = names + ": " + title
	}
	if v, ok := spec.FindView(cmp.Or(c.about, view)); ok && c.reason == "" {
		c.Title = "view " + v.ID + ", " + c.Title
		c.About = "The values differ only in what the view " + v.ID +
			" loses: declare it in views if the values of the reader do not contain this. " + v.Meaning
	}
}

// fieldsText names the fields, the most frequent first.
func fieldsText(fields map[string]int, kinds map[string]bool) string {
	const most = 2
	names := byFrequency(fields)
	text := strings.Join(names[:min(most, len(names))], ", ")
	if n := len(names) - most; n > 0 {
		text += " and " + Plural(n, "more field")
	}
	if kind := slices.Collect(maps.Keys(kinds)); len(names) > 1 && len(kind) == 1 && kind[0] != "" {
		text = kind[0] + " in " + text
	}
	return text
}

// byFrequency lists the keys, that with the greatest number first.
func byFrequency[K cmp.Ordered](of map[K]int) []K {
	return slices.SortedFunc(maps.Keys(of), func(a, b K) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
	})
}

// clauses lists the clauses that may be the cause: that of the bits that the change names,
// of those that decide the vector those of the field, otherwise the first one of the
// field, otherwise all.
func (c *clue) clauses() []ids.Clause {
	if f := c.at.field; f != nil {
		for _, b := range f.Bits {
			if strings.Contains(c.change, b.Name) {
				return []ids.Clause{b.Clause}
			}
		}
	}
	cited := clausesOf(c.Result)
	var both []ids.Clause
	for _, id := range c.at.clauses {
		if slices.Contains(cited, id) {
			both = append(both, id)
		}
	}
	switch {
	case both != nil:
		return both
	case len(c.at.clauses) > 0:
		return c.at.clauses[:1]
	}
	return cited
}

func (c *cause) add(f *failure) {
	c.IDs = addNew(c.IDs, f.Vector.ID)
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

var (
	indices = regexp.MustCompile(`\[\d+\]`)
	quoted  = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*(?:\"|$)|`[^`]*`|\\B'[^']*'\\B")
	number  = regexp.MustCompile(`^([(\[{=:#+-]*?)-?(?:0x[0-9a-fA-F]+|\d+(?:[.-]\d+)?)([)\]},:;.%]*)$`)
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

// happened returns what happened in place of an answer, with the first clause of what the
// implementation said of it.
func happened(o *judge.Outcome) string {
	const stderr = "stderr: "
	switch ended, said, found := strings.Cut(o.Message, stderr); {
	case o.Class == judge.Errored:
		return firstClause(o.Message)
	case found:
		return pattern(ended) + " " + stderr + firstClause(said)
	}
	return truncate(pattern(o.Message), 2*textWidth)
}

// endOfClause ends the first clause of a message. The rest is often about the input.
var endOfClause = regexp.MustCompile(`\S \S.*?([.:;,] | \(| [-–—] )`)

// firstClause returns the first clause of a message that has two words at least: the name
// of an exception alone says too little.
func firstClause(message string) string {
	text := pattern(message)
	if m := endOfClause.FindStringSubmatchIndex(text); m != nil {
		text = text[:m[2]]
	}
	return truncate(text, textWidth)
}

// clausesOf lists the clauses that decide the verdict of a vector, or all of its
// clauses.
func clausesOf(r *judge.Result) []ids.Clause {
	var out []ids.Clause
	for _, d := range r.Vector.Decided {
		if d.Clause != "" {
			out = addNew(out, d.Clause)
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

// Counted returns "3 vectors" or, with derived cases or several failures, "3
// vectors, 12 cases".
func (c *cause) Counted() string {
	s := Plural(len(c.IDs), "vector")
	if c.cases > len(c.IDs) {
		s += ", " + Plural(c.cases, "case")
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
		out.WriteString(" and " + Plural(n, "more vector"))
	}
	return out.String()
}
