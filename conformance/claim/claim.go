// Package claim states how far an implementation conforms, in a form that
// others can compute again and compare.
//
// A claim is about one implementation, one corpus and one profile. For each
// type it lists the levels that the implementation reaches, and the number of
// vectors.
package claim

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/version"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Schema is the JSON Schema of a claim.
//
//go:embed claim.json
var Schema []byte

const (
	format        = "formatgauge-claim"
	formatVersion = 2
)

// Level is a capability of an implementation for a type.
type Level string

const (
	// Decode: accepted input decodes to the expected tree.
	Decode Level = "decode"
	// Rejects: invalid input is rejected with the expected class, and with an
	// expected offset if the answer has an offset.
	Rejects Level = "rejects"
	// Identical: canonical input is encoded to the same bytes after decoding.
	Identical Level = "identical"
	// Canonical: every value is encoded in canonical form, and a value without an
	// encoding is rejected.
	Canonical Level = "canonical"
)

// Levels lists all levels in the order in which they are shown.
var Levels = []Level{Decode, Rejects, Identical, Canonical}

// A Claim is the statement. Its JSON form is the content of a claim file.
type Claim struct {
	Format         string              `json:"format"`
	Version        int                 `json:"version"`
	Formatgauge    string              `json:"formatgauge"` // version of the program that judged
	Implementation Implementation      `json:"implementation"`
	Corpus         report.Corpus       `json:"corpus"`
	Profile        string              `json:"profile"`
	Views          []string            `json:"views"`
	Flags          map[ids.Flag]string `json:"flags"` // exceptions of the profile from its base
	Conformant     bool                `json:"conformant"`
	Counts         report.Counts       `json:"counts"` // of vectors
	Types          []Type              `json:"types"`
	Skipped        []Skipped           `json:"skipped"`
}

// Implementation identifies the implementation.
type Implementation struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
}

// Type holds the levels of one type.
type Type struct {
	Type      string  `json:"type"`
	Levels    []Level `json:"levels"` // reached
	Decode    Tally   `json:"decode"`
	Rejects   Tally   `json:"rejects"`
	Identical Tally   `json:"identical"`
	Canonical Tally   `json:"canonical"`
	// NotApplicable is the number of vectors without a verdict for this combination of sides.
	NotApplicable int `json:"notApplicable"`
}

// Tally counts the vectors that test a level.
type Tally = report.Counts

// reached reports whether at least one vector of the level passed, and none
// failed or was skipped.
func reached(t Tally) bool { return t[judge.Pass] > 0 && t.Failed()+t[judge.Skip] == 0 }

// Tally returns the counts of a level.
func (t *Type) Tally(l Level) *Tally {
	switch l {
	case Decode:
		return &t.Decode
	case Rejects:
		return &t.Rejects
	case Identical:
		return &t.Identical
	}
	return &t.Canonical
}

// reachedLevels lists the levels that the counts prove.
func (t *Type) reachedLevels() []Level {
	out := []Level{}
	for _, l := range Levels {
		if reached(*t.Tally(l)) {
			out = append(out, l)
		}
	}
	return out
}

// Skipped is a type that is not supported.
type Skipped struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Vectors int    `json:"vectors"`
}

// Make computes the claim of an implementation on the vectors of the embedded corpus. profile
// applies to an implementation that follows any profile; nil means observed. If
// the implementation declares another profile, Make returns an error.
func Make(
	ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, profile *ids.Profile,
) (*Claim, error) {
	hello, err := impl.Hello(ctx)
	if err != nil {
		return nil, fmt.Errorf("no valid answer to hello: %w", err)
	}
	p, err := claimProfile(hello, profile)
	if err != nil {
		return nil, err
	}
	here, err := report.Embedded()
	if err != nil {
		return nil, err
	}
	c := &Claim{
		Format: format, Version: formatVersion, Formatgauge: version.String(), Corpus: here, Profile: p.String(),
		Views: append([]string{}, hello.Views...), Flags: exceptions(p),
		Implementation: Implementation{hello.Name, hello.Version, hello.Language},
		Counts:         report.Counts{}, Types: []Type{}, Skipped: []Skipped{},
	}
	judged, err := judge.Run(ctx, impl, vectors, judge.Options{Profile: &p, NoDerived: true})
	if err != nil {
		return nil, err
	}
	asked, err := judge.OpsInViews(c.Views)
	if err != nil {
		return nil, err
	}
	c.tally(judged.Results, asked, slices.Contains(hello.Operations, adapter.OpRoundtrip))
	c.Conformant = c.Counts[judge.Pass] > 0 && c.Counts.Failed() == 0
	return c, nil
}

func claimProfile(h adapter.Hello, asked *ids.Profile) (ids.Profile, error) {
	if h.AnyProfile {
		if asked != nil {
			return *asked, nil
		}
		return ids.Observed(), nil
	}
	p, err := h.DeclaredProfile()
	if err == nil && asked != nil && asked.String() != p.String() {
		err = fmt.Errorf("the adapter declares the profile %s: a claim under %s is not possible", p, asked)
	}
	return p, err
}

// exceptions lists the sides of a profile that are not those of its base.
func exceptions(p ids.Profile) map[ids.Flag]string {
	out := map[ids.Flag]string{}
	_, list, _ := strings.Cut(p.String(), ",")
	for part := range strings.SplitSeq(list, ",") {
		if id, side, ok := strings.Cut(part, "="); ok {
			out[ids.Flag(id)] = side
		}
	}
	return out
}

// statusOf returns the status of the first of some operations that counts most against an
// implementation. It is a skip if one was not asked for.
func statusOf(r *judge.Result, ops ...adapter.Op) judge.Status {
	order := []judge.Status{judge.Pass, judge.Acceptable, judge.Skip}
	worst := 0
	for _, op := range ops {
		status := judge.Skip
		if r != nil {
			if i := slices.IndexFunc(r.Outcomes, func(o judge.Outcome) bool { return o.Op == op }); i >= 0 {
				status = r.Outcomes[i].Status
			}
		}
		if status.Failed() {
			return status
		}
		worst = max(worst, slices.Index(order, status))
	}
	return order[worst]
}

func (c *Claim) tally(results []judge.Result, asked opsOf, roundtrips bool) {
	types := map[string]*Type{}
	skipped := map[string]*Skipped{}
	for i := range results {
		r := &results[i]
		v := r.Vector
		c.Counts.Add(r.Status)
		if r.Status == judge.Skip {
			if skipped[v.Type] == nil {
				skipped[v.Type] = &Skipped{Type: v.Type, Reason: report.What(r.Outcome)}
			}
			skipped[v.Type].Vectors++
		}
		if types[v.Type] == nil {
			types[v.Type] = &Type{Type: v.Type, Decode: Tally{}, Rejects: Tally{}, Identical: Tally{}, Canonical: Tally{}}
		}
		types[v.Type].add(v, r.Profile, asked, r, roundtrips)
	}
	for _, listed := range codec.Types() {
		name := listed.Name
		t := types[name]
		if t == nil {
			continue // no vector
		}
		if t.Levels = t.reachedLevels(); t.unanswered() && skipped[name] != nil {
			c.Skipped = append(c.Skipped, *skipped[name])
			continue
		}
		c.Types = append(c.Types, *t)
	}
}

// unanswered reports whether no request about the type was answered.
func (t *Type) unanswered() bool {
	for _, l := range Levels {
		if n := *t.Tally(l); n.Total() > n[judge.Skip] {
			return false
		}
	}
	return true
}

// opsOf lists the operations by which a vector is judged: see [judge.OpsInViews].
type opsOf func(*corpus.Vector, ids.Profile) []adapter.Op

// add counts a vector at the levels that it tests in the views. A nil result counts as
// skipped.
func (t *Type) add(v *corpus.Vector, p ids.Profile, asked opsOf, r *judge.Result, roundtrips bool) {
	allowed, outcome := asked(v, p), corpus.Outcome("")
	if e := judge.Verdict(v, p); e != nil {
		outcome = e.Outcome
	}
	written := []adapter.Op{adapter.OpEncode}
	switch {
	case len(allowed) == 0 && (r == nil || !r.Status.Failed()):
		t.NotApplicable++
	case v.EncodeOnly():
		t.Canonical.Add(statusOf(r, written...))
	case outcome == corpus.Reject:
		t.Rejects.Add(statusOf(r, adapter.OpDecode))
	default:
		t.Decode.Add(statusOf(r, adapter.OpDecode))
		if len(allowed) == 1 { // the view loses a part of the value: what is written can only fail
			if s := statusOf(r, adapter.OpEncode, adapter.OpRoundtrip); s.Failed() {
				t.Canonical.Add(s)
			}
			return
		}
		if outcome == corpus.Accept {
			identical := adapter.OpEncode
			if roundtrips {
				identical = adapter.OpRoundtrip
			}
			t.Identical.Add(statusOf(r, identical))
		} else if roundtrips {
			written = append(written, adapter.OpRoundtrip)
		}
		t.Canonical.Add(statusOf(r, written...))
	}
}

// Write writes the claim as JSON with one line per type, so that two claims can
// be compared line by line.
func (c *Claim) Write(w io.Writer) error {
	head := *c
	head.Types, head.Skipped = nil, nil
	text := asJSON(head, "  ")
	text = strings.Replace(text, `"types": null`, `"types": `+onePerLine(c.Types), 1)
	_, err := io.WriteString(w, strings.Replace(text, `"skipped": null`, `"skipped": `+onePerLine(c.Skipped), 1)+"\n")
	return err
}

func onePerLine[T any](values []T) string {
	if len(values) == 0 {
		return "[]"
	}
	lines := make([]string, len(values))
	for i := range values {
		lines[i] = asJSON(values[i], "")
	}
	return "[\n    " + strings.Join(lines, ",\n    ") + "\n  ]"
}

// asJSON returns a part of a claim as JSON; every part of a claim has a JSON form.
func asJSON(v any, indent string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	_ = enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}

// Read reads the output of [Claim.Write]. It checks only the form; see
// [Claim.Check].
func Read(r io.Reader) (*Claim, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var c Claim
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("invalid claim: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("expected the end after the claim, found more input")
	}
	if c.Format != format || c.Version != formatVersion {
		return nil, fmt.Errorf("expected %q version %d, found %q version %d", format, formatVersion, c.Format, c.Version)
	}
	return &c, nil
}

// Statement returns the claim as text for readers.
func (c *Claim) Statement() string {
	var b strings.Builder
	name := strings.TrimSpace(c.Implementation.Name + " " + c.Implementation.Version)
	if !c.Conformant {
		fmt.Fprintf(&b, "%s does not conform to Formatgauge %s%s under the profile %s: %d vectors, %s (corpus %d, %s).",
			name, c.Formatgauge, spec.InViews(c.Views), c.Profile, c.Corpus.Vectors, c.Counts, c.Corpus.Number, c.Corpus.Hash)
		return b.String()
	}
	fmt.Fprintf(&b, "%s conforms to Formatgauge %s%s, corpus %d (%s), profile %s; %d vectors, %s. ", name, c.Formatgauge,
		spec.InViews(c.Views), c.Corpus.Number, c.Corpus.Hash, c.Profile, c.Corpus.Vectors, c.Counts)
	byLevels := map[string][]string{}
	var order []string
	for _, t := range c.Types {
		var words []string
		for _, l := range t.Levels {
			words = append(words, string(l))
		}
		key := strings.Join(words, ", ")
		if key == "" {
			key = "no level"
		}
		if byLevels[key] == nil {
			order = append(order, key)
		}
		byLevels[key] = append(byLevels[key], t.Type)
	}
	for _, key := range order {
		fmt.Fprintf(&b, "%s: %s. ", strings.ToUpper(key[:1])+key[1:], c.typeList(byLevels[key]))
	}
	var skipped []string
	for _, s := range c.Skipped {
		skipped = append(skipped, s.Type)
	}
	if len(skipped) == 0 {
		skipped = []string{"nothing"}
	}
	fmt.Fprintf(&b, "Skipped: %s.", c.typeList(skipped))
	return b.String()
}

// typeList lists types. A family with all its types is one entry.
func (c *Claim) typeList(types []string) string {
	var all []string
	for _, t := range c.Types {
		all = append(all, t.Type)
	}
	for _, s := range c.Skipped {
		all = append(all, s.Type)
	}
	return strings.Join(report.TypeList(types, all), ", ")
}
