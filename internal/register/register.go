// Package register writes CONFORMANCE.md: for each structure of each document
// the proofs that exist, then the register of flags. It looks at the records,
// the list of types, the corpus and the repository's own files, so that the
// page cannot promise what is not there.
package register

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

//go:embed head.md
var head string

//go:embed claims.md
var claims string

// Markdown returns the page for a repository.
func Markdown(repo fs.FS) ([]byte, error) {
	vectors, err := corpus.All()
	if err != nil {
		return nil, err
	}
	targets, err := FuzzTargets(repo)
	if err != nil {
		return nil, err
	}
	p := page{vectors: vectors, targets: targets, repo: repo}
	p.WriteString(head)
	p.totals()
	for _, f := range spec.Families() {
		p.family(f)
	}
	p.WriteString("\n## The register of flags\n\nA flag with sides is a switch of the reference: `--profile observed,FLAG=SIDE`. " +
		"A flag without sides changes no bytes. `formatgauge explain FLAG` tells the evidence and the vectors.\n")
	for _, f := range spec.Families() {
		p.flags(f)
	}
	p.WriteString("\n" + claims)
	return p.Bytes(), nil
}

type page struct {
	bytes.Buffer
	vectors []*corpus.Vector
	targets map[string]bool
	repo    fs.FS
}

func (p *page) totals() {
	fmt.Fprintf(p, "\n| family | documents | structures | clauses (must) | flags (switchable) | vectors |\n|---|---|---|---|---|---|\n")
	for _, f := range spec.Families() {
		var docs []string
		for _, d := range f.Documents {
			docs = append(docs, d.ID)
		}
		must, switchable, vectors := 0, 0, 0
		for _, c := range f.Clauses {
			if c.Level == spec.Must {
				must++
			}
		}
		for i := range f.Flags {
			if f.Flags[i].Switchable() {
				switchable++
			}
		}
		for _, v := range p.vectors {
			if v.Family() == f.Name {
				vectors++
			}
		}
		fmt.Fprintf(p, "| `%s` %s | %s | %d | %d (%d) | %d (%d) | %d |\n", f.Name, f.Title, strings.Join(docs, ", "),
			len(f.Structures), len(f.Clauses), must, len(f.Flags), switchable, vectors)
	}
}

func (p *page) family(f *spec.Family) {
	fmt.Fprintf(p, "\n## %s: %s\n\n", f.Name, f.Title)
	for _, d := range f.Documents {
		fmt.Fprintf(p, "* Document %s, %s. %s\n", d.ID, d.Title, d.About)
	}
	p.WriteString("\n| structure | model | codec | clauses | vectors | properties | fuzz | snapshot | flags |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range f.Structures {
		p.structure(s)
	}
	p.WriteString("\nWhat each structure is checked against beside its vectors:\n\n")
	for _, s := range f.Structures {
		fmt.Fprintf(p, "* `%s`: %s\n", s.Name, s.Oracle)
	}
}

const missing = "**missing**"

func (p *page) structure(s spec.Structure) {
	var types []*codec.Type
	for _, t := range codec.Types() {
		if t.Structure() == s.Name {
			types = append(types, t)
		}
	}
	name := "`" + s.Name + "`"
	if s.Extension {
		name += " (extension)"
	}
	model, codecs, properties, fuzz, snapshot := missing, missing, missing, missing, missing
	if len(types) > 0 {
		model, codecs, properties = goType(types[0]), "both ways", "identity, prefixes, spans, memory"
		if len(types) > 1 {
			codecs = fmt.Sprintf("both ways, %d instances", len(types))
		}
		fuzz, snapshot = "yes", "yes"
	}
	for _, t := range types {
		if !p.targets[corpus.FuzzTargetOf(t.Name)] {
			fuzz = missing
		}
		for _, kind := range []string{"tree", "spans", "errors"} {
			if _, err := fs.Stat(p.repo, "golden/"+corpus.FolderOf(t.Name)+"/"+kind+".txt"); err != nil {
				snapshot = missing
			}
		}
	}
	fmt.Fprintf(p, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, model, codecs,
		p.clauses(s.Name), p.counts(s.Name), properties, fuzz, snapshot, p.flagsOf(s.Name))
}

// goType names the model without its instance's arguments.
func goType(t *codec.Type) string {
	name := t.Model().String()
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i] + "[…]"
	}
	return "`" + name + "`"
}

func (p *page) clauses(structure string) string {
	counts := map[spec.Level]int{}
	for _, c := range spec.ClausesOf(structure) {
		counts[c.Level]++
	}
	var parts []string
	for _, l := range []spec.Level{spec.Must, spec.Should, spec.Info} {
		if counts[l] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[l], l))
		}
	}
	if len(parts) == 0 {
		return missing
	}
	return strings.Join(parts, ", ")
}

func (p *page) counts(structure string) string {
	counts := map[corpus.Outcome]int{}
	for _, v := range p.vectors {
		if v.Structure() == structure {
			counts[v.Expect[len(v.Expect)-1].Outcome]++
		}
	}
	var parts []string
	for _, o := range []corpus.Outcome{corpus.Accept, corpus.Noncanonical, corpus.Reject, corpus.Encodes} {
		if counts[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[o], o))
		}
	}
	if len(parts) == 0 {
		return missing
	}
	return strings.Join(parts, ", ")
}

func (p *page) flagsOf(structure string) string {
	var ids []string
	for _, f := range spec.FlagsOf(structure) {
		_, short, _ := strings.Cut(string(f.ID), ".")
		ids = append(ids, short)
	}
	return strings.Join(ids, ", ")
}

func (p *page) flags(f *spec.Family) {
	fmt.Fprintf(p, "\n### %s\n\n| flag | kind | sides | documented | observed | vectors |\n|---|---|---|---|---|---|\n", f.Name)
	for i := range f.Flags {
		fl := &f.Flags[i]
		var sides []string
		for _, s := range fl.Sides {
			sides = append(sides, s.Name)
		}
		n := 0
		for _, v := range p.vectors {
			if slices.Contains(v.Flags, fl.ID) {
				n++
			}
		}
		fmt.Fprintf(p, "| `%s` | %s | %s | %s | %s | %d |\n", fl.ID, fl.Kind, strings.Join(sides, ", "), cell(fl.Documented), cell(fl.Observed), n)
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// FuzzTargets lists the fuzz functions of the repository.
func FuzzTargets(repo fs.FS) (map[string]bool, error) {
	files, err := fs.Glob(repo, "fuzz/*_test.go")
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, name := range files {
		src, err := fs.ReadFile(repo, name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Fuzz") {
				out[fn.Name.Name] = true
			}
		}
	}
	return out, nil
}
