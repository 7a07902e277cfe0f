package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	keptFormat  = "formatgauge-kept-results"
	keptVersion = 2
	// maxKeptDetail is the number of characters that a kept detail has at most.
	maxKeptDetail = 120
)

// An Origin says which implementation was judged, and when.
type Origin struct {
	Name     string `json:"name"` // also of its page and its file
	Date     string `json:"date"` // of the run, as 2006-01-02
	Revision string `json:"revision"`
	Licence  string `json:"licence"` // an SPDX identifier
	URL      string `json:"url"`
}

var (
	originName     = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)
	originRevision = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
	originLicence  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+ ()-]*$`)
)

// Check returns an error unless each field has its form.
func (o *Origin) Check() error {
	u, err := url.Parse(o.URL)
	switch {
	case len(o.Name) > 60 || !originName.MatchString(o.Name):
		return fmt.Errorf("name %q: expected small letters, digits, dots and hyphens", o.Name)
	case !originRevision.MatchString(o.Revision):
		return fmt.Errorf("revision %q: expected 7 to 40 hexadecimal digits", o.Revision)
	case !originLicence.MatchString(o.Licence):
		return fmt.Errorf("licence %q: expected an SPDX identifier", o.Licence)
	case err != nil || u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("URL %q: expected an address that begins with https://", o.URL)
	}
	_, err = time.Parse(time.DateOnly, o.Date)
	return err
}

// A ShownSide is the side of a flag that the answers of an implementation show.
type ShownSide struct {
	Flag  ids.Flag `json:"flag"`
	Side  string   `json:"side"`
	Agree int      `json:"agree"` // number of vectors that show it
}

// Kept is the result of a run in the short form that a repository keeps.
type Kept struct {
	Origin
	Sides []ShownSide
	Run   *Run
}

// keptFile is the form of a file.
type keptFile struct {
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Formatgauge string `json:"formatgauge"`
	Origin
	Corpus         Corpus        `json:"corpus"`
	Implementation adapter.Hello `json:"implementation"`
	Profile        string        `json:"profile"`
	Sides          []ShownSide   `json:"sides"`
	Counts         Counts        `json:"counts"`
	Derived        Counts        `json:"derived"`
	// Results has the vectors by type and last part of the id. Those of types that
	// the adapter does not list are omitted.
	Results map[string]map[string]keptResult `json:"results"`
}

// keptResult is the result of a vector: in JSON the string in Is if nothing else is
// set, and an object otherwise.
type keptResult struct {
	// Is names the outcome, then the outcomes of the derived cases with their numbers:
	// "pass 40 pass 2 not-applicable".
	Is      string       `json:"is"`
	Class   judge.Class  `json:"class,omitempty"`
	Reason  judge.Reason `json:"reason,omitempty"`
	Choices []string     `json:"choices,omitempty"`
	Side    string       `json:"side,omitempty"`
	Detail  string       `json:"detail,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (k keptResult) MarshalJSON() ([]byte, error) {
	if k.Class == "" && k.Reason == "" && k.Choices == nil && k.Side == "" && k.Detail == "" {
		return json.Marshal(k.Is)
	}
	type object keptResult
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(object(k))
	return bytes.TrimSpace(b.Bytes()), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *keptResult) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte(`"`)) {
		return json.Unmarshal(text, &k.Is)
	}
	type object keptResult
	return decodeStrict(text, (*object)(k))
}

// Keep writes a run in the form that [ReadKept] reads: one line for each vector that
// the implementation was asked for, none for skipped types. Of a derived case, only
// its outcome is kept, and of an answer the first difference, cut if it is long.
func Keep(w io.Writer, k *Kept) error {
	if err := k.Check(); err != nil {
		return err
	}
	profiles := k.Run.profiles()
	switch {
	case k.Run.Interrupted:
		return errors.New("the results are incomplete")
	case len(profiles) != 1:
		return fmt.Errorf("expected results under one profile, found %d", len(profiles))
	}
	f := keptFile{
		Format: keptFormat, Version: keptVersion, Formatgauge: k.Run.Formatgauge, Origin: k.Origin, Corpus: k.Run.Corpus,
		Implementation: k.Run.Hello, Profile: profiles[0], Sides: k.Sides, Counts: Counts{}, Derived: Counts{},
		Results: map[string]map[string]keptResult{},
	}
	f.Implementation.Skips = slices.DeleteFunc(slices.Clone(k.Run.Hello.Skips),
		func(s adapter.Skip) bool { return !k.Run.Hello.Lists(s.Type) })
	for _, g := range groupBy(k.Run.judged(), func(r *judge.Result) string { return r.Vector.ID }) {
		for _, r := range g {
			counts := &f.Counts
			if r.Derived {
				counts = &f.Derived
			}
			counts.Add(r.Status) // a failure is one, also if it is listed as known
		}
		v := g[0].Vector
		if f.Results[v.Type] == nil {
			f.Results[v.Type] = map[string]keptResult{}
		}
		_, name := cutID(v.ID)
		f.Results[v.Type][name] = keptOf(g)
	}
	return f.write(w)
}

// keptOf shortens the result of a vector, which is the first, and those of the cases derived
// from it.
func keptOf(results []*judge.Result) keptResult {
	r := results[0]
	out := keptResult{Is: string(r.Status), Class: r.Class, Side: r.Side}
	var derived Counts
	for _, of := range results[1:] {
		derived.Add(of.Status)
	}
	for _, status := range judge.Statuses {
		if n := derived[status]; n > 0 {
			out.Is += fmt.Sprintf(" %d %s", n, status)
		}
	}
	for _, c := range r.Choices {
		out.Choices = append(out.Choices, c.By)
	}
	if r.Status != judge.Pass {
		out.Detail = truncate(printable.Text(oneLine(whatAt(r.Outcome))), maxKeptDetail)
	}
	if r.Status == judge.Acceptable {
		out.Reason = r.Reason
	}
	return out
}

func cutID(id string) (folder, name string) {
	i := strings.LastIndexByte(id, '/')
	return id[:i+1], id[i+1:]
}

// write writes JSON with a line for each field and each vector, so that the changes
// of a file can be read.
func (f *keptFile) write(w io.Writer) error {
	results := f.Results
	f.Results = nil
	head, _ := json.MarshalIndent(f, "", " ") // it has only texts and numbers
	types := sorted(results)
	for i, typ := range types {
		lines := sorted(results[typ])
		for j, name := range lines {
			value, _ := results[typ][name].MarshalJSON()
			lines[j] = fmt.Sprintf("\n%q: %s", name, value)
		}
		types[i] = fmt.Sprintf("\n%q: {%s}", typ, strings.Join(lines, ","))
	}
	_, err := fmt.Fprintf(w, "%s{%s}\n}\n", bytes.TrimSuffix(head, []byte("null\n}")), strings.Join(types, ","))
	return err
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// Open reads a file of results: the output of [JSONL] or of [Keep].
func Open(text []byte) (*Run, error) {
	if !bytes.Contains(text[:min(len(text), maxKeptDetail)], []byte(keptFormat)) {
		return Read(bytes.NewReader(text))
	}
	k, err := ReadKept(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return k.Run, nil
}

// ReadKept reads the output of [Keep]. The results are in the order of the corpus,
// those of vectors that it lacks at the end; derived cases have no rule and no input.
func ReadKept(r io.Reader) (*Kept, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var f keptFile
	if err := decodeStrict(text, &f); err != nil {
		return nil, err
	}
	if f.Format != keptFormat || f.Version != keptVersion {
		return nil, fmt.Errorf("expected %q version %d, found %q version %d", keptFormat, keptVersion, f.Format, f.Version)
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	if err := spec.CheckViews(f.Implementation.Views); err != nil {
		return nil, err
	}
	rd := newReader()
	k := &Kept{Origin: f.Origin, Sides: f.Sides, Run: rd.run}
	k.Run.Hello, k.Run.Formatgauge, k.Run.Corpus = f.Implementation, f.Formatgauge, f.Corpus
	k.Run.Source = f.Name + "/" + f.Date
	vectors, err := corpus.All()
	if err != nil {
		return nil, err
	}
	add := func(id, typ string) error {
		_, name := cutID(id)
		kept, ok := f.Results[typ][name]
		if !ok {
			return nil
		}
		delete(f.Results[typ], name)
		if err := rd.readKept(resultLine{Kind: kindResult, ID: id, Type: typ, Profile: f.Profile}, kept); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		return nil
	}
	for _, v := range vectors {
		if err := add(v.ID, v.Type); err != nil {
			return nil, err
		}
	}
	for _, typ := range sorted(f.Results) {
		for _, name := range sorted(f.Results[typ]) {
			if err := add(keptID(typ, name), typ); err != nil {
				return nil, err
			}
		}
	}
	return k, k.Run.checkCounts("counts are", Tally{f.Counts, f.Derived})
}

// Failures is what a search reads of the output of [Keep].
type Failures struct {
	URL, Language string
	Types         []string // that the implementation lists
	Vectors       []string // ids of those that fail
}

// ReadFailures reads the output of [Keep] in a fraction of the time of [ReadKept]. It
// checks nothing.
func ReadFailures(text []byte) (*Failures, error) {
	var f struct {
		Origin
		Implementation adapter.Hello
		Results        map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	out := &Failures{URL: f.URL, Language: f.Implementation.Language, Types: f.Implementation.Types}
	for typ, results := range f.Results {
		for name, result := range results {
			if is := bytes.TrimPrefix(result, []byte(`{"is":`)); bytes.HasPrefix(is, []byte(`"`+judge.Fail)) {
				out.Vectors = append(out.Vectors, keptID(typ, name))
			}
		}
	}
	return out, nil
}

// keptID returns the id of a vector of a type by its last part.
func keptID(typ, name string) string {
	return strings.Replace(spec.StructureOf(typ), ".", "/", 1) + "/" + name
}

// readKept reads the results of a vector and of its derived cases; line names the vector.
func (rd *reader) readKept(line resultLine, kept keptResult) error {
	words := strings.Fields(kept.Is)
	if len(words)%2 != 1 {
		return fmt.Errorf("invalid outcome %q", kept.Is)
	}
	o := judge.Outcome{
		Status: judge.Status(words[0]), Class: kept.Class, Reason: kept.Reason, Side: kept.Side,
		Message: kept.Detail,
	}
	for _, by := range kept.Choices {
		o.Choices = append(o.Choices, judge.Choice{By: by})
	}
	if o.Status.Disagrees() != (o.Class != "") || o.Class != "" && !slices.Contains(judge.Classes(), o.Class) {
		return fmt.Errorf("outcome %s with class %q", o.Status, o.Class)
	}
	line.Status, line.Outcomes = o.Status, []judge.Outcome{o}
	err := rd.readResult(line)
	line.Vector = line.ID
	for i := 1; i < len(words) && err == nil; i += 2 {
		n, atoiErr := strconv.Atoi(words[i])
		if atoiErr != nil || n < 1 || n > maxDerived {
			return fmt.Errorf("invalid number of derived cases in %q", kept.Is)
		}
		line.Status = judge.Status(words[i+1])
		line.Outcomes = []judge.Outcome{{Status: line.Status}}
		for j := 0; j < n && err == nil; j++ {
			line.ID = fmt.Sprintf("%s#%s-%d", line.Vector, line.Status, j+1)
			err = rd.readResult(line)
		}
	}
	return err
}
