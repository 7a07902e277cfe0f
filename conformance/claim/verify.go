package claim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Check looks at what can be said of a claim without its implementation:
// whether it fits the corpus of this program, and itself. It returns what is
// wrong, a line each.
func (c *Claim) Check() []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if c.Implementation.Name == "" {
		bad("the implementation has no name")
	}
	here, err := report.Embedded()
	if err != nil {
		bad("%v", err)
		return out
	}
	p, err := ids.ParseProfile(c.Profile)
	if err != nil {
		bad("profile: %v", err)
	} else if !maps.Equal(c.Flags, exceptions(p)) {
		bad("flags: they are not those of the profile %s", c.Profile)
	}
	if c.Corpus != here {
		bad("corpus: the claim is about %d (%s) of %d vectors, this program has %d (%s) of %d",
			c.Corpus.Number, c.Corpus.Hash, c.Corpus.Vectors, here.Number, here.Hash, here.Vectors)
	} else if err == nil {
		out = append(out, c.checkVectors(p)...)
	}
	if total := c.Counts.Pass + c.Counts.Fail + c.Counts.Skip + c.Counts.Open; total != c.Corpus.Vectors {
		bad("counts: %s make %d, the corpus has %d vectors", c.Counts, total, c.Corpus.Vectors)
	}
	if c.Conformant != (c.Counts.Pass > 0 && c.Counts.Fail == 0) {
		bad("conformant: %v does not follow from %s", c.Conformant, c.Counts)
	}
	seen := map[string]bool{}
	for i := range c.Types {
		t := &c.Types[i]
		if seen[t.Type] {
			bad("%s: it is there twice", t.Type)
		}
		seen[t.Type] = true
		if _, ok := codec.Find(t.Type); !ok {
			bad("%s: there is no such type", t.Type)
		}
		if want := t.reachedLevels(); !slices.Equal(t.Levels, want) {
			bad("%s: levels %v do not follow from the counts, which show %v", t.Type, t.Levels, want)
		}
	}
	for _, s := range c.Skipped {
		if seen[s.Type] {
			bad("%s: it is skipped and there", s.Type)
		}
		if s.Reason == "" {
			bad("%s: it is skipped without a reason", s.Type)
		}
		seen[s.Type] = true
	}
	return out
}

// checkVectors compares the number of vectors behind each level with the corpus.
func (c *Claim) checkVectors(p ids.Profile) []string {
	var out []string
	vectors, err := corpus.All()
	if err != nil {
		return []string{err.Error()}
	}
	want := map[string]*Type{}
	for _, v := range vectors {
		if want[v.Type] == nil {
			want[v.Type] = &Type{}
		}
		want[v.Type].add(v, p, nil, true)
	}
	missing := maps.Clone(want)
	for i := range c.Types {
		t := &c.Types[i]
		w := want[t.Type]
		delete(missing, t.Type)
		if w == nil {
			continue
		}
		for _, l := range Levels {
			if have, all := t.Tally(l), w.Tally(l).Skip; have.Pass+have.Fail+have.Skip != all {
				out = append(out, fmt.Sprintf("%s: %s: %s, yet %d vectors show it", t.Type, l, have, all))
			}
		}
		if t.Open != w.Open {
			out = append(out, fmt.Sprintf("%s: %d open, yet %d vectors are", t.Type, t.Open, w.Open))
		}
	}
	for _, s := range c.Skipped {
		delete(missing, s.Type)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		out = append(out, name+": neither claimed nor skipped")
	}
	return out
}

// Differences compares a claim with one that was computed anew. It returns
// what differs, a line each.
func Differences(claimed, computed *Claim) []string {
	var out []string
	differ := func(what string, a, b any) {
		if fmt.Sprint(a) != fmt.Sprint(b) {
			out = append(out, fmt.Sprintf("%s: the claim says %v, it is %v", what, quoted(a), quoted(b)))
		}
	}
	differ("name", claimed.Implementation.Name, computed.Implementation.Name)
	differ("version", claimed.Implementation.Version, computed.Implementation.Version)
	differ("language", claimed.Implementation.Language, computed.Implementation.Language)
	differ("corpus number", claimed.Corpus.Number, computed.Corpus.Number)
	differ("corpus", claimed.Corpus.Hash, computed.Corpus.Hash)
	differ("vectors", claimed.Corpus.Vectors, computed.Corpus.Vectors)
	differ("profile", claimed.Profile, computed.Profile)
	differ("conformant", claimed.Conformant, computed.Conformant)
	differ("counts", claimed.Counts, computed.Counts)
	a, b := byName(claimed.Types), byName(computed.Types)
	skippedA, skippedB := skips(claimed), skips(computed)
	names := map[string]bool{}
	for _, m := range []map[string]*Type{a, b} {
		for name := range m {
			names[name] = true
		}
	}
	for _, m := range []map[string]Skipped{skippedA, skippedB} {
		for name := range m {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch x, y := a[name], b[name]; {
		case x != nil && y != nil:
			differ(name+": levels", x.Levels, y.Levels)
			for _, l := range Levels {
				differ(name+": "+string(l), *x.Tally(l), *y.Tally(l))
			}
			differ(name+": open", x.Open, y.Open)
		default:
			differ(name, place(x, skippedA, name), place(y, skippedB, name))
		}
	}
	return out
}

func quoted(v any) any {
	if s, ok := v.(string); ok && s == "" {
		return "nothing"
	}
	return v
}

func byName(types []Type) map[string]*Type {
	out := map[string]*Type{}
	for i := range types {
		out[types[i].Type] = &types[i]
	}
	return out
}

func skips(c *Claim) map[string]Skipped {
	out := map[string]Skipped{}
	for _, s := range c.Skipped {
		out[s.Type] = s
	}
	return out
}

// place tells how a claim treats a type.
func place(t *Type, skipped map[string]Skipped, name string) string {
	if t != nil {
		return fmt.Sprintf("claimed, levels %v", t.Levels)
	}
	if s, ok := skipped[name]; ok {
		return fmt.Sprintf("skipped, %d vectors (%s)", s.Vectors, s.Reason)
	}
	return "not there"
}
