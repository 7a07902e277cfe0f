package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// anyModule stands for a module where nothing runs it.
var anyModule = &Module{Program: []byte("program"), Runtime: []byte("runtime"), License: []byte("license")}

var (
	built  = sync.OnceValues(func() (*site, error) { return build(anyModule) })
	byName = sync.OnceValue(func() map[string]string {
		s, _ := built()
		out := map[string]string{}
		for _, f := range s.files {
			out[f.Name] = string(f.Content)
		}
		return out
	})
)

// theSite returns the site with all files. Tests share it.
func theSite(t *testing.T) *site {
	t.Helper()
	s, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// content returns the files of the site by name.
func content(t *testing.T) map[string]string {
	t.Helper()
	theSite(t)
	return byName()
}

// TestSameFiles: files that are written again, in another order, are the same. An ordinary run
// writes the pages of some structures only. The names differ on all systems, and the site is small.
func TestSameFiles(t *testing.T) {
	t.Parallel()
	a := theSite(t)
	b, err := newSite(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	b.module = anyModule
	b.judge(runsOf(a))
	for _, write := range []func(){
		b.writePlayground, b.writeSearch, b.writeImplementations, b.writeDocuments, b.writeWords, b.writeFlags,
		b.writeFamilies, b.writeIndex, b.writeStatic,
	} {
		write()
	}
	for _, f := range b.families {
		f.Structures = slices.DeleteFunc(f.Structures, func(s *structure) bool { return !testrun.Sampled(s.Name, 4) })
	}
	if b.writeStructures(); b.err != nil {
		t.Fatal(b.err)
	}
	for _, f := range b.files {
		if string(f.Content) != content(t)[f.Name] {
			t.Errorf("%s differs when it is written again", f.Name)
		}
	}
	if n := len(b.files); n < 300 || testrun.Exhaustive && n != len(a.files) {
		t.Errorf("%d files are written again, of %d", n, len(a.files))
	}
	pages, data := 0, 0
	lower := map[string]string{} // for systems that do not distinguish case
	for _, f := range a.files {
		if other := lower[strings.ToLower(f.Name)]; other != "" {
			t.Errorf("%s and %s are one file on some systems", f.Name, other)
		}
		lower[strings.ToLower(f.Name)] = f.Name
		if strings.HasPrefix(f.Name, "playground/") {
			data += len(f.Content)
		} else {
			pages += len(f.Content)
		}
	}
	vectors, err := corpus.Count()
	if err != nil {
		t.Fatal(err)
	}
	pageLimit, dataLimit := 5_900*vectors, 680*vectors
	if pages > pageLimit || data > dataLimit {
		t.Errorf("the site has %d bytes, and for the playground %d without the module: want at most %d and %d", pages, data,
			pageLimit, dataLimit)
	}
}

var (
	tagForm   = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+(?:=(?:"[^"]*"|[^\s">]+))?)*)\s*>`)
	styleForm = regexp.MustCompile(`(?s)<style>.*?</style>`)
	attrForm  = regexp.MustCompile(`([a-zA-Z-]+)(?:=(?:"([^"]*)"|([^\s">]+)))?`)
)

// element is a start tag.
type element struct {
	name  string
	attrs map[string]string
}

// elements parses a page: it returns the start tags, and reports tags without a
// partner and characters that are neither text nor tags.
func elements(t *testing.T, name, page string) (out []element) {
	t.Helper()
	// These need no end tag, or have none.
	open := []string{}
	alone := strings.Fields("meta link input img br li dt dd tr td th p option thead tbody rect path text")
	page = styleForm.ReplaceAllString(page, "<style></style>")
	at := 0
	for _, m := range tagForm.FindAllStringSubmatchIndex(page, -1) {
		if strings.ContainsAny(page[at:m[0]], "<>") && !strings.HasPrefix(page[at:], "<!doctype html>") {
			t.Fatalf("%s: neither text nor a tag: %.200q", name, page[at:m[0]])
		}
		at = m[1]
		end, tag := page[m[2]:m[3]] != "", page[m[4]:m[5]]
		if !end {
			e := element{tag, map[string]string{}}
			for _, a := range attrForm.FindAllStringSubmatch(page[m[6]:m[7]], -1) {
				if _, twice := e.attrs[a[1]]; twice {
					t.Errorf("%s: %s has two attributes %s", name, tag, a[1])
				}
				e.attrs[a[1]] = html.UnescapeString(a[2] + a[3])
			}
			out = append(out, e)
		}
		switch {
		case slices.Contains(alone, tag):
		case !end:
			open = append(open, tag)
		case len(open) == 0 || open[len(open)-1] != tag:
			t.Fatalf("%s: </%s> closes %v", name, tag, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if strings.ContainsAny(page[at:], "<>") || len(open) > 0 {
		t.Fatalf("%s: open at the end: %v, %.200q", name, open, page[at:])
	}
	return out
}

// isDocument reports whether an address is that of a document, some of which are old.
func isDocument(address string) bool {
	return slices.ContainsFunc(spec.Families(), func(f *spec.Family) bool {
		return slices.ContainsFunc(f.Documents, func(d spec.Source) bool { return d.Address == address })
	})
}

// TestPages: every page is well-formed, loads only files of the site, has no code of
// its own, and all links lead to a page and an anchor that exist. What has a permanent
// address is there; the page of a switchable flag compares its sides.
func TestPages(t *testing.T) {
	files := content(t)
	anchors := map[string]map[string]bool{}
	parsed := map[string][]element{}
	titles := map[string]bool{}
	title := regexp.MustCompile(`<title>([^<]+)</title>`)
	for name, page := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		parsed[name] = elements(t, name, page)
		anchors[name] = map[string]bool{}
		for _, e := range parsed[name] {
			id, has := e.attrs["id"]
			if has && anchors[name][id] {
				t.Errorf("%s: the id %s occurs twice", name, id)
			}
			anchors[name][id] = has
		}
		m := title.FindString(page)
		if m == "" || titles[m] {
			t.Errorf("%s has no title of its own: %s", name, m)
		}
		titles[m] = true
	}
	for name, all := range parsed {
		if !strings.Contains(files[name], "<meta name=description content=\"") {
			t.Errorf("%s has no description", name)
		}
		policies, want := 0, policy
		if name == "playground.html" {
			want = playPolicy
		}
		if name == missingPage { // it does not know where the style is
			want = missingPolicy
		}
		for _, e := range all {
			if e.name == "style" && name != missingPage || e.attrs["style"] != "" || e.name == "script" && e.attrs["src"] == "" || e.name == "iframe" {
				t.Errorf("%s: code or style in the page: %v", name, e)
			}
			if e.attrs["http-equiv"] == "Content-Security-Policy" && e.attrs["content"] == want {
				policies++
			}
			for key, value := range e.attrs {
				if strings.HasPrefix(key, "on") {
					t.Errorf("%s: a handler in the page: %v", name, e)
				}
				outside := e.name == "a" && (strings.HasPrefix(value, "https://") || isDocument(value))
				if key != "href" && key != "src" && key != "action" || outside {
					continue
				}
				to, fragment, _ := strings.Cut(value, "#")
				if name == missingPage { // it is shown below any address
					to = strings.ReplaceAll(to, "../", "")
				}
				target := path.Join(path.Dir(name), to)
				if to == "" {
					target = name
				}
				if _, exists := files[target]; !exists || strings.HasPrefix(value, "/") || strings.Contains(to, ":") {
					t.Errorf("%s: the link %s leads nowhere", name, value)
				} else if id, ok := strings.CutPrefix(fragment, "vector="); ok && target == "playground.html" {
					id, err := url.PathUnescape(id)
					if _, exists := corpus.Find(id); err != nil || !exists {
						t.Errorf("%s: the playground has no vector %s", name, id)
					}
				} else if fragment != "" && !strings.Contains(fragment, "hex=") && !anchors[target][fragment] {
					t.Errorf("%s: %s has no anchor %s", name, target, fragment)
				}
			}
		}
		if policies != 1 {
			t.Errorf("%s: %d policies", name, policies)
		}
	}
	// What has a permanent address.
	has := func(page, anchor string) {
		if anchors[page] == nil || anchor != "" && !anchors[page][anchor] {
			t.Errorf("%s#%s does not exist", page, anchor)
		}
	}
	of := func(structure string) string { return strings.Replace(structure, ".", "/", 1) }
	for _, f := range spec.Families() {
		has(f.Name+"/index.html", "")
		for i := range f.Structures {
			has(of(f.Structures[i].Name)+".html", "")
		}
		for i := range f.Clauses {
			has(of(f.Clauses[i].Structure)+".html", string(f.Clauses[i].ID))
		}
	}
	for _, f := range spec.Flags() {
		has("flags/"+string(f.ID)+".html", "")
		if !strings.Contains(files["flags/index.html"], ">"+string(f.ID)+"<") {
			t.Errorf("the register lacks %s", f.ID)
		}
		if f.Switchable() != strings.Contains(files["flags/"+string(f.ID)+".html"], `id=compared`) {
			t.Errorf("%s: the readings on the same bytes", f.ID)
		}
	}
	for _, v := range theSite(t).vectors {
		has(of(v.Structure())+"-vectors.html", path.Base(v.ID))
	}
	for _, v := range spec.Views() {
		has("views.html", v.ID)
	}
	for _, w := range spec.Words() {
		if w.Kind != spec.UsageWord {
			has("words.html", string(w.Kind)+"-"+strings.ReplaceAll(strings.ToLower(w.Name), " ", "-"))
		}
	}
	for _, typ := range codec.Types() {
		if text, ok := files["schema/"+corpus.FolderOf(typ.Name)+".json"]; !ok || !json.Valid([]byte(text)) {
			t.Errorf("no schema of %s", typ.Name)
		}
	}
}

// TestVectorsAreShown: each vector has its comment, verdicts, and all bytes of a short
// input; the rows of bytes cover the input.
func TestVectorsAreShown(t *testing.T) {
	t.Parallel()
	s := theSite(t)
	files := content(t)
	for _, v := range s.vectors {
		page := files[vectorsPage(v.Structure())]
		article := between(page, `<article class=vector id="`+vectorName(v)+`">`, "</article>")
		if p := (&sheet{site: s, Path: vectorsPage(v.Structure())}); !strings.Contains(article, string(p.Prose(v.Comment))) {
			t.Errorf("%s: the page lacks the comment", v.ID)
		}
		for i := range v.Expect {
			short := html.EscapeString(v.Expect[i].Text())
			if !strings.Contains(article, ">"+short+"<") && !strings.Contains(article, ">"+short+" <small>(0x") {
				t.Errorf("%s: the page lacks the verdict %q", v.ID, short)
			}
		}
		x := s.show(v, true)
		want, e, p := best(v)
		if typ, ok := codec.Find(v.Type); ok && e.Outcome != corpus.Reject {
			if _, err := trace(typ, v.Context, p, want); err != nil {
				t.Errorf("%s: the rows are those of a fault: %v", v.ID, err)
			}
		}
		at, all := 0, fmt.Sprintf("% x ", want)
		for _, r := range x.Rows {
			if r.Gap > 0 && len(want) > maxWhole { // no short input has so many rows
				at = len(want)
				break
			}
			if r.At != at || !strings.HasPrefix(all[min(3*at, len(all)):], r.Hex) {
				t.Errorf("%s: a row of %s at %d, want %d of %s", v.ID, r.Hex, r.At, at, all)
			}
			at += len(strings.Fields(r.Hex)) + r.More
		}
		if at != len(want) {
			t.Errorf("%s: the rows show %d bytes, want %s", v.ID, at, all)
		}
	}
}

// TestRejections: a rejection is marked once, at the first offset that the vector permits.
func TestRejections(t *testing.T) {
	s := theSite(t)
	for id, want := range map[string]string{
		"upkg/CompactIndex/sixth-byte-is-trailing": "5: rejected here",
		"ubi/BasicString/trailing":                 "4: rejected here",
		"upkg/Header/cut-in-the-guid":              "36: rejected here or later",
		"uasset/Package/serial-size-greatest":      "420: rejected here or later",
		"upkg/CompactIndex/cut-before-fifth-byte":  "0: rejected here or later",
	} {
		v := corpustest.Find(t, id)
		var marked []string
		for _, r := range s.show(v, true).Rows {
			if r.Fault != "" {
				marked = append(marked, fmt.Sprintf("%d: %s", r.At, r.Fault))
			}
		}
		if strings.Join(marked, ", ") != want {
			t.Errorf("%s: marked %v, want %s", id, marked, want)
		}
	}
}

// TestDiagram: the boxes of a type of fixed size have the width of its bytes, and a line has
// four. A line of bits, whose boxes have fractions, has the width of its byte or number.
func TestDiagram(t *testing.T) {
	box := regexp.MustCompile(`<rect x=[0-9.]+ y=(\d+) width=([0-9.]+) `)
	for name, bits := range map[string]int{
		"ubi.Vector3": 0, "ka.Header": 0, "upkg.Integer<uint16>": 0, "uasset.IntPoint": 0,
		"ubi.CompressedQuaternion3U16": 0,
		"upkg.CompactIndex":            5, "ubi.CompressedQuaternionU32": 1, "ubi.EncryptedString": 1,
	} {
		l, ok := spec.FindLayout(name)
		if !ok {
			t.Fatal(name)
		}
		all, ofBytes, ofBits := 0.0, map[string]bool{}, map[string]float64{} // by the position of the line
		for _, m := range box.FindAllStringSubmatch(string(new(sheet).Diagram(l.Outlines(ids.Observed())[0])), -1) {
			width, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(m[2], ".") {
				ofBits[m[1]] += width
			} else {
				ofBytes[m[1]] = true
				all += width
			}
		}
		least, most := l.Size(ids.Observed())
		if least == most && (all != float64(least*byteWidth) || len(ofBytes) != (least+perLine-1)/perLine) {
			t.Errorf("%s of %d bytes: boxes of %.1f pixels in %d lines", name, least, all, len(ofBytes))
		}
		if len(ofBits) != bits {
			t.Errorf("%s: %d lines of bits, want %d", name, len(ofBits), bits)
		}
		for y, width := range ofBits {
			if width != perLine*byteWidth {
				t.Errorf("%s: the bits at %s have %.1f pixels", name, y, width)
			}
		}
	}
}

// TestCompared: the page of a flag shows one input under its sides.
func TestCompared(t *testing.T) {
	_, part, _ := strings.Cut(content(t)["flags/upkg.ci-range.html"], `#35-bits-all-set"`)
	// corpus/upkg/CompactIndex/35-bits-all-set.txtar: the other flag has its observed side.
	for _, want := range []string{"<code>documented</code>", "-4294967295", "<code>observed</code>", `<code>"1"</code>`} {
		var found bool
		if _, part, found = strings.Cut(part, want); !found {
			t.Errorf("upkg.ci-range lacks %s", want)
		}
	}
}

// hostile is what a record, a vector or a document must not be able to do to a page.
const hostile = "</pre></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`--> \x1b[31m\u202e " +
	"[x](javascript:alert(1)) &amp;"

// harmless fails the test if a file contains a control character, or a page has an element
// that [hostile] would add.
func harmless(t *testing.T, name, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%s contains a control character", name)
	}
	if !strings.HasSuffix(name, ".html") {
		return
	}
	for _, e := range elements(t, name, text) {
		if e.name == "img" && e.attrs["src"] != "x.svg" || e.name == "script" && e.attrs["src"] == "" ||
			strings.HasPrefix(e.attrs["href"], "javascript") || e.attrs["onerror"] != "" {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// TestHostileText: text of records and vectors remains text.
func TestHostileText(t *testing.T) {
	records := judgetest.Records(nil, judgetest.Basis("UPKG-CI-10", spec.Choice, hostile),
		judgetest.SideChoice("upkg.ci-minus-zero", "strict", hostile))
	s, err := newSite(records)
	if err != nil {
		t.Fatal(err)
	}
	original := corpustest.Find(t, "upkg/CompactIndex/fifth-byte-high-bits")
	v := *original
	v.Lines, v.Expect = slices.Clone(v.Lines), slices.Clone(v.Expect)
	v.Comment, v.Source, v.Lines[0].Note, v.Expect[0].Tree = hostile, hostile, hostile, `"`+hostile+`"`
	v.Context = map[string]string{"x": hostile}
	s.vectors = []*corpus.Vector{&v}
	s.shown = find.ShownBy(s.vectors)
	st := s.families[1].Structures[1]
	if st.Name != "upkg.CompactIndex" {
		t.Fatal(st.Name)
	}
	st.Vectors = s.vectors
	s.families = s.families[1:2]
	s.families[0].Structures = []*structure{st}
	for _, write := range []func(){s.writeStructures, s.writeFlags, s.writeFamilies, s.writeSearch} {
		if write(); s.err != nil {
			t.Fatal(s.err)
		}
	}
	document, err := page.Markdown("# "+hostile+"\n\n* "+hostile+"\n\n| "+hostile+" |\n|---|\n| a |\n\n```\n"+
		hostile+"\n```\n", target("."))
	if err != nil {
		t.Fatal(err)
	}
	s.write("document", "document.html", "Document", "changes", document)
	for _, f := range s.files {
		harmless(t, f.Name, string(f.Content))
		if f.Name == "search.js" && bytes.Contains(f.Content, []byte("</script")) {
			t.Error("the index ends a script")
		}
	}
}
