package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// operators lists the kinds of changes. Each function is called with every node of a
// source that can affect a verdict.
var operators = []struct {
	name   string
	change func(*site)
}{
	{"statement", dropStatement},
	{"condition", changeCondition},
	{"bound", changeOperator},
	{"integer", changeInteger},
	{"string", changeString},
	{"float", changeFloat},
	{"constant", replaceConstant},
	{"table", dropEntry},
	{"width", narrow},
	{"sign", changeSign},
	{"order", swap},
	{"range", shortenRange},
	{"return", changeReturn},
	{"define", changeDefinition},
	{"state", keepState},
}

// tokens lists the replacements of a token.
var tokens = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.ADD}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.SHL: {token.SHR}, token.SHR: {token.SHL}, token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.OR},
}

// narrower and otherSign list readers, writers and types.
var (
	narrower  = map[string]string{"uint64": "uint32", "int64": "int32", "uint32": "uint16", "int32": "int16", "uint16": "uint8", "int16": "int8", "int": "int16", "float64": "float32"}
	otherSign = map[string]string{
		"uint64": "int64", "int64": "uint64", "uint32": "int32", "int32": "uint32", "uint16": "int16", "int16": "uint16", "uint8": "int8", "byte": "int8", "int8": "uint8", "int": "uint32",
	}
	otherNames = map[string]string{
		"MaxInt8": "MaxUint8", "MaxUint8": "MaxInt8", "MaxInt16": "MaxUint16", "MaxUint16": "MaxInt16", "MaxInt32": "MaxUint32", "MaxUint32": "MaxInt32",
		"MaxInt64": "MaxUint32", "MaxUint64": "MaxInt64", "MinInt32": "MinInt16", "LittleEndian": "BigEndian", "Uint32": "Int32", "Int32": "Uint32", "Uint64": "Int64", "Int64": "Uint64",
	}
)

// A site is a node of a source, with what contains it.
type site struct {
	*source
	node     ast.Node
	stack    []ast.Node // outermost first
	function *function
	operator string
	add      func(m *mutant)
}

func (s *site) at(p token.Pos) int { return s.pkg.set.Position(p).Offset }

func (s *site) textOf(n ast.Node) string { return string(s.text[s.at(n.Pos()):s.at(n.End())]) }

func (s *site) parent() ast.Node { return s.stack[len(s.stack)-1] }

// replace adds a mutant in which text takes the place of a node.
func (s *site) replace(n ast.Node, text string) {
	s.edit(n, text, "", edit{s.at(n.Pos()), s.at(n.End()), text})
}

// edit adds a mutant with edits in or near a node.
func (s *site) edit(n ast.Node, change, decls string, edits ...edit) {
	name := ""
	if s.function != nil {
		name = s.function.name
	}
	s.add(&mutant{
		key:  key{File: s.name, Function: name, Operator: s.operator, Original: shown(s.textOf(n)), Change: shown(change)},
		line: s.pkg.set.Position(n.Pos()).Line, source: s.source, function: s.function, edits: edits, decls: decls,
	})
}

func dropStatement(s *site) {
	switch n := s.node.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt:
		s.replace(n, "{}")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE && len(n.Lhs) == 1 {
			s.replace(n, "_ = "+s.textOf(n.Rhs[0]))
		}
	case *ast.BranchStmt:
		s.replace(n, "{}")
	}
}

func changeCondition(s *site) {
	change := func(e ast.Expr, loop bool) {
		c := "(" + s.textOf(e) + ")"
		s.replace(e, c+" && false")
		if !loop {
			s.replace(e, "!"+c)
			s.replace(e, c+" || true")
		}
	}
	switch n := s.node.(type) {
	case *ast.IfStmt:
		if !isTracing(s.textOf(n.Cond)) {
			change(n.Cond, false)
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			change(n.Cond, true)
		}
	case *ast.CaseClause:
		if w := s.stack[len(s.stack)-2].(interface{ Pos() token.Pos }); len(n.List) == 1 {
			if sw, ok := w.(*ast.SwitchStmt); ok && sw.Tag == nil {
				change(n.List[0], false)
			}
		}
	}
}

func changeOperator(s *site) {
	switch n := s.node.(type) {
	case *ast.BinaryExpr:
		for _, op := range tokens[n.Op] {
			at := s.at(n.OpPos)
			s.edit(n, s.textOf(n.X)+" "+op.String()+" "+s.textOf(n.Y), "", edit{at, at + len(n.Op.String()), op.String()})
		}
	case *ast.UnaryExpr:
		if n.Op == token.SUB || n.Op == token.NOT || n.Op == token.XOR {
			s.replace(n, s.textOf(n.X))
		}
	}
}

func changeInteger(s *site) {
	switch n := s.node.(type) {
	case *ast.BasicLit:
		if n.Kind == token.INT {
			s.replace(n, "("+n.Value+" + 1)")
			if n.Value != "0" {
				s.replace(n, "("+n.Value+" - 1)")
			}
		}
		if n.Kind == token.CHAR {
			s.replace(n, "("+n.Value+" + 1)")
		}
	}
}

func changeString(s *site) {
	if n, ok := s.node.(*ast.BasicLit); ok && n.Kind == token.STRING {
		if _, isImport := s.parent().(*ast.ImportSpec); isImport {
			return
		}
		if isText(n) {
			return
		}
		if n.Value == `""` {
			s.replace(n, `"?"`)
		} else {
			s.replace(n, `""`)
			s.replace(n, n.Value[:1]+"?"+n.Value[1:])
		}
	}
}

// isText reports whether a node is a text for people, or the id of a clause.
func isText(n ast.Node) bool {
	l, ok := n.(*ast.BasicLit)
	return ok && l.Kind == token.STRING && (strings.Contains(l.Value, " ") || clauseID.MatchString(l.Value))
}

var clauseID = regexp.MustCompile(`^"[A-Z]+-[A-Z0-9-]+"$`)

func changeFloat(s *site) {
	if n, ok := s.node.(*ast.BasicLit); ok && n.Kind == token.FLOAT {
		if constant.Sign(s.pkg.info.Types[n].Value) != 0 {
			s.replace(n, "("+n.Value+" * (1 + 0x1p-20))")
			s.replace(n, "(-"+n.Value+")")
		}
		s.replace(n, "("+n.Value+" + 1)")
	}
}

// replaceConstant replaces a constant of a named type by the next ones of that type,
// such as the class of an error, and other names by similar ones.
func replaceConstant(s *site) {
	n, ok := s.node.(*ast.Ident)
	if !ok {
		return
	}
	if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
		s.replace(n, other)
		return
	}
	if sel, ok := s.parent().(*ast.SelectorExpr); ok && sel.Sel == n && otherNames[n.Name] != "" {
		s.replace(n, otherNames[n.Name])
	}
	c, ok := s.pkg.info.Uses[n].(*types.Const)
	if !ok || c.Pkg() == nil {
		return
	}
	named, ok := c.Type().(*types.Named)
	if !ok || strings.HasSuffix(strings.ToLower(named.Obj().Name()), "clause") || strings.HasSuffix(named.Obj().Name(), "clauseID") {
		return
	}
	var peers []*types.Const
	scope := c.Pkg().Scope()
	for _, name := range scope.Names() {
		if o, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(o.Type(), named) && (o.Pkg() == s.pkg.types || o.Exported()) {
			peers = append(peers, o)
		}
	}
	slices.SortFunc(peers, func(a, b *types.Const) int { return int(a.Pos() - b.Pos()) })
	i := slices.Index(peers, c)
	for _, k := range []int{1, 3} {
		if p := peers[(i+k)%len(peers)]; p != c && i >= 0 && !constant.Compare(p.Val(), token.EQL, c.Val()) {
			s.replace(n, p.Name())
		}
	}
}

// dropEntry drops an entry of a literal, or repeats the entry before it.
func dropEntry(s *site) {
	n, ok := s.node.(*ast.CompositeLit)
	if !ok {
		return
	}
	for i, e := range n.Elts {
		if s.isSilentField(n, e) {
			continue
		}
		from, to := s.at(e.Pos()), s.at(n.Rbrace)
		if i+1 < len(n.Elts) {
			to = s.at(n.Elts[i+1].Pos())
		}
		s.edit(e, "", "", edit{from, to, ""})
	}
}

// basicName returns the name of the basic type under the type of an expression.
func (s *site) basicName(e ast.Expr) string {
	if b, ok := under(s.pkg.info.TypeOf(e)).(*types.Basic); ok {
		return b.Name()
	}
	return ""
}

func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func (s *site) isConstant(e ast.Expr) bool { return s.pkg.info.Types[e].Value != nil }

// narrow loses the upper half of a conversion, or reads or writes half of the bytes.
func narrow(s *site) {
	n, ok := s.node.(*ast.CallExpr)
	if !ok || len(n.Args) == 0 {
		return
	}
	if tv := s.pkg.info.Types[n.Fun]; tv.IsType() && len(n.Args) == 1 && !s.isConstant(n) {
		if less := narrower[s.basicName(n.Fun)]; less != "" && size(less) < size(s.basicName(n.Args[0])) {
			s.replace(n, s.textOf(n.Fun)+"("+less+"("+s.textOf(n.Args[0])+"))")
		}
		return
	}
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	less := narrower[strings.ToLower(sel.Sel.Name)]
	if less == "" {
		return
	}
	method := strings.ToUpper(less[:1]) + less[1:]
	x := s.textOf(sel.X) + "." + method
	if wide := s.basicName(n); wide != "" { // a reader
		s.replace(n, wide+"("+x+strings.TrimPrefix(s.textOf(n), s.textOf(n.Fun))+")")
	} else { // a writer
		s.replace(n, x+"("+less+"("+s.textOf(n.Args[0])+"))")
	}
}

// changeSign converts with the other sign before a conversion to a wider type, and in
// comparisons.
func changeSign(s *site) {
	switch n := s.node.(type) {
	case *ast.CallExpr:
		if tv := s.pkg.info.Types[n.Fun]; tv.IsType() && len(n.Args) == 1 && !s.isConstant(n) {
			from, to := s.basicName(n.Args[0]), s.basicName(n.Fun)
			if size(to) > size(from) && otherSign[from] != "" {
				s.replace(n, s.textOf(n.Fun)+"("+otherSign[from]+"("+s.textOf(n.Args[0])+"))")
			}
		}
	case *ast.BinaryExpr:
		if n.Op == token.LSS || n.Op == token.GTR || n.Op == token.LEQ || n.Op == token.GEQ || n.Op == token.SHR || n.Op == token.QUO {
			convert := func(e ast.Expr, to string) string { return to + "(" + s.textOf(e) + ")" }
			// An int is a length or a position, which is not negative.
			if to := otherSign[s.basicName(n.X)]; to != "" && s.basicName(n.X) != "int" && !s.isZeroOrLess(n.Y) {
				y := s.textOf(n.Y)
				if n.Op != token.SHR {
					y = convert(n.Y, to)
				}
				x := convert(n.X, to) + " " + n.Op.String() + " " + y
				if n.Op == token.SHR || n.Op == token.QUO {
					x = s.basicName(n.X) + "(" + x + ")"
				}
				s.replace(n, x)
			}
		}
	}
}

// isZeroOrLess reports that a comparison with the expression already asks for the sign.
func (s *site) isZeroOrLess(e ast.Expr) bool {
	tv := s.pkg.info.Types[e]
	return tv.Value != nil && constant.Sign(tv.Value) <= 0
}

func size(name string) int {
	switch strings.TrimPrefix(name, "u") {
	case "int8", "byte":
		return 1
	case "int16":
		return 2
	case "int32", "float32":
		return 4
	case "int64", "int", "float64":
		return 8
	}
	return 0
}

// swap exchanges two adjacent statements, two adjacent arguments of the same type, or
// the values of two adjacent fields of the same type.
func swap(s *site) {
	exchange := func(a, b ast.Node) {
		x, y := s.textOf(a), s.textOf(b)
		if x == y || isText(a) && isText(b) {
			return
		}
		s.edit(a, y, "", edit{s.at(a.Pos()), s.at(a.End()), y}, edit{s.at(b.Pos()), s.at(b.End()), x})
	}
	same := func(a, b ast.Expr) bool {
		x, y := s.pkg.info.TypeOf(a), s.pkg.info.TypeOf(b)
		return x != nil && y != nil && types.Identical(types.Default(x), types.Default(y))
	}
	// Assignments without calls seldom depend on their order.
	simple := func(n ast.Stmt) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			return !isSilent(n.X)
		case *ast.AssignStmt:
			return slices.ContainsFunc(n.Rhs, s.calls)
		}
		return false
	}
	switch n := s.node.(type) {
	case *ast.BlockStmt:
		for i := 1; i < len(n.List); i++ {
			if simple(n.List[i-1]) && simple(n.List[i]) {
				exchange(n.List[i-1], n.List[i])
			}
		}
	case *ast.CallExpr:
		silent := s.silentArgs(n)
		for i := 1; i < len(n.Args); i++ {
			if !silent[i-1] && !silent[i] && same(n.Args[i-1], n.Args[i]) {
				exchange(n.Args[i-1], n.Args[i])
			}
		}
	case *ast.CompositeLit:
		for i := 1; i < len(n.Elts); i++ {
			a, b := n.Elts[i-1], n.Elts[i]
			x, isPair := a.(*ast.KeyValueExpr)
			y, isPair2 := b.(*ast.KeyValueExpr)
			switch {
			case s.isSilentField(n, a) || s.isSilentField(n, b):
			case isPair && isPair2 && same(x.Value, y.Value):
				exchange(x.Value, y.Value)
			case !isPair && !isPair2 && same(a, b):
				exchange(a, b)
			}
		}
	}
}

// calls reports whether an expression calls a function, other than a conversion.
func (s *site) calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && !s.pkg.info.Types[c.Fun].IsType() && !s.pkg.info.Types[c.Fun].IsBuiltin() {
			found = true
		}
		return !found
	})
	return found
}

// shortenRange omits the last element, or all except the first.
func shortenRange(s *site) {
	n, ok := s.node.(*ast.RangeStmt)
	if !ok {
		return
	}
	x := s.textOf(n.X)
	switch t := under(s.pkg.info.TypeOf(n.X)).(type) {
	case *types.Slice, *types.Array:
		s.replace(n.X, x+"[:max(len("+x+"), 1)-1]")
		s.replace(n.X, x+"[:min(len("+x+"), 1)]")
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 {
			s.replace(n.X, "max("+x+", 1)-1")
			s.replace(n.X, "min("+x+", 1)")
		}
	}
}

// changeReturn returns zero values, a changed number, or does not return.
func changeReturn(s *site) {
	n, ok := s.node.(*ast.ReturnStmt)
	if !ok {
		return
	}
	var results *ast.FieldList
	for _, outer := range s.stack {
		switch f := outer.(type) {
		case *ast.FuncDecl:
			results = f.Type.Results
		case *ast.FuncLit:
			results = f.Type.Results
		}
	}
	if !s.afterFail(n) {
		s.replace(n, "{}")
	}
	var typeTexts []string
	if results != nil {
		for _, f := range results.List {
			for range max(1, len(f.Names)) {
				typeTexts = append(typeTexts, s.textOf(f.Type))
			}
		}
	}
	if len(typeTexts) != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		if tv := s.pkg.info.Types[e]; tv.IsNil() || tv.Value != nil && slices.Contains([]string{"0", `""`, "false"}, tv.Value.ExactString()) {
			continue
		}
		s.replace(e, "*new("+typeTexts[i]+")")
		if b, ok := under(s.pkg.info.TypeOf(e)).(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			s.replace(e, "("+s.textOf(e)+") + 1")
		} else if ok && b.Info()&types.IsBoolean != 0 {
			s.replace(e, "!("+s.textOf(e)+")")
		}
	}
}

// afterFail reports whether a fault has just been recorded: then nothing counts that
// is read or written after it.
func (s *site) afterFail(n ast.Stmt) bool {
	var list []ast.Stmt
	switch p := s.parent().(type) {
	case *ast.BlockStmt:
		list = p.List
	case *ast.CaseClause:
		list = p.Body
	}
	i := slices.Index(list, n)
	if i < 1 {
		return false
	}
	e, ok := list[i-1].(*ast.ExprStmt)
	return ok && strings.Contains(s.textOf(e)[:min(len(s.textOf(e)), 20)], ".Fail(")
}

// typeText returns a type as source text.
func (s *site) typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == s.pkg.types {
			return ""
		}
		for _, i := range s.file.Imports {
			if strings.Trim(i.Path.Value, `"`) == p.Path() && i.Name != nil {
				return i.Name.Name
			}
		}
		return p.Name()
	})
}

// changeDefinition gives a new variable the zero value, or another number.
func changeDefinition(s *site) {
	n, ok := s.node.(*ast.AssignStmt)
	if !ok || n.Tok != token.DEFINE {
		return
	}
	if len(n.Lhs) == len(n.Rhs) {
		for i, e := range n.Rhs {
			t := s.pkg.info.TypeOf(n.Lhs[i])
			if _, isFunc := under(t).(*types.Signature); isFunc || t == nil {
				continue
			}
			if !s.isConstant(e) {
				s.replace(e, "*new("+s.typeText(t)+")")
			}
			if b, ok := under(t).(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
				s.replace(e, "("+s.textOf(e)+") + 1")
			}
		}
		return
	}
	if _, inBlock := s.parent().(*ast.BlockStmt); !inBlock {
		return
	}
	for _, l := range n.Lhs {
		id := l.(*ast.Ident)
		if b, ok := under(s.pkg.info.TypeOf(id)).(*types.Basic); ok && id.Name != "_" {
			then := ""
			switch {
			case b.Info()&types.IsInteger != 0:
				then = id.Name + "++"
			case b.Info()&types.IsBoolean != 0:
				then = id.Name + " = !" + id.Name
			default:
				continue
			}
			s.replace(n, s.textOf(n)+"; "+then)
		}
	}
}

// keepState moves a variable of a function out of it, so that it keeps its value from
// the first call, or between calls.
func keepState(s *site) {
	if s.function == nil || s.function.decl == nil {
		return
	}
	var id *ast.Ident
	var value string
	switch n := s.node.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE || len(n.Lhs) != 1 {
			return
		}
		id, value = n.Lhs[0].(*ast.Ident), s.textOf(n.Rhs[0])
	case *ast.DeclStmt:
		g := n.Decl.(*ast.GenDecl)
		if g.Tok != token.VAR || len(g.Specs) != 1 {
			return
		}
		spec := g.Specs[0].(*ast.ValueSpec)
		if len(spec.Names) != 1 {
			return
		}
		id = spec.Names[0]
		if len(spec.Values) == 1 {
			value = s.textOf(spec.Values[0])
		}
	default:
		return
	}
	if _, inBlock := s.parent().(*ast.BlockStmt); !inBlock || id.Name == "_" {
		return
	}
	object := s.pkg.info.Defs[id]
	if object == nil {
		return
	}
	if _, isFunc := object.Type().Underlying().(*types.Signature); isFunc {
		return
	}
	name := "mutantKept_" + id.Name
	text := "{}"
	if value != "" {
		text = fmt.Sprintf("if !%[1]sSet { %[1]s, %[1]sSet = %[2]s, true }", name, value)
	}
	edits := []edit{{s.at(s.node.Pos()), s.at(s.node.End()), text}}
	ast.Inspect(s.function.decl.Body, func(n ast.Node) bool {
		if use, ok := n.(*ast.Ident); ok && s.pkg.info.Uses[use] == object {
			edits = append(edits, edit{s.at(use.Pos()), s.at(use.End()), name})
		}
		return true
	})
	s.edit(s.node, id.Name+" is kept", fmt.Sprintf("var (\n%[1]s %[2]s\n%[1]sSet bool\n)\n", name, s.typeText(object.Type())), edits...)
}
