package judge_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	words "github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
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

// without omits fields of objects that have all of them.
func without(names ...string) func(tree.Node) tree.Node {
	return func(n tree.Node) tree.Node {
		out := tree.Node{Kind: n.Kind, Text: n.Text}
		has := 0
		for i, item := range n.Items {
			if n.Kind == tree.Object && slices.Contains(names, n.Names[i]) {
				has++
				continue
			}
			out.Items = append(out.Items, item)
			if n.Kind == tree.Object {
				out.Names = append(out.Names, n.Names[i])
			}
		}
		if has < len(names) {
			return n
		}
		return out
	}
}

func resolve(n tree.Node) tree.Node {
	n = set([]string{"text", "id"}, map[string]tree.Node{"id": {}})(n)
	return set([]string{"fastNames"}, map[string]tree.Node{"fastNames": {}})(n)
}

// toMap keeps the last pair of each key, the greatest key first.
func toMap(n tree.Node) tree.Node {
	i := slices.Index(n.Names, "children")
	if i < 0 {
		return n
	}
	key := func(pair tree.Node) string { return pair.Field("key").Field("value").Field("text").String() }
	pairs := map[string]tree.Node{}
	var keys []string
	for _, pair := range n.Items[i].Items {
		pairs[key(pair)] = pair
		keys = append(keys, key(pair))
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	slices.Reverse(keys)
	list := tree.Node{Kind: tree.List}
	for _, k := range keys {
		list.Items = append(list.Items, pairs[k])
	}
	n.Items[i] = list
	return n
}

// inDoubles replaces each NaN by that of a processor.
func inDoubles(n tree.Node) tree.Node {
	if n.Kind == tree.Text && strings.HasPrefix(n.Text, "nan:") {
		n.Text = map[int]string{12: "nan:ffc00000", 20: "nan:fff8000000000000"}[len(n.Text)]
	}
	return n
}

type plantedView struct {
	view   string
	family string
	lose   func(tree.Node) tree.Node
}

var plantedViews = []plantedView{
	{"ka.texts", "ka", resolve},
	{"ka.map", "ka", toMap},
	{"float.values", "", inDoubles},
	// data is a field of several types; that of a package comes with exports.
	{"upkg.tables", "upkg", func(n tree.Node) tree.Node {
		if !slices.Contains(n.Names, "exports") {
			return n
		}
		return without("data")(n)
	}},
	{"upkg.short-header", "upkg", without("heritage", "identity")},
	{"upkg.no-heritages", "upkg", without("heritages")},
	{"upkg.name-texts", "upkg", without("wide")},
	{"upkg.no-name-flags", "upkg", func(n tree.Node) tree.Node {
		if !slices.Contains(n.Names, "name") { // the header has flags too
			return n
		}
		return without("flags")(n)
	}},
	{"upkg.folded-names", "upkg", func(n tree.Node) tree.Node {
		if i := slices.Index(n.Names, "text"); i >= 0 && n.Items[i].Kind == tree.Text && n.Field("wide").Kind != tree.Null {
			n.Items[i].Text = strings.ToUpper(n.Items[i].Text)
		}
		return n
	}},
	{"uasset.tables", "uasset", without("objects", "bulkData")},
	{"uasset.raw-properties", "uasset", set([]string{"properties", "texture", "data"}, map[string]tree.Node{
		"properties": {}, "data": {Kind: tree.Text, Text: "0102"},
	})},
	{"uasset.short-tables", "uasset", func(n tree.Node) tree.Node {
		n = without("savedByEngineVersion", "compatibleWithEngineVersion", "compressionFlags")(n)
		return without("forcedExport", "notForClient", "notForServer", "packageGuid", "packageFlags",
			"notAlwaysLoadedForEditorGame", "isAsset", "firstExportDependency", "serializationBeforeSerializationDependencies",
			"createBeforeSerializationDependencies", "serializationBeforeCreateDependencies",
			"createBeforeCreateDependencies")(n)
	}},
}

// runLosing judges a share of the small vectors of a family, or of all if it is empty, under
// observed, and with derived set also their derived cases: these are most of the work.
func runLosing(t *testing.T, family string, share uint32, impl adapter.Implementation, derived bool) *judge.Report {
	t.Helper()
	return judgedBy(t, impl, smallVectors(t), judge.Options{
		Profiles: []ids.Profile{ids.Observed()}, NoDerived: !derived, Filter: func(v *corpus.Vector) bool {
			return (family == "" || v.Family() == family) && testrun.Sampled(v.ID, share)
		},
	})
}

const failed = 3

// listFailed returns some failures.
func listFailed(r *judge.Report) []string {
	var out []string
	for i := range r.Results {
		if res := &r.Results[i]; res.Status.Failed() && len(out) < failed {
			out = append(out, res.ID+" under "+res.Profile.String()+": "+string(res.Op)+" "+words.What(res.Outcome))
		}
	}
	return out
}

// TestViewsPlantedRight: an implementation that loses exactly what a view loses
// conforms in the view, and fails without it.
func TestViewsPlantedRight(t *testing.T) {
	for _, c := range plantedViews {
		t.Run(c.view, func(t *testing.T) {
			in := runLosing(t, c.family, 8, losing(adapter.NewReference(), c.lose, c.view), true)
			if !in.Conformant() || in.Count(judge.Acceptable) > 0 || !slices.Equal(in.Hello.Views, []string{c.view}) {
				t.Errorf("in the view: %d failures, %d differ or are wider, %q", in.Count(judge.Fail), in.Count(judge.Acceptable),
					listFailed(in))
			}
			out := runLosing(t, c.family, 8, losing(adapter.NewReference(), c.lose), false)
			if out.Count(judge.Fail) == 0 {
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
				if r.Status == judge.NotApplicable && r.View != c.view && r.Reason == judge.LostFault {
					t.Errorf("%s is not applicable: %+v", r.ID, r.Outcome)
				}
			}
			if excused > vectors/10 {
				t.Errorf("%d of %d vectors are not applicable because of the view", excused, vectors)
			}
			// Any other view does not help.
			other := "ka.texts"
			if c.family == "ka" {
				other = "float.values"
			}
			if runLosing(t, c.family, 8, losing(adapter.NewReference(), c.lose, other), false).Conformant() {
				t.Errorf("conforms in the view %s", other)
			}
		})
	}
}

// TestViewsTogether: the parts that several views lose are lost together.
func TestViewsTogether(t *testing.T) {
	both := func(n tree.Node) tree.Node { return toMap(resolve(n)) }
	r := runLosing(t, "ka", 8, losing(adapter.NewReference(), both, "ka.texts", "ka.map"), true)
	if !r.Conformant() {
		t.Errorf("%q", listFailed(r))
	}
	for _, one := range []string{"ka.texts", "ka.map"} {
		if runLosing(t, "ka", 8, losing(adapter.NewReference(), both, one), false).Conformant() {
			t.Errorf("conforms in the view %s alone", one)
		}
	}
}

// TestViewsPlantedWrong: a view excuses nothing else.
func TestViewsPlantedWrong(t *testing.T) {
	accepts := func(want func(path string) bool) func(adapter.Request, *adapter.Response) bool {
		return func(q adapter.Request, a *adapter.Response) bool {
			if a.Reject == nil || !want(a.Reject.Path) {
				return false
			}
			typ, _ := codec.Find(q.Type)
			n, err := tree.FromModel(codec.Deref(typ.New()))
			if err != nil {
				n = tree.Node{}
			}
			*a = adapter.Response{ID: q.ID, OK: &adapter.OK{Tree: &n}}
			return true
		}
	}
	inTable := func(path string) bool { return strings.Contains(path, "fastNames[") || strings.HasSuffix(path, ".id") }
	for name, c := range map[string]struct {
		view, family string
		lose         func(tree.Node) tree.Node
		answer       func(adapter.Request, *adapter.Response) bool
		conformant   bool
		class        judge.Class // of each failure
	}{
		"a wrong text": {"ka.texts", "ka", func(n tree.Node) tree.Node {
			if n.Field("id").Kind == tree.Text && slices.Contains(n.Names, "text") {
				n = set(nil, map[string]tree.Node{"text": {Kind: tree.Text, Text: "?"}})(n)
			}
			return resolve(n)
		}, nil, false, judge.WrongTree},
		"a lost pair": {"ka.map", "ka", func(n tree.Node) tree.Node {
			n = toMap(n)
			if i := slices.Index(n.Names, "children"); i >= 0 && len(n.Items[i].Items) == 2 {
				n.Items[i].Items = n.Items[i].Items[1:]
			}
			return n
		}, nil, false, judge.WrongTree},
		"a NaN as 0": {"float.values", "", func(n tree.Node) tree.Node {
			if n.Kind == tree.Text && strings.HasPrefix(n.Text, "nan:") {
				n.Text = "0"
			}
			return n
		}, nil, false, ""},
		"a wrong name": {"upkg.tables", "upkg", func(n tree.Node) tree.Node {
			n = plantedViews[3].lose(n)
			if slices.Contains(n.Names, "wide") {
				n = set(nil, map[string]tree.Node{"text": {Kind: tree.Text, Text: "?"}})(n)
			}
			return n
		}, nil, false, ""},
		"a wrong texture": {
			"uasset.raw-properties", "uasset",
			set([]string{"properties", "texture", "data"}, map[string]tree.Node{
				"properties": {}, "texture": {}, "data": {Kind: tree.Text},
			}), nil, false, judge.WrongTree,
		},
		// Accepting is right where the fault is in a lost part, and only there.
		"accepts faults of the table": {"ka.texts", "ka", resolve, accepts(inTable), true, ""},
		"accepts faults of the values": {
			"ka.texts", "ka", resolve,
			accepts(func(path string) bool { return !inTable(path) && path != "" }), false, judge.Accepted,
		},
		"accepts faults of pairs": {
			"ka.map", "ka", toMap,
			accepts(func(path string) bool { return strings.Contains(path, "children[") }), false, judge.Accepted,
		},
		// An answer is required.
		"errors at faults of the table": {"ka.texts", "ka", resolve, func(q adapter.Request, a *adapter.Response) bool {
			if a.Reject != nil && inTable(a.Reject.Path) {
				*a = adapter.Response{ID: q.ID, Error: &adapter.Fault{Message: "KeyError"}}
				return true
			}
			return false
		}, false, judge.Errored},
	} {
		t.Run(name, func(t *testing.T) {
			impl := losing(adapter.NewReference(), c.lose, c.view)
			lossy := impl.alter
			impl.alter = func(q adapter.Request, a adapter.Response) adapter.Response {
				if q.Op == adapter.OpDecode && c.answer != nil && c.answer(q, &a) {
					return a
				}
				return lossy(q, a)
			}
			share := uint32(8)
			if c.family == "ka" { // of few vectors
				share = 1
			}
			r := runLosing(t, c.family, share, impl, false)
			if r.Conformant() != c.conformant {
				t.Errorf("conformant: %v, %q", r.Conformant(), listFailed(r))
			}
			for i := range r.Results {
				if res := &r.Results[i]; c.class != "" && res.Status.Failed() && res.Class != c.class {
					t.Errorf("%s: class %s, want %s: %s", res.ID, res.Class, c.class, words.What(res.Outcome))
					break
				}
			}
		})
	}
}

// TestViewOfDuplicateKeys: a map is judged by the pair that its profile keeps,
// whatever its order, and is not asked to write several pairs.
func TestViewOfDuplicateKeys(t *testing.T) {
	for side, ok := range map[string]bool{"last": true, "first": false} {
		p := profileOf(t, "observed,ka.duplicate-key="+side)
		impl := losing(adapter.NewReference(), toMap, "ka.map")
		impl.follows = "observed" // keeps all pairs, of which toMap keeps the last
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

// TestViewOfFingerprint: what a view loses contradicts no side.
func TestViewOfFingerprint(t *testing.T) {
	vectors := only(vectorsOf(t, "ka"), isSmall)
	profile := profileOf(t, "observed,ka.wide-unit=utf16")
	print := func(views ...string) *judge.FingerprintResult {
		impl := losing(adapter.NewReferenceUnder(profile), resolve, views...)
		return fingerprintOf(t, impl, vectors, judge.Options{})
	}
	if s := print("ka.texts"); !s.Definite() || s.Profile.String() != profile.String() {
		t.Errorf("definite %v, profile %s", s.Definite(), s.Profile)
	}
	if print().Definite() {
		t.Error("definite without the view")
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
			if o.Reason == judge.LostPart {
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
	impl := losing(adapter.NewReference(), resolve, "ka.nothing")
	_, err := judge.Run(context.Background(), impl, nil, judge.Options{})
	if err == nil || !strings.Contains(err.Error(), "ka.texts, ka.map") {
		t.Error(err)
	}
}
