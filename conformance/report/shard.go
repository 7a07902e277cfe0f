package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Shard says which parts of a run some results are.
type Shard struct {
	Parts   []int    `json:"parts"`             // ascending, counted from 1
	Of      int      `json:"of"`                // the number of parts of the run
	Vectors int      `json:"vectors"`           // the number of vectors of all parts together
	Options []string `json:"options,omitempty"` // that select what is judged, and how
}

// String returns "part 1 of 2" or "parts 1, 3 of 4".
func (s *Shard) String() string {
	noun := "part"
	if len(s.Parts) > 1 {
		noun = "parts"
	}
	return fmt.Sprintf("%s %s of %d", noun, numbers(s.Parts), s.Of)
}

func numbers(all []int) string {
	out := make([]string, len(all))
	for i, n := range all {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, ", ")
}

func (s *Shard) check() error {
	if s == nil {
		return nil
	}
	last := 0
	for _, p := range s.Parts {
		if p <= last || p > s.Of {
			return fmt.Errorf("invalid shard: parts %v of %d", s.Parts, s.Of)
		}
		last = p
	}
	if last == 0 || s.Of < 2 {
		return fmt.Errorf("invalid shard: parts %v of %d", s.Parts, s.Of)
	}
	return nil
}

// Merge makes one run of the parts of a run. It returns an error if the parts are
// of different runs, if one occurs twice or if, unless partial is true, one is
// missing.
func Merge(partial bool, parts ...*Run) (*Run, error) {
	if len(parts) == 0 {
		return nil, errors.New("no results")
	}
	names := runLabels(parts)
	for i, r := range parts {
		if r.Shard == nil {
			return nil, fmt.Errorf("%s: not the results of a part (formatgauge test --shard)", cmp.Or(r.Source, names[i]))
		}
	}
	first := parts[0]
	out := &Run{
		Report: &judge.Report{Hello: first.Hello}, Formatgauge: first.Formatgauge, Corpus: first.Corpus, HasKnownList: first.HasKnownList, read: true,
	}
	shard := &Shard{Of: first.Shard.Of, Vectors: first.Shard.Vectors, Options: first.Shard.Options}
	for i, r := range parts {
		if err := sameRun(first, r); err != nil {
			return nil, fmt.Errorf("%s and %s: %w", cmp.Or(first.Source, names[0]), cmp.Or(r.Source, names[i]), err)
		}
		if err := r.complete(); err != nil {
			return nil, fmt.Errorf("%s: %w", cmp.Or(r.Source, names[i]), err)
		}
		for _, n := range r.Shard.Parts {
			if slices.Contains(shard.Parts, n) {
				return nil, fmt.Errorf("%s: part %d of %d occurs twice", cmp.Or(r.Source, names[i]), n, shard.Of)
			}
		}
		shard.Parts = append(shard.Parts, r.Shard.Parts...)
		out.Results = append(out.Results, r.Results...)
		out.KnownMismatches = append(out.KnownMismatches, r.KnownMismatches...)
		out.Interrupted = out.Interrupted || r.Interrupted
	}
	slices.Sort(shard.Parts)
	out.sortMerged()
	switch missing := missingParts(shard); {
	case len(missing) > 0 && !partial:
		return nil, fmt.Errorf("of %d parts these are missing: %s", shard.Of, numbers(missing))
	case len(missing) > 0:
		out.Shard = shard
	case !out.Interrupted && vectorsOf(out) != shard.Vectors:
		return nil, fmt.Errorf("expected %d vectors in all parts together, found %d", shard.Vectors, vectorsOf(out))
	}
	return out, nil
}

func missingParts(s *Shard) (missing []int) {
	for n := 1; n <= s.Of; n++ {
		if !slices.Contains(s.Parts, n) {
			missing = append(missing, n)
		}
	}
	return missing
}

func vectorsOf(r *Run) int {
	seen := map[string]bool{}
	for i := range r.Results {
		seen[r.Results[i].Vector.ID] = true
	}
	return len(seen)
}

// complete returns an error if a result is not one of the parts.
func (r *Run) complete() error {
	for i := range r.Results {
		id := r.Results[i].Vector.ID
		if !slices.ContainsFunc(r.Shard.Parts, func(n int) bool { return judge.InShard(id, n, r.Shard.Of) }) {
			return fmt.Errorf("%s is not in %v", id, r.Shard)
		}
	}
	return nil
}

// sameRun returns an error if two parts are of different runs.
func sameRun(a, b *Run) error {
	for _, c := range []struct {
		what string
		of   func(*Run) any
	}{
		{"versions of Formatgauge", func(r *Run) any { return r.Formatgauge }},
		{"corpora", func(r *Run) any { return r.Corpus }},
		{"adapters", func(r *Run) any { return r.Hello }},
		{"options", func(r *Run) any { return r.Shard.Options }},
		{"numbers of parts", func(r *Run) any { return r.Shard.Of }},
		{"numbers of vectors", func(r *Run) any { return r.Shard.Vectors }},
		{"lists of known failures", func(r *Run) any { return r.HasKnownList }},
		{"profiles", func(r *Run) any { return r.mainProfiles() }},
	} {
		x, err := json.Marshal(c.of(a))
		if err != nil {
			return err
		}
		y, err := json.Marshal(c.of(b))
		if err != nil {
			return err
		}
		// A part without vectors has no profiles.
		if string(x) != string(y) && (c.what != "profiles" || len(a.Results)*len(b.Results) > 0) {
			return fmt.Errorf("parts of different runs: the %s differ: %.200s, %.200s", c.what, x, y)
		}
	}
	return nil
}

// mainProfiles lists the profiles except those for named sides: whether these
// occur in a part depends on its vectors.
func (r *Run) mainProfiles() []string {
	all := r.profiles()
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool { return columnOf(p, all) == namedSides })
}

// sortMerged puts the results and the mismatches into the order of a run that has
// no parts: by profile, then by vector; the mismatches by line.
func (r *Run) sortMerged() {
	var order []string
	order = append(order, r.mainProfiles()...)
	for _, f := range spec.Families() {
		for i := range f.Flags {
			for _, side := range f.Flags[i].Sides {
				if p, err := ids.Observed().With(f.Flags[i].ID, side.Name); err == nil && !slices.Contains(order, p.String()) {
					order = append(order, p.String())
				}
			}
		}
	}
	rank := map[string]int{}
	for i, p := range order {
		rank[p] = i
	}
	slices.SortStableFunc(r.Results, func(a, b judge.Result) int {
		return cmp.Or(cmp.Compare(rank[a.Profile.String()], rank[b.Profile.String()]), cmp.Compare(a.Vector.ID, b.Vector.ID))
	})
	at := map[string]int{} // by vector: derived cases that passed have lost their id
	for i := range r.Results {
		if _, ok := at[r.Results[i].Vector.ID]; !ok {
			at[r.Results[i].Vector.ID] = i
		}
	}
	// See judge.Mismatch.String: "line N: PATTERN  CLASS: ID: ...", without the id if
	// it is the pattern.
	key := func(mismatch string) (line, index int) {
		for k, part := range strings.SplitN(mismatch, ": ", 4) {
			if k == 0 {
				line, _ = strconv.Atoi(strings.TrimPrefix(part, "line "))
			}
			id, _, _ := strings.Cut(part, "  ")
			id, _, _ = strings.Cut(id, "#")
			if i, ok := at[id]; ok {
				index = i
			}
		}
		return line, index
	}
	slices.SortStableFunc(r.KnownMismatches, func(a, b string) int {
		la, ia := key(a)
		lb, ib := key(b)
		return cmp.Or(cmp.Compare(la, lb), cmp.Compare(ia, ib))
	})
	r.KnownMismatches = slices.Compact(r.KnownMismatches) // each part lists an entry without a case
}
