package claim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Check returns the faults of a claim that can be found without the
// implementation: contradictions within the claim and with the corpus of this
// program.
func (c *Claim) Check() []string {
	var out []string
	fault := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if c.Implementation.Name == "" {
		fault("the implementation has no name")
	}
	asked, err := judge.OpsInViews(c.Views)
	if err != nil {
		fault("views: %v", err)
		return out
	}
	here, err := report.Embedded()
	if err != nil {
		fault("%v", err)
		return out
	}
	p, err := ids.ParseProfile(c.Profile)
	if err != nil {
		fault("profile: %v", err)
	} else if !maps.Equal(c.Flags, exceptions(p)) {
		fault("flags: not the exceptions of the profile %s", c.Profile)
	}
	if c.Corpus != here {
		fault("corpus: the claim has %d (%s) with %d vectors, this program has %d (%s) with %d",
			c.Corpus.Number, c.Corpus.Hash, c.Corpus.Vectors, here.Number, here.Hash, here.Vectors)
	} else if err == nil {
		out = append(out, c.checkVectors(p, asked)...)
	}
	if total := c.Counts.Total(); total != c.Corpus.Vectors {
		fault("counts: the sum of %s is %d, the corpus has %d vectors", c.Counts, total, c.Corpus.Vectors)
	}
	if c.Conformant != (c.Counts[judge.Pass] > 0 && c.Counts.Failed() == 0) {
		fault("conformant: %v does not follow from %s", c.Conformant, c.Counts)
	}
	seen, failed := map[string]bool{}, 0
	for i := range c.Types {
		t := &c.Types[i]
		for _, l := range Levels {
			failed += t.Tally(l).Failed()
		}
		if seen[t.Type] {
			fault("%s: listed twice", t.Type)
		}
		seen[t.Type] = true
		if _, ok := codec.Find(t.Type); !ok {
			fault("%s: unknown type", t.Type)
		}
		if want := t.reachedLevels(); !slices.Equal(t.Levels, want) {
			fault("%s: levels %v do not follow from the counts, which give %v", t.Type, t.Levels, want)
		}
	}
	if n := c.Counts.Failed(); failed < n || n == 0 && failed > 0 {
		fault("counts: %d failed, but the levels of the types have %d failures", n, failed)
	}
	for _, s := range c.Skipped {
		if seen[s.Type] {
			fault("%s: claimed and skipped", s.Type)
		}
		if s.Reason == "" {
			fault("%s: skipped without a reason", s.Type)
		}
		seen[s.Type] = true
	}
	return out
}

// checkVectors compares the number of vectors of each level with the corpus.
func (c *Claim) checkVectors(p ids.Profile, asked opsOf) []string {
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
		want[v.Type].add(v, p, asked, nil, true)
	}
	for i := range c.Types {
		t := &c.Types[i]
		w := want[t.Type]
		delete(want, t.Type)
		if w == nil {
			continue
		}
		failed := 0 // without a verdict, or of what is written of a part: only a failure counts
		for _, l := range Levels {
			have, all := t.Tally(l), (*w.Tally(l))[judge.Skip]
			more := have.Total() - all
			failed += more
			if more < 0 || more > have.Failed() {
				out = append(out, fmt.Sprintf("%s: %s: %s, but the corpus has %d vectors for it", t.Type, l, have, all))
			}
		}
		if n := w.NotApplicable - t.NotApplicable; n < 0 || n > failed {
			out = append(out, fmt.Sprintf("%s: %d not applicable, but the corpus has %d such vectors", t.Type, t.NotApplicable,
				w.NotApplicable))
		}
	}
	for _, s := range c.Skipped {
		delete(want, s.Type)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		out = append(out, name+": neither claimed nor skipped")
	}
	return out
}

// Differences returns the differences between a claim and one that was computed
// again.
func Differences(claimed, computed *Claim) (out []string) {
	a, b := claimed.facts(), computed.facts()
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, what := range slices.Sorted(maps.Keys(all)) {
		x, inA := a[what]
		y, inB := b[what]
		if x == y || inA != inB && strings.Contains(what, ": ") { // a number of a type that one lacks
			continue
		}
		if !inA {
			x = "missing"
		}
		if !inB {
			y = "missing"
		}
		out = append(out, fmt.Sprintf("%s: claimed %s, computed %s", what, cmp.Or(x, "nothing"), cmp.Or(y, "nothing")))
	}
	return out
}

// facts returns what a claim says, by name.
func (c *Claim) facts() map[string]string {
	out := map[string]string{
		"name": c.Implementation.Name, "version": c.Implementation.Version, "language": c.Implementation.Language,
		"corpus number": fmt.Sprint(c.Corpus.Number), "corpus": c.Corpus.Hash, "vectors": fmt.Sprint(c.Corpus.Vectors),
		"profile": c.Profile, "views": fmt.Sprint(c.Views), "conformant": fmt.Sprint(c.Conformant),
		"counts": c.Counts.String(),
	}
	for _, s := range c.Skipped {
		out[s.Type] = fmt.Sprintf("skipped, %d vectors (%s)", s.Vectors, s.Reason)
	}
	for i := range c.Types {
		t := &c.Types[i]
		out[t.Type] = fmt.Sprintf("levels %v", t.Levels)
		for _, l := range Levels {
			out[t.Type+": "+string(l)] = t.Tally(l).String()
		}
		out[t.Type+": not applicable"] = fmt.Sprint(t.NotApplicable)
	}
	return out
}
