package schema

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/conformance/tree"
)

// TestSchema compares schemas with ones that were written from the models and the
// clauses.
func TestSchema(t *testing.T) {
	for typ, want := range map[string]string{
		"upkg.Name": `{"kind":"model","model":"upkg.Name"}
			upkg.Name {"kind":"object","fields":[
				{"name":"text","clauses":["UPKG-NAME-1","UPKG-NAME-2","UPKG-NAME-5"],"kind":"text"},
				{"name":"wide","kind":"boolean"}]}`,
		"ka.Header": `{"kind":"model","model":"ka.Header"}
			ka.Header {"kind":"object","fields":[
				{"name":"version","clauses":["KA-HDR-2"],"kind":"name","names":["none","0x0001","0x0002","0x0102","0xff02"]}]}`,
		"ka.Matrix2":          `{"kind":"list","length":2,"elements":{"kind":"list","length":2,"elements":{"kind":"float","number":"float32"}}}`,
		"uasset.Guid":         `{"kind":"bytes","length":16}`,
		"ubi.EncryptedString": `{"kind":"text"}`,
		"upkg.CompactIndex":   `{"kind":"integer","number":"int64"}`,
		"ubi.Pair<BasicString,Vector3>": `{"kind":"model","model":"ubi.Pair[ubi.BasicString,ubi.Vector3]"}
			ubi.Pair[ubi.BasicString,ubi.Vector3] {"kind":"object","fields":[
				{"name":"k","clauses":["UBI-PAIR-1","UBI-STR-1","UBI-STR-4"],"kind":"text"},
				{"name":"v","clauses":["UBI-PAIR-1"],"kind":"model","model":"ubi.Vector3"}]}
			ubi.Vector3 {"kind":"object","fields":[
				{"name":"x","clauses":["UBI-VEC3-1"],"kind":"float","number":"float32"},
				{"name":"y","clauses":["UBI-VEC3-1"],"kind":"float","number":"float32"},
				{"name":"z","clauses":["UBI-VEC3-1"],"kind":"float","number":"float32"}]}`,
	} {
		s := Of(findType(t, typ))
		got := marshal(t, s.Tree)
		for _, m := range s.Models {
			got += m.Name + " " + marshal(t, m.Part)
		}
		if d := cmp.Diff(strings.NewReplacer("\n", "", "\t", "").Replace(want), got); d != "" {
			t.Errorf("%s: %s", typ, d)
		}
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSchemaParts: absent parts, and the clauses of a value of one of several types.
func TestSchemaParts(t *testing.T) {
	s := Of(findType(t, "ka.Archive"))
	archive, value := s.Model("ka.Archive"), s.Model("ka.Value")
	if archive == nil || value == nil {
		t.Fatal("no model")
	}
	if !archive.Fields[1].Null || archive.Fields[2].Null || !s.Model("ka.String").Fields[1].Null {
		t.Error("exactly fastNames and ids can be null")
	}
	for _, v := range value.Variants {
		if v.Name == "INT32" &&
			marshal(t, v) != `{"name":"INT32","clauses":["KA-I32-1"],"kind":"integer","number":"int32"}` {
			t.Errorf("%s", marshal(t, v))
		}
	}
	if n := len(value.Variants); n != len(ka.Variants()) {
		t.Errorf("%d variants", n)
	}
	if e := s.Example; len(e.Tree.Field("fastNames").Items) == 0 || len(e.Tree.Field("children").Items) == 0 {
		t.Errorf("the example does not show all fields: %s", e.Tree)
	}
}

// TestSchemaExamples: each type has an example and a title.
func TestSchemaExamples(t *testing.T) {
	for _, typ := range codec.Types() {
		s := Of(typ)
		if s.Example == nil || s.Title == "" {
			t.Errorf("%s has no example or title", typ.Name)
		}
	}
}

// TestKindsAreDescribed: PROTOCOL.md has a row per kind that a schema has, and no other.
func TestKindsAreDescribed(t *testing.T) {
	page, err := os.ReadFile("../PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n| kind | in JSON |")
	table, _, _ = strings.Cut(table, "\n\n")
	used := map[tree.FormKind]bool{}
	var walk func(p *Part)
	walk = func(p *Part) {
		used[p.Kind] = true
		if p.Elements != nil {
			walk(p.Elements)
		}
		for _, list := range [][]NamedPart{p.Fields, p.Variants} {
			for i := range list {
				walk(&list[i].Part)
			}
		}
	}
	for _, name := range []string{"ka.Archive", "upkg.Package", "uasset.Package", "ubi.Vector2"} {
		s := Of(findType(t, name))
		walk(&s.Tree)
		for i := range s.Models {
			walk(&s.Models[i].Part)
		}
	}
	for kind := range used {
		if !strings.Contains(table, "\n| `"+string(kind)+"` |") {
			t.Errorf("%s is not described", kind)
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(used) {
		t.Errorf("%d rows for %d kinds", rows, len(used))
	}
}
