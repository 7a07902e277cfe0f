package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
)

func mustParse(text string) tree.Node { return testrun.Must(tree.Parse([]byte(text))) }

func mustView(views ...string) *View { return testrun.Must(NewView(views)) }

func findType(t *testing.T, name string) *codec.Type {
	t.Helper()
	typ, ok := codec.Find(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	return typ
}

// archive is the body of an archive whose pairs are words: a key, and the digit that is its
// value. The key h is a in hex.
func archive(pairs string) string {
	keys := map[byte]string{'a': `"a"`, 'b': `"b"`, 'h': `{"hex": "61"}`}
	var out []string
	for pair := range strings.FieldsSeq(pairs) {
		out = append(out, fmt.Sprintf(`{"key": {"type": "STRING", "value": {"text": %s, "id": null}}, `+
			`"value": {"type": "INT32", "value": "%c"}}`, keys[pair[0]], pair[1]))
	}
	return `{"children": [` + strings.Join(out, ", ") + `]}`
}

func TestProject(t *testing.T) {
	nested := func(pairs string) string {
		return strings.Replace(archive("a1"), `"INT32", "value": "1"`,
			`"KEYED_ARCHIVE", "value": {"version": "0x0001", "fastNames": null, `+archive(pairs)[1:], 1)
	}
	name := func(text string) string { return `{"text": ` + text + `, "wide": false}` }
	withID := func(tree string) string { return strings.Replace(tree, `"a", "id": null`, `"a", "id": "7"`, 1) }
	const noID, none = `{"text": "a", "id": null}`, `{"fastNames": null, "children": []}`
	for _, c := range []struct {
		about, views, typ, in, want string // an empty want is in
		whole                       bool
	}{
		{"no view", "", "ka.String", withID(noID), "", true},
		{"no view, NaN without bits", "", "ka.Float", `"nan"`, `"nan:7fc00000"`, true},
		{"a NaN without bits", "float.values", "ka.Float", `"nan"`, "", false},

		{"an id", "ka.texts", "ka.String", withID(noID), noID, false},
		{"no id", "ka.texts", "ka.String", noID, "", true},
		{"the field omitted", "ka.texts", "ka.String", `{"text": "a"}`, noID, true},
		{"not an id", "ka.texts", "ka.String", `{"text": "a", "id": ["x"]}`, noID, false},
		{
			"an id of a variant", "ka.texts", "ka.Value", withID(`{"type": "FILEPATH", "value": ` + noID + `}`),
			`{"type": "FILEPATH", "value": ` + noID + `}`, false,
		},
		{
			"a table", "ka.texts", "ka.BodyV0x0002", `{"fastNames": [{"id": "7", "name": "a"}], "children": []}`,
			none, false,
		},
		{"an empty table", "ka.texts", "ka.BodyV0x0002", `{"fastNames": [], "children": []}`, none, false},
		{"an id of another type", "ka.texts", "ka.Uint32", `"7"`, "", true},

		{"order", "ka.map", "ka.BodyV0x0001", archive("b1 a2"), archive("a2 b1"), false},
		{"already in order", "ka.map", "ka.BodyV0x0001", archive("a1 b2"), "", false},
		{"one pair", "ka.map", "ka.BodyV0x0001", archive("a1"), "", true},
		{"a key twice", "ka.map", "ka.BodyV0x0001", archive("a1 b1 a2"), archive("a2 b1"), false},
		{"a key in two forms", "ka.map", "ka.BodyV0x0001", archive("h1 a2"), archive("a2"), false},
		{"nested", "ka.map", "ka.BodyV0x0001", nested("b1 a2"), nested("a2 b1"), false},
		{"order only", "ka.unordered", "ka.BodyV0x0001", archive("b1 a2 a1"), archive("a2 a1 b1"), false},
		{"order of a map", "ka.unordered ka.map", "ka.BodyV0x0001", archive("a1 a2"), archive("a2"), false},
		{"map without order", "ka.map ka.unordered", "ka.BodyV0x0001", archive("a1 a2"), archive("a2"), false},
		{
			"an array is a list", "ka.map", "ka.Array",
			`[{"type": "INT32", "value": "2"}, {"type": "INT32", "value": "1"}]`, "", true,
		},

		{"case", "upkg.folded-names", "upkg.Name", name(`"UnÉ"`), name(`"uné"`), false},
		{"lower case", "upkg.folded-names", "upkg.Name", name(`"a_1"`), "", false},
		{"no letters", "upkg.folded-names", "upkg.Name", name(`"_1"`), "", true},
		{"case in no UTF-8", "upkg.folded-names", "upkg.Name", name(`{"hex": "41c9"}`), name(`{"hex": "61c9"}`), false},
		{"case of another field", "upkg.folded-names", "ka.String", `{"text": "A", "id": null}`, "", true},

		{"a NaN", "float.values", "ka.Vector2", `{"x": "nan:7fc00001", "y": "1"}`, `{"x": "nan", "y": "1"}`, false},
		{"a NaN of 64 bits", "float.values", "ka.Float64", `"nan:fff8000000000000"`, `"nan"`, false},
		{"no NaN", "float.values", "ka.Vector2", `{"x": "-0", "y": "inf"}`, "", true},
		{"a text", "float.values", "ka.String", `{"text": "nan:7fc00001", "id": null}`, "", true},

		{"two views", "ka.texts ka.map", "ka.BodyV0x0001", withID(archive("b1 a2")), archive("a2 b1"), false},
	} {
		v := mustView(strings.Fields(c.views)...)
		in := mustParse(c.in)
		before := in.String()
		want := mustParse(cmp.Or(c.want, c.in)).String()
		got, whole, err := v.Project(findType(t, c.typ), in)
		if err != nil || got.String() != want || whole != c.whole {
			t.Errorf("%s: %v, whole %v, %v; want %s", c.about, got, whole, err, want)
		}
		if in.String() != before {
			t.Errorf("%s: the tree has been changed to %s", c.about, in)
		}
	}
}

// TestExpected: a NaN without bits matches any NaN, only if it is expected.
func TestExpected(t *testing.T) {
	const in = `{"type": "ARRAY", "value": [{"type": "FLOAT", "value": "nan"}, {"type": "FLOAT", "value": "0.50"}, {"type": "STRING", "value": {"text": "nan"}}]}`
	typ := findType(t, "ka.Value")
	for _, views := range [][]string{nil, {"ka.texts"}, {"float.values"}, {"ka.map"}} {
		v := mustView(views...)
		want, err := v.Expected(typ, mustParse(in))
		if err != nil ||
			!strings.Contains(want.String(),
				`[{"type": "FLOAT", "value": "nan"}, {"type": "FLOAT", "value": "0.5"}, {"type": "STRING", "value": {"text": "nan", "id": null}}]`) {
			t.Errorf("%q: %s, %v", views, want, err)
		}
		for value, equal := range map[string]bool{`"nan"`: true, `"nan:ffc00001"`: true, `"0"`: false} {
			got, _, err := v.Project(typ, mustParse(strings.Replace(in, `"nan"`, value, 1)))
			if err != nil || (tree.Compare(want, got) == nil) != equal {
				t.Errorf("%q: %s: %v, %v", views, value, tree.Compare(want, got), err)
			}
			if value == `"nan"` && views == nil && tree.Compare(got, want) == nil {
				t.Error("an answer without bits matches any NaN")
			}
		}
	}
}

// TestProjectRejects: a view accepts no other fault in the form of a tree.
func TestProjectRejects(t *testing.T) {
	for _, c := range [][3]string{
		{"ka.texts", "ka.String", `{"txt": "a"}`},
		{"ka.map", "ka.BodyV0x0001", `{"children": "none"}`},
		{"ka.map", "ka.BodyV0x0001", `{"children": [{"key": "a"}, {"key": "b"}]}`},
		{"float.values", "ka.Float", `"nan:3f800000"`},
		{"float.values", "ka.Float", `"nano"`},
		{"upkg.tables", "upkg.Package", `{"names": []}`},
	} {
		v := mustView(c[0])
		if n, _, err := v.Project(findType(t, c[1]), mustParse(c[2])); err == nil {
			t.Errorf("%s: %s is accepted as %s", c[0], c[2], n)
		}
	}
	if _, err := NewView([]string{"ka.nothing"}); err == nil || !strings.Contains(err.Error(), "float.values") {
		t.Error(err)
	}
}

// TestProjectRequired: a dropped field that cannot be null has the zero value.
func TestProjectRequired(t *testing.T) {
	v := &View{dropped: map[string]string{
		"upkg.Generation.nameCount": "x", "upkg.Identity.guid": "x",
		"uasset.FString.form": "x", "upkg.NameEntry.name": "x",
	}}
	for typ, c := range map[string][2]string{
		"upkg.NameEntry": {`{"flags": "1"}`, `{"name": {"text": "", "wide": false}, "flags": "1"}`},
		"uasset.FString": {`{"text": "a", "form": "utf16"}`, `{"text": "a", "form": "bytes"}`},
	} {
		got, whole, err := v.Project(findType(t, typ), mustParse(c[0]))
		if err != nil || got.String() != mustParse(c[1]).String() || whole != (typ == "upkg.NameEntry") {
			t.Errorf("%s: %s, whole %v, %v", typ, got, whole, err)
		}
	}
}

func TestLoses(t *testing.T) {
	for _, c := range []struct {
		views, typ, path string
		lost             bool
	}{
		{"ka.texts", "ka.Archive", "fastNames[3].name.length", true},
		{"ka.texts", "ka.Archive", "fastNameCount", false},
		{"ka.texts", "ka.Archive", "children[0].key.id", true},
		{"ka.texts", "ka.Archive", "children[0].key.length", false},
		{"ka.texts", "ka.Archive", "children[12].value.fastNames[0].id", true},
		{"ka.texts", "ka.Archive", "children[0].value[1][2].id", true},
		{"ka.texts", "ka.FilePath", "id", true},
		{"ka.texts", "ka.Archive", "", false},
		{"ka.map", "ka.Archive", "children", true},
		{"ka.map", "ka.Archive", "children[0]", false},
		{"ka.map", "ka.Archive", "children[0].value.length", false},
		{"uasset.tables", "uasset.Package", "objects[0].texture.mips[1].size", true},
		{"uasset.tables", "uasset.Package", "exports[0].serialSize", false},
		{"uasset.raw-properties", "uasset.Package", "objects[0].properties[1].name", true},
		{"uasset.raw-properties", "uasset.Package", "objects[0].texture.mipCount", false},
		{"upkg.tables", "upkg.Package", "exports[1].class", false},
		{"float.values", "ka.Vector2", "x", false},
		{"", "ka.Archive", "fastNames", false},
	} {
		v := mustView(strings.Fields(c.views)...)
		want := ""
		if c.lost {
			want = c.views
		}
		if got := v.Loses(findType(t, c.typ), c.path); got != want {
			t.Errorf("%s of %s: lost in the view %q, want %q", c.path, c.typ, got, want)
		}
	}
}

// TestLosesHeritages: a reader that does not keep heritages need not find a fault of their table.
func TestLosesHeritages(t *testing.T) {
	view := mustView("upkg.no-heritages")
	typ := findType(t, "upkg.Package")
	for _, name := range []string{
		"heritage-table-beyond-the-end", "heritage-count-65537-for-one", "one-heritage-missing",
		"version-42-one-byte-of-the-heritage-missing",
	} {
		v := corpustest.Find(t, "upkg/Package/"+name)
		c, err := typ.Bind(wire.Settings{}, v.Context)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Decode(v.Bytes)
		if e, ok := errors.AsType[*wire.Error](err); !ok || view.Loses(typ, e.Path) == "" {
			t.Errorf("%s: %v is at no path that the view loses", name, err)
		}
	}
}

// modelFields collects the fields of models by their names in projections.
func modelFields() map[string]tree.Part {
	out := map[string]tree.Part{}
	seen := map[*tree.Form]bool{}
	var walk func(tree.Part)
	walk = func(p tree.Part) {
		if p.Field != "" {
			out[p.Field] = p
		}
		if seen[p.Form] {
			return
		}
		seen[p.Form] = true
		for i := range p.Len() {
			walk(p.Item(i))
		}
	}
	for _, typ := range codec.Types() {
		walk(tree.Whole(typ, nil))
	}
	return out
}

// reaches reports whether a path leads from a form to a text.
func reaches(f *tree.Form, by []string) bool {
	if len(by) == 0 {
		return f.Kind == tree.TextForm
	}
	return slices.ContainsFunc(f.Parts, func(p tree.Part) bool {
		return (p.Name == by[0] || f.Kind == tree.OneOfForm && by[0] == "value") && reaches(p.Form, by[1:])
	})
}

// TestViewsFitModels: each field of a projection exists, and has a value when it
// is dropped.
func TestViewsFitModels(t *testing.T) {
	fields := modelFields()
	for _, v := range spec.Views() {
		for _, line := range v.Projections {
			p, err := spec.ParseProjection(line)
			if err != nil {
				t.Fatal(err)
			}
			f, ok := fields[p.Field]
			switch {
			case p.Kind == spec.NaN:
			case !ok:
				t.Errorf("%s: %s: no model has this field", v.ID, line)
			case (p.Kind == spec.Map || p.Kind == spec.Sort) && (f.Kind != tree.ListForm || f.Length > 0 || !reaches(f.Elements, p.By)):
				t.Errorf("%s: %s: not a list with such a key", v.ID, line)
			case p.Kind == spec.Drop || p.Kind == spec.End:
				if _, err := f.Zero(); err != nil {
					t.Errorf("%s: %s: %v", v.ID, line, err)
				}
			}
		}
	}
}
