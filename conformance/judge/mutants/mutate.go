package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// A mutant is one small change of a source file.
type mutant struct {
	file         string
	line, column int
	from, to     int // offsets of the replaced bytes
	text         string
	change       string // description
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d %s", m.file, m.line, m.column, m.change)
}

// apply returns the source with the change.
func (m mutant) apply(src []byte) []byte {
	return append(append(append([]byte{}, src[:m.from]...), m.text...), src[m.to:]...)
}

// operators lists the replacements of an operator.
var operators = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.ADD}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.SHL: {token.SHR}, token.SHR: {token.SHL}, token.AND: {token.OR}, token.OR: {token.AND},
}

// noEffect lists the methods that only set paths and notes. No verdict depends on
// them, and the snapshots test them.
var noEffect = map[string]bool{"Enter": true, "EnterIndex": true, "Leave": true, "Note": true}

// mutantsOf lists the mutants of the functions in a file.
func mutantsOf(name string, src []byte) ([]mutant, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, 0)
	if err != nil {
		return nil, err
	}
	var out []mutant
	text := func(n ast.Node) string {
		return string(src[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
	}
	add := func(from, to token.Pos, text, change string) {
		p := set.Position(from)
		out = append(out, mutant{name, p.Line, p.Column, p.Offset, set.Position(to).Offset, text, change})
	}
	replace := func(n ast.Node, by, change string) { add(n.Pos(), n.End(), by, change) }
	condition := func(e ast.Expr) {
		c := "(" + text(e) + ")"
		replace(e, "!"+c, text(e)+" is negated")
		replace(e, c+" && false", text(e)+" is always false")
		replace(e, c+" || true", text(e)+" is always true")
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				for _, op := range operators[n.Op] {
					add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), op.String(), n.Op.String()+" becomes "+op.String())
				}
			case *ast.BasicLit:
				if n.Kind == token.INT {
					replace(n, "("+n.Value+"+1)", n.Value+" is incremented")
					if n.Value != "0" {
						replace(n, "("+n.Value+"-1)", n.Value+" is decremented")
					}
				}
			case *ast.Ident:
				if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
					replace(n, other, n.Name+" becomes "+other)
				}
			case *ast.IfStmt:
				condition(n.Cond)
			case *ast.SwitchStmt:
				for _, s := range n.Body.List {
					if c := s.(*ast.CaseClause); n.Tag == nil && len(c.List) == 1 {
						condition(c.List[0])
					}
				}
			case *ast.ExprStmt:
				if c, ok := n.X.(*ast.CallExpr); ok {
					if s, ok := c.Fun.(*ast.SelectorExpr); ok && noEffect[s.Sel.Name] {
						return false
					}
					replace(n, "{}", text(n)+" is removed")
				}
			case *ast.AssignStmt:
				if n.Tok == token.ASSIGN && len(n.Lhs) == 1 {
					replace(n, "_ = "+text(n.Rhs[0]), text(n)+" is removed")
				}
			}
			return true
		})
	}
	return out, nil
}
