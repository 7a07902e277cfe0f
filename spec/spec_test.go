package spec

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/formatgauge/formatgauge/spec/ids"
)

func TestRecordsLoad(t *testing.T) {
	names, err := fs.Glob(files, "records/*.toml")
	if err != nil || len(names) != len(families)+1 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if name == viewsFile {
			_, err = loadViews(files)
		} else {
			_, err = loadFamily(files, name)
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, f := range Families() {
		if len(f.Documents) == 0 || len(f.Structures) == 0 || len(f.Clauses) == 0 || len(f.Flags) == 0 {
			t.Errorf("%s: a family has documents, structures, clauses and flags", f)
		}
		if f.Found == "" {
			t.Errorf("%s: nothing says where it is found, in words that people search for", f)
		}
	}
	for _, v := range Views() {
		_, flag := FindFlag(ids.Flag(v.ID))
		_, structure := FindStructure(v.ID)
		if _, retired := FindRetired(v.ID); flag || structure || retired {
			t.Errorf("the id of the view %s is in use", v.ID)
		}
	}
}

const sampleRecords = `family = "ubi"
title = "t"
document = [{ id = "000", title = "t", address = "a" }]
structure = [{ name = "ubi.Box", title = "t", oracle = "o", proven = "none" }]
retired = [{ id = "UBI-2", since = "0.2.0", why = "w" }]

[[clause]]
id = "UBI-1"
structure = "ubi.Box"
level = "must"
text = "t"
basis = "document"
document = "000"
place = "p"

[[flag]]
id = "ubi.f"
kind = "hazard"
clauses = ["UBI-1"]
documented = "d"
observed = "o"
evidence = ["e"]
in-documented = "documented"
in-observed = "b"
sides = [{ name = "documented", reading = "r", basis = "document" }, { name = "b", reading = "r", basis = "files" }]
`

// Each fault in a record file is named, with the key or id at fault.
func TestRecordFaults(t *testing.T) {
	const sideB = `, { name = "b", reading = "r", basis = "files" }`
	load := func(fsys fs.FS) error { _, err := loadFamily(fsys, "x.toml"); return err }
	namesFaults(t, "x.toml", load, sampleRecords, map[string]textFault{
		"retired and used":    {`"UBI-2"`, `"UBI-1"`, "retired id UBI-1 is in use"},
		"retired flag in use": {`"UBI-2"`, `"ubi.f"`, "retired id ubi.f is in use"},
		"foreign retired id":  {`"UBI-2"`, `"ka/Array/x"`, `retired id "ka/Array/x": not an id`},
		"retired twice": {
			`"w" }`, `"w" }, { id = "UBI-2", since = "1", why = "w" }`, "retired id UBI-2: listed twice",
		},
		"retired without why":  {`"w"`, `""`, "without since or why"},
		"unknown key":          {`"none"`, `"none", colour = 1`, `unknown key "structure.colour"`},
		"no TOML":              {sampleRecords, "family = \n", "expected value"},
		"unknown family":       {"ubi", "xyz", `family "xyz"`},
		"foreign structure":    {"ubi.Box", "ka.Box", `structure "ka.Box"`},
		"foreign clause":       {`"UBI-1"`, `"KA-1"`, "clause KA-1: foreign"},
		"double clause":        {"", "[[clause]]\nid = \"UBI-1\"\n", "clause UBI-1: foreign or double"},
		"no such structure":    {`structure = "ubi.Box"`, `structure = "ubi.Bax"`, `no structure "ubi.Bax"`},
		"no address":           {`address = "a"`, `address = ""`, "document 000: title and address"},
		"worst without flag":   {`"a"`, `"a", worst = [{ flag = "ubi.x", text = "t" }]`, `document 000: no flag "ubi.x"`},
		"no kind of proof":     {"none", "maybe", `no kind of proof "maybe"`},
		"no such level":        {`"must"`, `"may"`, `no level "may"`},
		"clause without basis": {"basis = \"document\"\n", "", `clause UBI-1: no basis ""`},
		"no such basis":        {`basis = "document"`, `basis = "rumour"`, `no basis "rumour"`},
		"facts as a document":  {`document = "000"`, `document = "facts"`, `no document "facts"`},
		"choice unexplained":   {`basis = "document"`, `basis = "choice"`, "a choice has a reason"},
		"reason of no choice":  {"place =", "reason = \"r\"\nplace =", "a choice has a reason"},
		"side without basis":   {`, basis = "files"`, "", `side b: no basis ""`},
		"no such document":     {`document = "000"`, `document = "001"`, `no document "001"`},
		"under no side":        {"place =", "under = [\"ubi.f=c\"]\nplace =", `under "ubi.f=c": no side`},
		"under a side that the text does not name": {
			"place =", "under = [\"ubi.f=b\"]\nplace =", `under "ubi.f=b": no side, or the text`,
		},
		"no text":              {`text = "t"`, `text = ""`, "text and place"},
		"foreign flag":         {`"ubi.f"`, `"ka.f"`, "flag ka.f: foreign"},
		"no such kind":         {"hazard", "bug", `no kind "bug"`},
		"no evidence":          {`["e"]`, `[]`, "evidence"},
		"no such clause":       {`["UBI-1"]`, `["UBI-3"]`, "no clause UBI-3"},
		"one side":             {sideB, "", "at least two sides"},
		"no side in a profile": {"in-documented = \"documented\"\n", "", "must name sides"},
		"no such side":         {`{ name = "documented"`, `{ name = "a"`, `must name sides, not "documented"`},
		"documented by nobody": {`basis = "document" }`, `basis = "files" }`, "name it after what it does"},
		"side without reading": {`name = "b", reading = "r"`, `name = "b"`, "lacks name or reading"},
	})
}

// A textFault is an edit of a valid file, and what its error contains. Without an old text, the
// new one is appended.
type textFault struct{ old, new, want string }

// namesFaults checks that each fault is named, and that the valid file has none.
func namesFaults(t *testing.T, name string, load func(fs.FS) error, valid string, faults map[string]textFault) {
	t.Helper()
	of := func(text string) error { return load(fstest.MapFS{name: {Data: []byte(text)}}) }
	for about, f := range faults {
		text := strings.Replace(valid, f.old, f.new, 1)
		if f.old == "" {
			text = valid + f.new
		}
		if err := of(text); err == nil || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%s: error is %v, want %q in it", about, err, f.want)
		}
	}
	if err := of(valid); err != nil {
		t.Errorf("the file that the faults are made from: %v", err)
	}
}

// Each fault in the file of views is named.
func TestViewFaults(t *testing.T) {
	const view = "[[view]]\nid = \"ka.v\"\nmeaning = \"m\"\nprojections = [\"nan\"]\n"
	load := func(fsys fs.FS) error { _, err := loadViews(fsys); return err }
	namesFaults(t, viewsFile, load, view, map[string]textFault{
		"double":             {"", view, `view "ka.v": not of the form SUBJECT.NAME, or listed twice`},
		"no dot":             {"ka.v", "kav", `view "kav"`},
		"no meaning":         {`"m"`, `""`, "view ka.v: meaning and projections"},
		"no projection":      {`["nan"]`, "[]", "view ka.v: meaning and projections"},
		"unknown projection": {"nan", "round ka.A.b", `found "round ka.A.b"`},
		"drop of two":        {"nan", "drop ka.A.b ka.A.c", `found "drop ka.A.b ka.A.c"`},
		"no type":            {"nan", "drop ka.A", `found "drop ka.A"`},
		"map without key":    {"nan", "map ka.A.b", `found "map ka.A.b"`},
		"projection twice":   {`"nan"`, `"nan", "nan"`, `"nan" is listed twice`},
		"unknown key":        {"", "colour = 1\n", `unknown key "view.colour"`},
	})
}

func TestViews(t *testing.T) {
	if v, ok := FindView("ka.texts"); !ok || v.ID != "ka.texts" {
		t.Error("ka.texts is not found")
	}
	for line, want := range map[string]Projection{
		"nan":                          {Kind: NaN},
		"sort ka.A.b by key":           {Kind: Sort, Field: "ka.A.b", By: []string{"key"}},
		"drop ka.String.id":            {Kind: Drop, Field: "ka.String.id"},
		"map ka.A.b by key.value.text": {Kind: Map, Field: "ka.A.b", By: []string{"key", "value", "text"}},
	} {
		if got, err := ParseProjection(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
	if err := CheckViews([]string{"ka.map", "ka.maps"}); err == nil ||
		!strings.Contains(err.Error(),
			`unknown view "ka.maps"; the views are float.values, upkg.tables, upkg.short-header`) {
		t.Error(err)
	}
	if got := MergeViews([]string{"ka.map", "x.y"}, []string{"ka.texts", "ka.map"}); !slices.Equal(got,
		[]string{"ka.texts", "ka.map", "x.y"}) {
		t.Error(got)
	}
	for want, list := range map[string][]string{
		"": nil, " in the view a.b": {"a.b"},
		" in the views a.b, c.d": {"a.b", "c.d"},
	} {
		if got := InViews(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFind(t *testing.T) {
	if c, ok := FindClause("UPKG-CI-5"); !ok || c.Structure != "upkg.CompactIndex" {
		t.Error("UPKG-CI-5 is not found")
	}
	if s, ok := FindStructure("upkg.CompactIndex"); !ok || s.Family() != "upkg" || len(ClausesOf(s.Name)) == 0 ||
		len(FlagsOf(s.Name)) == 0 {
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

// TestApplies: a clause applies under one of the sides of each flag that it names.
func TestApplies(t *testing.T) {
	for text, want := range map[string]bool{
		"UBI-STR-1 observed":                                      true,
		"UBI-STR-1 documented":                                    false,
		"KA-ARC-11 observed":                                      false,
		"KA-ARC-11 documented,ka.duplicate-key=first":             true,
		"KA-ARC-11 ka.duplicate-key=last":                         true,
		"UBI-U32Q-12 observed":                                    true,
		"UBI-U32Q-12 ubi.quat-u32-repeats-a=documented":           false,
		"UBI-U32Q-12 observed,ubi.quat-u32-arithmetic=documented": false,
		"UBI-ARR-1 documented":                                    true,
	} {
		id, profile, _ := strings.Cut(text, " ")
		p, err := ids.ParseProfile(profile)
		c, ok := FindClause(ids.Clause(id))
		if err != nil || !ok || c.Applies(p) != want {
			t.Errorf("%s: %v, %v, want %v", text, err, !want, want)
		}
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
				if s.View != "" && CheckViews([]string{s.View}) != nil {
					t.Errorf("%s=%s: view %s does not exist", fl.ID, s.Name, s.View)
				}
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

// TestPlaces: the places of a clause that a document demands stand in the
// documents that it names.
func TestPlaces(t *testing.T) {
	texts := map[string]string{}
	for _, f := range Families() {
		for _, d := range f.Documents {
			texts[d.ID] = tokens(readDocument(t, d.ID))
		}
	}
	n := 0
	for _, f := range Families() {
		for _, c := range f.Clauses {
			if c.Basis != Document {
				continue
			}
			n++
			if what := checkPlaces(c.Document, c.Place, texts); what != "" {
				t.Errorf("%s: %s", c.ID, what)
			}
		}
	}
	if n == 0 {
		t.Error("no clause has the basis document")
	}
}

// readDocument reads a document, which is not part of the repository. It is
// expected in ../shared/seeds, relative to the checkout.
func readDocument(t *testing.T, id string) string {
	t.Helper()
	pattern := filepath.Join("..", "..", "shared", "seeds", id+"_*.txt")
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 {
		t.Skipf("document %s is missing: expected one file %s", id, pattern)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkPlaces returns what is wrong with places, which are separated by "; ", or
// "". Each place must be in one of the documents, and each document must contain
// one of the places.
func checkPlaces(documents, places string, texts map[string]string) string {
	found := map[string]bool{}
	for place := range strings.SplitSeq(places, "; ") {
		known := false
		for id := range strings.SplitSeq(documents, ", ") {
			if strings.Contains(texts[id], tokens(place)) && strings.TrimSpace(place) != "" {
				known, found[id] = true, true
			}
		}
		if !known {
			return fmt.Sprintf("place %q is not in document %s", place, documents)
		}
	}
	for id := range strings.SplitSeq(documents, ", ") {
		if !found[id] {
			return fmt.Sprintf("no place is in document %s", id)
		}
	}
	return ""
}

var token = regexp.MustCompile(`[\pL\p{Nd}_]+|[^\pL\p{Nd}_\pZ\s\v\x{85}]`)

// tokens separates words and single punctuation marks by one space each: the
// documents differ in white space.
func tokens(s string) string { return " " + strings.Join(token.FindAllString(s, -1), " ") + " " }

func TestCheckPlaces(t *testing.T) {
	texts := map[string]string{
		"000": tokens("Box structure\n\npMin Vector3\n"),
		"001": tokens("voidCompress(Box*src){if(src->w<0.0)return;}"),
	}
	for _, c := range []struct{ documents, places, want string }{
		{"000", "Box structure", ""},
		{"000", "Box   structure; pMin Vector3", ""},
		{"001", "if (src->w < 0.0)", ""},
		{"000, 001", "Box structure; if (src->w < 0.0)", ""},
		{"000", "Box structures", "Box structures"},
		{"000", "ox structure", "ox structure"},
		{"000", "box structure", "box structure"},
		{"000", "structure Box", "structure Box"},
		{"000", "Box structure; pMax Vector3", "pMax Vector3"},
		{"000", "if (src->w < 0.0)", "if (src->w < 0.0)"},
		{"001", "Compress(Box *src)", "Compress(Box *src)"},
		{"000, 001", "Box structure", "no place is in document 001"},
		{"000", "", `place ""`},
		{"000", "Box structure; ", `place ""`},
	} {
		if got := checkPlaces(c.documents, c.places, texts); (got == "") != (c.want == "") ||
			!strings.Contains(got, c.want) {
			t.Errorf("%q in %s: %q, want %q in it", c.places, c.documents, got, c.want)
		}
	}
}
