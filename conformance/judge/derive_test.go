package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func vector(t *testing.T, id, text string) *corpus.Vector {
	t.Helper()
	v, err := corpus.Parse(id, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const twoNumbers = `Two numbers and their count.

type: ubi.Array<uint32>
clauses: UBI-ARR-1
source: by hand
-- bytes --
02 00 00 00              len: 2 #len
05 00 00 00 06 00 00 00  0 and 1: 5, 6
-- expect --
accept
["5","6"]
`

func describe(cases []judge.Case) string {
	var b strings.Builder
	for _, c := range cases {
		verdict := c.Expect.Short()
		if c.Expect.Class == "" && c.Expect.Outcome == corpus.Reject {
			verdict = "reject"
		}
		_, name, _ := strings.Cut(c.ID, "#")
		fmt.Fprintf(&b, "%s [% x] %s: %s\n", name, c.Input(), c.Context["order"], verdict)
	}
	return b.String()
}

func TestDerive(t *testing.T) {
	v := vector(t, "ubi/Array/sample", twoNumbers)
	got := describe(judge.Derive(v, ids.Observed()))
	var want strings.Builder
	for n := range 12 {
		verdict := fmt.Sprintf("reject truncated @0-%d", n)
		if n == 0 {
			verdict = "reject truncated @0"
		}
		fmt.Fprintf(&want, "truncated-%d [% x] : %s\n", n, v.Bytes[:n], verdict)
	}
	want.WriteString(`trailing [02 00 00 00 05 00 00 00 06 00 00 00 00] : reject trailing @12
raised-0 [09 00 00 00 05 00 00 00 06 00 00 00] : reject
raised-0-most [ff ff ff 7f 05 00 00 00 06 00 00 00] : reject
raised-0-by-256 [02 01 00 00 05 00 00 00 06 00 00 00] : reject
raised-0-by-65536 [02 00 01 00 05 00 00 00 06 00 00 00] : reject
raised-0-by-16777216 [02 00 00 01 05 00 00 00 06 00 00 00] : reject
lowered-0 [01 00 00 00 05 00 00 00 06 00 00 00] : other-value
other-order [02 00 00 00 05 00 00 00 06 00 00 00] big: other-value
mirrored [00 00 00 02 00 00 00 05 00 00 00 06] big: accept
`)
	if got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, &want)
	}
	if len(v.Bytes) != 12 || v.Context["order"] != "" {
		t.Error("Derive has changed the vector")
	}
}

// TestDeriveNothing checks that a case is derived only if its verdict is certain.
func TestDeriveNothing(t *testing.T) {
	for name, c := range map[string]struct {
		replaced []string // pairs of old and new
		want     string
	}{
		"unchanged":    {nil, "truncated trailing raised lowered other-order mirrored"},
		"not marked":   {[]string{" #len", ""}, "truncated trailing other-order mirrored"},
		"another mark": {[]string{"len: 2 #len", "2 #count"}, "truncated trailing raised lowered other-order mirrored"},
		"first bytes of a line": {[]string{
			"02 00 00 00              len: 2 #len\n05 00 00 00 06 00 00 00  0 and 1: 5, 6",
			"02 00 00 00 05 00 00 00 06 00 00 00  2, 5, 6 #len:4",
		}, "truncated trailing raised lowered other-order mirrored"},
		"numbers in words": {
			[]string{"0 and 1: 5, 6", "0 and 1: five and six"}, "truncated trailing raised lowered other-order",
		},
		"rejected": {[]string{"accept\n[\"5\",\"6\"]", "reject value @0"}, ""},
		"other profile only": {
			[]string{"-- expect --", "-- documented --", "source: by hand", "flags: ubi.string-utf16\nsource: by hand"}, "",
		},
		"no numbers in notes": {[]string{"len: 2 #len", "these four bytes", "5, 6", "and these"}, "truncated trailing"},
		"big order in the vector": {[]string{
			"02 00 00 00 ", "00 00 00 02 ", "05 00 00 00", "00 00 00 05", "06 00 00 00", "00 00 00 06",
			"source: by hand", "context: order=big\nsource: by hand",
		}, "truncated trailing raised lowered other-order mirrored"},
		"little order in the bytes": {
			[]string{" #len", "", "source: by hand", "context: order=big\nsource: by hand"}, "truncated trailing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := vector(t, "ubi/Array/sample", strings.NewReplacer(c.replaced...).Replace(twoNumbers))
			var rules []string
			for _, d := range judge.Derive(v, ids.Observed()) {
				rules = append(rules, string(d.Rule))
			}
			if got := strings.Join(slices.Compact(rules), " "); got != c.want {
				t.Errorf("rules: %s\nwant:  %s", got, c.want)
			}
		})
	}
	for _, v := range corpustest.All(t) {
		s, _ := spec.FindStructure(v.Structure())
		if s.TakesAll == "" && !v.EncodeOnly() {
			continue
		}
		if n := len(judge.Derive(v, ids.Observed())); n > 0 {
			t.Errorf("%s: %d cases", v.ID, n)
		}
	}
}

func profileOf(t *testing.T, text string) ids.Profile {
	t.Helper()
	p, err := ids.ParseProfile(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// only selects vectors.
func only(vectors []*corpus.Vector, chosen func(*corpus.Vector) bool) []*corpus.Vector {
	return slices.DeleteFunc(slices.Clone(vectors), func(v *corpus.Vector) bool { return !chosen(v) })
}

// isSmall excludes the few vectors whose lists are so long that they take most of
// the time of a run. They show no side and no view.
func isSmall(v *corpus.Vector) bool { return len(v.Bytes) <= 1<<12 && len(v.Tree) <= 1<<12 }

func smallVectors(t *testing.T) []*corpus.Vector {
	t.Helper()
	return only(corpustest.All(t), isSmall)
}

// flaggedVectors excludes also the vectors without flags: their verdicts are the same
// under every profile.
func flaggedVectors(t *testing.T) []*corpus.Vector {
	t.Helper()
	return only(smallVectors(t), func(v *corpus.Vector) bool { return len(v.Flags) > 0 })
}

// sampled selects the vectors of which an ordinary run judges derived cases too: an
// eighth.
func sampled(v *corpus.Vector) bool { return testrun.Sampled(v.ID, 8) }

// observedCases are the cases of all vectors under observed.
var observedCases = sync.OnceValue(func() []judge.Case {
	vectors, _ := corpus.All() // see corpustest.All
	return judge.Cases(vectors, []ids.Profile{ids.Observed()}, judge.Derives)
})

// someOfEach selects the first vectors of each type, and a share of the others: an ordinary
// run derives cases of these.
func someOfEach(vectors []*corpus.Vector, first int, share uint32) []*corpus.Vector {
	n := map[string]int{}
	return only(vectors, func(v *corpus.Vector) bool {
		n[v.Type]++
		return n[v.Type] <= first || testrun.Sampled(v.ID, share)
	})
}

// TestDerivedCases checks that the corpus uses each rule, that ids are unique, and that a
// case has the verdict, with the same classes, of a vector with the same bytes.
func TestDerivedCases(t *testing.T) {
	t.Parallel()
	used := map[judge.Rule]int{}
	key := func(v *corpus.Vector, context map[string]string, input []byte) string {
		return v.Type + " " + corpus.ContextText(context) + " " + string(input)
	}
	byInput := map[string]*corpus.Vector{}
	for _, v := range corpustest.All(t) {
		if !v.EncodeOnly() {
			byInput[key(v, v.Context, v.Bytes)] = v
		}
	}
	sorted := func(classes string) string {
		list := strings.Split(classes, "|")
		slices.Sort(list)
		return strings.Join(list, "|")
	}
	documented := judge.Cases(flaggedVectors(t), []ids.Profile{ids.Documented()}, judge.Derives)
	for _, cases := range [][]judge.Case{observedCases(), documented} {
		seen := map[string]bool{}
		both := 0
		p := cases[0].Profile
		for _, c := range cases {
			if seen[c.ID] {
				t.Errorf("%s occurs twice", c.ID)
			}
			seen[c.ID] = true
			if !c.Derived() {
				continue
			}
			used[c.Rule]++
			same := byInput[key(c.Vector, c.Context, c.Input())]
			if same == nil || same.Select(p) == nil || c.Expect.Outcome == "other-value" {
				continue
			}
			both++
			e := same.Select(p)
			if (e.Outcome == corpus.Reject) != (c.Expect.Outcome == corpus.Reject) ||
				c.Expect.Class != "" && sorted(e.Class) != sorted(c.Expect.Class) {
				t.Errorf("%s: %s; the same input is %s: %s", c.ID, c.Expect.Short(), same.ID, e.Short())
			}
		}
		if both == 0 {
			t.Errorf("under %s no vector is a derived case of another one", p)
		}
	}
	t.Logf("cases: %v", used)
	for _, r := range judge.Rules() {
		if used[r] == 0 {
			t.Errorf("no case is derived by the rule %s", r)
		}
	}
}

// TestCutTag: an input that ends before or inside a fixed tag, also a nested one, ends
// early and has no tag; only there, both classes are admitted.
func TestCutTag(t *testing.T) {
	for _, c := range []struct {
		id      string
		profile ids.Profile
		tags    []int // offsets of their bytes
	}{
		{"ubi/FileMagic/little-endian", ids.Observed(), []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"ka/Archive/one-pair", ids.Observed(), []int{0, 1}},
		{"ka/Archive/cut-nothing", ids.Observed(), []int{0, 1, 57, 58}},
		{"ka/KeyedArchive/one-pair", ids.Observed(), []int{4, 5}},
		{"ka/Archive/bare-0x0001", ids.Documented(), nil},
		{"ubi/Box/plain", ids.Observed(), nil},
	} {
		v := corpustest.Find(t, c.id)
		for _, d := range judge.Derive(v, c.profile) {
			if d.Rule != judge.Truncated {
				continue
			}
			want := "truncated"
			if slices.Contains(c.tags, len(d.Input())) {
				want = "truncated|magic"
			}
			if d.Expect.Class != want {
				t.Errorf("%s: class %s, want %s", d.ID, d.Expect.Class, want)
			}
		}
	}
}

// TestDerivedUnderEverySide checks that derived verdicts hold on every side of
// every flag that is not marked as lenient.
func TestDerivedUnderEverySide(t *testing.T) {
	check := func(vectors []*corpus.Vector, p ids.Profile, derived bool) {
		report := judgedBy(t, adapter.NewReference(), vectors, judge.Options{
			Profile: &p, FailAcceptable: true, NoDerived: !derived,
		})
		if failed := listFailed(report); failed != nil {
			t.Errorf("%q", failed)
		}
	}
	for _, f := range spec.Families() {
		vectors := corpustest.Of(t, f.Name)
		for _, p := range f.Departures() { // the two bases: TestReference
			lists := func(v *corpus.Vector) bool { return slices.ContainsFunc(v.Flags, p.Departs) }
			check(only(vectors, lists), p, false)
			check(only(vectors, func(v *corpus.Vector) bool {
				name := p.String() + " " + v.ID
				return testrun.Sampled(name, 128) || lists(v) && testrun.Sampled(name, 8)
			}), p, true)
		}
	}
}

// TestDerivedUnderLenientSides: a side that is lenient about lengths loses only the
// derived cases whose answer it changes.
func TestDerivedUnderLenientSides(t *testing.T) {
	t.Parallel()
	vectors := only(corpustest.Of(t, "ka"), func(v *corpus.Vector) bool { return isSmall(v) && sampled(v) })
	derived := func(p ids.Profile) map[string]bool {
		out := map[string]bool{}
		for _, v := range vectors {
			for _, c := range judge.Derive(v, p) {
				out[c.ID] = true
			}
		}
		return out
	}
	all := derived(ids.Observed())
	for _, side := range []string{
		"ka.nested-length-mismatch=ignore", "ka.nested-length-mismatch=slice",
		"ka.nested-fault=ignored", "ka.count-past-end=stop",
	} {
		p := profileOf(t, "observed,"+side)
		remain, lost := derived(p), 0
		for id := range all {
			if !remain[id] {
				lost++
			}
		}
		// No rule makes a length a little greater, which is all that slice accepts.
		if some := side != "ka.nested-length-mismatch=slice"; (lost > 0) != some || lost*10 > len(all) {
			t.Errorf("%s: %d of %d derived cases are lost, expected some: %t, and at most a tenth", side, lost, len(all), some)
		}
	}
}

// TestEditedFieldsAreDemanded: a length or count that a rule changes is a field that a
// document, an engine or real files demand, by the clause of its layout.
func TestEditedFieldsAreDemanded(t *testing.T) {
	t.Parallel()
	edits := 0
	var traced *corpus.Vector
	var spans []wire.Span
	for _, derived := range observedCases() {
		if derived.Rule != judge.Raised && derived.Rule != judge.Lowered {
			continue
		}
		if v := derived.Vector; v != traced {
			typ, _ := codec.Find(v.Type)
			c, err := typ.Bind(wire.Settings{Profile: ids.Observed()}, v.Context)
			if err != nil {
				t.Fatal(err)
			}
			if _, spans, err = c.Trace(v.Bytes); err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
			traced = v
		}
		edits++
		i := slices.IndexFunc(spans, func(s wire.Span) bool { return s.Start <= derived.Edit.At && derived.Edit.At < s.End })
		if i < 0 {
			t.Errorf("%s: no field is there", derived.ID)
		} else if clause, ok := spec.FindClause(spans[i].Clause); !ok || clause.Basis == spec.Choice {
			t.Errorf("%s: %s: only a choice demands it, by %q", derived.ID, spans[i].Path, spans[i].Clause)
		}
	}
	if edits < 10000 {
		t.Errorf("only %d edits", edits)
	}
}
