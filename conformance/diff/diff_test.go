package diff

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/corpus/draft"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func types(t *testing.T, names ...string) (out []*codec.Type) {
	t.Helper()
	for _, name := range names {
		typ, ok := codec.Find(name)
		if !ok {
			t.Fatalf("no type %s", name)
		}
		out = append(out, typ)
	}
	return out
}

// vectors returns those of the corpus from which a search draws. The inputs made of the few
// long ones would take most of the time of an ordinary run.
func vectors(t *testing.T) []*corpus.Vector {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(corpustest.All(t)), func(v *corpus.Vector) bool {
		return !testrun.Exhaustive && max(len(v.Bytes), len(v.Tree)) > 1<<12
	})
}

// some is the number of inputs of a type of which an exhaustive run takes all.
func some(all int) int {
	if testrun.Exhaustive {
		return all
	}
	return all / 3
}

// mustRun compares implementations with inputs drawn from the vectors and the seed of the tests.
func mustRun(t *testing.T, a, b adapter.Implementation, opts Options) *Report {
	t.Helper()
	opts.Vectors, opts.Seed = vectors(t), cmp.Or(opts.Seed, testrun.Seed())
	r, err := Run(t.Context(), a, b, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSelf: the reference agrees with itself on all inputs, under both profiles.
func TestSelf(t *testing.T) {
	count := some(1400)
	for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
		r := mustRun(t, adapter.NewReference(), adapter.NewReference(), Options{
			Types: types(t, "ka.Archive", "ka.BodyV0x0002", "uasset.Package", "uasset.PropertyList", "upkg.Package",
				"upkg.Name", "ubi.PairArray<BasicString,Array<Vector3>>", "ubi.CompressedQuaternionU32.Quaternion"),
			Profile: &p, Count: count, Classes: true,
		})
		for _, f := range r.Findings {
			t.Errorf("under %s: %s %x: %s", p, f.Type.Name, f.Bytes, f.Sentence())
		}
		if !r.NoDifference() || len(r.Types) != 8 {
			t.Errorf("the report is %+v", r)
		}
		for _, tr := range r.Types {
			// The comparison is only meaningful with enough inputs of both kinds.
			if few := count / 14; tr.Inputs != count || tr.BothAccepted < few || tr.BothRejected < few || tr.Skipped > few ||
				tr.BothAccepted+tr.BothRejected+tr.Skipped != count {
				t.Errorf("under %s: %+v", p, tr)
			}
		}
	}
}

// TestNewBehaviours: the search shows more behaviours than the vectors do.
func TestNewBehaviours(t *testing.T) {
	count := some(3000)
	for _, name := range []string{"ka.Archive", "uasset.Package", "upkg.Package"} {
		typ := types(t, name)[0]
		reached := func(count int) int {
			g, err := newGenerator(typ, ids.Observed(), true, Options{Vectors: vectors(t), Seed: testrun.Seed()})
			if err != nil {
				t.Fatal(err)
			}
			for range len(g.queue) + count { // the vectors come first
				g.next()
			}
			return len(g.seen)
		}
		if own, more := reached(0), reached(count); more < own+25 {
			t.Errorf("%s: the vectors show %d behaviours, with %d further inputs only %d", name, own, count, more)
		}
	}
}

// TestRepeatable: the same seed gives the same run, and another seed gives
// other inputs.
func TestRepeatable(t *testing.T) {
	p, err := ids.Observed().With("upkg.ci-minus-zero", "strict")
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Types: types(t, "upkg.Name", "upkg.Package"), Count: 700}
	describe := func(seed uint64) (out []string) {
		opts.Seed = seed
		r := mustRun(t, adapter.NewReferenceUnder(p), adapter.NewReferenceUnder(ids.Documented()), opts)
		for _, f := range r.Findings {
			out = append(out, string(r.Draft(f).Text()))
		}
		for _, tr := range r.Types {
			tr.Seconds = 0
			out = append(out, fmt.Sprintf("%+v", tr))
		}
		return out
	}
	first := describe(testrun.Seed())
	if second := describe(testrun.Seed()); !slices.Equal(first, second) {
		t.Errorf("two runs with one seed:\n%s", gocmp.Diff(first, second))
	}
	if slices.Equal(first, describe(testrun.Seed()+1)) {
		t.Error("another seed gives the same run")
	}
}

// faultyAdapter returns an adapter of this process if that has the faults of a mode, otherwise a process.
func faultyAdapter(t *testing.T, mode string, timeout time.Duration) adapter.Implementation {
	t.Helper()
	if judgetest.OfAnswers(mode) {
		return judgetest.Adapter(mode)
	}
	if runtime.GOOS == "windows" {
		t.Skip("the faults of the processes are those of Unix")
	}
	child, err := adapter.NewChild(judgetest.Command(mode), adapter.Options{Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Close() })
	return child
}

// TestFaultyAdapters: every faulty adapter is found with the kind of its fault,
// and a correct adapter with unusual behaviour is not.
func TestFaultyAdapters(t *testing.T) {
	want := map[string][]Kind{
		"right": nil, "right-on-stderr": nil, "right-with-spaces": nil, "skips": nil,
		"accepts": {Verdict, Tree, Written}, "schema": {Verdict, Tree, Written}, "rejects": {Verdict, Written},
		"off-by-one":   {Tree},
		"forgets-flag": {Verdict}, "undeclared-flag": {Verdict}, "wrong-class": {Class}, "wrong-consumed": {Consumed},
		"wrong-bytes": {Written}, "errors": {Errored}, "ignores-trailing": {Verdict}, "pads": {Verdict},
		"clamps-counts": {Verdict}, "narrow-counts": {Verdict},
		"ignores-order": {Tree, Verdict, Written},
		"crashes-on":    {Crash}, "crashes-nth": {Flaky}, "ends-early": {Crash}, "hangs-on": {Timeout},
		"garbage-on": {Protocol}, "unknown-class": {Protocol}, "numbers": {Protocol}, "no-part": {Protocol},
		"wrong-offset": nil, // offsets are not compared
	}
	flags := map[string]ids.Flag{"forgets-flag": "upkg.ci-minus-zero", "undeclared-flag": "upkg.ci-minus-zero"}
	for mode, kinds := range want {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			timeout, count := testrun.Answer, some(900)
			switch mode {
			case "hangs-on":
				timeout = 700 * time.Millisecond
			case "crashes-nth":
				count = 60 // each crash costs two processes
			}
			r := mustRun(t, faultyAdapter(t, mode, timeout), adapter.NewReference(), Options{
				Types: types(t, "upkg.CompactIndex", "ubi.Array<Vector3>", "ubi.Vector3"),
				Count: count, Max: 6, Classes: mode == "wrong-class",
			})
			var got []Kind
			for _, f := range r.Findings {
				got = append(got, f.Kind)
				if f.Letter != "" && f.Kind != Verdict && f.Kind != Written && f.Letter != "A" {
					t.Errorf("%s is assigned to %s", f.Kind, f.Letter)
				}
				if id := flags[mode]; id != "" && !slices.Contains(f.Flags(), id) {
					t.Errorf("%s of %x does not name %s: %v", f.Kind, f.Bytes, id, f.Readings)
				}
			}
			slices.Sort(got)
			slices.Sort(kinds)
			if got = slices.Compact(got); !slices.Equal(got, kinds) {
				t.Errorf("findings of the kinds %v, want %v", got, kinds)
			}
			if mode == "skips" && (r.Types[0].Skipped != count || r.Types[0].BothAccepted > 0) {
				t.Errorf("skipped inputs are counted as %+v", r.Types[0])
			}
			if r.NoDifference() != (len(kinds) == 0 && mode != "skips") || r.Compared() == 0 != (mode == "skips") {
				t.Errorf("no difference: %v", r.NoDifference())
			}
		})
	}
}

// TestFaultyShrinks: a finding has a minimal input, also one that the search does not try.
func TestFaultyShrinks(t *testing.T) {
	long := changed{adapter.NewReference(), func(_ adapter.Request, a *adapter.Response) {
		if a.OK != nil && a.OK.Tree != nil && len(a.OK.Tree.Items) > 4 {
			*a = adapter.Response{Reject: &adapter.Reject{Class: "limits"}}
		}
	}}
	for _, c := range []struct {
		impl      adapter.Implementation
		typ, want string
	}{
		{faultyAdapter(t, "ignores-trailing", 0), "upkg.CompactIndex", "\x00\x00"}, // an index followed by one byte
		{faultyAdapter(t, "crashes-on", 0), "upkg.CompactIndex", ""},
		{faultyAdapter(t, "undeclared-flag", 0), "upkg.CompactIndex", "\x80"},
		{long, "ubi.Array<Vector3>", "\x05\x00\x00\x00" + strings.Repeat("\x00", 5*12)},
	} {
		r := mustRun(t, c.impl, adapter.NewReference(), Options{Types: types(t, c.typ), Count: 600})
		if len(r.Findings) != 1 || string(r.Findings[0].Bytes) != c.want {
			t.Errorf("found %+v, want one input: %x", r.Findings, c.want)
		}
	}
}

// TestConsumed: an answer with too few bytes consumed is found as one with too many is.
func TestConsumed(t *testing.T) {
	for _, more := range []int{-1, 1} {
		wrong := changed{adapter.NewReference(), func(_ adapter.Request, a *adapter.Response) {
			if a.OK != nil && a.OK.Consumed != nil {
				a.OK.Consumed = new(*a.OK.Consumed + more)
			}
		}}
		r := mustRun(t, wrong, adapter.NewReference(), Options{Types: types(t, "ubi.Vector3"), Count: 60})
		if len(r.Findings) != 1 || r.Findings[0].Kind != Consumed || r.Findings[0].Letter != "A" {
			t.Errorf("%+d bytes: found %+v", more, r.Findings)
		}
	}
}

// changed is the reference with answers that a function changes.
type changed struct {
	*adapter.Reference
	change func(q adapter.Request, a *adapter.Response)
}

func (f changed) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := f.Reference.Do(ctx, q)
	f.change(q, &a)
	return a, err
}

// TestTwoFaults: a fault is found also if another one of the same kind has a shorter
// input.
func TestTwoFaults(t *testing.T) {
	for name, change := range map[string]func(q adapter.Request, a *adapter.Response){
		"of a reader": func(q adapter.Request, a *adapter.Response) {
			if q.Op != adapter.OpDecode || a.OK == nil {
				return
			}
			reject := func(at int) { *a = adapter.Response{ID: a.ID, Reject: &adapter.Reject{Class: "value", Offset: &at}} }
			items := a.OK.Tree.Items
			for i, v := range items {
				if strings.HasPrefix(v.Items[v.Index("x")].Text, "-") {
					reject(4 + 12*i)
					return
				}
			}
			if len(items) == 0 {
				reject(0)
			}
		},
		"of a writer": func(q adapter.Request, a *adapter.Response) {
			if q.Op != adapter.OpRoundtrip || a.OK == nil {
				return
			}
			text := *a.OK.Hex
			if len(text) == 8 {
				a.OK.Hex = new(text + "00")
			} else if len(text) >= 8+2*24 {
				a.OK.Hex = new(text[:len(text)-2] + map[bool]string{true: "01", false: "00"}[strings.HasSuffix(text, "00")])
			}
		},
	} {
		r := mustRun(t, changed{adapter.NewReference(), change}, adapter.NewReference(), Options{
			Types: types(t, "ubi.Array<Vector3>"), Count: 1500,
		})
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s %x", f.Kind, f.Bytes))
		}
		if len(got) != 2 || r.NotExamined > 0 {
			t.Errorf("faults %s: %d more, %q", name, r.NotExamined, got)
		}
	}
}

// TestAcceptable: what a choice leaves open is no finding; the same with a wrong text is one.
func TestAcceptable(t *testing.T) {
	for name, wrong := range map[string]bool{"Latin-1": false, "Latin-1 without A": true} {
		r := mustRun(t, changed{adapter.NewReference(), func(q adapter.Request, a *adapter.Response) {
			if q.Op != adapter.OpDecode || a.OK == nil {
				return
			}
			n := a.OK.Tree
			text, err := tree.TextOf(n.Field("text"))
			if err != nil || n.Field("form").Text != "bytes" {
				return
			}
			var latin []rune
			for _, b := range []byte(text) {
				if !wrong || b != 'A' {
					latin = append(latin, rune(b))
				}
			}
			n.Items[n.Index("text")] = tree.Node{Kind: tree.Text, Text: string(latin)}
		}}, adapter.NewReference(), Options{Types: types(t, "uasset.FString"), Count: 1500})
		if tr := r.Types[0]; tr.Acceptable < 20 || (tr.Different > 0) != wrong {
			t.Errorf("%s: %d inputs acceptable, %d differ", name, tr.Acceptable, tr.Different)
		}
	}
	for clause, choice := range map[ids.Clause]bool{"UPKG-PKG-5": true, "UPKG-PKG-3": false} {
		r := mustRun(t, changed{adapter.NewReference(), accept("", clause)}, adapter.NewReference(), Options{
			Types: types(t, "upkg.Package"), Count: 1500,
		})
		if tr := r.Types[0]; (tr.Acceptable > 0) != choice || (tr.Different > 0) == choice {
			t.Errorf("%s: %d inputs acceptable, %d differ", clause, tr.Acceptable, tr.Different)
		}
	}
}

// TestSidesOfFlags: a difference between two sides of a flag names the flag.
func TestSidesOfFlags(t *testing.T) {
	documented := adapter.NewReferenceUnder(ids.Documented())
	r := mustRun(t, documented, adapter.NewReferenceUnder(ids.Observed()),
		Options{Types: types(t, "ka.Archive", "ka.Value", "upkg.CompactIndex"), Count: some(3000), Seed: 1, Max: 40})
	if r.Profile.String() != ids.SideDocumented {
		t.Errorf("requests carry %s, A declares documented", r.Profile)
	}
	var named []string
	for _, f := range r.Findings {
		if len(f.Readings) > 0 && f.Readings[0].Letter == "B" {
			named = append(named, f.Readings[0].Sides[0].String())
		}
	}
	for _, want := range []string{
		"ka.bool=observed", "ka.none=observed", "ka.magic=observed", "ka.nested-length=observed", "ka.wide-unit=observed",
		"upkg.ci-range=observed", // the other ones reject; here the trees differ
	} {
		if !slices.Contains(named, want) {
			t.Errorf("%s is not found; found: %v", want, named)
		}
	}
	for _, f := range r.Findings {
		if needed := sidesNeeded(f); len(f.Readings) == 0 && len(needed) <= maxFlags {
			t.Errorf("%s %+v names no flag, though B answers so because of %v", f.Kind, f.Tree, needed)
		}
	}
}

// sidesNeeded lists sides of the observed profile without which the reference does
// not answer as B does: sides are taken back to documented, one after another, while
// the answer stays.
func sidesNeeded(f *Finding) (needed []FlagSide) {
	asB := func(p ids.Profile) bool {
		r := &run{report: &Report{Profile: p}, ref: adapter.NewReference()}
		a := r.askReference(f.Op, f.Input, p)
		if a.Reject != nil && f.B.Reject != nil {
			return a.Reject.Class == f.B.Reject.Class
		}
		return answerOf(&a).Text == f.B.Text
	}
	p := ids.Observed()
	for _, s := range otherSides(f.Type.Family(), ids.Documented()) {
		if s.Side != p.Side(s.Flag) {
			continue
		}
		without, _ := p.With(s.Flag, ids.Documented().Side(s.Flag)) // the flag has this side
		if asB(without) {
			p = without
		} else {
			needed = append(needed, s)
		}
	}
	return needed
}

func TestInvalidCalls(t *testing.T) {
	ref, name := adapter.NewReference(), types(t, "upkg.Name")
	if _, err := Run(t.Context(), ref, ref, Options{Types: name}); err == nil {
		t.Error("Run accepts options without a limit")
	}
	invalid := map[string]string{"version": "x"}
	if _, err := Run(t.Context(), ref, ref, Options{Types: name, Count: 1, Context: invalid}); err == nil {
		t.Error("Run accepts an invalid context")
	}
	t.Setenv(judgetest.TypesEnv, "upkg.Header,ubi.Array")
	few := judgetest.Adapter("right-by-structure")
	if _, err := Run(t.Context(), ref, few, Options{Types: name, Count: 1}); err != ErrNoType {
		t.Errorf("without common types the error is %v", err)
	}
	for lists, not := range map[string]string{"upkg.Header": "upkg.Name", "ubi.Array<Vector3>": "ubi.Vector3"} {
		r := mustRun(t, ref, few, Options{Types: types(t, lists, not), Count: 10})
		if len(r.Types) != 1 || r.Types[0].Type != lists || r.Compared() == 0 || !slices.Equal(r.NotCommon, []string{not}) {
			t.Errorf("%+v", r)
		}
	}
}

// TestLimitsAreNoDifference: inputs that exceed the limits of one are not
// compared.
func TestLimitsAreNoDifference(t *testing.T) {
	limited := changed{adapter.NewReference(), func(q adapter.Request, a *adapter.Response) {
		if q.Hex != nil && len(*q.Hex) > 40 {
			*a = adapter.Response{Reject: &adapter.Reject{Class: "limit"}}
		}
	}}
	r := mustRun(t, limited, adapter.NewReference(), Options{Types: types(t, "upkg.Name"), Count: 1000})
	if !r.NoDifference() || r.Types[0].Skipped == 0 {
		t.Errorf("%+v", r.Types[0])
	}
}

// TestInterrupted: when the context ends, the findings so far are returned
// without shrinking.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, adapter.NewReferenceUnder(ids.Documented()), adapter.NewReferenceUnder(ids.Observed()), Options{
		Types: types(t, "upkg.Name", "upkg.Package"), Vectors: vectors(t), Duration: time.Hour,
		Progress: func(p Progress) {
			if p.Inputs >= 500 {
				cancel()
			}
		},
	})
	if err != context.Canceled || len(r.Types) != 1 || len(r.Findings) == 0 || r.NoDifference() {
		t.Errorf("%v, %+v", err, r)
	}
}

// vectorOf returns the vector that a draft becomes with a comment and a verdict in each
// section. It checks that the draft is invalid without one of them.
func vectorOf(t *testing.T, d *draft.Draft, verdict string) *corpus.Vector {
	t.Helper()
	noVerdict := strings.NewReplacer(draft.NoComment, "What is shown", draft.NoSource, "by hand").
		Replace(string(d.Text()))
	verdicts := strings.NewReplacer("-- bytes --", "-- bytes --", "-- tree --", "-- tree --",
		" --\n", " --\n"+verdict+"\n")
	for text, want := range map[string]string{
		verdicts.Replace(string(d.Text())): "placeholders to replace: line 1", noVerdict: "a verdict is missing",
	} {
		if _, err := corpus.Parse(d.ID, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %q, the error is %v", d.ID, want, err)
		}
	}
	v, err := corpus.Parse(d.ID, []byte(verdicts.Replace(noVerdict)))
	if err != nil {
		t.Fatalf("%v in\n%s", err, noVerdict)
	}
	return v
}

// TestDraft: a draft is invalid without a verdict, and becomes a valid vector
// with one.
func TestDraft(t *testing.T) {
	r := mustRun(t, adapter.NewReferenceUnder(ids.Documented()), adapter.NewReferenceUnder(ids.Observed()), Options{
		Types: types(t, "ubi.Array<BasicString>", "upkg.Name", "uasset.Texture2D", "ka.Value"),
		Count: some(1500),
	})
	if len(r.Findings) < 4 {
		t.Errorf("only %d findings", len(r.Findings))
	}
	for _, f := range r.Findings {
		d := r.Draft(f)
		text := string(d.Text())
		v := vectorOf(t, d, "reject value @0")
		if string(v.Bytes) != string(f.Bytes) || v.Type != f.Type.Name || !reflect.DeepEqual(v.Context, f.Context) {
			t.Errorf("the draft has another input:\n%s", text)
		}
		for _, l := range v.Lines {
			if l.Note == "" {
				t.Errorf("bytes without annotation:\n%s", text)
			}
		}
		for _, want := range []string{"A (formatgauge): ", "B (formatgauge): ", "DRAFT", "the documents decide"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
	}
}

// lose removes from answers what a view loses.
func lose(id string) func(adapter.Request, *adapter.Response) {
	return func(q adapter.Request, a *adapter.Response) {
		if typ, ok := codec.Find(q.Type); ok && a.OK != nil && a.OK.Tree != nil {
			view, _ := schema.NewView([]string{id})
			n, _, _ := view.Project(typ, *a.OK.Tree)
			a.OK.Tree = &n
		}
	}
}

// TestViews: what a view loses is no difference in the view, and is one without.
func TestViews(t *testing.T) {
	for _, c := range []struct {
		view, typ string
		change    func(adapter.Request, *adapter.Response)
	}{
		{"ka.texts", "ka.BodyV0x0002", lose("ka.texts")},
		{"ka.map", "ka.BodyV0x0001", lose("ka.map")},
		{"float.values", "ka.Float", lose("float.values")},
		{"upkg.tables", "upkg.Package", lose("upkg.tables")},
		// The fault of the table is in a part that is lost: accepting it is right.
		{"ka.texts", "ka.BodyV0x0002", accept("fastNames[", "")},
	} {
		opts := Options{Types: types(t, c.typ), Count: 400}
		views := []string{c.view}
		r := mustRun(t, changed{adapter.NewReference().WithViews(views), c.change}, adapter.NewReference(), opts)
		if !r.NoDifference() || !slices.Equal(r.Views, views) || r.Types[0].BothAccepted == 0 ||
			c.view == "ka.texts" && r.Types[0].Skipped == 0 {
			t.Errorf("%s: %d findings, views %q, %+v", c.view, len(r.Findings), r.Views, r.Types[0])
		}
		if r := mustRun(t, changed{adapter.NewReference(), c.change}, adapter.NewReference(), opts); r.NoDifference() {
			t.Errorf("%s: no difference without the view", c.view)
		}
	}
}

// accept accepts faults whose path contains a text, and of one clause if there is one.
func accept(path string, clause ids.Clause) func(adapter.Request, *adapter.Response) {
	return func(q adapter.Request, a *adapter.Response) {
		if q.Op == adapter.OpDecode && a.Reject != nil && strings.Contains(a.Reject.Path, path) &&
			(clause == "" || a.Reject.Clause == clause) {
			typ, _ := codec.Find(q.Type)
			n, _ := tree.FromModel(codec.Deref(typ.New()))
			*a = adapter.Response{OK: &adapter.OK{Tree: &n}}
		}
	}
}
