// Package site writes the records, the corpus and the schemas of trees as a static
// site: pages that link to each other relatively, so that the site works from a
// folder and under any address. Only search and filters need scripts.
//
// A page is a file: there is no server, no framework and no file from elsewhere. The
// index of the search is a script that assigns a list, because a page in a folder may
// load scripts, but no data. The same program writes the same pages: results are those
// that the repository keeps, and no adapter runs.
//
// The module of the playground is package play and what that needs: no records, no
// vectors, no command. A test limits its size and what it links. A worker of the
// browser runs it. After a large file another worker takes its place, because the
// memory of a module never shrinks.
package site

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge"
	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/implementations"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/internal/version"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

//go:embed files
var files embed.FS

// policy is the content security policy of the pages: own scripts, styles and
// pictures, nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; " +
	"base-uri 'none'"

// missingPolicy is that of the page for missing addresses, which has its style in itself.
const missingPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'"

const missingPage = "404.html"

// deepest is the number of folders below which the page for missing addresses finds its
// script. It has its style in itself.
const deepest = 6

// repository is where links to documents that are not part of the site lead.
const repository = "https://github.com/formatgauge/formatgauge"

// Files returns the files of the site, by name. They depend on nothing but the
// program and the module. Without a module the site has no playground.
func Files(m *Module) ([]export.File, error) {
	s, err := build(m)
	if err != nil {
		return nil, err
	}
	return s.files, nil
}

// build returns a site with all files.
func build(m *Module) (*site, error) {
	s, err := newSite(spec.Embedded())
	if err != nil {
		return nil, err
	}
	s.module = m
	runs, err := keptRuns(implementations.Results, "results")
	if err != nil {
		return nil, err
	}
	s.judge(runs)
	return s, s.writeAll()
}

// writeAll writes all files, and sorts them by name.
func (s *site) writeAll() error {
	s.writeStatic()
	s.writeIndex()
	s.writeFamilies()
	s.writeStructures()
	s.writeFlags()
	s.writeWords()
	s.writeDocuments()
	s.writeImplementations()
	s.writeSearch()
	s.writePlayground()
	slices.SortFunc(s.files, func(a, b export.File) int { return cmp.Compare(a.Name, b.Name) })
	return s.err
}

// site collects the files, and the first error: after it the files are of no use.
type site struct {
	templates *template.Template
	vectors   []*corpus.Vector
	shown     map[string][]*corpus.Vector // by what they show
	families  []*family
	records   *spec.Records
	digest    string
	schemas   map[string]*schema.Type
	files     []export.File
	err       error
	judged    []*implementation
	failing   map[string][]*deviation // by vector
	module    *Module
}

// family is a family with the structures of its pages.
type family struct {
	*spec.Family
	Structures []*structure
	Vectors    int
}

// structure is a structure with what belongs to it, in the order of the records.
type structure struct {
	*spec.Structure
	Family  *family
	Clauses []*spec.Clause
	Flags   []*spec.Flag
	Types   []*codec.Type
	Vectors []*corpus.Vector
}

// Short returns the name without the family.
func (s *structure) Short() string { _, short, _ := strings.Cut(s.Name, "."); return short }

func newSite(records *spec.Records) (*site, error) {
	vectors, err := corpus.All()
	if err != nil {
		return nil, err
	}
	vectors = corpus.Under(records, vectors)
	s := &site{records: records, vectors: vectors, shown: find.ShownBy(vectors), schemas: map[string]*schema.Type{}}
	if s.digest, err = corpus.Digest(); err != nil {
		return nil, err
	}
	if s.templates, err = page.Templates(functions); err != nil {
		return nil, err
	}
	if _, err := s.templates.ParseFS(files, "files/*.html"); err != nil {
		return nil, err
	}
	for _, t := range codec.Types() {
		s.schemas[t.Name] = schema.Of(t)
	}
	for _, f := range records.Families() {
		fam := &family{Family: f}
		s.families = append(s.families, fam)
		for i := range f.Structures {
			st := &structure{
				Structure: &f.Structures[i], Family: fam, Clauses: records.ClausesOf(f.Structures[i].Name),
				Flags: records.FlagsOf(f.Structures[i].Name), Vectors: s.shown[f.Structures[i].Name],
			}
			for _, t := range codec.Types() {
				if t.Structure() == st.Name {
					st.Types = append(st.Types, t)
				}
			}
			fam.Structures = append(fam.Structures, st)
			fam.Vectors += len(st.Vectors)
		}
	}
	return s, nil
}

// sheet is the page that a template shows.
type sheet struct {
	*site
	Path    string // of the page within the site
	Title   string
	Section string // the entry of the navigation that is current
	Data    any
}

// write renders a template. The description of the page is its first paragraph.
func (s *site) write(name, address, title, section string, data any) {
	var b bytes.Buffer
	p := &sheet{site: s, Path: address, Title: title, Section: section, Data: data}
	if err := s.templates.ExecuteTemplate(&b, name, p); err != nil {
		s.check(fmt.Errorf("%s: %w", address, err))
	}
	s.add(address, printable.Text(describe(b.String())))
}

// check keeps the first error.
func (s *site) check(err error) { s.err = cmp.Or(s.err, err) }

var (
	firstParagraph = regexp.MustCompile(`(?s)<main id=main>.*?(?:<p class=lead>|<p>)(.*?)(?:</p>|<h2)`)
	tag            = regexp.MustCompile(`<[^>]*>`)
)

// describe gives a page the description that search engines show: its first paragraph.
func describe(text string) string {
	m := firstParagraph.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	said := strings.Join(strings.Fields(tag.ReplaceAllString(m[1], "")), " ")
	return strings.Replace(text, "<title>", `<meta name=description content="`+
		strings.ReplaceAll(page.Cut(said, 155), `"`, "&#34;")+"\">\n<title>", 1)
}

func (s *site) add(name, content string) {
	s.files = append(s.files, export.File{Name: name, Content: []byte(content)})
}

// functions are those of the templates: what several templates need is passed to them
// with the page.
var functions = template.FuncMap{
	"on": func(p *sheet, list any, more ...string) any {
		return struct {
			Page *sheet
			List any
			More []string
		}{p, list, more}
	},
	"anchor": wordAnchor,
	// short returns the id of a vector without the family.
	"short": func(v *corpus.Vector) string { return strings.TrimPrefix(v.ID, v.Family()+"/") },
}

// Vectors returns the vectors of the corpus.
func (p *sheet) Vectors() []*corpus.Vector { return p.vectors }

// Playground reports whether the site has one.
func (p *sheet) Playground() bool { return p.module != nil }

// In reports whether the page belongs to an entry of the navigation.
func (p *sheet) In(entry string) bool {
	_, family := p.records.Family(p.Section)
	return entry == p.Section || entry == "formats" && (family || p.Section == "flags") ||
		entry == "implementations" && p.Section == "faults"
}

// Kinds lists the kinds of flags.
func (p *sheet) Kinds() []spec.FlagKind { return spec.FlagKinds }

// Bases lists who demands something.
func (p *sheet) Bases() []spec.Basis { return spec.Bases }

// Frame returns what the page begins with.
func (p *sheet) Frame() *page.Frame {
	f := &page.Frame{
		Title: p.Title, Policy: policy, Root: p.Link(""),
		Styles: []string{p.Link("style.css")}, Scripts: []string{p.Link("site.js")}, Icon: p.Link("icon.svg"),
	}
	if p.Path != "index.html" {
		f.Title += " · Formatgauge"
	}
	switch {
	case p.Path == missingPage: // a server sends it for any address
		f.Root = "?"
		f.CSS, f.Styles = template.CSS(page.Style), nil
		f.Policy = missingPolicy
		for up := range deepest { // one of these addresses is right
			f.Scripts = append(f.Scripts, strings.Repeat("../", up+1)+"site.js")
		}
	case p.Path == "playground.html":
		f.Policy = playPolicy
		f.Styles = append(f.Styles, "playground/playground.css")
		f.Scripts = append(f.Scripts, "playground/playground.js")
	case p.Section == "implementations":
		f.Scripts = append(f.Scripts, p.Link("implementations.js"))
	}
	return f
}

// Excerpt returns rows of bytes with links to clauses.
func (p *sheet) Excerpt(rows []*page.Row, caption string) *page.Excerpt {
	return &page.Excerpt{Caption: caption, Rows: rows, Clause: func(id ids.Clause) string { return p.To(id) }}
}

// Version names the program and the corpus.
func (p *sheet) Version() string {
	return fmt.Sprintf("Formatgauge %s, corpus %d (%s)", version.String(), corpus.Number, p.digest)
}

// Families returns the families for the navigation.
func (p *sheet) Families() []*family { return p.families }

// Link returns the relative address of a page of the site, given with its path from
// the root: upkg/Name.html#UPKG-NAME-1.
func (p *sheet) Link(target string) string {
	if rest, same := strings.CutPrefix(target, p.Path); same && strings.HasPrefix(rest, "#") {
		return rest
	}
	if folder := p.Path[:strings.LastIndexByte(p.Path, '/')+1]; folder != "" {
		rest, same := strings.CutPrefix(target, folder)
		if same {
			return rest
		}
		return "../" + target
	}
	return target
}

// The addresses of records. They are permanent.

func structurePage(name string) string { return strings.Replace(name, ".", "/", 1) + ".html" }

func vectorsPage(name string) string { return strings.Replace(name, ".", "/", 1) + "-vectors.html" }

func flagPage(id ids.Flag) string { return "flags/" + string(id) + ".html" }

func clauseAddress(c *spec.Clause) string { return structurePage(c.Structure) + "#" + string(c.ID) }

func vectorAddress(v *corpus.Vector) string { return vectorsPage(v.Structure()) + "#" + vectorName(v) }

func wordAddress(w *spec.Word) string { return "words.html#" + wordAnchor(w) }

// vectorName returns the last part of the id.
func vectorName(v *corpus.Vector) string { return v.ID[strings.LastIndexByte(v.ID, '/')+1:] }

// wordAnchor: a word can be a class and a term.
func wordAnchor(w *spec.Word) string {
	return string(w.Kind) + "-" + strings.ReplaceAll(strings.ToLower(w.Name), " ", "-")
}

// ToFamily returns the address of a family.
func (p *sheet) ToFamily(f *family) string { return p.Link(f.Name + "/index.html") }

// ToPart returns the address of the structure of a layout, or "".
func (p *sheet) ToPart(name string) string { return p.To(spec.StructureOf(name)) }

// ToVectors returns the address of the vectors of a structure.
func (p *sheet) ToVectors(name string) string { return p.Link(vectorsPage(name)) }

// ToVector returns the address of a vector.
func (p *sheet) ToVector(v *corpus.Vector) string { return p.Link(vectorAddress(v)) }

// Name returns the last part of the id of a vector.
func (p *sheet) Name(v *corpus.Vector) string { return vectorName(v) }

// writeStatic copies the style and the scripts.
func (s *site) writeStatic() {
	s.add("style.css", page.Style)
	s.copyFiles("", "site.js", "implementations.js", "icon.svg")
}

// copyFiles copies files into a folder of the site.
func (s *site) copyFiles(folder string, names ...string) {
	for _, name := range names {
		b, err := files.ReadFile("files/" + name)
		s.check(err)
		s.add(folder+name, string(b))
	}
}

func (s *site) writeIndex() {
	s.write("search", "search.html", "Search", "search", nil)
	s.write("missing", missingPage, "This page does not exist", "", nil)
	s.write("index", "index.html", "Formatgauge: a conformance reference for game-asset binary formats", "", s.example())
}

// example is an input with its fields.
type example struct {
	Bytes  []byte
	Fields []*page.Row
}

// Hex returns the bytes for the address of the playground.
func (e *example) Hex() string { return hex.EncodeToString(e.Bytes) }

// example returns what the first page shows.
func (s *site) example() *example {
	t, _ := codec.Find("ka.Archive")
	b, err := encoded(t.Name, `{"version": "0x0001", "fastNames": null, "children": [{
		"key": {"type": "STRING", "value": {"text": "name", "id": null}},
		"value": {"type": "STRING", "value": {"text": "Lighthouse", "id": null}}}]}`)
	s.check(err)
	spans, err := trace(t, nil, ids.Observed(), b)
	s.check(err)
	for i := range spans {
		spans[i].Path = strings.TrimPrefix(spans[i].Path, "children[0].")
	}
	return &example{b, page.RowsOf(b, spans, nil, &corpus.Expectation{Outcome: corpus.Accept})}
}

func (s *site) writeFamilies() {
	for _, f := range s.families {
		s.write("family", f.Name+"/index.html", f.Name+": "+f.Title, f.Name, f)
	}
}

// wordList is a kind of words with its words.
type wordList struct {
	Kind  spec.WordKind
	Title string
	Words []*spec.Word
}

func (s *site) writeWords() {
	lists := []*wordList{
		{Kind: spec.TermWord, Title: "Terms"},
		{Kind: spec.ContributorWord, Title: "Terms for contributors"},
		{Kind: spec.ClassWord, Title: "Classes of errors"},
		{Kind: spec.ResultWord, Title: "Results of a case"},
		{Kind: spec.FailureWord, Title: "How a case failed"},
		{Kind: spec.TaskWord, Title: "What people do"},
		{Kind: spec.OutsideWord, Title: "What is not covered"},
	}
	words := spec.Words()
	for _, l := range lists {
		for i := range words {
			if words[i].Kind == l.Kind {
				l.Words = append(l.Words, &words[i])
			}
		}
	}
	s.write("words", "words.html", "Words", "words", lists)
	s.write("views", "views.html", "Views", "words", spec.Views())
}

// documents are those of the repository that are pages of the site.
var documents = []struct{ page, title, section, file, text string }{
	{"protocol.html", "The adapter protocol", "protocol", "conformance/PROTOCOL.md", formatgauge.Protocol},
	{"changes.html", "Changes", "changes", "CHANGELOG.md", formatgauge.Changelog},
}

// writeDocuments writes the protocol and the changes.
func (s *site) writeDocuments() {
	for _, d := range documents {
		content, err := page.Markdown(d.text, target(path.Dir(d.file)))
		s.check(err)
		s.write("document", d.page, d.title, d.section, content)
	}
}

// target returns the addresses of links in a document of a folder of the repository.
func target(dir string) func(string) string {
	return func(link string) string {
		file, fragment, found := strings.Cut(link, "#")
		file = path.Join(dir, file)
		to := repository + "/blob/main/" + file
		for _, d := range documents {
			if d.file == file {
				to = d.page
			}
		}
		if found {
			to += "#" + fragment
		}
		return to
	}
}
