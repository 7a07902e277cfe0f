package report

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// ResultsSchema is the JSON Schema of each line that [JSONL] writes.
//
//go:embed schema/results.json
var ResultsSchema []byte

const (
	resultsFormat  = "formatgauge-results"
	resultsVersion = 3
	// maxResultInput is the size in bytes up to which the input of a failure is
	// written. A longer input is that of the vector or derived from it.
	maxResultInput = 64 << 10
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

// A resultLine is a result, or stands for the cases derived from one vector that have
// the same outcome: passed, skipped or not applicable. Those have a count, and neither an
// id nor what follows it.
type resultLine struct {
	Kind    string       `json:"kind"`
	ID      string       `json:"id,omitempty"`
	Vector  string       `json:"vector,omitempty"` // from which a derived case is derived
	Type    string       `json:"type"`
	Profile string       `json:"profile"`
	Status  judge.Status `json:"status"`
	Reason  judge.Reason `json:"reason,omitempty"`
	Message string       `json:"message,omitempty"`
	Count   int          `json:"count,omitempty"`
	Verdict string       `json:"verdict,omitempty"` // expected by the vector under the profile
	Clauses []ids.Clause `json:"clauses,omitempty"`
	Flags   []ids.Flag   `json:"flags,omitempty"`
	Known   string       `json:"known,omitempty"`
	// Outcomes of the operations: [judge.Decisive] has decided.
	Outcomes []judge.Outcome `json:"outcomes,omitempty"`
	Rule     judge.Rule      `json:"rule,omitempty"` // of a derived case
	Edit     *judge.Edit     `json:"edit,omitempty"`
	// Input in hex, and Context if it differs from that of the vector, unless the
	// answer is as expected.
	Input   string            `json:"input,omitempty"`
	Context map[string]string `json:"context,omitempty"`
	Seconds seconds           `json:"seconds,omitempty"`
}

// seconds is a duration to the microsecond. Comparisons ignore it.
type seconds float64

func secondsOf(d time.Duration) seconds { return seconds(d.Round(time.Microsecond).Seconds()) }

func (s seconds) duration() time.Duration {
	return time.Duration(float64(s) * float64(time.Second)).Round(time.Microsecond)
}

type summaryLine struct {
	Kind       string `json:"kind"`
	Counts     Counts `json:"counts"`
	Derived    Counts `json:"derived"`
	Conformant bool   `json:"conformant"`
	Complete   bool   `json:"complete"`
	// Fit is set if most failures are none under other sides.
	Fit *judge.Fit `json:"fit,omitempty"`
	// AsKnown and Disagrees are set if there was a list of known failures:
	// whether the failures are exactly those listed, and the mismatches.
	AsKnown   *bool    `json:"asKnown,omitempty"`
	Disagrees []string `json:"disagrees,omitempty"`
}

// JSONL writes one run as JSON Lines: a header, the results in order, a
// summary. Only the fields seconds depend on the time or the machine. Successive
// derived cases of a vector with the same outcome share a line if they passed or
// were not judged.
func JSONL(w io.Writer, runs ...*Run) error {
	if len(runs) != 1 {
		return fmt.Errorf("JSON Lines contain the results of one implementation, got %d", len(runs))
	}
	r := runs[0]
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(printable.NewWriter(out)) // a line is never an incomplete character
	enc.SetEscapeHTML(false)
	head := headerLine{
		Kind: kindHeader, Format: resultsFormat, Version: resultsVersion, Formatgauge: r.Formatgauge,
		Implementation: r.Hello, Corpus: r.Corpus, Profiles: append([]string{}, r.profiles()...),
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
	sum := summaryLine{Kind: kindSummary, Fit: r.Fit, Conformant: r.Conformant() && !r.Interrupted, Complete: !r.Interrupted}
	t := r.Counts()
	sum.Counts, sum.Derived = t.Own, t.Derived
	if r.HasKnownList {
		sum.AsKnown, sum.Disagrees = new(r.MatchesKnown() && !r.Interrupted), r.KnownMismatches
	}
	if err := enc.Encode(sum); err != nil {
		return err
	}
	return out.Flush()
}

// lineAt returns the line for the first of some results, and the number of
// results that it stands for.
func lineAt(results []judge.Result) (resultLine, int) {
	r := &results[0]
	if !r.Derived || r.Status.Disagrees() {
		return lineOf(r), 1
	}
	n, took := 1, r.Duration
	for n < len(results) && sameOutcome(r, &results[n]) {
		took += results[n].Duration
		n++
	}
	return resultLine{
		Kind: kindDerived, Vector: r.Vector.ID, Type: r.Vector.Type, Profile: r.Profile.String(),
		Status: r.Status, Reason: r.Reason, Message: r.Message, Count: n, Seconds: secondsOf(took),
	}, n
}

func sameOutcome(a, b *judge.Result) bool {
	return b.Derived && b.Vector == a.Vector && b.Status == a.Status && b.Reason == a.Reason && b.Message == a.Message &&
		b.Profile.String() == a.Profile.String()
}

func lineOf(r *judge.Result) resultLine {
	l := resultLine{
		Kind: kindResult, ID: r.ID, Type: r.Vector.Type, Profile: r.Profile.String(), Status: r.Status,
		Outcomes: r.Outcomes, Rule: r.Rule, Edit: r.Edit,
		Clauses: r.Vector.Clauses, Flags: r.Vector.Flags, Known: r.Known, Seconds: secondsOf(r.Duration),
	}
	if r.Derived {
		l.Vector = r.Vector.ID
	} else if e := judge.Verdict(r.Vector, r.Profile); e != nil {
		l.Verdict = e.Short()
	}
	if r.Status.Disagrees() && len(r.Input) <= maxResultInput {
		l.Input = hex.EncodeToString(r.Input)
	}
	if r.Status.Disagrees() && !maps.Equal(r.Context, r.Vector.Context) {
		l.Context = r.Context
	}
	return l
}

// Read reads the output of [JSONL]. It takes vectors from the embedded corpus;
// for a vector that is not there it uses only what the lines contain.
func Read(r io.Reader) (*Run, error) {
	rd := newReader()
	lines := json.NewDecoder(r)
	for n := 1; ; n++ {
		var line json.RawMessage
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			return rd.end()
		}
		if err == nil {
			err = rd.line(line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

func newReader() *reader {
	return &reader{
		run: &Run{Report: &judge.Report{}, read: true}, missing: map[string]*corpus.Vector{},
	}
}

type reader struct {
	run     *Run
	header  bool
	summary *summaryLine
	missing map[string]*corpus.Vector // vectors that are not in the corpus
}

func (rd *reader) line(text []byte) error {
	var l struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	if rd.summary != nil {
		return errors.New("expected the end after the summary, found another line")
	}
	if rd.header != (l.Kind != kindHeader) {
		return errors.New("expected exactly one header, as the first line")
	}
	switch l.Kind {
	case kindHeader:
		rd.header = true
		return rd.readHeader(text)
	case kindResult, kindDerived:
		var res resultLine
		if err := decodeStrict(text, &res); err != nil {
			return err
		}
		return rd.readResult(res)
	case kindSummary:
		rd.summary = &summaryLine{}
		return decodeStrict(text, rd.summary)
	}
	return fmt.Errorf("unknown kind of line %q", l.Kind)
}

// decodeStrict decodes a value and rejects unknown keys.
func decodeStrict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func (rd *reader) readHeader(text []byte) error {
	var h headerLine
	if err := json.Unmarshal(text, &h); err != nil { // not strict: later versions can add fields to hello
		return err
	}
	if h.Format != resultsFormat || h.Version != resultsVersion {
		return fmt.Errorf("expected %q version %d, found %q version %d", resultsFormat, resultsVersion, h.Format, h.Version)
	}
	rd.run.Hello, rd.run.Formatgauge, rd.run.Corpus = h.Implementation, h.Formatgauge, h.Corpus
	return nil
}

// maxDerived limits the number of cases of one line; no vector has so many.
const maxDerived = 1 << 20

func (rd *reader) readResult(l resultLine) error {
	p, err := ids.ParseProfile(l.Profile)
	if err != nil {
		return err
	}
	count := 1
	if l.Kind == kindDerived && (l.ID != "" || l.Outcomes != nil) ||
		l.Kind == kindResult && (l.Count != 0 || l.Reason != "" || l.Message != "") {
		return fmt.Errorf("a line of the kind %s has fields of the other kind", l.Kind)
	}
	if l.Kind == kindDerived {
		if l.Status.Disagrees() || l.Vector == "" || l.Count < 1 || l.Count > maxDerived {
			return fmt.Errorf("invalid line of derived cases: count %d, status %q", l.Count, l.Status)
		}
		// The rules of these cases are not in the line.
		l.ID, count = l.Vector, l.Count
		l.Outcomes = []judge.Outcome{{Status: l.Status, Reason: l.Reason, Message: l.Message}}
	}
	for _, o := range append(l.Outcomes, judge.Outcome{Status: l.Status}) {
		if !isStatus(o.Status) {
			return fmt.Errorf("unknown status %q", o.Status)
		}
	}
	if len(l.Outcomes) == 0 || judge.Decisive(l.Outcomes).Status != l.Status {
		return fmt.Errorf("status %q does not follow from the outcomes", l.Status)
	}
	r := judge.NewResult(l.ID, rd.vector(cmp.Or(l.Vector, l.ID), l.Type, l.Clauses, l.Flags), p, l.Outcomes...)
	r.Rule, r.Edit, r.Derived, r.Known, r.Duration = l.Rule, l.Edit, l.Vector != "", l.Known, l.Seconds.duration()
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
	for range count {
		rd.run.Results = append(rd.run.Results, r)
		r.Duration = 0 // that of all of them is known
	}
	return nil
}

func isStatus(s judge.Status) bool { return slices.Contains(judge.Statuses, s) }

func (rd *reader) vector(id, typ string, clauses []ids.Clause, flags []ids.Flag) *corpus.Vector {
	if v, ok := corpus.Find(id); ok && v.Type == typ {
		return v
	}
	v, ok := rd.missing[id]
	if !ok {
		v = &corpus.Vector{ID: id, Type: typ, Clauses: clauses, Flags: flags}
		rd.missing[id] = v
	}
	return v
}

func (rd *reader) end() (*Run, error) {
	switch {
	case !rd.header:
		return nil, errors.New("no header: the input does not contain results")
	case rd.summary == nil:
		return nil, errors.New("no summary: the results are incomplete")
	}
	if err := rd.run.checkCounts("summary has", Tally{rd.summary.Counts, rd.summary.Derived}); err != nil {
		return nil, err
	}
	if c := rd.run.Conformant() && rd.summary.Complete; c != rd.summary.Conformant {
		return nil, fmt.Errorf("conformant: the summary has %v, the lines give %v", rd.summary.Conformant, c)
	}
	rd.run.Fit = rd.summary.Fit
	rd.run.Interrupted, rd.run.HasKnownList, rd.run.KnownMismatches = !rd.summary.Complete, rd.summary.AsKnown != nil,
		rd.summary.Disagrees
	return rd.run, nil
}
