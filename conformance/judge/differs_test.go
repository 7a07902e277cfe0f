package judge_test

import (
	"context"
	"maps"
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

// always gives one answer to each request.
func always(a adapter.Response) alteration {
	return func(adapter.Request, adapter.Response) adapter.Response { return a }
}

// answering gives one answer to each request for an operation.
func answering(answers map[adapter.Op]adapter.Response) alteration {
	return func(q adapter.Request, a adapter.Response) adapter.Response {
		if other, ok := answers[q.Op]; ok {
			return other
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

const reason = "No document says what a reader does here."

// indexVector is a vector of a compact index that cites UPKG-CI-10.
func indexVector(t *testing.T, name, sections string) *corpus.Vector {
	return vector(t, "upkg/CompactIndex/"+name, "An index.\n\nclauses: UPKG-CI-10\nsource: by hand\n"+sections)
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
	who := []judgetest.Plant{judgetest.Basis("UPKG-CI-10", spec.Engine, ""), judgetest.Basis("UPKG-CI-1", "", "")}
	run := func(v *corpus.Vector, strict bool) judge.Result {
		r := judgeAltered(t, judgetest.Planted([]*corpus.Vector{v}, who...),
			judge.Options{NoDerived: true, FailAcceptable: strict}, nil).Results[0]
		r.Outcome = &r.Outcomes[0] // what is written is not permitted
		return r
	}
	for class, v := range disagreeing(t) {
		if r := run(v, false); r.Status != judge.Fail || r.Class != class || r.Choices != nil {
			t.Errorf("%s: without a choice: %s %s %v", v.ID, r.Status, r.Class, r.Choices)
		}
	}
	who = append(who, judgetest.Choice("UPKG-CI-10", reason))
	want := []judge.Choice{{By: "UPKG-CI-10", Reason: reason, Open: "rejection, stated, side"}}
	for class, v := range disagreeing(t) {
		if r := run(v, false); resultOf(&r) != byChoice || r.Class != class || !slices.Equal(r.Choices, want) ||
			r.Expected == nil || r.Got == nil {
			t.Errorf("%s: %+v", v.ID, r)
		}
		if r := run(v, true); r.Status != judge.Fail || r.Class != class || r.Reason != judge.ByChoice ||
			!slices.Equal(r.Choices, want) {
			t.Errorf("%s, strict: %+v", v.ID, r)
		}
	}
	who[2] = judgetest.Basis("UPKG-CI-10", spec.Choice, reason)
	// A choice that is cited, but that does not decide.
	v := vector(t, "upkg/CompactIndex/tree", "An index.\n\nclauses: UPKG-CI-1, UPKG-CI-10\ndecided: UPKG-CI-1\nsource: by hand\n-- bytes --\n01  one\n-- expect --\naccept\n\"2\"\n-- permitted --\n\"1\"\n")
	if r := run(v, false); resultOf(&r) != byChoice {
		t.Errorf("decided by a clause without a basis: %s", r.Status) // the cited choice is all that is stated
	}
	who = append(who, judgetest.Basis("UPKG-CI-1", spec.Document, ""))
	if r := run(v, false); r.Status != judge.Fail || r.Choices != nil {
		t.Errorf("decided by a document: %s %v", r.Status, r.Choices)
	}
	// A vector with the expected answer passes.
	v = indexVector(t, "fine", "-- bytes --\n01  one\n-- expect --\naccept\n\"1\"\n")
	if r := run(v, true); r.Status != judge.Pass || r.Choices != nil {
		t.Errorf("%+v", r)
	}
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
	reads := func(text string) adapter.Response { return answerOf(t, text) }
	writes := func(hex string) adapter.Response { return answerOf(t, "hex "+hex) }
	refuses := adapter.Response{Reject: &adapter.Reject{Class: "kind"}}
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
		answer  adapter.Response
		permits string // bounds, separated by commas; with ? if there is no verdict, with ~ if other operations pass then
	}{
		{accent, refuses, "rejection"},
		{accent, reads(`{"text": "e", "wide": false}`), "text: unstated?"},
		{accent, reads(`{"text": "\u00c3\u00a9", "wide": false}`), "charset,text: unstated?"},
		{accent, reads(`{"text": "\u00c3", "wide": false}`), "text: unstated?"},
		{accent, reads(`{"text": {"hex": "e9"}, "wide": false}`), "text: unstated?"},
		{accent, reads(`{"text": "\u00e9", "wide": true}`), ""},
		{accent, reads(`{"text": "\u00c3\u00a9", "wide": true}`), ""},
		{accent, reads(`"e"`), ""},
		{accent, reads(`{}`), ""},
		{accent, writes("05c383c2a900"), "charset,text: unstated~"},
		{accent, writes("026100"), "text: unstated~"},
		{accent, writes("02c3a900"), ""}, // no name: the length is wrong
		{accent, writes("x"), ""},
		{broken, reads(`{"text": "a\u00e9\u00e8", "wide": false}`), "charset,text: unstated?"},
		{broken, reads(`{"text": "a\ufffd", "wide": false}`), "charset,text: unstated?"},
		{broken, reads(`{"text": "a\ufffd\ufffd\ufffd", "wide": false}`), "text: unstated?"},
		{broken, reads(`{"text": "b\u00e9\u00e8", "wide": false}`), "text: unstated?"},
		{broken, reads(`{"text": "a", "wide": false}`), "text: unstated?"},
		{broken, reads(`{"text": "a\u00e9\u00e8!", "wide": false}`), "text: unstated?"},
		{plain, refuses, "rejection"},
		{plain, reads(`{"text": "b", "wide": false}`), "text: unstated?"},
		{plain, writes("026200"), "text: unstated~"},
		{plain, writes("42006100"), "bytes"}, // a longer form of the length
		{plain, writes("4200"), ""},
		{rejected, refuses, "rejection"},
		{rejected, reads(`{"text": "a", "wide": false}`), "unstated?"},
		{rejected, reads(`"77"`), ""},
		{stated, reads(`{"text": "a", "wide": false}`), "stated,unstated"},
		{stated, reads(`{"text": "b", "wide": false}`), ""},
		{point, reads(`{"x": "7", "y": "4294967295"}`), "y: sign"},
		{point, reads(`{"x": "-4294967289", "y": "-1"}`), ""},
		{point, reads(`{"x": "7", "y": "-2"}`), ""},
		{point, reads(`{"x": "8", "y": "4294967295"}`), ""},
		{point, writes("07000000feffffff"), ""},
		{vec, reads(`{"x": "1.0000002", "y": "1", "z": "1"}`), "x: 2 ulp"},
		{vec, reads(`{"x": "0.9999999", "y": "1", "z": "1"}`), "x: 2 ulp"},
		{vec, reads(`{"x": "1.0000004", "y": "1", "z": "1"}`), ""},
		{vec, reads(`{"x": "1", "y": "1.0000001", "z": "1"}`), ""},
		{vec, reads(`{"x": "nan", "y": "1", "z": "1"}`), ""},
		{vec, reads(`{"x": "inf", "y": "1", "z": "1"}`), ""},
		{vec, writes("0100803f0000803f0000803f"), "x: 2 ulp"},
		{form, reads(`{"text": "a", "form": "utf16"}`), "form: name"},
		{form, reads(`{"text": "a", "form": "none"}`), ""},
		{form, reads(`{"text": "b", "form": "utf16"}`), ""},
		{entry, reads(`{"classPackage": "1", "className": "2", "objectName": "4"}`), ""},
		{
			entry, reads(`{"classPackage": "1", "className": "2", "package": {"table": "null", "entry": "0"}, "objectName": "4"}`),
			"packageName: absent",
		},
		{limited, reads(`{"text": "a", "wide": false}`), "*?"}, // whatever the choice leaves open
		{limited, reads(`"77"`), ""},
	} {
		for _, open := range bounds {
			vectors := judgetest.Planted([]*corpus.Vector{c.v}, judgetest.Choice("UPKG-CI-10", reason),
				judgetest.Opens("UPKG-CI-10", open))
			r := judgeAltered(t, vectors, judge.Options{NoDerived: true},
				func(q adapter.Request, right adapter.Response) adapter.Response {
					if reads := c.answer.Reject != nil || c.answer.OK.Tree != nil; reads != (q.Op == adapter.OpDecode) {
						return right
					}
					return c.answer
				}).Results[0]
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
				t.Errorf("%s, %s: %s: %s, want %s (%s)", c.v.ID, open, words.AnswerText(r.Got), r.Status, want,
					words.What(r.Outcome))
			}
		}
	}
}

// TestDiffersBySide: a choice of a side decides only under profiles with this
// side, and only if it is the side of the base: who declares a side has to follow
// it.
func TestDiffersBySide(t *testing.T) {
	t.Parallel()
	who := []judgetest.Plant{
		judgetest.Basis("UPKG-CI-8", spec.Document, ""),
		judgetest.SideChoice("upkg.ci-minus-zero", "strict", reason),
		judgetest.SideChoice("upkg.ci-range", "observed", reason),
	}
	v := vector(t, "upkg/CompactIndex/minus", `Minus zero.

clauses: UPKG-CI-8
flags: upkg.ci-minus-zero
decided: upkg.ci-minus-zero=strict
source: by hand
-- bytes --
80  minus zero
-- upkg.ci-minus-zero=documented --
reject kind @0
-- upkg.ci-minus-zero=strict --
reject value @0
`)
	wide := vector(t, "upkg/CompactIndex/wide", `A range.

clauses: UPKG-CI-8
flags: upkg.ci-range
decided: upkg.ci-range=observed
source: by hand
-- bytes --
01  one
-- documented --
reject kind @0
-- observed --
reject value @0
-- permitted --
"1"
`)
	for _, c := range []struct {
		v       *corpus.Vector
		profile string
		want    judge.Status
	}{
		{v, "observed", judge.Fail},
		{v, "observed,upkg.ci-minus-zero=strict", judge.Fail},
		{wide, "observed", judge.Acceptable},
		{wide, "observed,upkg.ci-minus-zero=strict", judge.Acceptable},
		{wide, "documented", judge.Fail},
		{wide, "documented,upkg.ci-range=observed", judge.Fail},
	} {
		p := profileOf(t, c.profile)
		r := judgeAltered(t, judgetest.Planted([]*corpus.Vector{c.v}, who...), judge.Options{Profile: &p}, nil).Results[0]
		if r.Status != c.want || (c.want == judge.Acceptable) != (len(r.Choices) == 1 &&
			r.Choices[0].By == "upkg.ci-range=observed" && r.Choices[0].Reason == reason) {
			t.Errorf("%s under %s: %s %v", c.v.ID, c.profile, r.Status, r.Choices)
		}
	}
}

// TestWritingDiffers: a document demands NaN for a code without a root, and a
// choice demands that the value has no encoding. So a reader that answers 0 or
// rejects the code fails. Of what a writer writes there is no verdict, because nothing
// says what it would be.
func TestWritingDiffers(t *testing.T) {
	hex := "00000000"
	for name, c := range map[string]struct {
		want  judge.Status
		alter alteration
	}{
		"reference": {judge.Pass, nil},
		"reads 0": {judge.Fail, inTrees(func(n tree.Node) tree.Node {
			if strings.HasPrefix(n.Text, tree.NaN) {
				return tree.Node{Kind: tree.Text, Text: "0"}
			}
			return n
		})},
		"rejects": {judge.Fail, answering(map[adapter.Op]adapter.Response{
			adapter.OpDecode: {Reject: &adapter.Reject{Class: "value"}},
		})},
		"encodes": {judge.Pass, func(_ adapter.Request, a adapter.Response) adapter.Response {
			if a.Reject != nil && a.Reject.Class == "range" {
				return adapter.Response{OK: &adapter.OK{Hex: &hex}}
			}
			return a
		}},
	} {
		for _, vec := range []string{"big-endian", "clamped-then-normalized", "highest-code", "lowest-code", "one-flag"} {
			v := corpustest.Find(t, "ubi/CompressedQuaternionU32.Quaternion/no-root-"+vec)
			r := judgeAltered(t, []*corpus.Vector{v}, judge.Options{NoDerived: true}, c.alter).Results[0]
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
	planted := judgetest.Planted([]*corpus.Vector{
		indexVector(t, "limit", "-- bytes --\n01  one\n-- expect --\nreject limit @0\n"), disagreeing(t)[judge.WrongTree],
		disagreeing(t)[judge.Accepted],
	}, judgetest.Choice("UPKG-CI-10", reason))
	for _, v := range planted {
		for name, answer := range map[string]adapter.Response{
			"error":   {Error: &adapter.Fault{Message: "null pointer"}},
			"no tree": {OK: &adapter.OK{}},
		} {
			r := judgeAltered(t, []*corpus.Vector{v}, judge.Options{NoDerived: true}, always(answer)).Results[0]
			if r.Status != judge.Fail || r.Class != judge.Errored {
				t.Errorf("%s, %s: %s %s", v.ID, name, r.Status, r.Class)
			}
		}
	}
	// An acceptable outcome of one operation hides no failure of another.
	unread := judgetest.Planted([]*corpus.Vector{
		indexVector(t, "unread", "-- bytes --\n01  one\n-- expect --\naccept\n\"1\"\n"),
	}, judgetest.Choice("UPKG-CI-10", reason))
	for _, strict := range []bool{false, true} {
		r := judgeAltered(t, unread, judge.Options{NoDerived: true, FailAcceptable: strict},
			answering(map[adapter.Op]adapter.Response{
				adapter.OpDecode: {Reject: &adapter.Reject{Class: "value"}},
				adapter.OpEncode: {OK: &adapter.OK{Hex: new("deadbeef")}},
			})).Results[0]
		if r.Status != judge.Fail || r.Op != map[bool]adapter.Op{false: adapter.OpEncode, true: adapter.OpDecode}[strict] {
			t.Errorf("%+v", r.Outcomes)
		}
	}
	// Two great integers that are one number as floats are different values.
	version := corpustest.Find(t, "upkg/Header/version-0")
	near := judgeAltered(t, []*corpus.Vector{version}, judge.Options{NoDerived: true}, func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Op == adapter.OpDecode {
			items := slices.Clone(a.OK.Tree.Items)
			items[0].Text = "2653586360" // the expected signature is 2653586369
			a.OK = &adapter.OK{Tree: &tree.Node{Kind: tree.Object, Names: a.OK.Tree.Names, Items: items}}
		}
		return a
	}).Results[0]
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
	accepts := func(verdict string) *corpus.Vector {
		return indexVector(t, "wide", "-- bytes --\n01  one\n-- expect --\n"+verdict+"\n")
	}
	const one, open = "\n-- permitted --\n\"1\"", "not-applicable"
	encodes := indexVector(t, "encode", "-- tree --\n\"1\"\n-- expect --\nreject limit|range\n")
	stated := indexVector(t, "stated", "-- tree --\n\"1\"\n-- expect --\nreject limit|range\n-- permitted --\n01  one\n")
	noEncoding := indexVector(t, "canonical", "-- bytes --\n01  one\n-- expect --\nnoncanonical\n\"1\"\n-- expect canonical --\nreject unsupported\n")
	for _, c := range []struct {
		v    *corpus.Vector
		want string
	}{
		{accepts("reject limit @0" + one), limit},
		{accepts("reject unsupported" + one), unsupported},
		{accepts("reject value|unsupported @0" + one), unsupported},
		{accepts("reject limit @0"), open},
		{accepts("reject limit @0\n-- permitted --\n\"2\""), fail},
		{accepts("reject value @0" + one), fail},
		{encodes, open},
		{stated, limit},
		{noEncoding, pass}, // of the value that it reads
		{indexVector(t, "cut", "-- bytes --\n40  cut\n-- expect --\nreject limit @0\n"), fail}, // rejected as truncated
		{indexVector(t, "cut", "-- bytes --\n40  cut\n-- expect --\nreject limit|truncated @0\n"), pass},
	} {
		e := c.v.Expect[0].Short()
		vectors := judgetest.Planted([]*corpus.Vector{c.v}, judgetest.Basis("UPKG-CI-10", spec.Engine, ""))
		r := judgeAltered(t, vectors, judge.Options{NoDerived: true}, nil)
		if got := r.Results[0]; resultOf(&got) != c.want || got.Status == judge.Acceptable && got.Class != judge.Accepted ||
			got.Choices != nil {
			t.Errorf("%s: %s %s, want %s", e, got.Status, got.Class, c.want)
		}
		if r.Conformant() != (c.want == pass) {
			t.Errorf("%s: conformant %v", e, r.Conformant())
		}
		strict := judgeAltered(t, vectors, judge.Options{NoDerived: true, FailAcceptable: true}, nil).Results[0]
		if strict.Status.Failed() == (c.want == pass || c.want == open) || (strict.Reason == "") != (c.want == pass || c.want == fail) {
			t.Errorf("%s, strict: %s %s", e, strict.Status, strict.Reason)
		}
	}
}

// TestCorpusWider: a reader without limits passes the corpus, with some answers
// that are wider.
func TestCorpusWider(t *testing.T) {
	r := judgeAltered(t, smallVectors(t), judge.Options{NoDerived: true},
		func(q adapter.Request, a adapter.Response) adapter.Response {
			if a.Reject != nil && q.Op == adapter.OpDecode && (a.Reject.Class == "limit" || a.Reject.Class == "unsupported") {
				return judgetest.Wider(q)
			}
			return a
		})
	if !r.Conformant() || countReason(r, judge.Limit, judge.Unsupported) == 0 {
		t.Errorf("conformant %v, %d acceptable", r.Conformant(), r.Count(judge.Acceptable))
	}
}

// TestDifferingDerived: derived cases of a vector that a choice decides can fail
// only who passes the vector itself.
func TestDifferingDerived(t *testing.T) {
	t.Parallel()
	who := []judgetest.Plant{judgetest.Basis("UPKG-CI-10", spec.Engine, "")}
	v := indexVector(t, "padded", "-- bytes --\nC1 01  minus 65\n-- expect --\naccept\n\"-65\"\n")
	refuses := func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Op != adapter.OpEncode && *q.Hex != "" {
			return adapter.Response{Reject: &adapter.Reject{Class: "kind"}}
		}
		return a
	}
	lenient := func(q adapter.Request, a adapter.Response) adapter.Response {
		if a.Reject != nil && a.Reject.Class == "trailing" {
			return adapter.Response{OK: &adapter.OK{Tree: &tree.Node{Kind: tree.Text, Text: "-65"}}}
		}
		return a
	}
	count := func(r *judge.Report) map[judge.Status]int {
		out := map[judge.Status]int{}
		for _, res := range r.Results {
			out[res.Status]++
			if (res.Status == judge.Acceptable) != (len(res.Choices) == 1) {
				t.Errorf("%s: %s %v", res.ID, res.Status, res.Choices)
			}
		}
		return out
	}
	try := func(alter alteration) map[judge.Status]int {
		return count(judgeAltered(t, judgetest.Planted([]*corpus.Vector{v}, who...), judge.Options{}, alter))
	}
	// The vector, truncated-0, truncated-1, trailing.
	if got := try(refuses); !maps.Equal(got, map[judge.Status]int{judge.Fail: 3, judge.Pass: 1}) {
		t.Errorf("without a choice: %v", got)
	}
	who = append(who, judgetest.Choice("UPKG-CI-10", reason))
	if got := try(refuses); !maps.Equal(got, map[judge.Status]int{judge.Acceptable: 3, judge.Pass: 1}) {
		t.Errorf("refuses the vector: %v", got)
	}
	if got := try(lenient); !maps.Equal(got, map[judge.Status]int{judge.Fail: 1, judge.Pass: 3}) {
		t.Errorf("passes the vector, accepts a trailing byte: %v", got)
	}
	if got := try(always(adapter.Response{Error: &adapter.Fault{Message: "no"}})); got[judge.Fail] != 4 {
		t.Errorf("answers error: %v", got)
	}
}

// TestKnownDiffers: a list of known failures contains neither Differs nor Wider.
func TestKnownDiffers(t *testing.T) {
	t.Parallel()
	vectors := judgetest.Planted([]*corpus.Vector{
		disagreeing(t)[judge.Accepted], indexVector(t, "fine", "-- bytes --\n01  one\n-- expect --\naccept\n\"1\"\n"),
	}, judgetest.Choice("UPKG-CI-10", reason))
	run := func(list string, strict bool) *judge.Report {
		return judgeAltered(t, vectors, judge.Options{NoDerived: true, FailAcceptable: strict, Known: parseKnown(t, list)},
			nil)
	}
	const entry = "upkg/CompactIndex/accepted  accepted\n"
	if r := run("", false); !r.MatchesKnown() || !r.Conformant() || parseKnown(t, "").Accept(r).String() != "" {
		t.Errorf("an empty list: %v", r.Mismatches)
	}
	if r := run(entry, false); len(r.Mismatches) != 1 || !strings.Contains(r.Mismatches[0].What, "no failure") ||
		parseKnown(t, entry).Accept(r).String() != "" {
		t.Errorf("a listed case that differs: %v", r.Mismatches)
	}
	if r := run(entry, true); !r.MatchesKnown() || r.Conformant() || parseKnown(t, "").Accept(r).String() != entry {
		t.Errorf("strict: %v", r.Mismatches)
	}
}

// TestSuggestedSide: a side is suggested if the answer is that of the side, not
// if only the class of a rejection is.
func TestSuggestedSide(t *testing.T) {
	t.Parallel()
	v := vector(t, "upkg/CompactIndex/minus", `Minus zero.

clauses: UPKG-CI-8
flags: upkg.ci-minus-zero
source: by hand
-- bytes --
80  minus zero
-- documented --
reject kind @0
-- upkg.ci-minus-zero=strict --
reject value @0
`)
	for name, c := range map[string]struct {
		offset *int
		side   string
	}{"offset": {new(0), "upkg.ci-minus-zero=strict"}, "other offset": {new(1), ""}, "no offset": {nil, ""}} {
		vectors := judgetest.Planted([]*corpus.Vector{v}, judgetest.Basis("UPKG-CI-8", spec.Document, ""))
		r := judgeAltered(t, vectors, judge.Options{},
			always(adapter.Response{Reject: &adapter.Reject{Class: "value", Offset: c.offset}})).Results[0]
		if !r.Status.Failed() || r.Side != c.side {
			t.Errorf("%s: %s, the side is %q", name, r.Status, r.Side)
		}
	}
}

// TestRequestOrder: requests are shuffled, in the same way in each run, and a
// context with default values is sent in both forms. The results have the order
// of the vectors.
func TestRequestOrder(t *testing.T) {
	vectors := smallVectors(t)
	var first []adapter.Request
	for run := range 2 {
		impl := observing(nil)
		r := judgedBy(t, impl, vectors, judge.Options{NoDerived: true})
		if !r.Conformant() {
			t.Fatal("not conformant")
		}
		for i, res := range r.Results {
			if res.ID != vectors[i].ID {
				t.Fatalf("result %d is %s, want %s", i, res.ID, vectors[i].ID)
			}
		}
		if run == 0 {
			first = impl.requests
			continue
		}
		if !slices.EqualFunc(first, impl.requests, func(a, b adapter.Request) bool {
			return a.Op == b.Op && a.Type == b.Type && maps.Equal(a.Context, b.Context) && (a.Hex == nil) == (b.Hex == nil) &&
				(a.Hex == nil || *a.Hex == *b.Hex)
		}) {
			t.Error("two runs make different requests")
		}
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
		r := judgeAnswers(t, "keeps-context", judge.Options{
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
	if n, most := len(all.Results)-2*len(vectors), len(allVectors(t))/2; n > most {
		t.Errorf("%d further cases, expected at most %d", n, most)
	}
	p := ids.Observed()
	for name, opts := range map[string]judge.Options{"profile": {Profile: &p}, "profiles": {Profiles: []ids.Profile{p}}} {
		if got := named(run(few, opts, nil)); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	sides := run(few, judge.Options{Sides: []string{"ka.bool=zero-one"}}, nil)
	if len(sides.Results) != 2*len(few) {
		t.Errorf("with a side: %d results of %d vectors", len(sides.Results), len(few))
	}
	// A reader that ignores one named side passes both base profiles.
	ignores := func(q adapter.Request, a adapter.Response) adapter.Response {
		if strings.HasSuffix(q.Profile, "upkg.ci-minus-zero=strict") {
			q.Profile = "observed"
			a, _ = adapter.NewReference().Do(t.Context(), q)
		}
		return a
	}
	failed := 0
	for _, res := range run(few, judge.Options{}, ignores).Results {
		if res.Status.Failed() {
			failed++
			if res.Profile.String() != "observed,upkg.ci-minus-zero=strict" {
				t.Errorf("%s fails under %s", res.ID, res.Profile)
			}
		}
	}
	if failed == 0 {
		t.Error("an ignored side was not noticed")
	}
}

// TestFingerprintDiffers: an answer that differs from a choice, and that no side
// explains, contradicts no side.
func TestFingerprintDiffers(t *testing.T) {
	vectors := smallVectors(t)
	run := func(plant judgetest.Plant) *judge.FingerprintResult {
		impl := observing(func(q adapter.Request, a adapter.Response) adapter.Response {
			if q.Type == "upkg.CompactIndex" && q.Hex != nil && *q.Hex == "80" {
				return adapter.Response{Reject: &adapter.Reject{Class: "kind"}}
			}
			return a
		})
		s := fingerprintOf(t, impl, judgetest.Planted(vectors, plant), judge.Options{
			Filter: func(v *corpus.Vector) bool { return v.Type == "upkg.CompactIndex" },
		})
		return s
	}
	if s := run(judgetest.Basis("UPKG-CI-8", spec.Document, "")); s.Definite() || s.Acceptable != 0 {
		t.Errorf("without a choice: definite %v, %d differ", s.Definite(), s.Acceptable)
	}
	if s := run(judgetest.Choice("UPKG-CI-8", reason)); !s.Definite() || s.Acceptable != 1 ||
		s.Profile.String() != "observed" {
		t.Errorf("definite %v, %d differ, profile %s", s.Definite(), s.Acceptable, s.Profile)
	}
}
