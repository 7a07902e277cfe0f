package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A pkg is a package of a target, with types.
type pkg struct {
	dir      string
	name     string
	path     string
	sources  []*source
	types    *types.Package
	info     *types.Info
	set      *token.FileSet
	importer types.Importer
}

// A source is a file of a package.
type source struct {
	pkg  *pkg
	name string // relative to the root of the repository
	text []byte
	file *ast.File
}

// A function is a function, method or variable that may be changed.
type function struct {
	decl  *ast.FuncDecl  // nil for a variable
	value *ast.ValueSpec // nil for a function
	name  string         // with the receiver
}

func (f *function) node() ast.Node {
	if f.decl != nil {
		return f.decl
	}
	return f.value
}

// load parses and checks the packages in folders.
func load(tags string, dirs []string) ([]*pkg, error) {
	args := []string{"list", "-tags", tags, "-export", "-deps", "-json=Dir,ImportPath,Name,Export,GoFiles"}
	for _, d := range dirs {
		args = append(args, "./"+d)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	type listed struct {
		Dir, ImportPath, Name, Export string
		GoFiles                       []string
	}
	all := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		all[l.ImportPath] = l
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	imp := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(all[path].Export) })
	var pkgs []*pkg
	for _, d := range dirs {
		for _, l := range all {
			if l.Dir != filepath.Join(root, filepath.FromSlash(d)) {
				continue
			}
			p := &pkg{dir: d, name: l.Name, path: l.ImportPath, set: set, importer: imp}
			for _, f := range l.GoFiles {
				text, err := os.ReadFile(filepath.Join(l.Dir, f))
				if err != nil {
					return nil, err
				}
				p.sources = append(p.sources, &source{pkg: p, name: d + "/" + f, text: text})
			}
			if err := p.parse(); err != nil {
				return nil, err
			}
			pkgs = append(pkgs, p)
		}
	}
	if len(pkgs) != len(dirs) {
		return nil, fmt.Errorf("expected packages in %s", strings.Join(dirs, ", "))
	}
	return pkgs, nil
}

// parse parses and checks the sources.
func (p *pkg) parse() (err error) {
	var files []*ast.File
	for _, s := range p.sources {
		if s.file, err = parser.ParseFile(p.set, s.name, s.text, parser.SkipObjectResolution); err != nil {
			return err
		}
		files = append(files, s.file)
	}
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}
	conf := types.Config{Importer: p.importer}
	p.types, err = conf.Check(p.path, p.set, files, p.info)
	return err
}

// A span is where the copy of a mutant is in a composed file.
type span struct {
	m        *mutant
	from, to int
}

// cloneName is the name of the changed copy of a function.
func cloneName(name string, id int) string { return fmt.Sprintf("%s_mutant%d", name, id) }

// compose returns a source with changed copies of functions and variables. If dispatch is true,
// each function calls the copy that is selected.
func (s *source) compose(ms []*mutant, dispatch bool) (string, []span) {
	at := func(p token.Pos) int { return s.pkg.set.Position(p).Offset }
	var edits []edit
	byFunction := map[*function][]*mutant{}
	for _, m := range ms {
		byFunction[m.function] = append(byFunction[m.function], m)
	}
	if dispatch {
		for _, f := range slices.SortedFunc(maps.Keys(byFunction), func(a, b *function) int { return int(a.node().Pos() - b.node().Pos()) }) {
			if f.value != nil {
				var numbers, copies strings.Builder
				for _, m := range byFunction[f] {
					fmt.Fprintf(&numbers, "%d, ", m.id)
					fmt.Fprintf(&copies, ", %s", cloneName(f.name, m.id))
				}
				v := f.value.Values[0]
				edits = append(edits, edit{at(v.Pos()), at(v.Pos()), "mutantPick("}, edit{at(v.End()), at(v.End()), ", []int{" + numbers.String() + "}" + copies.String() + ")"})
				continue
			}
			head, header := s.header(f)
			edits = append(edits, header...)
			var b strings.Builder
			b.WriteString(" switch mutantSelected {")
			fmt.Fprintf(&b, " case %d: mutantReached(%d);", recording, byFunction[f][0].id)
			for _, m := range byFunction[f] {
				call := fmt.Sprintf(head, m.id)
				if f.decl.Type.Results == nil {
					fmt.Fprintf(&b, " case %d: %s; return;", m.id, call)
				} else {
					fmt.Fprintf(&b, " case %d: return %s;", m.id, call)
				}
			}
			b.WriteString(" };")
			open := at(f.decl.Body.Lbrace) + 1
			edits = append(edits, edit{open, open, b.String()})
		}
	}
	var b strings.Builder
	b.WriteString(apply(s.text, 0, len(s.text), edits))
	var spans []span
	for _, m := range ms {
		from := b.Len()
		b.WriteString("\n" + m.clone() + "\n")
		if !dispatch && m.function.value != nil { // the types must agree
			fmt.Fprintf(&b, "var _ = mutantPick(%s, nil, %s)\n", m.function.name, cloneName(m.function.name, m.id))
		}
		spans = append(spans, span{m, from, b.Len()})
	}
	if !dispatch {
		b.WriteString(pick)
	}
	return b.String(), spans
}

// recording is selected instead of a mutant to record which functions run.
const recording = -1

// pick selects the value of a variable.
const pick = `
func mutantPick[T any](original T, ids []int, copies ...func() T) T {
	for i, id := range ids {
		if id == mutantSelected {
			return copies[i]()
		}
	}
	return original
}

var mutantSelected int
`

// clone returns the changed copy of the function of a mutant.
func (m *mutant) clone() string {
	at := func(p token.Pos) int { return m.source.pkg.set.Position(p).Offset }
	if v := m.function.value; v != nil { // a function: its value may end the program
		p := m.source.pkg
		t := types.TypeString(p.info.Defs[v.Names[0]].Type(), func(other *types.Package) string {
			if other == p.types {
				return ""
			}
			return other.Name()
		})
		value := v.Values[0]
		return fmt.Sprintf("func %s() %s { return %s }", cloneName(v.Names[0].Name, m.id), t, apply(m.source.text, at(value.Pos()), at(value.End()), m.edits))
	}
	d := m.function.decl
	rename := edit{at(d.Name.Pos()), at(d.Name.End()), cloneName(d.Name.Name, m.id)}
	return m.decls + apply(m.source.text, at(d.Pos()), at(d.End()), append([]edit{rename}, m.edits...))
}

// header returns a format of the call of a copy, and edits that name all parameters.
func (s *source) header(f *function) (call string, edits []edit) {
	at := func(p token.Pos) int { return s.pkg.set.Position(p).Offset }
	n := 0
	names := func(list *ast.FieldList) (out []string) {
		if list == nil {
			return nil
		}
		for _, field := range list.List {
			suffix := ""
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				suffix = "..."
			}
			if len(field.Names) == 0 {
				name := fmt.Sprintf("mutantArg%d", n)
				n++
				edits = append(edits, edit{at(field.Pos()), at(field.Pos()), name + " "})
				out = append(out, name+suffix)
			}
			for _, id := range field.Names {
				name := id.Name
				if name == "_" {
					name = fmt.Sprintf("mutantArg%d", n)
					n++
					edits = append(edits, edit{at(id.Pos()), at(id.End()), name})
				}
				out = append(out, name+suffix)
			}
		}
		return out
	}
	receiver := names(f.decl.Recv)
	args := names(f.decl.Type.Params)
	call = strings.Replace(cloneName(f.decl.Name.Name, -1), "-1", "%d", 1)
	if f.decl.Recv != nil {
		call = receiver[0] + "." + call
	}
	if list := f.decl.Type.TypeParams; list != nil {
		call += "[" + strings.Join(names(list), ", ") + "]"
	}
	return call + "(" + strings.Join(args, ", ") + ")", edits
}

// compiling returns the mutants that compile.
func compiling(ms []*mutant) []*mutant {
	faulty := map[*mutant]bool{}
	bySource := map[*source][]*mutant{}
	for _, m := range ms {
		switch {
		case m.function == nil:
			text := apply(m.source.text, 0, len(m.source.text), m.edits)
			m.source.check(text, func(int) { faulty[m] = true })
		case !parses(m.clone()):
			faulty[m] = true
		default:
			bySource[m.source] = append(bySource[m.source], m)
		}
	}
	for s, list := range bySource {
		text, spans := s.compose(list, false)
		s.check(text, func(offset int) {
			for _, x := range spans {
				if x.from <= offset && offset < x.to {
					faulty[x.m] = true
				}
			}
		})
	}
	return slices.DeleteFunc(slices.Clone(ms), func(m *mutant) bool { return faulty[m] })
}

func parses(decls string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+decls, parser.SkipObjectResolution)
	return err == nil
}

// check checks the package of a source with other text in its place, and calls
// fault with the offset of each error in the text.
func (s *source) check(text string, fault func(offset int)) {
	f, err := parser.ParseFile(s.pkg.set, s.name, text, parser.SkipObjectResolution)
	if err != nil {
		fault(0)
		return
	}
	files := []*ast.File{f}
	for _, other := range s.pkg.sources {
		if other != s {
			files = append(files, other.file)
		}
	}
	conf := types.Config{Importer: s.pkg.importer, Error: func(err error) {
		if e, ok := err.(types.Error); ok {
			fault(s.pkg.set.Position(e.Pos).Offset)
		}
	}}
	conf.Check(s.pkg.path, s.pkg.set, files, nil)
}
