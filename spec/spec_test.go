package spec

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

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
	}
	for _, v := range Views() {
		_, flag := FindFlag(ids.Flag(v.ID))
		_, structure := FindStructure(v.ID)
		if _, retired := FindRetired(v.ID); flag || structure || retired {
			t.Errorf("the id of the view %s is in use", v.ID)
		}
	}
}

// Each fault in a record file is named, with the key or id at fault.
func TestRecordFaults(t *testing.T) {
	const head = "family = \"ubi\"\ntitle = \"t\"\n" +
		"[[document]]\nid = \"000\"\ntitle = \"t\"\naddress = \"a\"\n[[structure]]\nname = \"ubi.Box\"\ntitle = " +
		"\"t\"\noracle = \"o\"\nproven = \"none\"\n"
	const clause = "[[clause]]\nid = \"UBI-1\"\nstructure = \"ubi.Box\"\nlevel = \"must\"\ntext = \"t\"\nbasis = " +
		"\"document\"\ndocument = \"000\"\nplace = \"p\"\n"
	const flag = "[[flag]]\nid = \"ubi.f\"\nkind = \"hazard\"\nclauses = [\"UBI-1\"]\ndocumented = \"d\"\nobserved = " +
		"\"o\"\nevidence = [\"e\"]\n"
	const taken = "in-documented = \"documented\"\nin-observed = \"documented\"\n"
	const retired = "[[retired]]\nid = \"UBI-2\"\nsince = \"0.2.0\"\nwhy = \"w\"\n"
	load := func(fsys fs.FS) error { _, err := loadFamily(fsys, "x.toml"); return err }
	namesFaults(t, "x.toml", load, head+clause+flag+retired, map[string]textFault{
		"retired and used": {
			head + clause + strings.Replace(retired, "UBI-2", "UBI-1", 1),
			"retired id UBI-1 is in use",
		},
		"retired flag in use": {
			head + clause + flag + strings.Replace(retired, "UBI-2", "ubi.f", 1),
			"retired id ubi.f is in use",
		},
		"foreign retired id": {
			head + strings.Replace(retired, "UBI-2", "ka/Array/x", 1),
			`retired id "ka/Array/x": not an id`,
		},
		"retired twice":       {head + retired + retired, "retired id UBI-2: listed twice"},
		"retired without why": {head + strings.Replace(retired, `"w"`, `""`, 1), "without since or why"},
		"unknown key":         {head + "colour = 1\n", `unknown key "structure.colour"`},
		"no TOML":             {"family = \n", "expected value"},
		"unknown family":      {strings.ReplaceAll(head, "ubi", "xyz"), `family "xyz"`},
		"foreign structure":   {strings.Replace(head, "ubi.Box", "ka.Box", 1), `structure "ka.Box"`},
		"foreign clause":      {head + strings.Replace(clause, "UBI-1", "KA-1", 1), "clause KA-1: foreign"},
		"double clause":       {head + clause + clause, "clause UBI-1: foreign or double"},
		"no such structure":   {head + strings.Replace(clause, "ubi.Box", "ubi.Bax", 1), `no structure "ubi.Bax"`},
		"no address":          {strings.Replace(head, "address = \"a\"\n", "", 1), "document 000: title and address"},
		"worst without flag": {strings.Replace(head, "address", "worst = [{ flag = \"ubi.x\", text = \"t\" }]\naddress",
			1), `document 000: no flag "ubi.x"`},
		"no kind of proof": {strings.Replace(head, "none", "maybe", 1), `no kind of proof "maybe"`},
		"no such level":    {head + strings.Replace(clause, "must", "may", 1), `no level "may"`},
		"clause without basis": {
			head + strings.Replace(clause, "basis = \"document\"\n", "", 1),
			`clause UBI-1: no basis ""`,
		},
		"no such basis": {head + strings.Replace(clause, `"document"`, `"rumour"`, 1), `no basis "rumour"`},
		"facts as a document": {
			head + strings.Replace(clause, `document = "000"`, `document = "facts"`, 1),
			`no document "facts"`,
		},
		"choice unexplained":  {head + strings.Replace(clause, `"document"`, `"choice"`, 1), "a choice has a reason"},
		"reason of no choice": {head + clause + "reason = \"r\"\n", "a choice has a reason"},
		"side without basis": {head + clause + flag + taken + "sides = [{ name = \"documented\", reading = \"r\", " +
			"basis = \"document\" }, { name = \"b\", reading = \"r\" }]\n", `side b: no basis ""`},
		"no such document": {
			head + strings.Replace(clause, `document = "000"`, `document = "001"`, 1),
			`no document "001"`,
		},
		"under no side": {head + clause + "under = [\"ubi.f=b\"]\n" + flag, `under "ubi.f=b": no side`},
		"under a side that the text does not name": {head + clause + "under = [\"ubi.f=b\"]\n" + flag + taken +
			"sides = [{ name = \"documented\", reading = \"r\", basis = \"document\" }, { name = \"b\", reading = \"r\", " +
			"basis = \"files\" }]\n", `under "ubi.f=b": no side, or the text`},
		"no text":        {head + strings.Replace(clause, `text = "t"`, `text = ""`, 1), "text and place"},
		"foreign flag":   {head + clause + strings.Replace(flag, "ubi.f", "ka.f", 1), "flag ka.f: foreign"},
		"no such kind":   {head + clause + strings.Replace(flag, "hazard", "bug", 1), `no kind "bug"`},
		"no evidence":    {head + clause + strings.Replace(flag, `["e"]`, `[]`, 1), "evidence"},
		"no such clause": {head + clause + strings.Replace(flag, `["UBI-1"]`, `["UBI-2"]`, 1), "no clause UBI-2"},
		"one side": {
			head + clause + flag + taken + "sides = [{ name = \"documented\", reading = \"r\" }]\n",
			"at least two sides",
		},
		"no side in a profile": {head + clause + flag + "sides = [{ name = \"a\", reading = \"r\" }, { name = \"b\", " +
			"reading = \"r\" }]\n", "must name sides"},
		"no such side": {head + clause + flag + taken + "sides = [{ name = \"a\", reading = \"r\" }, { name = " +
			"\"b\", reading = \"r\" }]\n", `must name sides, not "documented"`},
		"documented by nobody": {head + clause + flag + taken + "sides = [{ name = \"documented\", reading = \"r\", " +
			"basis = \"files\" }, { name = \"b\", reading = \"r\", basis = \"files\" }]\n", "name it after what it does"},
		"side without reading": {head + clause + flag + taken + "sides = [{ name = \"documented\", reading = \"r\" }, { " +
			"name = \"b\" }]\n", "lacks name or reading"},
	})
}

// A textFault is a file with a fault, and what its error contains.
type textFault struct{ text, want string }

// namesFaults checks that the fault of each file is named, and that there is none in the valid
// file from which they are made.
func namesFaults(t *testing.T, name string, load func(fs.FS) error, valid string, faults map[string]textFault) {
	t.Helper()
	of := func(text string) error { return load(fstest.MapFS{name: {Data: []byte(text)}}) }
	for about, f := range faults {
		if err := of(f.text); err == nil || !strings.Contains(err.Error(), f.want) {
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
		"double":             {view + view, `view "ka.v": not of the form SUBJECT.NAME, or listed twice`},
		"no dot":             {strings.Replace(view, "ka.v", "kav", 1), `view "kav"`},
		"no meaning":         {strings.Replace(view, `"m"`, `""`, 1), "view ka.v: meaning and projections"},
		"no projection":      {strings.Replace(view, `["nan"]`, "[]", 1), "view ka.v: meaning and projections"},
		"unknown projection": {strings.Replace(view, "nan", "round ka.A.b", 1), `found "round ka.A.b"`},
		"drop of two":        {strings.Replace(view, "nan", "drop ka.A.b ka.A.c", 1), `found "drop ka.A.b ka.A.c"`},
		"no type":            {strings.Replace(view, "nan", "drop ka.A", 1), `found "drop ka.A"`},
		"map without key":    {strings.Replace(view, "nan", "map ka.A.b", 1), `found "map ka.A.b"`},
		"projection twice":   {strings.Replace(view, `"nan"`, `"nan", "nan"`, 1), `"nan" is listed twice`},
		"unknown key":        {view + "colour = 1\n", `unknown key "view.colour"`},
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

// TestSearchWords: each family says where it is found, in words that people search for.
func TestSearchWords(t *testing.T) {
	for _, f := range Families() {
		if f.Found == "" {
			t.Errorf("%s: nothing says where it is found", f.Name)
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

// tokens separates words and single punctuation marks by one space each: the
// documents differ in white space.
func tokens(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	word := false
	for _, r := range s {
		inWord := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		if word && !inWord {
			b.WriteByte(' ')
		}
		if inWord {
			b.WriteRune(r)
		} else if !unicode.IsSpace(r) {
			b.WriteRune(r)
			b.WriteByte(' ')
		}
		word = inWord
	}
	if word {
		b.WriteByte(' ')
	}
	return b.String()
}

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
