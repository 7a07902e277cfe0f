package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// silentMethods only set paths and notes, or are for people. No verdict depends on
// them, and the snapshots test them.
var silentMethods = []string{"Enter", "EnterIndex", "Leave", "Note", "Grow", "Errorf", "Sprintf", "New", "panic"}

// silentFunctions are for people.
var silentFunctions = []string{"String", "Error", "GoString"}

// silentParameters are names of parameters that only affect the path or the text of
// an error.
var silentParameters = []string{"field", "clause", "where", "title"}

// silentFields are names of fields with the name of a structure or of a field, which
// only errors and spans show; errorFields are those of an error without its class and
// its offset.
var (
	silentFields = []string{"name", "field", "clause", "title"}
	errorFields  = []string{"Type", "Path", "Clause", "Detail"}
)

// isSilentField reports whether an element of a literal only affects text.
func (s *source) isSilentField(lit *ast.CompositeLit, e ast.Expr) bool {
	kv, ok := e.(*ast.KeyValueExpr)
	if !ok {
		return false
	}
	k, ok := kv.Key.(*ast.Ident)
	if !ok {
		return false
	}
	named, _ := s.pkg.info.TypeOf(lit).(*types.Named)
	isError := named != nil && named.Obj().Name() == "Error"
	return slices.Contains(silentFields, k.Name) || isError && slices.Contains(errorFields, k.Name)
}

func isSilent(e ast.Expr) bool {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && f.Sel.Name == "New" && x.Name != "errors" {
			return false
		}
		return slices.Contains(silentMethods, f.Sel.Name)
	case *ast.Ident:
		return f.Name == "panic"
	}
	return false
}

// isTracing reports whether a condition asks whether spans are kept: the judge does
// not ask for them.
func isTracing(condition string) bool { return strings.Contains(condition, "racing") }

// silentArgs reports for each argument of a call whether it only affects text or
// speed.
func (s *site) silentArgs(c *ast.CallExpr) []bool { return s.source.silentArgs(c) }

func (s *source) silentArgs(c *ast.CallExpr) []bool {
	out := make([]bool, len(c.Args))
	if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "make" && len(c.Args) == 3 {
		out[2] = true
	}
	sig, ok := s.pkg.info.TypeOf(c.Fun).(*types.Signature)
	if !ok {
		return out
	}
	formatted := false // what follows the format is text
	for i := range c.Args {
		p := sig.Params().At(min(i, sig.Params().Len()-1))
		formatted = formatted || p.Name() == "format"
		out[i] = formatted || slices.Contains(silentParameters, p.Name())
		// The name of a structure or of an element is in its path.
		if _, isText := c.Args[i].(*ast.BasicLit); isText && p.Name() == "name" {
			out[i] = true
		}
	}
	return out
}

// enumerate lists the mutants of packages, in a fixed order. Not all compile.
func enumerate(pkgs []*pkg) []*mutant {
	var out []*mutant
	nth := map[key]int{}
	for _, p := range pkgs {
		for _, s := range p.sources {
			if isExcluded(s.name) {
				continue
			}
			for _, d := range s.file.Decls {
				var f *function
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Body == nil || slices.Contains(silentFunctions, d.Name.Name) {
						continue
					}
					f = &function{decl: d, name: d.Name.Name}
					if d.Recv != nil {
						t := d.Recv.List[0].Type
						from, to := p.set.Position(t.Pos()).Offset, p.set.Position(t.End()).Offset
						f.name = fmt.Sprintf("(%s).%s", s.text[from:to], d.Name.Name)
					}
				case *ast.GenDecl:
					if d.Tok == token.IMPORT || d.Tok == token.TYPE {
						continue
					}
				}
				variables := map[ast.Node]*function{}
				s.walk(d, func(site *site) {
					site.function = f
					if f == nil {
						v := variableOf(site)
						if v != nil && variables[v] == nil {
							variables[v] = &function{value: v, name: v.Names[0].Name}
						}
						site.function = variables[v]
					}
					site.add = func(m *mutant) {
						m.Nth = nth[m.key]
						k := m.key
						k.Nth = 0
						nth[k]++
						m.id = len(out) + 1
						m.decls = strings.ReplaceAll(m.decls, "mutantKept_", fmt.Sprintf("mutantKept%d_", m.id))
						for i := range m.edits {
							m.edits[i].text = strings.ReplaceAll(m.edits[i].text, "mutantKept_", fmt.Sprintf("mutantKept%d_", m.id))
						}
						out = append(out, m)
					}
					for _, op := range operators {
						site.operator = op.name
						op.change(site)
					}
				})
			}
		}
	}
	return out
}

// variableOf returns the package-level variable whose value contains a site.
func variableOf(s *site) *ast.ValueSpec {
	if g := s.stack[0].(*ast.GenDecl); g.Tok != token.VAR {
		return nil
	}
	v, ok := s.node.(*ast.ValueSpec)
	if !ok && len(s.stack) > 1 {
		v, ok = s.stack[1].(*ast.ValueSpec)
	}
	if !ok || len(v.Names) != 1 || len(v.Values) != 1 || v.Names[0].Name == "_" {
		return nil
	}
	return v
}

// walk visits the nodes that can affect a verdict.
func (s *source) walk(d ast.Decl, visit func(*site)) {
	silent := map[ast.Node]bool{}
	text := func(n ast.Node) string {
		return string(s.text[s.pkg.set.Position(n.Pos()).Offset:s.pkg.set.Position(n.End()).Offset])
	}
	ast.PreorderStack(d, nil, func(n ast.Node, stack []ast.Node) bool {
		if silent[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			// Names and types are not changed.
			for _, f := range []*ast.FieldList{n.Recv, n.Type.TypeParams, n.Type.Params, n.Type.Results} {
				if f != nil {
					silent[f] = true
				}
			}
		case *ast.FuncType, *ast.ArrayType, *ast.MapType, *ast.StructType, *ast.InterfaceType:
			return false
		case *ast.ExprStmt:
			if isSilent(n.X) {
				return false
			}
		case *ast.DeferStmt:
			if isSilent(n.Call) {
				return false
			}
		case *ast.IfStmt:
			if isTracing(text(n.Cond)) {
				silent[n.Cond], silent[n.Body] = true, true
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				silent[e] = s.isSilentField(n, e)
			}
		case *ast.CallExpr:
			if isSilent(n) {
				return false
			}
			for i, is := range s.silentArgs(n) {
				silent[n.Args[i]] = is
			}
		}
		if len(stack) > 0 {
			visit(&site{source: s, node: n, stack: slices.Clone(stack)})
		}
		return true
	})
}
