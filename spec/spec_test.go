package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/formatgauge/formatgauge/spec/ids"
)

func TestRecordsLoad(t *testing.T) {
	if _, err := load(files); err != nil {
		t.Fatal(err)
	}
	for _, f := range Families() {
		if len(f.Documents) == 0 || len(f.Structures) == 0 || len(f.Clauses) == 0 || len(f.Flags) == 0 {
			t.Errorf("%s: a family has documents, structures, clauses and flags", f)
		}
	}
}

// Each fault in a record file is named, with the key or id at fault.
func TestRecordFaults(t *testing.T) {
	const head = "family = \"ubi\"\ntitle = \"t\"\nprefix = \"UBI\"\n" +
		"[[document]]\nid = \"000\"\n[[structure]]\nname = \"ubi.Box\"\ntitle = \"t\"\noracle = \"o\"\n"
	const clause = "[[clause]]\nid = \"UBI-1\"\nstructure = \"ubi.Box\"\nlevel = \"must\"\ntext = \"t\"\ndocument = \"000\"\nplace = \"p\"\n"
	const flag = "[[flag]]\nid = \"ubi.f\"\nkind = \"hazard\"\nclauses = [\"UBI-1\"]\ndocumented = \"d\"\nobserved = \"o\"\nevidence = [\"e\"]\n"
	const retired = "[[retired]]\nid = \"UBI-2\"\nsince = \"0.2.0\"\nwhy = \"w\"\n"
	for name, c := range map[string]struct{ text, want string }{
		"retired and used":     {head + clause + strings.Replace(retired, "UBI-2", "UBI-1", 1), "retired id UBI-1 is in use"},
		"retired flag in use":  {head + clause + flag + strings.Replace(retired, "UBI-2", "ubi.f", 1), "retired id ubi.f is in use"},
		"foreign retired id":   {head + strings.Replace(retired, "UBI-2", "ka/Array/x", 1), `retired id "ka/Array/x": not an id`},
		"retired twice":        {head + retired + retired, "retired id UBI-2: listed twice"},
		"retired without why":  {head + strings.Replace(retired, `"w"`, `""`, 1), "without since or why"},
		"unknown key":          {head + "colour = 1\n", `unknown key "structure.colour"`},
		"no TOML":              {"family = \n", "expected value"},
		"unknown family":       {strings.ReplaceAll(head, "ubi", "xyz"), `family "xyz"`},
		"foreign structure":    {strings.Replace(head, "ubi.Box", "ka.Box", 1), `structure "ka.Box"`},
		"foreign clause":       {head + strings.Replace(clause, "UBI-1", "KA-1", 1), "clause KA-1: foreign"},
		"double clause":        {head + clause + clause, "clause UBI-1: foreign or double"},
		"no such structure":    {head + strings.Replace(clause, "ubi.Box", "ubi.Bax", 1), `no structure "ubi.Bax"`},
		"no such level":        {head + strings.Replace(clause, "must", "may", 1), `no level "may"`},
		"no such document":     {head + strings.Replace(clause, `document = "000"`, `document = "001"`, 1), `no document "001"`},
		"no text":              {head + strings.Replace(clause, `text = "t"`, `text = ""`, 1), "text and place"},
		"foreign flag":         {head + clause + strings.Replace(flag, "ubi.f", "ka.f", 1), "flag ka.f: foreign"},
		"no such kind":         {head + clause + strings.Replace(flag, "hazard", "bug", 1), `no kind "bug"`},
		"no evidence":          {head + clause + strings.Replace(flag, `["e"]`, `[]`, 1), "evidence"},
		"no such clause":       {head + clause + strings.Replace(flag, `["UBI-1"]`, `["UBI-2"]`, 1), "no clause UBI-2"},
		"one side":             {head + clause + flag + "sides = [{ name = \"documented\", reading = \"r\" }]\n", "at least one other"},
		"no documented side":   {head + clause + flag + "sides = [{ name = \"a\", reading = \"r\" }, { name = \"b\", reading = \"r\" }]\n", "documented side"},
		"side without reading": {head + clause + flag + "sides = [{ name = \"documented\", reading = \"r\" }, { name = \"b\" }]\n", "lacks name or reading"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(fstest.MapFS{"records/x.toml": {Data: []byte(c.text)}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := load(fstest.MapFS{"records/x.toml": {Data: []byte(head + clause + flag + retired)}}); err != nil {
		t.Errorf("the record that the faults are made from: %v", err)
	}
}

// Each fault in the file of views is named.
func TestViewFaults(t *testing.T) {
	const view = "[[view]]\nid = \"ka.v\"\nmeaning = \"m\"\nprojections = [\"nan\"]\n"
	for name, c := range map[string]struct{ text, want string }{
		"double":             {view + view, `view "ka.v": not of the form SUBJECT.NAME, or the id is in use`},
		"no dot":             {strings.Replace(view, "ka.v", "kav", 1), `view "kav"`},
		"no meaning":         {strings.Replace(view, `"m"`, `""`, 1), "view ka.v: meaning and projections"},
		"no projection":      {strings.Replace(view, `["nan"]`, "[]", 1), "view ka.v: meaning and projections"},
		"unknown projection": {strings.Replace(view, "nan", "round ka.A.b", 1), `found "round ka.A.b"`},
		"drop of two":        {strings.Replace(view, "nan", "drop ka.A.b ka.A.c", 1), `found "drop ka.A.b ka.A.c"`},
		"no type":            {strings.Replace(view, "nan", "drop ka.A", 1), `found "drop ka.A"`},
		"map without key":    {strings.Replace(view, "nan", "map ka.A.b", 1), `found "map ka.A.b"`},
		"projection twice":   {strings.Replace(view, `"nan"`, `"nan", "nan"`, 1), `"nan" is listed twice`},
		"unknown key":        {view + "colour = 1\n", `unknown key "view.colour"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(fstest.MapFS{viewsFile: {Data: []byte(c.text)}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := load(fstest.MapFS{viewsFile: {Data: []byte(view)}}); err != nil {
		t.Errorf("the record that the faults are made from: %v", err)
	}
}

func TestViews(t *testing.T) {
	if v, ok := FindView("ka.texts"); !ok || v.ID != "ka.texts" {
		t.Error("ka.texts is not found")
	}
	for line, want := range map[string]Projection{
		"nan":                          {Kind: NaN},
		"drop ka.String.id":            {Kind: Drop, Field: "ka.String.id"},
		"map ka.A.b by key.value.text": {Kind: Map, Field: "ka.A.b", By: []string{"key", "value", "text"}},
	} {
		if got, err := ParseProjection(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
	if err := CheckViews([]string{"ka.map", "ka.maps"}); err == nil || !strings.Contains(err.Error(), `unknown view "ka.maps"; the views are float.values, upkg.tables, ka.texts`) {
		t.Error(err)
	}
	if got := MergeViews([]string{"ka.map", "x.y"}, []string{"ka.texts", "ka.map"}); !slices.Equal(got, []string{"ka.texts", "ka.map", "x.y"}) {
		t.Error(got)
	}
	for want, list := range map[string][]string{"": nil, " in the view a.b": {"a.b"}, " in the views a.b, c.d": {"a.b", "c.d"}} {
		if got := InViews(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFind(t *testing.T) {
	if c, ok := FindClause("UPKG-CI-5"); !ok || c.Structure != "upkg.CompactIndex" {
		t.Error("UPKG-CI-5 is not found")
	}
	if s, ok := FindStructure("upkg.CompactIndex"); !ok || s.Family() != "upkg" || len(ClausesOf(s.Name)) == 0 || len(FlagsOf(s.Name)) == 0 {
		t.Error("upkg.CompactIndex is not found, or without clauses or flags")
	}
	if _, ok := FindFamily("upkg"); !ok {
		t.Error("upkg is not found")
	}
	if _, ok := FindFamily("none"); ok {
		t.Error("a family is found that there is not")
	}
	if got := StructureOf("ubi.Pair<BasicString,Array<uint32>>"); got != "ubi.Pair" {
		t.Errorf("StructureOf gives %q", got)
	}
}

// TestDepartures: each side of each switchable flag is taken, from each base
// that does not take it anyway.
func TestDepartures(t *testing.T) {
	for _, f := range Families() {
		got := map[string]bool{}
		for _, p := range f.Departures() {
			if strings.Count(p.String(), "=") != 1 || got[p.String()] {
				t.Errorf("%s: %s", f.Name, p)
			}
			got[p.String()] = true
		}
		for _, fl := range f.Flags {
			for _, s := range fl.Sides {
				for _, base := range []ids.Profile{ids.Documented(), ids.Observed()} {
					want := fmt.Sprintf("%s,%s=%s", base, fl.ID, s.Name)
					if got[want] == base.Takes(fl.ID, s.Name) {
						t.Errorf("%s is listed: %v", want, got[want])
					}
				}
			}
		}
	}
}
