package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/corpus/draft"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func all(t *testing.T) []*Vector {
	t.Helper()
	vectors, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func find(t *testing.T, id string) *Vector {
	t.Helper()
	v, ok := Find(id)
	if !ok {
		t.Fatalf("no vector %s", id)
	}
	return v
}

func TestLint(t *testing.T) {
	vectors := all(t)
	for _, f := range append(LintForm(vectors), LintCoverage(vectors)...) {
		t.Error(f)
	}
}

// TestLintTypical: the lint names a type without one example, and an example that
// nobody would show first.
func TestLintTypical(t *testing.T) {
	parse := func(name, head, rest string) *Vector {
		return parsed(t, "ubi/Array/"+name, "S.\n\ntype: ubi.Array<uint8>\n"+head+"source: by hand\n-- bytes --\n"+rest)
	}
	const typical = "typical: yes\n"
	plain := func(head string) *Vector { return parse("plain", head, "01  a\n-- expect --\naccept\n\"1\"\n") }
	zero := parse("zero", typical, "00  a\n-- expect --\naccept\n\"0\"\n")
	big := parse("big", typical+"context: order=big\n", "01  a\n-- expect --\naccept\n\"1\"\n")
	rejected := parse("rejected", typical, "02  a\n-- expect --\nreject value @0\n")
	for name, c := range map[string]struct {
		want    string
		vectors []*Vector
	}{
		"one":                {"", []*Vector{plain(typical)}},
		"none":               {"0 vectors", []*Vector{plain("")}},
		"two":                {"2 vectors", []*Vector{plain(typical), big}},
		"rejected":           {"does not accept it", []*Vector{rejected, plain("")}},
		"zero":               {"others are not", []*Vector{zero, plain("")}},
		"big-endian":         {"others are not", []*Vector{big, plain("")}},
		"no other but zeros": {"", []*Vector{zero}},
	} {
		got := fmt.Sprint(lintTypical(c.vectors))
		if (c.want == "") != (got == "[]") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %q", name, got, c.want)
		}
	}
}

const sample = `What is shown.
It matters.

clauses: UPKG-CI-5
flags: upkg.ci-range, upkg.ci-fifth-high-bits
decided: upkg.ci-fifth-high-bits=strict
source: by hand
-- bytes --
40         first
80 80 80   middle
FF         last
-- documented --
accept
"34225520640"
-- observed --
noncanonical
"-134217728"
-- observed canonical --
C0 80 80 80 01
-- upkg.ci-fifth-high-bits=strict --
reject value @4
`

// parsed returns the vector of a text.
func parsed(t *testing.T, id, text string) *Vector {
	t.Helper()
	v, err := Parse(id, []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

// edited returns the sample after an edit.
func edited(t *testing.T, old, new string) string {
	t.Helper()
	if !strings.Contains(sample, old) {
		t.Fatalf("%q is not in the sample", old)
	}
	return strings.Replace(sample, old, new, 1)
}

func TestParse(t *testing.T) {
	v := parsed(t, "upkg/CompactIndex/sample", sample)
	want := &Vector{
		ID: "upkg/CompactIndex/sample", Type: "upkg.CompactIndex",
		Comment: "What is shown.\nIt matters.",
		Clauses: []ids.Clause{"UPKG-CI-5"}, Flags: []ids.Flag{"upkg.ci-range", "upkg.ci-fifth-high-bits"},
		Decided: []Decider{{Flag: "upkg.ci-fifth-high-bits", Side: "strict"}},
		Context: map[string]string{}, Source: "by hand",
		Bytes: []byte{0x40, 0x80, 0x80, 0x80, 0xFF},
		Lines: []Line{
			{Offset: 0, Len: 1, Note: "first"},
			{Offset: 1, Len: 3, Note: "middle"},
			{Offset: 4, Len: 1, Note: "last"},
		},
		Expect: []Expectation{
			{Profile: "documented", Outcome: Accept, Tree: `"34225520640"`, From: -1},
			{
				Profile: "observed", Outcome: Noncanonical, Tree: `"-134217728"`, From: -1,
				Canonical: []byte{0xC0, 0x80, 0x80, 0x80, 0x01}, CanonicalLines: []Line{{Len: 5}},
			},
			{Profile: "upkg.ci-fifth-high-bits=strict", Outcome: Reject, Class: "value", From: 4, To: 4},
		},
	}
	if d := cmp.Diff(want, v); d != "" {
		t.Error(d)
	}
	if v.Family() != "upkg" || v.Structure() != "upkg.CompactIndex" || v.EncodeOnly() {
		t.Error("family, structure or kind of input is wrong")
	}
}

// A section applies where the sides agree at the vector's own flags, whatever
// the others are.
func TestSelect(t *testing.T) {
	v := parsed(t, "upkg/CompactIndex/sample", sample)
	for profile, want := range map[string]string{
		"documented":                         "documented",
		"observed":                           "observed",
		"observed,upkg.ci-minus-zero=strict": "observed",
		"documented,upkg.ci-fifth-high-bits=strict": "",
		"observed,upkg.ci-fifth-high-bits=strict":   "upkg.ci-fifth-high-bits=strict",
		"documented,upkg.ci-range=observed":         "",
		"documented,upkg.name-length-kind=observed": "documented",
		"observed,upkg.ci-range=documented":         "",
	} {
		p, err := ids.ParseProfile(profile)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if e := v.Select(p); e != nil {
			got = e.Profile
		}
		if got != want {
			t.Errorf("under %s section %q applies, want %q", profile, got, want)
		}
	}
	all := parsed(t, "upkg/CompactIndex/sample", "S.\n\nclauses: UPKG-CI-5\nsource: by hand\n-- bytes --\n00  "+
		"zero\n-- expect --\naccept\n\"0\"\n")
	if all.Select(ids.Documented()) == nil || all.Select(ids.Observed()) == nil {
		t.Error("expect does not stand for every profile")
	}
}

// Every fault in a vector file is named.
func TestParseFaults(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no input":            {sample, "S.\n\nsource: by hand\n-- expect --\naccept\n\"0\"\n", "needs -- bytes --"},
		"two inputs":          {"-- documented --", "-- tree --\n\"0\"\n-- documented --", "one input"},
		"no expectation":      {sample, "S.\n\nsource: by hand\n-- bytes --\n00  zero\n", "needs an expectation"},
		"unknown field":       {"source: by hand", "source: by hand\ncolour: red", `unknown field "colour"`},
		"double field":        {"source: by hand", "source: by hand\nsource: by hand", "is repeated"},
		"context without =":   {"source: by hand", "source: by hand\ncontext: big", "is not key=value"},
		"no such verdict":     {"accept", "admit", `verdict "admit" does not exist`},
		"no verdict":          {"accept\n\"34225520640\"\n", "", "a verdict is missing"},
		"tree beside verdict": {"accept\n", "accept ", "on the next line"},
		"tree is no JSON":     {`"34225520640"`, `34 22`, "not JSON"},
		"decided by nothing":  {"upkg.ci-fifth-high-bits=strict", "UPKG-CI-99", "neither a clause nor flag=side"},
		"decided by no side":  {"bits=strict\nsource", "bits=odd\nsource", "is no side of a flag"},
		"decided nowhere":     {"decided: ", "decided documented,upkg.ci-range=observed: ", "has no such section"},
		"typical without yes": {"source: ", "typical: no\nsource: ", "expected yes"},
		"source of a section": {"source: ", "source observed: ", `unknown field "source observed"`},
		"one of no classes":   {"reject value", "reject value|bad", "expected reject CLASS"},
		"no such class":       {"reject value", "reject bad", "expected reject CLASS"},
		"offset without @":    {"@4", "4", "starts with @"},
		"offset is no number": {"@4", "@x", "invalid syntax"},
		"offset outside":      {"@4", "@6", "expected ascending offsets from 0 to 5"},
		"range backwards":     {"@4", "@4-3", "expected ascending offsets from 0 to 5"},
		"no such profile":     {"-- documented --", "-- strict --", "is neither a profile"},
		"section twice":       {"-- observed --", "-- documented --\naccept\n\"1\"\n-- observed --", "is repeated"},
		"canonical alone":     {"observed canonical", "documented canonical", "expected the noncanonical section"},
		"canonical missing":   {"-- observed canonical --\nC0 80 80 80 01\n", "", "expected a canonical section"},
		"canonical is input":  {"C0 80 80 80 01", "40 80 80 80 FF", "expected accept"},
		"canonical class":     {"C0 80 80 80 01", "reject bad", `class "bad" does not exist`},
		"encodes with bytes":  {"accept\n\"34225520640\"", "encodes\n00", "is not possible for an input given as bytes"},
		"accept with a tree": {
			sample, "S.\n\nsource: by hand\n-- tree --\n\"0\"\n-- expect --\naccept\n\"0\"\n",
			"is not possible for an input given as tree",
		},
		"no byte":              {"FF         last", "F         last", `"F" is not a pair of hex digits`},
		"open quote":           {"FF         last", `"abc`, "expected a closing quote"},
		"quoted control":       {"FF         last", "\"\x01\"  x", "printable ASCII"},
		"repeat of nothing":    {"FF         last", "*4  x", "cannot repeat"},
		"open group":           {"FF         last", "(FF FF  x", "expected a closing parenthesis"},
		"repeat in a group":    {"FF         last", "(FF *2)  x", "cannot repeat"},
		"group in a group":     {"FF         last", "((FF) FF)  x", "is not a pair of hex digits"},
		"repeat of no group":   {"FF         last", "() *2  x", "cannot repeat"},
		"unknown mark":         {"first", "first #size", "unknown mark #size: expected #len or #count"},
		"mark of three bytes":  {"middle", "middle #len", "has 1, 2, 4 or 8 bytes"},
		"mark past its line":   {"middle", "middle #len:4", "has 1, 2, 4 or 8 bytes"},
		"mark without a width": {"middle", "middle #len:99999999999999999999", "has 1, 2, 4 or 8 bytes"},
		"repeat beyond reason": {"FF         last", "FF *99999999  x", "cannot repeat"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("upkg/CompactIndex/sample", []byte(edited(t, c.old, c.new)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := Parse("CompactIndex/sample", []byte(sample)); err == nil {
		t.Error("an id of two parts is accepted")
	}
}

func TestParseHex(t *testing.T) {
	for text, want := range map[string]struct {
		bytes string
		lines []Line
	}{
		"": {},
		"\"ubi\" 2F *2  text, then slashes\n\n00 01 *3\n": {
			"ubi//\x00\x01\x01\x01", []Line{{Len: 5, Note: "text, then slashes"}, {Offset: 5, Len: 4}},
		},
		"05 00  length 5 #len\n02 00 \"ab\"  length 2, \"ab\" #len:2\n03  #count\n04  a #len in the text\n": {
			"\x05\x00\x02\x00ab\x03\x04", []Line{
				{Offset: 0, Len: 2, Note: "length 5", Mark: MarkLen, Width: 2},
				{Offset: 2, Len: 4, Note: `length 2, "ab"`, Mark: MarkLen, Width: 2},
				{Offset: 6, Len: 1, Mark: MarkCount, Width: 1},
				{Offset: 7, Len: 1, Note: "a #len in the text"},
			},
		},
		"(01 \"a\") *3 02  three times\n(03) 04 *2  once\n": {
			"\x01a\x01a\x01a\x02\x03\x04\x04", []Line{{Len: 7, Note: "three times"}, {Offset: 7, Len: 3, Note: "once"}},
		},
	} {
		b, lines, err := ParseHex(text)
		if d := cmp.Diff(want.lines, lines); d != "" || string(b) != want.bytes || b == nil || err != nil {
			t.Errorf("%q: % x, %v\n%s", text, b, err, d)
		}
	}
}

// The lint finds what it is for: each fault, made in a copy of a real corpus.
func TestLintFindings(t *testing.T) {
	only := func(text string) []Finding {
		return lintVector(parsed(t, "upkg/CompactIndex/sample", text))
	}
	if got := only(sample); len(got) != 0 {
		t.Fatalf("the sample itself: %v", got)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"comment":       {"What is shown.\nIt matters.\n", "", "the comment is missing"},
		"source":        {"source: by hand\n", "", "source"},
		"clause":        {"UPKG-CI-5", "UPKG-CI-500", "clause UPKG-CI-500 is not in the records"},
		"no clause":     {"clauses: UPKG-CI-5\n", "", "the field clauses is missing"},
		"decided":       {"decided: upkg.ci-fifth-high-bits=strict\n", "", "decided must say which of them decides"},
		"writing":       {"source:", "decided canonical: UPKG-CI-5\nsource:", "decided canonical: UPKG-CI-5 is no choice"},
		"flag":          {"upkg.ci-range,", "upkg.ci-rango,", "flag upkg.ci-rango is not in the records"},
		"annotation":    {"FF         last", "FF", "the bytes at 4 have no annotation"},
		"unmarked":      {"first", "length 64", `"length 64" of the bytes at 0: names a length or count: mark it with`},
		"unmarked part": {"middle", "128 elements, two of them here", "names a length or count"},
		"wrong value":   {"first", "length 63 #len", "the marked field contains 64, which the annotation does not name"},
		"offset":        {"value @4", "value", "without an offset"},
		"structure":     {"source:", "type: upkg.Compact\nsource:", "structure upkg.Compact is not in the records"},
		"folder":        {"source: by hand", "source: by hand\ntype: upkg.Name", "is in the folder of"},
		"flags missing": {"flags: upkg.ci-range, upkg.ci-fifth-high-bits\n", "", "names no switchable flag"},
		"same sides":    {"upkg.ci-fifth-high-bits=strict --", "observed,upkg.ci-minus-zero=strict --", "have the same sides"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(only(edited(t, c.old, c.new))); !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %q", got, c.want)
			}
		})
	}
	var joint []string
	for _, f := range LintCoverage(nil) {
		joint = append(joint, f.String())
	}
	for _, want := range []string{
		"UPKG-CI-5: this must clause has no vector",
		"upkg.ci-range: no vector gives different verdicts for the sides documented and observed",
		"upkg.Name: no vector has the verdict reject; if no input can be rejected, the key never-rejects of the record " +
			"says why",
		"upkg.Name: no vector has the verdict noncanonical; if no input can be noncanonical, the key one-spelling of the " +
			"record says why",
	} {
		if !slices.Contains(joint, want) {
			t.Errorf("an empty corpus is not told %q", want)
		}
	}
}

// TestLintTruncated: a range of the class truncated begins where the clauses permit it.
func TestLintTruncated(t *testing.T) {
	v := find(t, "upkg/Package/version-69")
	for from, want := range map[int]int{20: 0, 118: 1} {
		c := *v
		c.Expect = slices.Clone(v.Expect)
		c.Expect[1].From = from
		if got := lintVector(&c); len(got) != want || want > 0 &&
			!strings.Contains(got[0].What, "permit an earlier offset") {
			t.Errorf("from %d: %v", from, got)
		}
	}
}

// TestLintValues: an annotation that names a path and a number must agree with a
// tree.
func TestLintValues(t *testing.T) {
	const tree = `{
		"radius": "2", "normal": {"x": "0", "y": "-0", "z": "nan:7fc00001"}, "numSlices": "16", "text": "seven",
		"rows": [{"id": "5"}], "far": "inf", "great": "18446744073709551615"
	}`
	for note, agrees := range map[string]bool{
		"radius: 2": true, "radius: 1": false, "radius: 2.0": true, "radius: 20e-1": true, "radius: inf": false,
		"Radius: 2": true, "Radius: 1": false, "NumSlices: 0x10": true, "NumSlices: 0x11": false,
		"normal.x: 0": true, "normal.x: 1": false, "normal.x: -0": false, "normal.y: -0.0": true, "normal.y: 0": false,
		"normal.z: nan:7fc00001": true, "normal.z: nan:7fc00002": false,
		"far: inf": true, "far: -inf": false, "far: 1e38": false,
		"great: 18446744073709551615": true, "great: 18446744073709551614": false,
		"x: 0": true, "x: 1": false, // without the first step
		"radius: 1, as float32": true, "radius: one": true, "normal: 1": true,
		"text: 7": true, "id: 1": true, "other: 1": true,
	} {
		v := &Vector{ID: "ubi/Sphere/sample", Lines: []Line{{Note: note}}}
		v.Expect = []Expectation{{Profile: ExpectAll, Outcome: Accept, Tree: tree}}
		if got := v.lintValues(); (len(got) == 0) != agrees {
			t.Errorf("%s: %v", note, got)
		}
	}
	v := &Vector{ID: "ubi/Sphere/sample", Lines: []Line{{Note: "radius: 1"}}, Expect: []Expectation{
		{Profile: "documented", Outcome: Reject, Class: "value"},
		{Profile: "observed", Outcome: Noncanonical, Tree: `{"radius": "2"}`},
	}}
	want := `ubi/Sphere/sample: annotation "radius: 1" of the bytes at 0: the tree contains 2`
	if got := v.lintValues(); len(got) != 1 || got[0].String() != want {
		t.Errorf("got %v, want %s", got, want)
	}
	v.Expect = append(v.Expect, Expectation{
		Profile: "ubi.string-utf16=observed", Outcome: Accept, Tree: `{"radius": "1"}`,
	})
	if got := v.lintValues(); len(got) != 0 {
		t.Errorf("one tree agrees, found %v", got)
	}
	v.Expect = []Expectation{{Profile: ExpectAll, Outcome: Accept, Tree: `[{"radius": "2"}, {"radius": "3"}]`}}
	if got := v.lintValues(); len(got) != 1 {
		t.Errorf("no element has this radius, found %v", got)
	}
}

func TestToldApart(t *testing.T) {
	v := parsed(t, "upkg/CompactIndex/sample", sample)
	fifth, _ := spec.FindFlag("upkg.ci-fifth-high-bits")
	if !ToldApart(fifth, "observed", "strict", []*Vector{v}) {
		t.Error("observed and strict differ in this flag alone, and are not told apart")
	}
	// documented and observed differ in two flags at once: that shows neither.
	if ToldApart(fifth, "documented", "observed", []*Vector{v}) {
		t.Error("two sections that differ in two flags tell one of them apart")
	}
}

// TestLoad: files of one folder and of two are loaded in the order of ids. Every file that
// cannot be parsed is named, and the others are returned.
func TestLoad(t *testing.T) {
	file := &fstest.MapFile{Data: []byte(sample)}
	a, b := fstest.MapFS{"upkg/CompactIndex/a.txtar": file}, fstest.MapFS{"upkg/CompactIndex/b.txtar": file}
	both := fstest.MapFS{"upkg/CompactIndex/b.txtar": file, "upkg/CompactIndex/a.txtar": file}
	for _, fsys := range []fs.FS{both, Join(b, a)} {
		vs, err := Load(fsys)
		if err != nil || len(vs) != 2 || vs[0].ID != "upkg/CompactIndex/a" {
			t.Errorf("loaded %v, %v", vs, err)
		}
	}
	h1, err1 := Hash(Join(b, a))
	h2, err2 := Hash(both)
	if err1 != nil || err2 != nil || h1 != h2 {
		t.Errorf("joined %s %v, in one folder %s %v", h1, err1, h2, err2)
	}
	if _, err := Load(Join(both, a)); err == nil ||
		!strings.Contains(err.Error(), "upkg/CompactIndex/a.txtar: the id exists twice") {
		t.Errorf("an id that exists twice: %v", err)
	}
	vs, err := Load(Join(a, fstest.MapFS{
		"upkg/CompactIndex/b.txtar": {Data: []byte("x")}, "upkg/CompactIndex/c.txtar": {Data: []byte("y")},
	}))
	if broken, ok := errors.AsType[*FormError](err); !ok || len(vs) != 1 || len(broken.Findings) != 2 ||
		broken.Findings[0].Where != "upkg/CompactIndex/b.txtar" || broken.Findings[1].Where != "upkg/CompactIndex/c.txtar" {
		t.Errorf("loaded %v, %v", vs, err)
	}
}

func TestFind(t *testing.T) {
	all := all(t)
	for _, v := range all {
		if got, ok := Find(v.ID); !ok || got != v {
			t.Errorf("%s is not found", v.ID)
		}
	}
	for _, id := range []string{"", "upkg", "upkg/x", "upkg.CompactIndex", "upkg/CompactIndex/no-such-vector", "a/b/c"} {
		if _, ok := Find(id); ok {
			t.Errorf("%q is found", id)
		}
	}
}

func TestBlank(t *testing.T) {
	text, err := Blank("upkg/CompactIndex/new-one")
	if err != nil {
		t.Fatal(err)
	}
	filled := strings.NewReplacer(blankComment, "What", blankClauses, "UPKG-CI-1", blankSource, "by hand", blankBytes,
		"zero", blankVerdict, "accept\n\"0\"")
	v := parsed(t, "upkg/CompactIndex/new-one", filled.Replace(string(text)))
	if findings := LintForm([]*Vector{v}); len(findings) > 0 {
		t.Errorf("the filled form: %v", findings)
	}
	// Each placeholder alone is noticed, with its line.
	for blank, line := range map[string]int{
		blankComment: 1, blankClauses: 3, blankSource: 4, blankBytes: 6,
		blankVerdict: 8,
	} {
		rest := strings.ReplaceAll(string(text), blank, "\x00")
		_, err := Parse("upkg/CompactIndex/new-one", []byte(strings.ReplaceAll(filled.Replace(rest), "\x00", blank)))
		if want := fmt.Sprintf("placeholders to replace: line %d: %q", line, blank); err == nil ||
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v", blank, err)
		}
	}
	for _, id := range []string{"upkg/CompactIndex", "upkg/None/x", "upkg/CompactIndex/../x"} {
		if _, err := Blank(id); err == nil {
			t.Errorf("%s is accepted", id)
		}
	}
}

// TestOf: a part of the corpus is what a choice from all vectors would be.
func TestOf(t *testing.T) {
	all := all(t)
	if n, err := Count(); err != nil || n != len(all) || n == 0 {
		t.Errorf("%d vectors, counted %d, %v", len(all), n, err)
	}
	names := map[string]bool{"none": true, "upkg.None": true, "up": true}
	for _, v := range all {
		names[v.Type], names[v.Structure()], names[v.Family()] = true, true, true
	}
	for name := range names {
		got, err := Of(name)
		want := slices.DeleteFunc(slices.Clone(all), func(v *Vector) bool {
			return v.Type != name && v.Structure() != name && v.Family() != name
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d vectors, want %d, %v", name, len(got), len(want), err)
		}
	}
	for text, family := range map[string]string{
		"UPKG-CI-5": "upkg", "ka.nested-length": "ka", "no vector contains this": "ubi",
	} {
		got, err := Mentioning(family, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range all {
			cites := slices.Contains(v.Clauses, ids.Clause(text)) || slices.Contains(v.Flags, ids.Flag(text))
			if cites && !slices.ContainsFunc(got, func(g *Vector) bool { return g.ID == v.ID }) {
				t.Errorf("%s: %s is missing", text, v.ID)
			}
		}
	}
}

// TestDemands: each section has its basis, and what decides it.
func TestDemands(t *testing.T) {
	// who returns records in which the clause and the side strict have these bases.
	who := func(clause, side spec.Basis) *spec.Records {
		return spec.Embedded().With("upkg", func(f *spec.Family) {
			c := slices.IndexFunc(f.Clauses, func(c spec.Clause) bool { return c.ID == "UPKG-CI-8" })
			f.Clauses[c].Basis, f.Clauses[c].Reason = clause, "A choice."
			fl := slices.IndexFunc(f.Flags, func(fl spec.Flag) bool { return fl.ID == "upkg.ci-minus-zero" })
			i := slices.IndexFunc(f.Flags[fl].Sides, func(s spec.Side) bool { return s.Name == "strict" })
			s := &f.Flags[fl].Sides[i]
			s.Basis, s.Reason, s.Open = side, "No document says so.", spec.Rejection
		})
	}
	minus := `Minus zero.

clauses: UPKG-CI-8
flags: upkg.ci-minus-zero
decided: upkg.ci-minus-zero=strict
source: by hand
-- bytes --
80  minus zero
-- upkg.ci-minus-zero=strict --
reject value|noncanonical @0
-- expect --
noncanonical
"0"
-- expect canonical --
00
`
	is := func(what string, got any, want string) {
		t.Helper()
		if text := fmt.Sprint(got); text != want {
			t.Errorf("%s: got %s, want %s", what, text, want)
		}
	}
	side := Decider{Flag: "upkg.ci-minus-zero", Side: "strict"}
	strict, _ := ids.ParseProfile(side.String())
	v := parsed(t, "upkg/CompactIndex/minus", minus)
	before := v.Basis(ids.Observed())
	v = Under(who(spec.Document, spec.Choice), []*Vector{v})[0]
	is("the section of a side", v.Demands(&v.Expect[0]), "[choice (upkg.ci-minus-zero=strict)]")
	is("the section of all others", v.Demands(&v.Expect[1]), "[document (UPKG-CI-8, upkg.ci-minus-zero=documented)]")
	is("decided", v.DecidedIn(""), "[upkg.ci-minus-zero=strict]")
	is("choices under strict", v.Choices(strict), "[upkg.ci-minus-zero=strict]")
	is("choices under observed", v.Choices(ids.Observed()), "[]")
	if reason, open := v.Reason(side); reason != "No document says so." || open == "" {
		t.Errorf("%s leaves open %q", reason, open)
	}

	// The deciders of a section come before those of all sections.
	own := strings.Replace(minus, "decided: ", "decided upkg.ci-minus-zero=strict: UPKG-CI-8\ndecided: ", 1)
	v = parsed(t, "upkg/CompactIndex/minus", own)
	is("with the records of the module", v.Basis(ids.Observed()), string(before))
	v = Under(who(spec.Choice, spec.Choice), []*Vector{v})[0]
	is("choices under strict, decided in the section", v.Choices(strict), "[UPKG-CI-8]")
	is("decided in the section", v.DecidedIn("upkg.ci-minus-zero=strict"), "[UPKG-CI-8]")
	if got := v.Basis(ids.Documented()); got == spec.Choice {
		t.Errorf("decided in another section: %s", got)
	}
}

func TestNames(t *testing.T) {
	if got := FolderOf("ubi.PairArray<BasicString,Array<Vector3>>"); got != "ubi.PairArray-BasicString-Array-Vector3" {
		t.Error(got)
	}
}

// A draft reads back as what it was made from, once it has a verdict.
func TestDraft(t *testing.T) {
	src := append(bytes.Repeat([]byte{0}, 5000), "text\xff"...)
	for i := range 40 {
		src = append(src, byte(i))
	}
	src = append(src, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8)
	d := draft.Draft{
		ID: "ubi/Array/draft", Type: "ubi.Array<Vector3>", Comment: "DRAFT: what is shown.\n\nA (mine): accept {\"a\": " +
			"\"b: c\"}\n",
		Clauses: []ids.Clause{"UBI-ARR-1"}, Context: map[string]string{"order": "big"}, Source: "DRAFT", Bytes: src,
		Lines: []draft.Line{
			{Offset: 0, Len: 5000, Note: "zeros"},
			{Offset: 5000, Len: 5, Note: "text: \"a\""},
			{Offset: 5005, Len: len(src) - 5005, Note: "the rest"},
		},
	}
	text := string(d.Text())
	if _, err := Parse(d.ID, []byte(text)); err == nil {
		t.Errorf("without a verdict it is a vector:\n%s", text)
	}
	v := parsed(t, d.ID, text+"reject value @0\n")
	if !bytes.Equal(v.Bytes, src) || v.Type != d.Type || v.Context["order"] != "big" || len(v.Clauses) != 1 ||
		v.Lines[1] != (Line{Offset: 5000, Len: 5, Note: d.Lines[1].Note}) {
		t.Errorf("it comes back as %+v", v)
	}
	if !strings.Contains(text, "00 *5000 ") || !strings.Contains(text, "07 07 07 07 07 07 07 08 *8") {
		t.Errorf("runs are not shortened:\n%s", text)
	}
}

// TestDraftWithFlags: a draft has a section for each side, and passes the lint when the
// verdicts are right, and it says which choice decides.
func TestDraftWithFlags(t *testing.T) {
	d := draft.Draft{
		ID: "upkg/CompactIndex/draft", Type: "upkg.CompactIndex", Comment: "Minus zero.", Clauses: []ids.Clause{"UPKG-CI-8"},
		Flags: []ids.Flag{"upkg.ci-minus-zero", "upkg.ci-range"}, Source: "by hand", Bytes: []byte{0x80},
		Lines: []draft.Line{{Offset: 0, Len: 1, Note: "negative, ends here, low six bits 0"}},
	}
	accepted := func(name string) string {
		return "-- " + name + " --\nnoncanonical\n\"0\"\n-- " + name + " canonical --\n00\n"
	}
	text := strings.Replace(string(d.Text()), "source: ", "decided: upkg.ci-minus-zero=strict\nsource: ", 1)
	for _, name := range []string{"observed", "documented"} {
		text = strings.Replace(text, "-- "+name+" --\n", accepted(name), 1)
	}
	strict := "-- upkg.ci-minus-zero=strict --\n"
	v := parsed(t, d.ID, strings.Replace(text, strict, strict+"reject noncanonical @0\n", 1))
	if findings := LintForm([]*Vector{v}); len(findings) > 0 || len(v.Expect) != 3 {
		t.Errorf("%v in\n%s", findings, d.Text())
	}
	d.Flags = nil
	if text := string(d.Text()); !strings.HasSuffix(text, "\n-- expect --\n") {
		t.Errorf("without flags:\n%s", text)
	}
}

// TestUnder: a section is called by the profiles to which it applies.
func TestUnder(t *testing.T) {
	const kind, minimal, serial = "upkg.name-length-kind=", "upkg.ci-non-minimal=", "upkg.serial-offset="
	for id, want := range map[string][]string{
		"upkg/Name/length-padded": {
			"documented (every profile with " + kind + "documented and " + minimal + "documented)",
			"observed (every profile with " + kind + "observed and " + minimal + "documented)",
			"every profile with " + kind + "documented and " + minimal + "strict",
			"every profile with " + kind + "observed and " + minimal + "strict",
		},
		"upkg/ExportEntry/offset-absent-at-size-zero": {
			"every profile with " + serial + "not-negative", "every profile with " + serial + "always", "every other profile",
		},
		"ubi/BasicWString/big-endian": {
			"documented and observed (every profile with ubi.wstring-unit=documented)",
			"every profile with ubi.wstring-unit=bytes",
		},
		"ka/Archive/cut-in-nested-value": { // on three flags
			"documented (every profile with the same side at each flag of the vector)",
			"observed (every profile with the same side at each flag of the vector)",
		},
		"ubi/Box/plain": {"every profile"},
	} {
		v := find(t, id)
		var got []string
		for i := range v.Expect {
			got = append(got, v.Under(&v.Expect[i]))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	for id, want := range map[string]string{
		"uasset/Mip/flags-all-other-bits":             "uasset.mip-rule=documented",
		"uasset/BoolProperty/true-with-guid-of-zeros": "uasset.bool-property=documented and uasset.property-guid=documented",
		"ka/BodyV0x0001/key-three-times":              "ka.duplicate-key=documented",
		"ka/Archive/cut-in-nested-value":              "",
	} {
		v := find(t, id)
		if got := v.Unjudged(ids.Documented()); got != want {
			t.Errorf("%s: unjudged %q, want %q", id, got, want)
		}
	}
}

// TestOpen: what a choice leaves open depends on what its vector states.
func TestOpen(t *testing.T) {
	for id, c := range map[string]struct {
		Decider
		want spec.Open
	}{
		"uasset/Mip/offset-not-the-position":            {Decider{Clause: "UA-MIP-3"}, "rejection, stated"},
		"uasset/Summary/write-export-count-highest-bit": {Decider{Clause: "UA-SUM-13"}, "rejection, stated"},
		"ubi/BasicWString/write-surrogates":             {Decider{Clause: "UBI-WSTR-2"}, "rejection, charset"},
		"ubi/CompressedQuaternionU32.Quaternion/write-greatest-floats": {
			Decider{Clause: "UBI-U32Q-15"}, "rejection, x: unstated, y: unstated, z: unstated, w: unstated",
		},
		"ubi/BasicWString/surrogate-pair":                   {Decider{Clause: "UBI-WSTR-2"}, "rejection, charset"},
		"upkg/Package/export-table-inside-the-import-table": {Decider{Clause: "UPKG-PKG-5"}, "rejection, unstated"},
		"ka/Boolean/two": {Decider{Flag: "ka.bool", Side: "zero-one"}, "rejection, side"},
	} {
		v := find(t, id)
		if got := v.Open(c.Decider); got != c.want {
			t.Errorf("%s: %q, want %q", id, got, c.want)
		}
	}
}
