package report

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// ResultsSchema is the JSON Schema of each line that [JSONL] writes.
//
//go:embed schema/results.json
var ResultsSchema []byte

const (
	resultsFormat  = "formatgauge-results"
	resultsVersion = 1
	// maxInput bounds the inputs that travel with failures, in bytes. A longer
	// one is that of its vector, or a rule's work on it.
	maxInput = 64 << 10
)

// The kinds of lines.
const (
	kindHeader  = "header"
	kindResult  = "result"
	kindDerived = "derived"
	kindSummary = "summary"
)

type headerLine struct {
	Kind           string        `json:"kind"`
	Format         string        `json:"format"`
	Version        int           `json:"version"`
	Formatgauge    string        `json:"formatgauge"`
	Implementation adapter.Hello `json:"implementation"`
	Corpus         Corpus        `json:"corpus"`
	Profiles       []string      `json:"profiles"`
}

type resultLine struct {
	Kind    string       `json:"kind"`
	ID      string       `json:"id"`
	Vector  string       `json:"vector,omitempty"` // that a derived case follows from
	Type    string       `json:"type"`
	Profile string       `json:"profile"`
	Status  judge.Status `json:"status"`
	Class   judge.Class  `json:"class,omitempty"`   // of what is bad
	Rule    judge.Rule   `json:"rule,omitempty"`    // that made a derived case
	Verdict string       `json:"verdict,omitempty"` // of the vector under the profile
	Clauses []ids.Clause `json:"clauses,omitempty"`
	Flags   []ids.Flag   `json:"flags,omitempty"`
	Op      adapter.Op   `json:"op,omitempty"`
	Detail  string       `json:"detail,omitempty"`
	Want    string       `json:"want,omitempty"`
	Got     string       `json:"got,omitempty"`
	Side    string       `json:"side,omitempty"`
	Known   string       `json:"known,omitempty"`
	// Input in hex, and Context where it is not the vector's, of what is bad.
	Input   string            `json:"input,omitempty"`
	Context map[string]string `json:"context,omitempty"`
}

// derivedLine stands for all cases derived from one vector that came out the
// same and do not speak against the implementation: they are many, and alike.
type derivedLine struct {
	Kind    string       `json:"kind"`
	Vector  string       `json:"vector"`
	Type    string       `json:"type"`
	Profile string       `json:"profile"`
	Status  judge.Status `json:"status"`
	Detail  string       `json:"detail,omitempty"`
	Count   int          `json:"count"`
}

type summaryLine struct {
	Kind       string `json:"kind"`
	Counts     Counts `json:"counts"`
	Derived    Counts `json:"derived"`
	Conformant bool   `json:"conformant"`
	Complete   bool   `json:"complete"`
	// Of a run with a list of known failures: whether what is bad is what the
	// list says, and what the two do not agree on.
	AsKnown   *bool    `json:"asKnown,omitempty"`
	Disagrees []string `json:"disagrees,omitempty"`
}

// JSONL writes one run as JSON Lines: a header, the results in their order, a
// summary. Nothing in it depends on the time or the machine. Derived cases that
// follow each other and came out the same share a line, unless they are bad.
func JSONL(w io.Writer, runs ...*Run) error {
	if len(runs) != 1 {
		return fmt.Errorf("a file of JSON Lines holds one implementation's results, not %d", len(runs))
	}
	r := runs[0]
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	head := headerLine{
		Kind: kindHeader, Format: resultsFormat, Version: resultsVersion, Formatgauge: r.Formatgauge,
		Implementation: r.Hello, Corpus: r.Corpus, Profiles: r.profiles(),
	}
	if head.Profiles == nil {
		head.Profiles = []string{}
	}
	if err := enc.Encode(head); err != nil {
		return err
	}
	for i := 0; i < len(r.Results); {
		line, n := lineAt(r.Results[i:])
		if err := enc.Encode(line); err != nil {
			return err
		}
		i += n
	}
	sum := summaryLine{Kind: kindSummary, Conformant: r.Conformant() && !r.Cut, Complete: !r.Cut}
	sum.Counts, sum.Derived = r.counts()
	if r.Listed {
		sum.AsKnown, sum.Disagrees = new(r.AsKnown() && !r.Cut), r.Disagrees
	}
	if err := enc.Encode(sum); err != nil {
		return err
	}
	return out.Flush()
}

// lineAt returns the line for the first of some results, and how many it stands for.
func lineAt(results []judge.Result) (any, int) {
	r := &results[0]
	if !r.Derived || r.Status.Bad() {
		return lineOf(r), 1
	}
	n := 1
	for n < len(results) && alike(r, &results[n]) {
		n++
	}
	return derivedLine{
		Kind: kindDerived, Vector: r.Vector.ID, Type: r.Vector.Type, Profile: r.Profile.String(),
		Status: r.Status, Detail: r.Detail, Count: n,
	}, n
}

func alike(a, b *judge.Result) bool {
	return b.Derived && b.Vector == a.Vector && b.Status == a.Status && b.Detail == a.Detail && b.Profile.String() == a.Profile.String()
}

func lineOf(r *judge.Result) resultLine {
	l := resultLine{
		Kind: kindResult, ID: r.ID, Type: r.Vector.Type, Profile: r.Profile.String(), Status: r.Status, Class: r.Class, Rule: r.Rule,
		Clauses: r.Vector.Clauses, Flags: r.Vector.Flags,
		Op: r.Op, Detail: r.Detail, Want: r.Want, Got: r.Got, Side: r.Side, Known: r.Known,
	}
	if r.Derived {
		l.Vector = r.Vector.ID
	} else if e := r.Vector.Select(r.Profile); e != nil {
		l.Verdict = e.Short()
	}
	if r.Status.Bad() && len(r.Input) <= maxInput {
		l.Input = hex.EncodeToString(r.Input)
	}
	if r.Status.Bad() && !maps.Equal(r.Context, r.Vector.Context) {
		l.Context = r.Context
	}
	return l
}

// Read loads what [JSONL] has written. Vectors are looked up in the embedded
// corpus; of one that is not there, only what the lines say is known.
func Read(r io.Reader) (*Run, error) {
	rd := reader{run: &Run{Report: &judge.Report{}}, unknown: map[string]*corpus.Vector{}, profiles: map[string]ids.Profile{}}
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := rd.line(line); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		}
		if err != nil {
			break
		}
	}
	return rd.end()
}

type reader struct {
	run      *Run
	header   bool
	summary  *summaryLine
	unknown  map[string]*corpus.Vector // vectors that the corpus does not have
	profiles map[string]ids.Profile
}

func (rd *reader) line(text []byte) error {
	var l struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	if rd.summary != nil {
		return errors.New("something follows the summary")
	}
	if rd.header != (l.Kind != kindHeader) {
		return errors.New("results begin with one header")
	}
	switch l.Kind {
	case kindHeader:
		rd.header = true
		return rd.readHeader(text)
	case kindResult:
		var res resultLine
		if err := strict(text, &res); err != nil {
			return err
		}
		return rd.readResult(res)
	case kindDerived:
		var d derivedLine
		if err := strict(text, &d); err != nil {
			return err
		}
		return rd.readDerived(d)
	case kindSummary:
		rd.summary = &summaryLine{}
		return strict(text, rd.summary)
	}
	return fmt.Errorf("no line is of the kind %q", l.Kind)
}

// strict reads a value in which no key is unknown.
func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func (rd *reader) readHeader(text []byte) error {
	var h headerLine
	if err := json.Unmarshal(text, &h); err != nil { // hello may grow
		return err
	}
	if h.Format != resultsFormat || h.Version != resultsVersion {
		return fmt.Errorf("this is %q version %d, want %q version %d", h.Format, h.Version, resultsFormat, resultsVersion)
	}
	rd.run.Hello, rd.run.Formatgauge, rd.run.Corpus = h.Implementation, h.Formatgauge, h.Corpus
	return nil
}

func (rd *reader) profile(s string) (ids.Profile, error) {
	if p, ok := rd.profiles[s]; ok {
		return p, nil
	}
	p, err := ids.ParseProfile(s)
	if err == nil {
		rd.profiles[s] = p
	}
	return p, err
}

// maxDerived bounds what one line may expand to: far more than any vector gives.
const maxDerived = 1 << 20

func (rd *reader) readDerived(l derivedLine) error {
	p, err := rd.profile(l.Profile)
	if err != nil {
		return err
	}
	if !isStatus(l.Status) || l.Status.Bad() || l.Count < 1 || l.Count > maxDerived {
		return fmt.Errorf("%d derived cases cannot share the status %q", l.Count, l.Status)
	}
	// Which rule made each of them is not told.
	r := judge.Result{
		ID: l.Vector, Vector: rd.vector(l.Vector, l.Type, nil, nil), Profile: p,
		Status: l.Status, Detail: l.Detail, Derived: true,
	}
	r.Context = r.Vector.Context
	for range l.Count {
		rd.run.Results = append(rd.run.Results, r)
	}
	return nil
}

func (rd *reader) readResult(l resultLine) error {
	p, err := rd.profile(l.Profile)
	if err != nil {
		return err
	}
	if !isStatus(l.Status) {
		return fmt.Errorf("no status is %q", l.Status)
	}
	r := judge.Result{
		ID: l.ID, Profile: p, Status: l.Status, Class: l.Class, Rule: l.Rule, Derived: l.Vector != "",
		Op: l.Op, Detail: l.Detail, Want: l.Want, Got: l.Got, Side: l.Side, Known: l.Known,
	}
	id := l.ID
	if r.Derived {
		id = l.Vector
	}
	r.Vector = rd.vector(id, l.Type, l.Clauses, l.Flags)
	r.Context = r.Vector.Context
	if !r.Derived {
		r.Input = r.Vector.Bytes
	}
	if l.Context != nil {
		r.Context = l.Context
	}
	if l.Input != "" {
		if r.Input, err = hex.DecodeString(l.Input); err != nil {
			return err
		}
	}
	rd.run.Results = append(rd.run.Results, r)
	return nil
}

func isStatus(s judge.Status) bool {
	switch s {
	case judge.Pass, judge.Fail, judge.Skip, judge.Open, judge.Crash, judge.Hang, judge.Protocol:
		return true
	}
	return false
}

func (rd *reader) vector(id, typ string, clauses []ids.Clause, flags []ids.Flag) *corpus.Vector {
	if v, ok := corpus.Find(id); ok && v.Type == typ {
		return v
	}
	v, ok := rd.unknown[id]
	if !ok {
		v = &corpus.Vector{ID: id, Type: typ, Clauses: clauses, Flags: flags}
		rd.unknown[id] = v
	}
	return v
}

func (rd *reader) end() (*Run, error) {
	switch {
	case !rd.header:
		return nil, errors.New("these are no results: there is no header")
	case rd.summary == nil:
		return nil, errors.New("the results are cut short: there is no summary")
	}
	own, derived := rd.run.counts()
	if own != rd.summary.Counts || derived != rd.summary.Derived {
		return nil, fmt.Errorf("the summary counts %v and %v derived, the lines %v and %v derived",
			rd.summary.Counts, rd.summary.Derived, own, derived)
	}
	rd.run.Cut, rd.run.Listed, rd.run.Disagrees = !rd.summary.Complete, rd.summary.AsKnown != nil, rd.summary.Disagrees
	return rd.run, nil
}
