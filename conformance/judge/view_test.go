package judge_test

import (
	"context"
	"fmt"
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
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// losing reads as a reference does and loses a part of each object, after its parts. It
// writes what remains.
func losing(ref *adapter.Reference, lose func(tree.Node) tree.Node, views ...string) *altered {
	return &altered{Reference: ref, views: views, alter: func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Op == adapter.OpEncode {
			return a
		}
		decode := q
		decode.Op = adapter.OpDecode
		a, _ = ref.Do(context.Background(), decode)
		a = inTrees(lose)(q, a)
		if a.OK == nil || q.Op == adapter.OpDecode {
			return a
		}
		// What was lost is missing in the value to write. null for a number would be
		// an error of the caller.
		if t, _ := codec.Find(q.Type); t != nil {
			if _, err := tree.Normalize(t, *a.OK.Tree); err != nil {
				return adapter.Response{ID: q.ID, Reject: &adapter.Reject{Class: "range"}}
			}
		}
		q.Op, q.Hex, q.Tree = adapter.OpEncode, nil, a.OK.Tree
		a, _ = ref.Do(context.Background(), q)
		return a
	}}
}

// everywhere applies a change to each part of a tree, the innermost first.
func everywhere(n tree.Node, change func(tree.Node) tree.Node) tree.Node {
	n.Items = slices.Clone(n.Items)
	for i := range n.Items {
		n.Items[i] = everywhere(n.Items[i], change)
	}
	return change(n)
}

// inTrees changes each part of the trees that are read.
func inTrees(change func(tree.Node) tree.Node) alteration {
	return func(_ adapter.Request, a adapter.Response) adapter.Response {
		if a.OK != nil && a.OK.Tree != nil {
			a.OK.Tree = new(everywhere(*a.OK.Tree, change))
		}
		return a
	}
}

// set replaces fields of objects that have all of the given fields.
func set(with []string, values map[string]tree.Node) func(tree.Node) tree.Node {
	return func(n tree.Node) tree.Node {
		for _, name := range with {
			if !slices.Contains(n.Names, name) {
				return n
			}
		}
		for i, name := range n.Names {
			if v, ok := values[name]; ok {
				n.Items[i] = v
			}
		}
		return n
	}
}

// lossOf returns what an implementation loses that has views: the parts that their records
// name, in each object that has the fields of the structure.
func lossOf(t *testing.T, views ...string) func(tree.Node) tree.Node {
	t.Helper()
	of := map[string][]spec.Projection{} // by the names of these fields
	nan := false
	for _, id := range views {
		view, _ := spec.FindView(id)
		for _, line := range view.Projections {
			p, err := spec.ParseProjection(line)
			if err != nil {
				t.Fatal(err)
			}
			if nan = nan || p.Kind == spec.NaN; p.Kind == spec.NaN {
				continue
			}
			at := strings.LastIndex(p.Field, ".")
			typ, _ := codec.Find(p.Field[:at])
			model, err := tree.FromModel(codec.Deref(typ.New()))
			if err != nil {
				t.Fatal(err)
			}
			fields := strings.Join(model.Names, " ")
			p.Field = p.Field[at+1:]
			of[fields] = append(of[fields], p)
		}
	}
	return func(n tree.Node) tree.Node {
		if nan && strings.HasPrefix(n.Text, tree.NaNBits) { // that of a processor
			n.Text = map[int]string{12: "nan:ffc00000", 20: "nan:fff8000000000000"}[len(n.Text)]
		}
		for _, p := range of[strings.Join(n.Names, " ")] {
			n = loseField(n, p)
		}
		return n
	}
}

// loseField loses what a projection names: of a map it keeps the last pair of each key, the
// greatest key first.
func loseField(n tree.Node, p spec.Projection) tree.Node {
	i := slices.Index(n.Names, p.Field)
	if i < 0 {
		return n // lost already
	}
	key := func(pair tree.Node) string {
		for _, step := range p.By {
			pair = pair.Field(step)
		}
		return pair.String()
	}
	switch items := n.Items[i].Items; {
	case p.Kind == spec.Fold && n.Items[i].Kind == tree.Text:
		n.Items[i].Text = strings.ToUpper(n.Items[i].Text)
	case p.Kind == spec.Sort: // those with the same key keep their order
		slices.SortStableFunc(items, func(a, b tree.Node) int { return strings.Compare(key(b), key(a)) })
	case p.Kind == spec.Map:
		slices.Reverse(items)
		slices.SortStableFunc(items, func(a, b tree.Node) int { return strings.Compare(key(b), key(a)) })
		n.Items[i].Items = slices.CompactFunc(items, func(a, b tree.Node) bool { return key(a) == key(b) })
	case p.Field == "data": // bytes that are not divided into fields
		n.Items[i] = tree.FromText("0102")
	case p.Kind == spec.Drop, p.Kind == spec.End:
		n.Names = slices.Delete(slices.Clone(n.Names), i, i+1)
		n.Items = slices.Delete(n.Items, i, i+1)
	}
	return n
}

// runLosing judges by a share of the small vectors of the family of a view, under observed,
// and with derived set also by their derived cases: these are most of the work. What a
// choice leaves open fails too.
func runLosing(t *testing.T, view string, share uint32, impl adapter.Implementation, derived bool) *judge.Report {
	t.Helper()
	family, _, _ := strings.Cut(view, ".")
	vectors := only(smallVectors(t), func(v *corpus.Vector) bool {
		return (family == "float" || v.Family() == family) && testrun.Sampled(v.ID, share)
	})
	return judgedBy(t, impl, vectors,
		judge.Options{Profiles: []ids.Profile{ids.Observed()}, NoDerived: !derived, FailAcceptable: true})
}

// listFailed returns some failures.
func listFailed(r *judge.Report) []string {
	var out []string
	for _, res := range failures(r) {
		if len(out) < 3 {
			out = append(out, res.ID+" under "+res.Profile.String()+": "+string(res.Op)+" "+words.What(res.Outcome))
		}
	}
	return out
}

// TestViewsPlantedRight: an implementation that loses exactly what a view loses
// conforms in the view, and fails without it.
func TestViewsPlantedRight(t *testing.T) {
	for _, v := range spec.Views() {
		t.Run(v.ID, func(t *testing.T) {
			lose, share := lossOf(t, v.ID), uint32(8)
			if v.ID == "upkg.index-values" { // of few vectors
				share = 1
			}
			in := runLosing(t, v.ID, share, losing(adapter.NewReference(), lose, v.ID), true)
			if !in.Conformant() || !slices.Equal(in.Hello.Views, []string{v.ID}) {
				t.Errorf("in the view %q: %q", in.Hello.Views, listFailed(in))
			}
			out := runLosing(t, v.ID, share, losing(adapter.NewReference(), lose), false)
			if out.Conformant() {
				t.Error("conforms without the view")
			}
			without := map[string]judge.Status{}
			for i := range out.Results {
				without[out.Results[i].ID] = out.Results[i].Status
			}
			// The view excuses what is lost and little else. A value to encode
			// that has the lost field cannot be asked for at all.
			vectors, excused := 0, 0
			for i := range in.Results {
				r := &in.Results[i]
				if !r.Derived && !r.Vector.EncodeOnly() {
					vectors++
					if r.Status == judge.NotApplicable && without[r.ID] != judge.NotApplicable {
						excused++
					}
				}
				if r.Status == judge.NotApplicable && r.View != v.ID && r.Reason == judge.LostFault {
					t.Errorf("%s is not applicable: %+v", r.ID, r.Outcome)
				}
			}
			if excused > vectors/10 {
				t.Errorf("%d of %d vectors are not applicable because of the view", excused, vectors)
			}
			// Any other view does not help.
			other := "ka.texts"
			if strings.HasPrefix(v.ID, "ka.") {
				other = "float.values"
			}
			if runLosing(t, v.ID, share, losing(adapter.NewReference(), lose, other), false).Conformant() {
				t.Errorf("conforms in the view %s", other)
			}
		})
	}
}

// TestViewsTogether: the parts that several views lose are lost together.
func TestViewsTogether(t *testing.T) {
	both := lossOf(t, "ka.texts", "ka.map")
	r := runLosing(t, "ka.map", 8, losing(adapter.NewReference(), both, "ka.texts", "ka.map"), true)
	if !r.Conformant() {
		t.Errorf("%q", listFailed(r))
	}
	for _, one := range []string{"ka.texts", "ka.map"} {
		if runLosing(t, one, 8, losing(adapter.NewReference(), both, one), false).Conformant() {
			t.Errorf("conforms in the view %s alone", one)
		}
	}
}

// TestViewsPlantedWrong: a view excuses nothing else.
func TestViewsPlantedWrong(t *testing.T) {
	inTable := func(path string) bool { return strings.Contains(path, "fastNames[") || strings.HasSuffix(path, ".id") }
	wrongText := set(nil, map[string]tree.Node{"text": tree.FromText("?")})
	for name, c := range map[string]struct {
		view    string
		mistake func(tree.Node) tree.Node // in a part of what is read, before the view loses its own
		accepts func(path string) bool    // also inputs with a fault there
		classes string                    // of the failures
	}{
		"a wrong text": {"ka.texts", func(n tree.Node) tree.Node {
			if n.Field("id").Kind == tree.Text {
				return wrongText(n)
			}
			return n
		}, nil, "tree"},
		"a lost pair": {"ka.map", func(n tree.Node) tree.Node {
			if i := slices.Index(n.Names, "children"); i >= 0 && len(n.Items[i].Items) == 2 {
				n.Items[i].Items = n.Items[i].Items[1:]
			}
			return n
		}, nil, "tree"},
		"a NaN as 0": {"float.values", func(n tree.Node) tree.Node {
			if strings.HasPrefix(n.Text, tree.NaNBits) {
				n.Text = "0"
			}
			return n
		}, nil, "tree"},
		"a wrong name": {"upkg.tables", func(n tree.Node) tree.Node {
			if slices.Contains(n.Names, "wide") {
				return wrongText(n)
			}
			return n
		}, nil, "tree"},
		"a wrong texture": {
			"uasset.raw-properties", set([]string{"properties", "texture", "data"}, map[string]tree.Node{"texture": {}}),
			nil, "tree",
		},
		// Accepting is right where the fault is in a lost part, and only there.
		"accepts faults of the table": {"ka.texts", nil, inTable, ""},
		"accepts faults of the values": {
			"ka.texts", nil, func(path string) bool { return !inTable(path) && path != "" }, "accepted",
		},
		"accepts faults of pairs": {
			"ka.map", nil, func(path string) bool { return strings.Contains(path, "children[") }, "accepted",
		},
		"errors at faults of the table": {"ka.texts", nil, inTable, "error"}, // an answer is required
	} {
		t.Run(name, func(t *testing.T) {
			lose := lossOf(t, c.view)
			impl := losing(adapter.NewReference(), func(n tree.Node) tree.Node {
				if c.mistake != nil {
					n = c.mistake(n)
				}
				return lose(n)
			}, c.view)
			lossy := impl.alter
			impl.alter = func(q adapter.Request, a adapter.Response) adapter.Response {
				switch at := a.Reject; {
				case at == nil || q.Op != adapter.OpDecode || c.accepts == nil || !c.accepts(at.Path):
					return lossy(q, a)
				case c.classes == "error":
					return answerOf(t, "error KeyError")
				}
				return judgetest.Wider(q)
			}
			share := uint32(8)
			if strings.HasPrefix(c.view, "ka.") { // of few vectors
				share = 1
			}
			r := runLosing(t, c.view, share, impl, false)
			found := slices.Sorted(maps.Keys(failureClasses(r)))
			if got := strings.Trim(fmt.Sprint(found), "[]"); got != c.classes {
				t.Errorf("failures of the classes %q, want %q: %q", got, c.classes, listFailed(r))
			}
		})
	}
}

// TestViewOfDuplicateKeys: a map is judged by the pair that its profile keeps,
// whatever its order, and is not asked to write several pairs.
func TestViewOfDuplicateKeys(t *testing.T) {
	for side, ok := range map[string]bool{"last": true, "first": false} {
		p := profileOf(t, "observed,ka.duplicate-key="+side)
		impl := losing(adapter.NewReference(), lossOf(t, "ka.map"), "ka.map")
		impl.follows = "observed" // keeps all pairs, of which the loss keeps the last
		v := corpustest.Find(t, "ka/BodyV0x0001/key-twice-at-its-own-position")
		if r := judged(t, impl, []*corpus.Vector{v}, p); r.Conformant() != ok {
			t.Errorf("%s: conformant %v: %q", side, r.Conformant(), listFailed(r))
		}
	}
}

// TestImpliedView: under the sides last and first of ka.duplicate-key the order
// of pairs is not judged and nothing is to be encoded, without a declared view.
// Which pairs remain is judged.
func TestImpliedView(t *testing.T) {
	p := profileOf(t, "observed,ka.duplicate-key=last")
	v := corpustest.Find(t, "ka/BodyV0x0001/key-twice-at-its-own-position")
	written := corpustest.Find(t, "ka/BodyV0x0001/write-key-twice")
	for about, c := range map[string]struct {
		alter func(q *adapter.Request, n *tree.Node)
		want  judge.Status
	}{
		"reversed":  {func(_ *adapter.Request, n *tree.Node) { slices.Reverse(n.Items[0].Items) }, judge.Pass},
		"the first": {func(q *adapter.Request, _ *tree.Node) { q.Profile = "observed,ka.duplicate-key=first" }, judge.Fail},
		"all":       {func(q *adapter.Request, _ *tree.Node) { q.Profile = "observed" }, judge.Fail},
	} {
		impl := &altered{Reference: adapter.NewReference()}
		impl.alter = func(q adapter.Request, a adapter.Response) adapter.Response {
			if q.Op != adapter.OpDecode {
				t.Errorf("%s: asked to %s", about, q.Op)
			}
			c.alter(&q, &tree.Node{Items: make([]tree.Node, 1)})
			a, _ = impl.Reference.Do(context.Background(), q)
			c.alter(&q, a.OK.Tree)
			return a
		}
		r := judged(t, impl, []*corpus.Vector{v, written}, p)
		if len(r.Results) != 2 || r.Results[0].Status != c.want || r.Results[1].Status != judge.NotApplicable {
			t.Errorf("%s: %+v", about, r)
		}
	}
}

// TestLossyOps: what is written of a value that a view loses in part is asked for too, and
// judged in the view: the result says so. It does not count as written completely.
func TestLossyOps(t *testing.T) {
	all := []adapter.Op{adapter.OpDecode, adapter.OpRoundtrip, adapter.OpEncode}
	for _, c := range []struct {
		id, view    string
		asked, lost []adapter.Op
	}{
		{"ka/Archive/key-twice", "", all, nil},
		{"ka/Archive/key-twice", "ka.map", all, all[1:]},
		{"ka/Archive/key-twice", "ka.texts", all, nil},
		{"ka/Archive/duplicate-ids-in-a-nested-archive", "ka.texts", all, all[1:]},
		{"ka/BodyV0x0002/write", "ka.texts", all[2:], all[2:]},
		{"ka/BodyV0x0002/write-string-without-id", "ka.texts", all[2:], all[2:]},
		{"upkg/Package/export-count-of-all-ones", "upkg.tables", all[:1], nil}, // a rejection
	} {
		impl := observing(nil)
		impl.views = strings.Fields(c.view)
		r := judgedBy(t, impl, []*corpus.Vector{corpustest.Find(t, c.id)}, judge.Options{NoDerived: true})
		if r.Count(judge.Pass, judge.NotApplicable) != 1 {
			t.Errorf("%s in %q: %+v", c.id, c.view, r.Results)
		}
		var asked, lost []adapter.Op
		for _, q := range impl.requests {
			asked = append(asked, q.Op)
		}
		for _, o := range r.Results[0].Outcomes {
			rejected := strings.HasSuffix(c.id, "-without-id") // without the view: so there is no verdict
			if o.Reason == judge.LostPart && (o.Status == judge.Pass) != rejected {
				lost = append(lost, o.Op)
			}
		}
		if !slices.Equal(asked, c.asked) || !slices.Equal(lost, c.lost) {
			t.Errorf("%s in %q: asked to %v, want %v; lost %v, want %v", c.id, c.view, asked, c.asked, lost, c.lost)
		}
	}
}

// TestUnknownView: nothing is judged in a view that does not exist.
func TestUnknownView(t *testing.T) {
	_, err := judge.Run(t.Context(), losing(adapter.NewReference(), nil, "ka.nothing"), nil, judge.Options{})
	if err == nil || !strings.Contains(err.Error(), "ka.texts, ka.map") {
		t.Error(err)
	}
}
