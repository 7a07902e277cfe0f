// Package claim states how far an implementation conforms, so that others can
// compute the same statement again and see whether it holds.
//
// A claim is about one implementation, one corpus and one profile. For each
// type it says which levels are reached, and on how many vectors.
package claim

import (
	"bytes"
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
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Schema is the JSON Schema of a claim.
//
//go:embed claim.json
var Schema []byte

const (
	format        = "formatgauge-claim"
	formatVersion = 1
)

// Level is something that an implementation can do with a type.
type Level string

const (
	// Decode: what can be read is read as the tree that is expected.
	Decode Level = "decode"
	// Rejects: what must be refused is refused, with the class, and at a place
	// in the range if it tells one.
	Rejects Level = "rejects"
	// Identical: what is in the canonical form is written back as the very same bytes.
	Identical Level = "identical"
	// Canonical: every value, however it was spelled, is written in the
	// canonical form, and one without a form is refused.
	Canonical Level = "canonical"
)

// Levels lists all levels in the order in which they are shown.
var Levels = []Level{Decode, Rejects, Identical, Canonical}

// A Claim is the statement. Its JSON is what a claim file holds.
type Claim struct {
	Format         string              `json:"format"`
	Version        int                 `json:"version"`
	Formatgauge    string              `json:"formatgauge"` // version of the program that judged
	Implementation Implementation      `json:"implementation"`
	Corpus         report.Corpus       `json:"corpus"`
	Profile        string              `json:"profile"`
	Flags          map[ids.Flag]string `json:"flags"` // where the profile departs from its base
	Conformant     bool                `json:"conformant"`
	Counts         Counts              `json:"counts"` // of vectors
	Types          []Type              `json:"types"`
	Skipped        []Skipped           `json:"skipped"`
}

// Implementation names what the claim is about.
type Implementation struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
}

// Counts says how many vectors came out how. Fail counts crashes, hangs and
// broken protocol too.
type Counts struct {
	Pass int `json:"pass"`
	Fail int `json:"fail"`
	Skip int `json:"skip"`
	Open int `json:"open"`
}

func (c Counts) String() string {
	return fmt.Sprintf("%d pass, %d fail, %d skip, %d open", c.Pass, c.Fail, c.Skip, c.Open)
}

// Type is what the implementation can do with one type.
type Type struct {
	Type      string  `json:"type"`
	Levels    []Level `json:"levels"` // reached
	Decode    Tally   `json:"decode"`
	Rejects   Tally   `json:"rejects"`
	Identical Tally   `json:"identical"`
	Canonical Tally   `json:"canonical"`
	Open      int     `json:"open"` // vectors that expect nothing of this mixture of sides
}

// Tally counts the vectors that show a level.
type Tally struct {
	Pass int `json:"pass"`
	Fail int `json:"fail"`
	Skip int `json:"skip"`
}

func (t Tally) String() string {
	return fmt.Sprintf("%d pass, %d fail, %d skip", t.Pass, t.Fail, t.Skip)
}

// reached reports whether the level is shown: by something, and without exception.
func (t Tally) reached() bool { return t.Pass > 0 && t.Fail == 0 && t.Skip == 0 }

// Tally returns the count of a level.
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

// reachedLevels lists the levels that the counts show.
func (t *Type) reachedLevels() []Level {
	out := []Level{}
	for _, l := range Levels {
		if t.Tally(l).reached() {
			out = append(out, l)
		}
	}
	return out
}

// Skipped is a type that is left out.
type Skipped struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Vectors int    `json:"vectors"`
}

// Make computes the claim of an implementation on the embedded corpus.
// profile is for an implementation that follows any; nil means observed. One
// that declares its profile is held to that.
func Make(ctx context.Context, impl adapter.Implementation, profile *ids.Profile) (*Claim, error) {
	hello, err := impl.Hello(ctx)
	if err != nil {
		return nil, fmt.Errorf("the adapter does not introduce itself: %w", err)
	}
	p, err := profileOf(hello, profile)
	if err != nil {
		return nil, err
	}
	vectors, err := corpus.All()
	if err != nil {
		return nil, err
	}
	here, err := report.Embedded()
	if err != nil {
		return nil, err
	}
	c := &Claim{
		Format: format, Version: formatVersion, Formatgauge: version.String(), Corpus: here, Profile: p.String(), Flags: exceptions(p),
		Implementation: Implementation{hello.Name, hello.Version, hello.Language},
		Types:          []Type{}, Skipped: []Skipped{},
	}
	m := maker{ctx: ctx, impl: impl, vectors: vectors, profile: p, hello: hello}
	whole, err := m.run(hello.Operations...)
	if err != nil {
		return nil, err
	}
	ops := map[adapter.Op]map[string]*judge.Result{}
	for _, op := range []adapter.Op{adapter.OpDecode, adapter.OpRecode, adapter.OpEncode} {
		if ops[op], err = m.run(op); err != nil {
			return nil, err
		}
	}
	c.tally(vectors, p, whole, ops, slices.Contains(hello.Operations, adapter.OpRecode))
	c.Conformant = c.Counts.Pass > 0 && c.Counts.Fail == 0
	return c, nil
}

func profileOf(h adapter.Hello, asked *ids.Profile) (ids.Profile, error) {
	if h.AnyProfile {
		if asked != nil {
			return *asked, nil
		}
		return ids.Observed(), nil
	}
	p, err := ids.ParseProfile(h.Profile)
	if err != nil {
		return p, fmt.Errorf("the adapter declares a profile that there is not: %w", err)
	}
	if asked != nil && asked.String() != p.String() {
		return p, fmt.Errorf("a claim is made under the profile that the adapter declares: that is %s, not %s", p, asked)
	}
	return p, nil
}

// exceptions spells out where a profile departs from its base.
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

type maker struct {
	ctx     context.Context
	impl    adapter.Implementation
	vectors []*corpus.Vector
	profile ids.Profile
	hello   adapter.Hello
}

// run judges with some operations only, so that each is judged on its own
// and not only up to the first that fails.
func (m *maker) run(ops ...adapter.Op) (map[string]*judge.Result, error) {
	r, err := judge.Run(m.ctx, &limited{m.impl, m.hello, ops}, m.vectors, judge.Options{Profile: &m.profile, NoDerived: true})
	if err != nil {
		return nil, err
	}
	out := map[string]*judge.Result{}
	for i := range r.Results {
		if !r.Results[i].Derived {
			out[r.Results[i].ID] = &r.Results[i]
		}
	}
	return out, nil
}

// skipMark leads the words of a fault that stands for a skip: of a question
// that is not the first about a vector, the judge takes a skip as no answer.
const skipMark = "skips the operation: "

// limited is an implementation that is asked for some operations only.
type limited struct {
	adapter.Implementation
	hello adapter.Hello
	ops   []adapter.Op
}

func (l *limited) Hello(context.Context) (adapter.Hello, error) {
	h := l.hello
	h.Operations = nil
	for _, op := range l.ops {
		if slices.Contains(l.hello.Operations, op) {
			h.Operations = append(h.Operations, op)
		}
	}
	return h, nil
}

func (l *limited) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := l.Implementation.Do(ctx, q)
	if err == nil && a.Skip != nil && len(l.ops) == 1 {
		return adapter.Response{ID: a.ID, Error: &adapter.Fault{Message: skipMark + a.Skip.Reason}}, nil
	}
	return a, err
}

// outcome tells what a result says of a level.
func outcome(r *judge.Result) func(*Tally) {
	switch {
	case r == nil:
		return func(t *Tally) { t.Skip++ }
	case r.Status == judge.Pass:
		return func(t *Tally) { t.Pass++ }
	case r.Status == judge.Skip, strings.Contains(r.Detail, skipMark):
		return func(t *Tally) { t.Skip++ }
	}
	return func(t *Tally) { t.Fail++ }
}

// worse returns the result that says less of an implementation.
func worse(a, b *judge.Result) *judge.Result {
	var ta, tb Tally
	outcome(a)(&ta)
	outcome(b)(&tb)
	if ta.Fail > tb.Fail || ta.Skip > tb.Skip && tb.Fail == 0 {
		return a
	}
	return b
}

func (c *Claim) tally(vectors []*corpus.Vector, p ids.Profile, whole map[string]*judge.Result, ops map[adapter.Op]map[string]*judge.Result, recodes bool) {
	types := map[string]*Type{}
	skipped := map[string]*Skipped{}
	for _, v := range vectors {
		r := whole[v.ID]
		switch {
		case r.Status == judge.Pass:
			c.Counts.Pass++
		case r.Status == judge.Skip:
			c.Counts.Skip++
		case r.Status == judge.Open:
			c.Counts.Open++
		default:
			c.Counts.Fail++
		}
		if r.Status == judge.Skip {
			if skipped[v.Type] == nil {
				skipped[v.Type] = &Skipped{Type: v.Type, Reason: r.Detail}
			}
			skipped[v.Type].Vectors++
		}
		if types[v.Type] == nil {
			types[v.Type] = &Type{Type: v.Type}
		}
		types[v.Type].add(v, p, ops, recodes)
	}
	for _, listed := range codec.Types() {
		name := listed.Name
		t := types[name]
		if t == nil {
			continue // no vector, nothing to claim
		}
		if t.Levels = t.reachedLevels(); t.untouched() && skipped[name] != nil {
			c.Skipped = append(c.Skipped, *skipped[name])
			continue
		}
		c.Types = append(c.Types, *t)
	}
}

// untouched reports whether nothing of the type was answered.
func (t *Type) untouched() bool {
	for _, l := range Levels {
		if t.Tally(l).Pass+t.Tally(l).Fail > 0 {
			return false
		}
	}
	return true
}

// add counts a vector under the levels that it shows.
func (t *Type) add(v *corpus.Vector, p ids.Profile, ops map[adapter.Op]map[string]*judge.Result, recodes bool) {
	e := v.Select(p)
	decoded, recoded, encoded := ops[adapter.OpDecode][v.ID], ops[adapter.OpRecode][v.ID], ops[adapter.OpEncode][v.ID]
	switch {
	case e == nil:
		t.Open++
	case v.EncodeOnly():
		outcome(encoded)(&t.Canonical)
	case e.Outcome == corpus.Reject:
		outcome(decoded)(&t.Rejects)
	case e.Outcome == corpus.Accept:
		outcome(decoded)(&t.Decode)
		if recodes {
			outcome(recoded)(&t.Identical)
		} else {
			outcome(encoded)(&t.Identical)
		}
		outcome(encoded)(&t.Canonical)
	default:
		outcome(decoded)(&t.Decode)
		if recodes {
			outcome(worse(encoded, recoded))(&t.Canonical)
		} else {
			outcome(encoded)(&t.Canonical)
		}
	}
}

// Write writes the claim as a file holds it: JSON, with a line for each type,
// so that two claims can be compared line by line.
func (c *Claim) Write(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, f := range []struct {
		name  string
		value any
	}{
		{"format", c.Format},
		{"version", c.Version},
		{"formatgauge", c.Formatgauge},
		{"implementation", c.Implementation},
		{"corpus", c.Corpus},
		{"profile", c.Profile},
		{"flags", c.Flags},
		{"conformant", c.Conformant},
		{"counts", c.Counts},
		{"types", lines(c.Types)},
		{"skipped", lines(c.Skipped)},
	} {
		text, err := marshal(f.value)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  %q: %s", f.name, text)
	}
	b.WriteString("\n}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// onLines is a list with a line for each of its items.
type onLines []any

func lines[T any](values []T) onLines {
	out := make(onLines, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func marshal(v any) ([]byte, error) {
	all, ok := v.(onLines)
	if !ok {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err := enc.Encode(v)
		return bytes.TrimSpace(b.Bytes()), err
	}
	if len(all) == 0 {
		return []byte("[]"), nil
	}
	var b bytes.Buffer
	sep := "[\n    "
	for _, item := range all {
		text, err := marshal(item)
		if err != nil {
			return nil, err
		}
		b.WriteString(sep)
		b.Write(text)
		sep = ",\n    "
	}
	b.WriteString("\n  ]")
	return b.Bytes(), nil
}

// Read reads what [Claim.Write] wrote. It checks the form only; see [Claim.Check].
func Read(r io.Reader) (*Claim, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var c Claim
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("this is no claim: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the claim")
	}
	if c.Format != format || c.Version != formatVersion {
		return nil, fmt.Errorf("this is %q version %d, want %q version %d", c.Format, c.Version, format, formatVersion)
	}
	return &c, nil
}

// Statement is the claim in a sentence, to be put where people read it.
func (c *Claim) Statement() string {
	var b strings.Builder
	who := strings.TrimSpace(c.Implementation.Name + " " + c.Implementation.Version)
	if !c.Conformant {
		fmt.Fprintf(&b, "%s does not conform to Formatgauge %s under the profile %s: of %d vectors %s (corpus %d, %s).", who, c.Formatgauge, c.Profile, c.Corpus.Vectors, c.Counts, c.Corpus.Number, c.Corpus.Hash)
		return b.String()
	}
	fmt.Fprintf(&b, "%s conforms to Formatgauge %s, corpus %d (%s), profile %s; of %d vectors %s. ", who, c.Formatgauge, c.Corpus.Number, c.Corpus.Hash, c.Profile, c.Corpus.Vectors, c.Counts)
	byLevels := map[string][]string{}
	var order []string
	for _, t := range c.Types {
		var words []string
		for _, l := range t.Levels {
			words = append(words, string(l))
		}
		key := strings.Join(words, ", ")
		if key == "" {
			key = "no level whole"
		}
		if byLevels[key] == nil {
			order = append(order, key)
		}
		byLevels[key] = append(byLevels[key], t.Type)
	}
	for _, key := range order {
		fmt.Fprintf(&b, "%s: %s. ", strings.ToUpper(key[:1])+key[1:], c.inWords(byLevels[key]))
	}
	var left []string
	for _, s := range c.Skipped {
		left = append(left, s.Type)
	}
	if len(left) == 0 {
		left = []string{"nothing"}
	}
	fmt.Fprintf(&b, "Skipped: %s.", c.inWords(left))
	return b.String()
}

// inWords lists types; a family that is there whole is named once.
func (c *Claim) inWords(types []string) string {
	family := func(t string) string { f, _, _ := strings.Cut(t, "."); return f }
	all := map[string]int{}
	for _, t := range c.Types {
		all[family(t.Type)]++
	}
	for _, s := range c.Skipped {
		all[family(s.Type)]++
	}
	here := map[string]int{}
	for _, t := range types {
		here[family(t)]++
	}
	var out []string
	for _, t := range types {
		f := family(t)
		switch {
		case here[f] != all[f] || all[f] == 1:
			out = append(out, t)
		case all[f] > 0:
			out = append(out, fmt.Sprintf("all of %s (%d types)", f, all[f]))
			here[f], all[f] = 0, 0 // said
		}
	}
	return strings.Join(out, ", ")
}
