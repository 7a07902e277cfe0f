package judge

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Known is a list of failures that are expected. It has to be exact: what is
// listed and passes, what is listed and does not exist, and what fails in
// another way than listed are as bad as a failure that is not listed.
//
// Each line is an id or a pattern, the class of the failure, and the reason:
//
//	upkg/Name/embedded-nul  tree  # cut at the first NUL, see https://…
//	upkg/Name/*#truncated-*  accepted
//
// In a pattern * stands for anything but a slash. Lines that begin with #, and
// empty ones, are kept as they are.
type Known struct {
	lines []knownLine
}

type knownLine struct {
	text  string // as it stands, if it is no entry
	entry *Entry
}

// An Entry is one line of the list.
type Entry struct {
	Pattern string
	Class   Class
	Reason  string
	Line    int // counted from 1; 0 if it is new
}

func (e *Entry) matches(id string) bool {
	if e.Pattern == id {
		return true
	}
	ok, err := path.Match(e.Pattern, id)
	return ok && err == nil
}

func (e *Entry) String() string {
	s := e.Pattern + "  " + string(e.Class)
	if e.Reason != "" {
		s += "  # " + e.Reason
	}
	return s
}

// ParseKnown reads a list.
func ParseKnown(text string) (*Known, error) {
	k := &Known{}
	var errs []error
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			k.lines = append(k.lines, knownLine{text: line})
			continue
		}
		// An id has a # in it, a reason one behind a space.
		head, reason, _ := strings.Cut(trimmed, " #")
		words := strings.Fields(head)
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("line %d: %s", n, fmt.Sprintf(format, args...)))
		}
		if len(words) != 2 {
			bad("want ID-or-pattern  class  # reason, have %q", trimmed)
			continue
		}
		e := &Entry{Pattern: words[0], Class: Class(words[1]), Reason: strings.TrimSpace(reason), Line: n}
		if !slices.Contains(Classes(), e.Class) {
			bad("there is no class %q; the classes are %v", e.Class, Classes())
		}
		if _, err := path.Match(e.Pattern, ""); err != nil {
			bad("%q is no pattern: %v", e.Pattern, err)
		}
		k.lines = append(k.lines, knownLine{entry: e})
	}
	return k, errors.Join(errs...)
}

// String writes the list in the form that [ParseKnown] reads.
func (k *Known) String() string {
	var b strings.Builder
	for _, l := range k.lines {
		if l.entry != nil {
			b.WriteString(l.entry.String())
		} else {
			b.WriteString(l.text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Entries lists the entries in their order.
func (k *Known) Entries() []*Entry {
	var out []*Entry
	for _, l := range k.lines {
		if l.entry != nil {
			out = append(out, l.entry)
		}
	}
	return out
}

// A Mismatch is something that a list of known failures and the results do not
// agree on.
type Mismatch struct {
	Entry *Entry
	ID    string // of the case; empty if the entry stands for none
	What  string
}

func (m Mismatch) String() string {
	where := fmt.Sprintf("line %d: %s  %s", m.Entry.Line, m.Entry.Pattern, m.Entry.Class)
	if m.ID != "" && m.ID != m.Entry.Pattern {
		where += ": " + m.ID
	}
	return where + ": " + m.What
}

// outcomes is what became of one id under all profiles.
type outcomes struct {
	judged  bool // passed or failed under one profile at least
	classes []Class
}

func byID(r *Report) (map[string]*outcomes, []string) {
	out := map[string]*outcomes{}
	var order []string
	for i := range r.Results {
		res := &r.Results[i]
		o := out[res.ID]
		if o == nil {
			o = &outcomes{}
			out[res.ID] = o
			order = append(order, res.ID)
		}
		o.judged = o.judged || res.Status == Pass || res.Status.Bad()
		if res.Status.Bad() && !slices.Contains(o.classes, res.Class) {
			o.classes = append(o.classes, res.Class)
		}
	}
	return out, order
}

// apply marks the failures that are listed, and returns what does not agree.
// An entry whose vector is left out of the run is not looked at.
func (k *Known) apply(r *Report) []Mismatch {
	ids, order := byID(r)
	entries := k.Entries()
	for i := range r.Results {
		res := &r.Results[i]
		if !res.Status.Bad() {
			continue
		}
		for _, e := range entries {
			if e.Class == res.Class && e.matches(res.ID) {
				if res.Known = e.Reason; res.Known == "" {
					res.Known = "listed"
				}
				break
			}
		}
	}
	out := []Mismatch{}
	for _, e := range entries {
		found := false
		for _, id := range order {
			if !e.matches(id) || !ids[id].judged {
				continue
			}
			found = true
			switch o := ids[id]; {
			case slices.Contains(o.classes, e.Class):
			case len(o.classes) == 0:
				out = append(out, Mismatch{e, id, "it passes: take it off the list"})
			default:
				out = append(out, Mismatch{e, id, fmt.Sprintf("it fails as %v now", o.classes)})
			}
		}
		if !found && !r.leftOut(e) {
			out = append(out, Mismatch{e, "", "nothing that was judged has this id: take it off the list"})
		}
	}
	return out
}

// leftOut reports whether an entry stands for cases that the options leave out.
func leftOut(e *Entry, vectors []*corpus.Vector, profiles []ids.Profile, opts Options) bool {
	if opts.NoDerived && strings.Contains(e.Pattern, "#") {
		return true
	}
	if opts.Filter == nil {
		return false
	}
	for _, v := range vectors {
		if opts.Filter(v) {
			continue
		}
		if e.matches(v.ID) {
			return true
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

// Accept returns the list that is exact for a report. Comments stay, and so
// does each entry that still holds; what fails and is not listed is added at
// the end.
func (k *Known) Accept(r *Report) *Known {
	ids, order := byID(r)
	out := &Known{}
	covered := map[string][]Class{}
	cover := func(id string, c Class) { covered[id] = append(covered[id], c) }
	for _, l := range k.lines {
		if l.entry == nil {
			out.lines = append(out.lines, l)
			continue
		}
		for _, e := range l.entry.accepted(ids, order, r.leftOut, cover) {
			out.lines = append(out.lines, knownLine{entry: e})
		}
	}
	for _, e := range unlisted(ids, order, covered) {
		out.lines = append(out.lines, knownLine{entry: e})
	}
	return out
}

// accepted returns what becomes of an entry: itself if it holds, otherwise an
// entry for each id that it stands for and that still fails.
func (e *Entry) accepted(ids map[string]*outcomes, order []string, leftOut func(*Entry) bool, cover func(string, Class)) []*Entry {
	var failing []*Entry
	holds, found := true, false
	for _, id := range order {
		o := ids[id]
		if !e.matches(id) || !o.judged {
			continue
		}
		found = true
		switch {
		case slices.Contains(o.classes, e.Class):
			failing = append(failing, &Entry{Pattern: id, Class: e.Class, Reason: e.Reason})
		case len(o.classes) > 0:
			holds = false
			failing = append(failing, &Entry{Pattern: id, Class: o.classes[0], Reason: e.Reason})
		default:
			holds = false
		}
	}
	if !found {
		if leftOut(e) {
			return []*Entry{e}
		}
		return nil
	}
	for _, f := range failing {
		cover(f.Pattern, f.Class)
	}
	if holds {
		return []*Entry{e}
	}
	return failing
}

// unlisted makes entries for failures that nothing covers. Cases that one rule
// made from one vector are put together where all of them fail alike.
func unlisted(ids map[string]*outcomes, order []string, covered map[string][]Class) []*Entry {
	type group struct {
		members []string
		class   Class
		alike   bool
	}
	groups := map[string]*group{}
	groupOf := func(id string) string {
		if head, rule, ok := strings.Cut(id, "#"); ok && strings.HasPrefix(rule, string(Truncated)+"-") {
			return head + "#" + string(Truncated) + "-*"
		}
		return id
	}
	for _, id := range order {
		o := ids[id]
		if !o.judged {
			continue
		}
		name := groupOf(id)
		g := groups[name]
		if g == nil {
			g = &group{alike: true}
			groups[name] = g
		}
		g.members = append(g.members, id)
		if g.class == "" && len(o.classes) == 1 {
			g.class = o.classes[0]
		}
		g.alike = g.alike && len(o.classes) == 1 && o.classes[0] == g.class && covered[id] == nil
	}
	var out []*Entry
	written := map[string]bool{}
	for _, id := range order {
		name := groupOf(id)
		g := groups[name]
		if g != nil && g.alike && len(g.members) > 1 {
			if !written[name] {
				out = append(out, &Entry{Pattern: name, Class: g.class})
			}
			written[name] = true
			continue
		}
		for _, c := range ids[id].classes {
			if !slices.Contains(covered[id], c) && !written[id+" "+string(c)] {
				out = append(out, &Entry{Pattern: id, Class: c})
				written[id+" "+string(c)] = true
			}
		}
	}
	return out
}
