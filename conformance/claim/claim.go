// Package claim states how far an implementation conforms, in a form that
// others can compute again and compare.
//
// A claim is about one implementation, one corpus and one profile. For each
// type it lists the levels that the implementation reaches, and the number of
// vectors.
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
	"github.com/formatgauge/formatgauge/spec"
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
	Counts         Counts              `json:"counts"` // of vectors
	Types          []Type              `json:"types"`
	Skipped        []Skipped           `json:"skipped"`
}

// Implementation identifies the implementation.
type Implementation struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
}

// Counts holds the number of vectors per outcome. Fail includes crashes, hangs
// and protocol violations.
type Counts struct {
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Differs int `json:"differs"` // see judge.Differs
	Wider   int `json:"wider"`   // see judge.Wider
	Skip    int `json:"skip"`
	Open    int `json:"open"`
}

func (c Counts) total() int { return c.Pass + c.Fail + c.Differs + c.Wider + c.Skip + c.Open }

// String omits zeros of Differs and Wider.
func (c Counts) String() string {
	return fmt.Sprintf("%d pass, %d fail%s, %d skip, %d open", c.Pass, c.Fail, neither(c.Differs, c.Wider), c.Skip, c.Open)
}

// neither describes the vectors that neither passed nor failed although they were
// judged.
func neither(differs, wider int) string {
	s := ""
	if differs > 0 {
		s += fmt.Sprintf(", %d differ from choices of the reference", differs)
	}
	if wider > 0 {
		s += fmt.Sprintf(", %d wider", wider)
	}
	return s
}

// Type holds the levels of one type.
type Type struct {
	Type      string  `json:"type"`
	Levels    []Level `json:"levels"` // reached
	Decode    Tally   `json:"decode"`
	Rejects   Tally   `json:"rejects"`
	Identical Tally   `json:"identical"`
	Canonical Tally   `json:"canonical"`
	Open      int     `json:"open"` // vectors without a section for this combination of sides
}

// Tally counts the vectors that test a level.
type Tally struct {
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Differs int `json:"differs,omitempty"`
	Wider   int `json:"wider,omitempty"`
	Skip    int `json:"skip"`
}

func (t Tally) total() int { return t.Pass + t.Fail + t.Differs + t.Wider + t.Skip }

// String omits zeros of Differs and Wider.
func (t Tally) String() string {
	return fmt.Sprintf("%d pass, %d fail%s, %d skip", t.Pass, t.Fail, neither(t.Differs, t.Wider), t.Skip)
}

// reached reports whether at least one vector of the level passed, and none
// failed or was skipped.
func (t Tally) reached() bool { return t.Pass > 0 && t.Fail == 0 && t.Skip == 0 }

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
		if t.Tally(l).reached() {
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
func Make(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, profile *ids.Profile) (*Claim, error) {
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
		Format: format, Version: formatVersion, Formatgauge: version.String(), Corpus: here, Profile: p.String(), Views: append([]string{}, hello.Views...), Flags: exceptions(p),
		Implementation: Implementation{hello.Name, hello.Version, hello.Language},
		Types:          []Type{}, Skipped: []Skipped{},
	}
	m := judgeRuns{ctx: ctx, impl: impl, vectors: vectors, profile: p, hello: hello}
	whole, err := m.run(hello.Operations...)
	if err != nil {
		return nil, err
	}
	ops := map[adapter.Op]map[string]*judge.Result{}
	for _, op := range []adapter.Op{adapter.OpDecode, adapter.OpRoundtrip, adapter.OpEncode} {
		if ops[op], err = m.run(op); err != nil {
			return nil, err
		}
	}
	asked, err := judge.OpsInViews(c.Views)
	if err != nil {
		return nil, err
	}
	c.tally(vectors, p, asked, whole, ops, slices.Contains(hello.Operations, adapter.OpRoundtrip))
	c.Conformant = c.Counts.Pass > 0 && c.Counts.Fail == 0
	return c, nil
}

func claimProfile(h adapter.Hello, asked *ids.Profile) (ids.Profile, error) {
	if h.AnyProfile {
		if asked != nil {
			return *asked, nil
		}
		return ids.Observed(), nil
	}
	p, err := ids.ParseProfile(h.Profile)
	if err != nil {
		return p, fmt.Errorf("profile declared in hello: %w", err)
	}
	if asked != nil && asked.String() != p.String() {
		return p, fmt.Errorf("the adapter declares the profile %s: a claim under %s is not possible", p, asked)
	}
	return p, nil
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

type judgeRuns struct {
	ctx     context.Context
	impl    adapter.Implementation
	vectors []*corpus.Vector
	profile ids.Profile
	hello   adapter.Hello
}

// run judges with the given operations only, so that each operation is judged
// even if another one fails.
func (m *judgeRuns) run(ops ...adapter.Op) (map[string]*judge.Result, error) {
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

// skipMark marks an error that stands for a skip. The judge ignores a skip that
// is not the answer to the first request about a vector.
const skipMark = "skips the operation: "

// limited is an implementation with some of its operations.
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

// count returns the function that counts a result in a tally.
func count(r *judge.Result) func(*Tally) {
	switch {
	case r == nil:
		return func(t *Tally) { t.Skip++ }
	case r.Status == judge.Pass:
		return func(t *Tally) { t.Pass++ }
	case r.Status == judge.Skip, strings.Contains(r.Detail, skipMark):
		return func(t *Tally) { t.Skip++ }
	case r.Status == judge.Differs:
		return func(t *Tally) { t.Differs++ }
	case r.Status == judge.Wider:
		return func(t *Tally) { t.Wider++ }
	}
	return func(t *Tally) { t.Fail++ }
}

// lesserResult returns the result that counts less for an implementation.
func lesserResult(a, b *judge.Result) *judge.Result {
	rank := func(r *judge.Result) int {
		var t Tally
		count(r)(&t)
		return 3*t.Fail + 2*t.Skip + t.Differs + t.Wider
	}
	if rank(a) > rank(b) {
		return a
	}
	return b
}

func (c *Claim) tally(vectors []*corpus.Vector, p ids.Profile, asked opsOf, whole map[string]*judge.Result, ops map[adapter.Op]map[string]*judge.Result, roundtrips bool) {
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
		case r.Status == judge.Differs:
			c.Counts.Differs++
		case r.Status == judge.Wider:
			c.Counts.Wider++
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
		types[v.Type].add(v, p, asked, ops, roundtrips)
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
		if t.Tally(l).total() > t.Tally(l).Skip {
			return false
		}
	}
	return true
}

// opsOf lists the operations by which a vector is judged: see [judge.OpsInViews].
type opsOf func(*corpus.Vector, ids.Profile) []adapter.Op

// add counts a vector at the levels that it tests in the views.
func (t *Type) add(v *corpus.Vector, p ids.Profile, asked opsOf, ops map[adapter.Op]map[string]*judge.Result, roundtrips bool) {
	e := v.Select(p)
	decoded, returned, encoded := ops[adapter.OpDecode][v.ID], ops[adapter.OpRoundtrip][v.ID], ops[adapter.OpEncode][v.ID]
	allowed := asked(v, p)
	switch {
	case len(allowed) == 0:
		t.Open++
	case v.EncodeOnly():
		count(encoded)(&t.Canonical)
	case e.Outcome == corpus.Reject:
		count(decoded)(&t.Rejects)
	case len(allowed) == 1: // the value is not kept completely
		count(decoded)(&t.Decode)
	case e.Outcome == corpus.Accept:
		count(decoded)(&t.Decode)
		if roundtrips {
			count(returned)(&t.Identical)
		} else {
			count(encoded)(&t.Identical)
		}
		count(encoded)(&t.Canonical)
	default:
		count(decoded)(&t.Decode)
		if roundtrips {
			count(lesserResult(encoded, returned))(&t.Canonical)
		} else {
			count(encoded)(&t.Canonical)
		}
	}
}

// Write writes the claim as JSON with one line per type, so that two claims can
// be compared line by line.
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
		{"views", c.Views},
		{"flags", c.Flags},
		{"conformant", c.Conformant},
		{"counts", c.Counts},
		{"types", onePerLine(c.Types)},
		{"skipped", onePerLine(c.Skipped)},
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

// itemPerLine is a list that is written with one item per line.
type itemPerLine []any

func onePerLine[T any](values []T) itemPerLine {
	out := make(itemPerLine, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func marshal(v any) ([]byte, error) {
	all, ok := v.(itemPerLine)
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
		fmt.Fprintf(&b, "%s does not conform to Formatgauge %s%s under the profile %s: %d vectors, %s (corpus %d, %s).", name, c.Formatgauge, spec.InViews(c.Views), c.Profile, c.Corpus.Vectors, c.Counts, c.Corpus.Number, c.Corpus.Hash)
		return b.String()
	}
	fmt.Fprintf(&b, "%s conforms to Formatgauge %s%s, corpus %d (%s), profile %s; %d vectors, %s. ", name, c.Formatgauge, spec.InViews(c.Views), c.Corpus.Number, c.Corpus.Hash, c.Profile, c.Corpus.Vectors, c.Counts)
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
