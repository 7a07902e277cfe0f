package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	words "github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// An alteration returns another answer to a request than that of the reference.
type alteration = func(adapter.Request, adapter.Response) adapter.Response

// always gives the answer of a text to each request: see answerOf.
func always(t *testing.T, text string) alteration {
	t.Helper()
	a := answerOf(t, text)
	return func(adapter.Request, adapter.Response) adapter.Response { return a }
}

// answering gives the answer of a text to each request for an operation.
func answering(t *testing.T, texts map[adapter.Op]string) alteration {
	t.Helper()
	return func(q adapter.Request, a adapter.Response) adapter.Response {
		if text, ok := texts[q.Op]; ok {
			return answerOf(t, text)
		}
		return a
	}
}

// altered is the reference with other answers. Fork would return the reference itself, so tests
// use one process.
type altered struct {
	*adapter.Reference
	alter      alteration            // nil: no other answers
	fails      func(asked int) error // after so many requests; nil: never
	follows    string                // the profile of each answer; empty: that of the request
	undeclared bool                  // hello does not name this profile
	views      []string
	requests   []adapter.Request
	answers    map[string]adapter.Response // what was answered under any profile; nil: nothing is kept
}

func (i *altered) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := i.Reference.Hello(ctx)
	if i.follows != "" {
		h.AnyProfile, h.Profile = false, i.follows
	}
	if i.undeclared {
		h.Profile = ""
	}
	h.Views = i.views
	return h, err
}

func (i *altered) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	i.requests = append(i.requests, q)
	if i.fails != nil {
		if err := i.fails(len(i.requests)); err != nil {
			return adapter.Response{}, err
		}
	}
	if i.answers == nil {
		return i.answer(ctx, q)
	}
	key, err := json.Marshal(adapter.Request{Op: q.Op, Type: q.Type, Context: q.Context, Hex: q.Hex, Tree: q.Tree})
	a, ok := i.answers[string(key)]
	if !ok && err == nil {
		a, err = i.answer(ctx, q)
		i.answers[string(key)] = a
	}
	return a, err
}

func (i *altered) answer(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	if i.follows != "" {
		q.Profile = i.follows
	}
	a, err := i.Reference.Do(ctx, q)
	if i.alter != nil {
		a = i.alter(q, a)
	}
	return a, err
}

// observing follows the profile observed.
func observing(alter alteration) *altered {
	return &altered{Reference: adapter.NewReference(), follows: "observed", alter: alter}
}

func judgedBy(t *testing.T, impl adapter.Implementation, vectors []*corpus.Vector, opts judge.Options) *judge.Report {
	t.Helper()
	r, err := judge.Run(t.Context(), impl, vectors, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func judgeAltered(t *testing.T, vectors []*corpus.Vector, opts judge.Options, alter alteration) *judge.Report {
	t.Helper()
	return judgedBy(t, observing(alter), vectors, opts)
}

// judgeOne judges the reference with other answers by one vector, under changed records.
func judgeOne(t *testing.T, v *corpus.Vector, strict bool, alter alteration, plants ...judgetest.Plant) *judge.Result {
	t.Helper()
	opts := judge.Options{NoDerived: true, FailAcceptable: strict}
	return &judgeAltered(t, judgetest.Planted([]*corpus.Vector{v}, plants...), opts, alter).Results[0]
}

const reason = "No document says what a reader does here."

// indexVector is a vector of a compact index that cites UPKG-CI-10.
func indexVector(t *testing.T, name, sections string) *corpus.Vector {
	return vector(t, "upkg/CompactIndex/"+name, "An index.\n\nclauses: UPKG-CI-10\nsource: by hand\n"+sections)
}

// minusZero is a vector that accepts, and one side of whose flag rejects.
func minusZero(t *testing.T) *corpus.Vector {
	return corpustest.Find(t, "upkg/CompactIndex/minus-zero")
}

// one is a vector with the answer of the reference.
func one(t *testing.T) *corpus.Vector {
	return indexVector(t, "fine", "-- bytes --\n01  one\n-- expect --\naccept\n\"1\"\n")
}

// disagreeing are vectors for which the reference gives another answer, with the
// class of the disagreement.
func disagreeing(t *testing.T) map[judge.Class]*corpus.Vector {
	return map[judge.Class]*corpus.Vector{
		judge.WrongTree:   indexVector(t, "tree", "-- bytes --\n01  one\n-- expect --\naccept\n\"2\"\n-- permitted --\n\"1\"\n"),
		judge.Rejected:    indexVector(t, "rejected", "-- bytes --\n40  cut\n-- expect --\naccept\n\"0\"\n"),
		judge.Accepted:    indexVector(t, "accepted", "-- bytes --\n01  one\n-- expect --\nreject value @0\n-- permitted --\n\"1\"\n"),
		judge.WrongClass:  indexVector(t, "class", "-- bytes --\n40  cut\n-- expect --\nreject value|kind @0\n"),
		judge.WrongOffset: indexVector(t, "offset", "-- bytes --\n40  cut\n-- expect --\nreject truncated @1\n"),
		judge.WrongBytes:  indexVector(t, "bytes", "-- tree --\n\"1\"\n-- expect --\nencodes\n02  two\n-- permitted --\n01  one\n"),
	}
}

// TestDiffers: an answer that differs from a verdict that a choice decides is no
// failure. It names the choice. With FailAcceptable, or if anything stronger decides, it
// is a failure.
func TestDiffers(t *testing.T) {
	t.Parallel()
	basis, choice := judgetest.Basis, judgetest.Choice("UPKG-CI-10", reason)
	const named = "[{UPKG-CI-10 " + reason + " rejection, stated, side}]"
	both := vector(t, "upkg/CompactIndex/tree", "An index.\n\nclauses: UPKG-CI-1, UPKG-CI-10\ndecided: UPKG-CI-1\n"+
		"source: by hand\n-- bytes --\n01  one\n-- expect --\naccept\n\"2\"\n-- permitted --\n\"1\"\n")
	check := func(v *corpus.Vector, class judge.Class, strict bool, want string, plants ...judgetest.Plant) {
		o := judgeOne(t, v, strict, nil, plants...).Outcomes[0] // what is written is not permitted
		if got := fmt.Sprint(o.Status, " ", o.Reason, " ", o.Choices); got != want || o.Class != class ||
			class != "" && (o.Expected == nil || o.Got == nil) {
			t.Errorf("%s, strict %t: %s %s, want %s %s", v.ID, strict, o.Class, got, class, want)
		}
	}
	for class, v := range disagreeing(t) {
		check(v, class, false, "fail  []", basis("UPKG-CI-10", spec.Engine, ""))
		check(v, class, false, "acceptable choice "+named, choice)
		check(v, class, true, "fail choice "+named, choice)
	}
	// A choice that is cited, but that does not decide: it is all that is stated if the other clause has no basis.
	cited := basis("UPKG-CI-10", spec.Choice, reason)
	check(both, judge.WrongTree, false, "acceptable choice "+named, cited, basis("UPKG-CI-1", "", ""))
	check(both, judge.WrongTree, false, "fail  []", cited, basis("UPKG-CI-1", spec.Document, ""))
	check(one(t), "", true, "pass  []", choice)
}

// TestPermitted: a choice permits a rejection, and as much as it leaves open. Any other
// answer is a failure.
func TestPermitted(t *testing.T) {
	t.Parallel()
	of := func(id, bytes, verdict string) *corpus.Vector {
		return vector(t, id, "A value.\n\nclauses: UPKG-CI-10\nsource: by hand\n-- bytes --\n"+bytes+
			"  bytes\n-- expect --\n"+verdict+"\n")
	}
	accent := of("upkg/Name/accent", "03 C3 A9 00", "accept\n{\"text\": \"\u00e9\", \"wide\": false}")
	broken := of("upkg/Name/broken", "04 61 E9 E8 00", "accept\n{\"text\": {\"hex\": \"61e9e8\"}, \"wide\": false}")
	plain := of("upkg/Name/plain", "02 61 00", "accept\n{\"text\": \"a\", \"wide\": false}")
	rejected := of("upkg/Name/rejected", "02 61 00", "reject value @0")
	stated := of("upkg/Name/stated", "02 61 00", "reject value @0\n-- permitted --\n{\"text\": \"a\", \"wide\": false}")
	limited := of("upkg/Name/limited", "02 61 00", "reject limit @0")
	point := of("uasset/IntPoint/minus-one", "07 00 00 00 FF FF FF FF", "accept\n{\"x\": \"7\", \"y\": \"-1\"}")
	vec := of("ubi/Vector3/one", "00 00 80 3F 00 00 80 3F 00 00 80 3F", "accept\n{\"x\": \"1\", \"y\": \"1\", \"z\": \"1\"}")
	form := of("uasset/FString/form", "02 00 00 00 61 00", "accept\n{\"text\": \"a\", \"form\": \"bytes\"}")
	entry := vector(t, "upkg/ImportEntry/absent", "A value.\n\nclauses: UPKG-CI-10\ncontext: version=49\nsource: by hand\n"+
		"-- bytes --\n01 02 03 04  four\n-- expect --\naccept\n"+
		`{"classPackage": "1", "className": "2", "package": {"table": "null", "entry": "0"}, "packageName": "3", "objectName": "4"}`+"\n")
	bounds := []spec.Open{
		"rejection", "stated", "unstated", "side", "bytes", "charset", "text: unstated", "y: sign", "x: 2 ulp", "packageName: absent",
		"form: name",
	}
	for _, b := range bounds {
		if len(b.Bounds()) != 1 || b.Permits() == string(b) {
			t.Errorf("%s: %q", b, b.Permits())
		}
	}
	for _, c := range []struct {
		v       *corpus.Vector
		answer  string
		permits string // bounds, separated by commas; with ? if there is no verdict, with ~ if other operations pass then
	}{
		{accent, "kind @", "rejection"},
		{accent, `{"text": "e", "wide": false}`, "text: unstated?"},
		{accent, `{"text": "\u00c3\u00a9", "wide": false}`, "charset,text: unstated?"},
		{accent, `{"text": "\u00c3", "wide": false}`, "text: unstated?"},
		{accent, `{"text": {"hex": "e9"}, "wide": false}`, "text: unstated?"},
		{accent, `{"text": "\u00e9", "wide": true}`, ""},
		{accent, `{"text": "\u00c3\u00a9", "wide": true}`, ""},
		{accent, `"e"`, ""},
		{accent, `{}`, ""},
		{accent, "hex 05c383c2a900", "charset,text: unstated~"},
		{accent, "hex 026100", "text: unstated~"},
		{accent, "hex 02c3a900", ""}, // no name: the length is wrong
		{accent, "hex x", ""},
		{broken, `{"text": "a\u00e9\u00e8", "wide": false}`, "charset,text: unstated?"},
		{broken, `{"text": "a\ufffd", "wide": false}`, "charset,text: unstated?"},
		{broken, `{"text": "a\ufffd\ufffd\ufffd", "wide": false}`, "text: unstated?"},
		{broken, `{"text": "b\u00e9\u00e8", "wide": false}`, "text: unstated?"},
		{broken, `{"text": "a", "wide": false}`, "text: unstated?"},
		{broken, `{"text": "a\u00e9\u00e8!", "wide": false}`, "text: unstated?"},
		{plain, "kind @", "rejection"},
		{plain, `{"text": "b", "wide": false}`, "text: unstated?"},
		{plain, "hex 026200", "text: unstated~"},
		{plain, "hex 42006100", "bytes"}, // a longer form of the length
		{plain, "hex 4200", ""},
		{rejected, "kind @", "rejection"},
		{rejected, `{"text": "a", "wide": false}`, "unstated?"},
		{rejected, `"77"`, ""},
		{stated, `{"text": "a", "wide": false}`, "stated,unstated"},
		{stated, `{"text": "b", "wide": false}`, ""},
		{point, `{"x": "7", "y": "4294967295"}`, "y: sign"},
		{point, `{"x": "-4294967289", "y": "-1"}`, ""},
		{point, `{"x": "7", "y": "-2"}`, ""},
		{point, `{"x": "8", "y": "4294967295"}`, ""},
		{point, "hex 07000000feffffff", ""},
		{vec, `{"x": "1.0000002", "y": "1", "z": "1"}`, "x: 2 ulp"},
		{vec, `{"x": "0.9999999", "y": "1", "z": "1"}`, "x: 2 ulp"},
		{vec, `{"x": "1.0000004", "y": "1", "z": "1"}`, ""},
		{vec, `{"x": "1", "y": "1.0000001", "z": "1"}`, ""},
		{vec, `{"x": "nan", "y": "1", "z": "1"}`, ""},
		{vec, `{"x": "inf", "y": "1", "z": "1"}`, ""},
		{vec, "hex 0100803f0000803f0000803f", "x: 2 ulp"},
		{form, `{"text": "a", "form": "utf16"}`, "form: name"},
		{form, `{"text": "a", "form": "none"}`, ""},
		{form, `{"text": "b", "form": "utf16"}`, ""},
		{entry, `{"classPackage": "1", "className": "2", "objectName": "4"}`, ""},
		{
			entry, `{"classPackage": "1", "className": "2", "package": {"table": "null", "entry": "0"}, "objectName": "4"}`,
			"packageName: absent",
		},
		{limited, `{"text": "a", "wide": false}`, "*?"}, // whatever the choice leaves open
		{limited, `"77"`, ""},
	} {
		op := adapter.OpDecode
		if strings.HasPrefix(c.answer, "hex ") {
			op = adapter.OpRoundtrip
		}
		for _, open := range bounds {
			r := judgeOne(t, c.v, false, answering(t, map[adapter.Op]string{op: c.answer}),
				judgetest.Choice("UPKG-CI-10", reason), judgetest.Opens("UPKG-CI-10", open))
			want := judge.Fail
			switch permits := strings.Split(c.permits, ","); {
			case slices.Contains(permits, string(open)):
				want = judge.Acceptable
			case slices.Contains(permits, string(open)+"~"):
				want = judge.Pass
			case slices.Contains(permits, string(open)+"?"), c.permits == "*?":
				want = judge.NotApplicable
			}
			if r.Status != want {
				t.Errorf("%s, %s: %s, want %s (%s)", c.v.ID, open, c.answer, want, words.What(r.Outcome))
			}
		}
	}
}

// TestDiffersBySide: a choice of a side decides only under profiles with this
// side, and only if it is the side of the base: who declares a side has to follow
// it.
func TestDiffersBySide(t *testing.T) {
	t.Parallel()
	minus, wide := *minusZero(t), *corpustest.Find(t, "upkg/CompactIndex/two-to-the-32")
	wide.Decided = []corpus.Decider{{Flag: "upkg.ci-range", Side: "observed"}}
	vectors := judgetest.Planted([]*corpus.Vector{&minus, &wide}, judgetest.Basis("UPKG-CI-8", spec.Document, ""),
		judgetest.SideChoice("upkg.ci-minus-zero", "strict", reason),
		judgetest.SideChoice("upkg.ci-range", "observed", reason))
	const byRange = "choice [{upkg.ci-range=observed " + reason + " rejection, stated, side}]"
	for profile, want := range map[string]string{
		"observed": byRange, "observed,upkg.ci-minus-zero=strict": byRange,
		"documented": "fail []", "documented,upkg.ci-range=observed": "fail []",
	} {
		opts := judge.Options{Profile: new(profileOf(t, profile)), NoDerived: true}
		for i, res := range judgeAltered(t, vectors, opts, always(t, "kind @0")).Results {
			got := fmt.Sprint(resultOf(&res), " ", res.Choices)
			if want := []string{"fail []", want}[i]; got != want {
				t.Errorf("%s under %s: %s, want %s", res.ID, profile, got, want)
			}
		}
	}
}

// TestWritingDiffers: a document demands NaN for a code without a root, and a
// choice demands that the value has no encoding. So a reader that answers 0 or
// rejects the code fails. Of what a writer writes there is no verdict, because nothing
// says what it would be.
func TestWritingDiffers(t *testing.T) {
	for name, c := range map[string]struct {
		want  judge.Status
		alter alteration
	}{
		"reference": {judge.Pass, nil},
		"reads 0": {judge.Fail, inTrees(func(n tree.Node) tree.Node {
			if strings.HasPrefix(n.Text, tree.NaN) {
				n.Text = "0"
			}
			return n
		})},
		"rejects": {judge.Fail, answering(t, map[adapter.Op]string{adapter.OpDecode: "value @"})},
		"encodes": {judge.Pass, func(_ adapter.Request, a adapter.Response) adapter.Response {
			if a.Reject != nil && a.Reject.Class == "range" {
				return answerOf(t, "hex 00000000")
			}
			return a
		}},
	} {
		for _, vec := range []string{"big-endian", "clamped-then-normalized", "highest-code", "lowest-code", "one-flag"} {
			v := corpustest.Find(t, "ubi/CompressedQuaternionU32.Quaternion/no-root-"+vec)
			r := judgeOne(t, v, false, c.alter)
			open := slices.ContainsFunc(r.Outcomes, func(o judge.Outcome) bool { return o.Reason == judge.NoValue })
			if r.Status != c.want || open != (name == "encodes") {
				t.Errorf("%s, %s: %s %v", v.ID, name, r.Status, r.Outcomes)
			}
		}
	}
}

// TestNoExcuse: crashes, hangs, violations of the protocol and the answer error
// are failures, also where a choice decides or a limit is expected.
func TestNoExcuse(t *testing.T) {
	t.Parallel()
	choice := judgetest.Choice("UPKG-CI-10", reason)
	planted := judgetest.Planted([]*corpus.Vector{
		indexVector(t, "limit", "-- bytes --\n01  one\n-- expect --\nreject limit @0\n"), disagreeing(t)[judge.WrongTree],
		disagreeing(t)[judge.Accepted],
	}, choice)
	for about, alter := range map[string]alteration{
		"error": always(t, "error null pointer"),
		"no tree and no bytes": answering(t, map[adapter.Op]string{
			adapter.OpDecode: "hex 00", adapter.OpRoundtrip: `"1"`, adapter.OpEncode: `"1"`,
		}),
	} {
		for _, res := range judgeAltered(t, planted, judge.Options{NoDerived: true}, alter).Results {
			if res.Status != judge.Fail || res.Class != judge.Errored {
				t.Errorf("%s, %s: %s %s", res.ID, about, res.Status, res.Class)
			}
		}
	}
	// An acceptable outcome of one operation hides no failure of another.
	refuses := answering(t, map[adapter.Op]string{adapter.OpDecode: "value @", adapter.OpEncode: "hex deadbeef"})
	for strict, op := range map[bool]adapter.Op{false: adapter.OpEncode, true: adapter.OpDecode} {
		if r := judgeOne(t, one(t), strict, refuses, choice); r.Status != judge.Fail || r.Op != op {
			t.Errorf("%+v", r.Outcomes)
		}
	}
	// Two great integers that are one number as floats are different values: the expected signature is 2653586369.
	near := judgeOne(t, corpustest.Find(t, "upkg/Header/version-0"), false,
		inTrees(set([]string{"signature"}, map[string]tree.Node{"signature": tree.FromText("2653586360")})))
	if near.Status != judge.Fail || near.Class != judge.WrongTree {
		t.Errorf("%+v", near.Outcomes)
	}
	for mode, status := range map[string]judge.Status{"crashes-always": judge.Crash, "garbage": judge.Protocol} {
		r := judgedBy(t, childOf(t, mode, adapter.Options{}), planted, judge.Options{})
		if r.Count(status) != len(r.Results) {
			t.Errorf("%s: %d of %d", mode, r.Count(status), len(r.Results))
		}
	}
}

// TestWider: who accepts what others reject as limit or unsupported does not fail if the
// value is the stated one. If none is stated, there is no verdict.
func TestWider(t *testing.T) {
	t.Parallel()
	const open = "not-applicable"
	for _, c := range []struct{ sections, want string }{
		{"-- bytes --\n01  one\n-- expect --\nreject limit @0\n-- permitted --\n\"1\"\n", limit},
		{"-- bytes --\n01  one\n-- expect --\nreject unsupported\n-- permitted --\n\"1\"\n", unsupported},
		{"-- bytes --\n01  one\n-- expect --\nreject value|unsupported @0\n-- permitted --\n\"1\"\n", unsupported},
		{"-- bytes --\n01  one\n-- expect --\nreject limit @0\n", open},
		{"-- bytes --\n01  one\n-- expect --\nreject limit @0\n-- permitted --\n\"2\"\n", fail},
		{"-- bytes --\n01  one\n-- expect --\nreject value @0\n-- permitted --\n\"1\"\n", fail},
		{"-- tree --\n\"1\"\n-- expect --\nreject limit|range\n", open},
		{"-- tree --\n\"1\"\n-- expect --\nreject limit|range\n-- permitted --\n01  one\n", limit},
		// Of the value that it reads.
		{"-- bytes --\n01  one\n-- expect --\nnoncanonical\n\"1\"\n-- expect canonical --\nreject unsupported\n", pass},
		{"-- bytes --\n40  cut\n-- expect --\nreject limit @0\n", fail}, // rejected as truncated
		{"-- bytes --\n40  cut\n-- expect --\nreject limit|truncated @0\n", pass},
	} {
		v, engine := indexVector(t, "wide", c.sections), judgetest.Basis("UPKG-CI-10", spec.Engine, "")
		got := judgeOne(t, v, false, nil, engine)
		if resultOf(got) != c.want || got.Status == judge.Acceptable && got.Class != judge.Accepted || got.Choices != nil {
			t.Errorf("%q: %s %s, want %s", c.sections, got.Status, got.Class, c.want)
		}
		strict := judgeOne(t, v, true, nil, engine)
		if strict.Status.Failed() == (c.want == pass || c.want == open) || (strict.Reason == "") != (c.want == pass || c.want == fail) {
			t.Errorf("%q, strict: %s %s", c.sections, strict.Status, strict.Reason)
		}
	}
}

// TestCorpusWider: a reader without limits passes the corpus, with some answers
// that are wider.
func TestCorpusWider(t *testing.T) {
	r := judgedBy(t, judgetest.Adapter("wider"), smallVectors(t), judge.Options{NoDerived: true})
	if !r.Conformant() || countReason(r, judge.Limit, judge.Unsupported) == 0 {
		t.Errorf("%q, %d acceptable", listFailed(r), r.Count(judge.Acceptable))
	}
}

// TestDifferingDerived: derived cases of a vector that a choice decides can fail
// only who passes the vector itself.
func TestDifferingDerived(t *testing.T) {
	t.Parallel()
	v := indexVector(t, "padded", "-- bytes --\nC1 01  minus 65\n-- expect --\naccept\n\"-65\"\n")
	refuses := func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Op != adapter.OpEncode && *q.Hex != "" {
			return answerOf(t, "kind @")
		}
		return a
	}
	lenient := func(_ adapter.Request, a adapter.Response) adapter.Response {
		if a.Reject != nil && a.Reject.Class == "trailing" {
			return answerOf(t, `"-65"`)
		}
		return a
	}
	engine, choice := judgetest.Basis("UPKG-CI-10", spec.Engine, ""), judgetest.Choice("UPKG-CI-10", reason)
	for about, c := range map[string]struct {
		alter alteration
		plant judgetest.Plant
		want  string // of the vector, truncated-0, truncated-1, trailing
	}{
		"without a choice":                          {refuses, engine, "[fail pass fail fail]"},
		"refuses the vector":                        {refuses, choice, "[choice pass choice choice]"},
		"passes the vector, accepts trailing bytes": {lenient, choice, "[pass pass pass fail]"},
		"answers error":                             {always(t, "error no"), choice, "[fail fail fail fail]"},
	} {
		var got []string
		vectors := judgetest.Planted([]*corpus.Vector{v}, c.plant)
		for _, res := range judgeAltered(t, vectors, judge.Options{}, c.alter).Results {
			got = append(got, resultOf(&res))
			if (res.Status == judge.Acceptable) != (len(res.Choices) == 1) {
				t.Errorf("%s: %s: %s %v", about, res.ID, res.Status, res.Choices)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", about, got, c.want)
		}
	}
}

// TestKnownDiffers: a list of known failures contains neither Differs nor Wider.
func TestKnownDiffers(t *testing.T) {
	t.Parallel()
	vectors := judgetest.Planted([]*corpus.Vector{disagreeing(t)[judge.Accepted], one(t)},
		judgetest.Choice("UPKG-CI-10", reason))
	const entry = "upkg/CompactIndex/accepted  accepted\n"
	for _, c := range []struct {
		list             string
		strict           bool
		mismatch, accept string
	}{
		{"", false, "", ""}, {entry, true, "", entry}, {entry, false, "it is acceptable, which is no failure", ""},
	} {
		known := parseKnown(t, c.list)
		r := judgeAltered(t, vectors, judge.Options{NoDerived: true, FailAcceptable: c.strict, Known: known}, nil)
		mismatches, accepted := fmt.Sprint(r.Mismatches), known.Accept(r).String()
		if !strings.Contains(mismatches, c.mismatch) || (mismatches == "[]") != (c.mismatch == "") || accepted != c.accept ||
			r.MatchesKnown() != (c.mismatch == "") || r.Conformant() == c.strict {
			t.Errorf("%q, strict %t: %s, accepted %q", c.list, c.strict, mismatches, accepted)
		}
	}
}

// TestSuggestedSide: a side is suggested if the answer is that of the side, not
// if only the class of a rejection is.
func TestSuggestedSide(t *testing.T) {
	t.Parallel()
	for answer, side := range map[string]string{
		"noncanonical @0": "upkg.ci-minus-zero=strict", "noncanonical @1": "", "noncanonical @": "",
	} {
		if r := judgeOne(t, minusZero(t), false, always(t, answer)); !r.Status.Failed() || r.Side != side {
			t.Errorf("%s: %s, the side is %q", answer, r.Status, r.Side)
		}
	}
}

// TestRequestOrder: requests are shuffled, in the same way in each run, and a
// context with default values is sent in both forms. The results have the order
// of the vectors.
func TestRequestOrder(t *testing.T) {
	vectors := smallVectors(t)
	run := func() []adapter.Request {
		impl := observing(nil)
		r := judgedBy(t, impl, vectors, judge.Options{NoDerived: true})
		if !r.Conformant() {
			t.Fatalf("%q", listFailed(r))
		}
		for i, res := range r.Results {
			if res.ID != vectors[i].ID {
				t.Fatalf("result %d is %s, want %s", i, res.ID, vectors[i].ID)
			}
		}
		return impl.requests
	}
	first := run()
	if !reflect.DeepEqual(first, run()) {
		t.Error("two runs make different requests")
	}
	changes := 0
	with, without := map[string]int{}, map[string]int{} // requests with the default context, by type
	for i, q := range first {
		if i > 0 && q.Type != first[i-1].Type {
			changes++
		}
		typ, _ := codec.Find(q.Type)
		switch {
		case len(typ.Context) == 0:
		case maps.Equal(q.Context, typ.Context):
			with[q.Type]++
		case len(q.Context) == 0:
			without[q.Type]++
		}
	}
	if changes < len(first)/2 {
		t.Errorf("the type changes %d times in %d requests", changes, len(first))
	}
	for typ, n := range with {
		if n > 1 && without[typ] == 0 {
			t.Errorf("%s: the default context is always sent", typ)
		}
	}
	if len(with) < 20 {
		t.Errorf("%d types were asked for with their default context", len(with))
	}
}

// TestKeepsContext: an adapter that keeps the parameters of the last request
// fails.
func TestKeepsContext(t *testing.T) {
	for _, structure := range []string{"upkg.Name", "uasset.Object", "ubi.Array"} {
		r := judgeFaulty(t, "keeps-context", adapter.Options{}, judge.Options{
			NoDerived: true, Filter: func(v *corpus.Vector) bool { return v.Structure() == structure },
		})
		if r.Conformant() {
			t.Errorf("%s: conformant", structure)
		}
	}
}

// TestNamedSides: an implementation that follows any profile is also judged by
// the sides that are neither documented nor observed.
func TestNamedSides(t *testing.T) {
	vectors := flaggedVectors(t)
	few := only(vectors, func(v *corpus.Vector) bool { return v.Structure() == "upkg.CompactIndex" })
	run := func(vectors []*corpus.Vector, opts judge.Options, alter alteration) *judge.Report {
		opts.NoDerived = true
		return judgedBy(t, &altered{Reference: adapter.NewReference(), alter: alter}, vectors, opts)
	}
	named := func(r *judge.Report) (out []string) {
		for _, res := range r.Results {
			p := res.Profile.String()
			if flag, _, ok := strings.Cut(strings.TrimPrefix(p, "observed,"), "="); ok {
				if !slices.Contains(res.Vector.Flags, ids.Flag(flag)) {
					t.Errorf("%s is judged under %s", res.ID, p)
				}
				if !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
		return out
	}
	all := run(vectors, judge.Options{}, nil)
	if got := named(all); len(got) < 20 || !slices.Contains(got, "observed,upkg.ci-minus-zero=strict") ||
		!slices.Contains(got, "observed,ubi.quat-u32-nan=clamp") {
		t.Errorf("profiles with a named side: %v", got)
	}
	if n, most := len(all.Results)-2*len(vectors), len(corpustest.All(t))/2; n > most {
		t.Errorf("%d further cases, expected at most %d", n, most)
	}
	for _, opts := range []judge.Options{{Profile: new(ids.Observed())}, {Profiles: []ids.Profile{ids.Observed()}}} {
		if got := named(run(few, opts, nil)); len(got) > 0 {
			t.Errorf("%+v: %v", opts, got)
		}
	}
	sides := run(few, judge.Options{Sides: []string{"ka.bool=zero-one"}}, nil)
	if len(sides.Results) != 2*len(few) {
		t.Errorf("with a side: %d results of %d vectors", len(sides.Results), len(few))
	}
	// A reader that ignores one named side passes both base profiles.
	const strict = "observed,upkg.ci-minus-zero=strict"
	ignores := func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Profile == strict {
			q.Profile = "observed"
			a, _ = adapter.NewReference().Do(t.Context(), q)
		}
		return a
	}
	r := run(few, judge.Options{}, ignores)
	if r.Conformant() {
		t.Error("an ignored side was not noticed")
	}
	for _, res := range failures(r) {
		if res.Profile.String() != strict {
			t.Errorf("%s fails under %s", res.ID, res.Profile)
		}
	}
}

// TestFingerprintDiffers: an answer that differs from a choice, and that no side
// explains, contradicts no side.
func TestFingerprintDiffers(t *testing.T) {
	impl := observing(func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Hex != nil && *q.Hex == "80" {
			return answerOf(t, "kind @")
		}
		return a
	})
	for want, plant := range map[string]judgetest.Plant{
		"observed, definite false, 0 acceptable": judgetest.Basis("UPKG-CI-8", spec.Document, ""),
		"observed, definite true, 1 acceptable":  judgetest.Choice("UPKG-CI-8", reason),
	} {
		s := fingerprintOf(t, impl, judgetest.Planted(corpustest.Of(t, "upkg.CompactIndex"), plant), judge.Options{})
		if got := fmt.Sprintf("%s, definite %t, %d acceptable", s.Profile, s.Definite(), s.Acceptable); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
