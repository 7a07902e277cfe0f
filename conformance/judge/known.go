package judge

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Known is a list of expected failures. The list must be exact. These count as
// failures: a listed case that passes or is acceptable, an entry without a case, and a
// listed case that fails with another class.
//
// Each line is an id or a pattern, the class of the failure, and the reason:
//
//	upkg/Name/embedded-nul  tree  # cut at the first NUL, see https://…
//	upkg/Name/*#truncated-*  accepted
//
// In a pattern, * matches any characters except a slash. Empty lines and lines
// that begin with # are ignored.
type Known struct {
	lines []knownLine
}

type knownLine struct {
	text  string // without the line end
	entry *Entry // nil if the line is ignored
}

// An Entry is one line of the list.
type Entry struct {
	Pattern string
	Class   Class
	Reason  string
	Line    int // counted from 1; 0 for a new entry
}

func (e *Entry) matches(id string) bool {
	if e.Pattern == id {
		return true
	}
	ok, err := path.Match(e.Pattern, id)
	return ok && err == nil
}

func (e *Entry) line() knownLine {
	text := e.Pattern + "  " + string(e.Class)
	if e.Reason != "" {
		text += "  # " + e.Reason
	}
	return knownLine{text, e}
}

// ParseKnown parses a list. The error contains all invalid lines.
func ParseKnown(text string) (*Known, error) {
	k := &Known{}
	var errs []error
	n := 0
	for line := range strings.Lines(text) {
		n++
		text := strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(text)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			k.lines = append(k.lines, knownLine{text: text})
			continue
		}
		// An id contains #; a reason follows a space and #.
		head, reason, _ := strings.Cut(trimmed, " #")
		words := strings.Fields(head)
		invalid := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("line %d: %s", n, fmt.Sprintf(format, args...)))
		}
		if len(words) != 2 {
			invalid("expected ID-or-pattern  class  # reason, found %q", trimmed)
			continue
		}
		e := &Entry{Pattern: words[0], Class: Class(words[1]), Reason: strings.TrimSpace(reason), Line: n}
		if !slices.Contains(Classes(), e.Class) {
			invalid("unknown class %q; the classes are %v", e.Class, Classes())
		}
		if _, err := path.Match(e.Pattern, ""); err != nil {
			invalid("invalid pattern %q: %v", e.Pattern, err)
		}
		k.lines = append(k.lines, knownLine{text, e})
	}
	return k, errors.Join(errs...)
}

// String returns the text of the list, which [ParseKnown] parses.
func (k *Known) String() string {
	var b strings.Builder
	for _, l := range k.lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// Entries lists the entries in the order of their lines.
func (k *Known) Entries() []*Entry {
	var out []*Entry
	for _, l := range k.lines {
		if l.entry != nil {
			out = append(out, l.entry)
		}
	}
	return out
}

// A Mismatch is a disagreement between a list of known failures and the results.
type Mismatch struct {
	Entry *Entry
	ID    string // of the case; empty if the entry matches none
	What  string
}

// String says which vector does not match the list, and how.
func (m Mismatch) String() string {
	where := fmt.Sprintf("line %d: %s  %s", m.Entry.Line, m.Entry.Pattern, m.Entry.Class)
	if m.ID != "" && m.ID != m.Entry.Pattern {
		where += ": " + m.ID
	}
	return where + ": " + m.What
}

// idOutcome is the outcome of one id under all profiles.
type idOutcome struct {
	id         string
	judged     bool // neither skipped nor not applicable under at least one profile
	acceptable bool // under at least one profile
	// notAsked: skipped because the implementation had been given up.
	notAsked bool
	alike    bool // not asked either, because it would hang
	classes  []Class
}

// outcomesByID returns the outcomes in the order of the results.
func outcomesByID(r *Report) []*idOutcome {
	var out []*idOutcome
	byID := map[string]*idOutcome{}
	for i := range r.Results {
		res := &r.Results[i]
		o := byID[res.ID]
		if o == nil {
			o = &idOutcome{id: res.ID}
			byID[res.ID], out = o, append(out, o)
		}
		o.judged = o.judged || res.Status == Pass || res.Status.Disagrees()
		o.acceptable = o.acceptable || res.Status == Acceptable
		o.notAsked = o.notAsked || res.Reason == NotAsked
		o.alike = o.alike || res.Reason == HungAlike
		if res.Status.Failed() && !slices.Contains(o.classes, res.Class) {
			o.classes = append(o.classes, res.Class)
		}
	}
	return out
}

// apply sets [Result.Known] of the listed failures, and returns the mismatches.
// It ignores an entry whose vector is excluded from the run.
func (k *Known) apply(r *Report) []Mismatch {
	outcomes, entries := outcomesByID(r), k.Entries()
	for i := range r.Results {
		res := &r.Results[i]
		if !res.Status.Failed() {
			continue
		}
		listed := func(e *Entry) bool { return e.Class == res.Class && e.matches(res.ID) }
		if n := slices.IndexFunc(entries, listed); n >= 0 {
			res.Known = cmp.Or(entries[n].Reason, "listed")
		}
	}
	out := []Mismatch{}
	for _, e := range entries {
		c := e.compare(outcomes)
		out = append(out, c.mismatches...)
		if !c.found && !r.excluded(e) {
			out = append(out, Mismatch{e, "", "no judged case matches: remove the entry"})
		}
	}
	return out
}

// A knownComparison is what the results say of an entry.
type knownComparison struct {
	found      bool // it matches a case that was judged, or was not asked
	exact      bool // each of these fails with its class, or was not asked
	mismatches []Mismatch
	failing    []*Entry // an entry for each case that fails
}

func (e *Entry) compare(outcomes []*idOutcome) knownComparison {
	out := knownComparison{exact: true}
	for _, o := range outcomes {
		if !e.matches(o.id) || !o.judged && !o.notAsked && !o.alike {
			continue
		}
		out.found = true
		now := &Entry{Pattern: o.id, Class: e.Class, Reason: e.Reason}
		what := ""
		switch {
		case slices.Contains(o.classes, e.Class), o.alike && e.Class == TimedOut:
		case o.notAsked:
			now, what = nil, "it was not asked: the adapter was given up"
		case len(o.classes) > 0:
			now.Class, what = o.classes[0], fmt.Sprintf("it fails with class %v", o.classes)
		case o.acceptable:
			now, what = nil, "it is acceptable, which is no failure: remove the entry"
		default:
			now, what = nil, "it passes: remove the entry"
		}
		if now != nil {
			out.failing = append(out.failing, now)
		}
		if what != "" {
			out.mismatches = append(out.mismatches, Mismatch{e, o.id, what})
			out.exact = out.exact && o.notAsked
		}
	}
	return out
}

// excluded reports whether an entry matches cases that the options exclude.
func excluded(e *Entry, vectors []*corpus.Vector, profiles []ids.Profile, opts Options) bool {
	if opts.NoDerived && strings.Contains(e.Pattern, "#") {
		return true
	}
	if opts.Filter == nil {
		return false
	}
	literal := e.Pattern // what each id that matches begins with
	if i := strings.IndexAny(literal, `*?[\`); i >= 0 {
		literal = literal[:i]
	}
	for _, v := range vectors {
		if opts.Filter(v) {
			continue
		}
		if e.matches(v.ID) {
			return true
		}
		// To derive the cases of all vectors would take longer than most runs.
		if before := v.ID + "#"; !strings.HasPrefix(before, literal) && !strings.HasPrefix(literal, before) {
			continue
		}
		for _, p := range profiles {
			for _, c := range Derive(v, p) {
				if e.matches(c.ID) {
					return true
				}
			}
		}
	}
	return false
}

// Accept returns the list that is exact for a report. It keeps the lines that are
// not entries, and those whose entries are still exact. It appends the failures
// that are not listed.
func (k *Known) Accept(r *Report) *Known {
	outcomes := outcomesByID(r)
	out := &Known{}
	covered := map[string][]Class{}
	for _, l := range k.lines {
		if l.entry == nil {
			out.lines = append(out.lines, l)
			continue
		}
		c := l.entry.compare(outcomes)
		for _, e := range c.failing {
			covered[e.Pattern] = append(covered[e.Pattern], e.Class)
			if !c.exact {
				out.lines = append(out.lines, e.line())
			}
		}
		if c.exact && (c.found || r.excluded(l.entry)) {
			out.lines = append(out.lines, l)
		}
	}
	for _, e := range unlisted(outcomes, covered) {
		out.lines = append(out.lines, e.line())
	}
	return out
}

// unlisted makes entries for the failures that no entry covers. Cases that one
// rule derived from one vector share an entry if all of them fail with one class.
func unlisted(outcomes []*idOutcome, covered map[string][]Class) []*Entry {
	groupOf := func(id string) string {
		if head, rule, ok := strings.Cut(id, "#"); ok && strings.HasPrefix(rule, string(Truncated)+"-") {
			return head + "#" + string(Truncated) + "-*"
		}
		return id
	}
	size, shared := map[string]int{}, map[string]Class{} // of groups; no class if it is not the same
	for _, o := range outcomes {
		name, class := groupOf(o.id), Class("")
		if !o.judged {
			continue
		}
		if len(o.classes) == 1 && covered[o.id] == nil {
			class = o.classes[0]
		}
		if size[name] > 0 && shared[name] != class {
			class = ""
		}
		size[name]++
		shared[name] = class
	}
	var out []*Entry
	for _, o := range outcomes {
		id, classes := o.id, o.classes
		if name := groupOf(id); size[name] > 1 && shared[name] != "" {
			id, classes = name, []Class{shared[name]}
		}
		for _, c := range classes {
			if !slices.Contains(covered[id], c) {
				out = append(out, &Entry{Pattern: id, Class: c})
				covered[id] = append(covered[id], c)
			}
		}
	}
	return out
}
