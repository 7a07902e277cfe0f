// Package play is what the playground of the site computes: it reads an input, and
// shows its bytes, its values and what can be done with them. It needs no browser.
//
// A request is a tree and, for some operations, bytes; so is the answer. Both trees are
// JSON of the form that package tree describes: numbers are strings. Nothing crosses
// that the page does not show: spans cross as offsets, and their texts and the parts of
// the tree when they are asked for.
//
// The operations:
//
//	recognise  bytes: keep them; the types that accept them
//	open       input, bytes or none for those that are kept: the verdict; offsets of spans
//	spans      from, count: paths, values and clauses of spans
//	search     text, from: the next span with a text
//	sides      what other sides of flags make of the input
//	children   node, from, count: rows of the tree
//	locate     path: the node of a span
//	part       node: its bytes, clauses and JSON
//	edit       node, text: the bytes with another value in its place
//	encoded    the bytes of the value
//	json       the tree
//	draft      name: the input as a vector without a verdict
//	scan       the keyed archives in the input
//	textures   the textures of a package
//	picture    row, mip, channel: a PNG, equal to that of the command without a channel
package play

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/filekind"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// maxSpans is the number of spans up to which each byte of an input has one. A file
// with 2 MiB that are not opaque has at most as many.
var maxSpans = 2 << 20 // tests have fewer

const (
	smallInput = 64 << 10 // bytes that are also read under other sides
	largeTree  = 16 << 20 // bytes up to which a tree is written as JSON
	shownItems = 4096     // the most elements of a list in one answer
)

// A Session reads one input, which stays until the next one is opened.
type Session struct {
	src     []byte
	typ     *codec.Type
	profile ids.Profile
	context map[string]string
	codec   codec.Codec
	value   any       // nil if the input is rejected
	root    tree.Part // of the value
	spans   []wire.Span
}

// Input says how bytes are read.
type Input struct {
	Type    string
	Profile string
	Context []string // key=value
}

// request contains the fields of all requests. Each has all of them.
type request struct {
	Op      string
	Input   Input
	Node    []int  // indices from the root
	Path    string // of a span
	From    int    // the first element or span
	Count   int    // of elements or spans
	Text    string
	Row     int // of an object of a package
	Mip     int
	Channel string
	Name    string
}

// Do answers a request. An error is a sentence for people.
func (s *Session) Do(text string, src []byte) (answer string, out []byte, err error) {
	var r request
	n, err := tree.Parse([]byte(text))
	if err == nil {
		err = tree.ToModel(n, &r)
	}
	if err != nil {
		return "", nil, err
	}
	v, out, err := s.answer(&r, src)
	if err != nil {
		return "", nil, errors.New(printable.Text(err.Error()))
	}
	n, err = tree.FromModel(v)
	return n.String(), out, err
}

func (s *Session) answer(r *request, src []byte) (any, []byte, error) {
	switch r.Op {
	case "recognise":
		*s = Session{src: src}
		return filekind.GuessTypes(src), nil, nil
	case "scan":
		return s.scan()
	case "open":
		if src != nil {
			s.src = src
		}
		return s.open(r.Input)
	}
	if s.codec == nil {
		return nil, nil, errors.New("no input is open")
	}
	switch r.Op {
	case "spans":
		return s.showSpans(r.From, r.Count), nil, nil
	case "search":
		return s.search(r.Text, r.From), nil, nil
	case "sides":
		return s.sides(), nil, nil
	case "draft":
		return s.draft(r.Name)
	}
	if s.value == nil {
		return nil, nil, errors.New("the input is rejected, so it has no value")
	}
	switch r.Op {
	case "children":
		v, err := s.children(r.Node, r.From, r.Count)
		return v, nil, err
	case "locate":
		return s.locate(r.Path), nil, nil
	case "part":
		v, err := s.part(r.Node)
		return v, nil, err
	case "edit":
		return s.edit(r.Node, r.Text)
	case "encoded":
		b, err := s.codec.Append(nil, s.value)
		return struct{}{}, b, err
	case "json":
		return s.json()
	case "textures":
		return s.textures(), nil, nil
	case "picture":
		return s.picture(r.Row, r.Mip, r.Channel)
	}
	return nil, nil, fmt.Errorf("no operation %q", r.Op)
}

// opened is the answer to open. Its bytes are the offsets of the spans, as uint32 in
// little-endian order: all starts, then all ends.
type opened struct {
	Size    int
	Error   *fault
	Spans   int
	Limited bool // there are more than maxSpans spans, and none is kept
	Root    *row
	Encoded *again
}

type fault struct {
	Class   string
	Offset  int
	Path    string
	Clause  ids.Clause
	Message string   // what was expected and what was found
	Sides   []string // flag=side under which the input is accepted
}

// again says what comes of writing the value that was read.
type again struct {
	Same    bool
	Offset  int    // of the first difference
	Size    int    // in bytes
	Was, Is string // the bytes of the input and of the value from there on
	Error   string
}

func (s *Session) open(in Input) (any, []byte, error) {
	if err := s.bind(in); err != nil {
		return nil, nil, err
	}
	a := &opened{Size: len(s.src)}
	var err error
	s.value, s.spans, err = s.codec.Trace(s.src)
	if len(s.spans) == maxSpans && err != nil {
		a.Limited, s.spans = true, nil
		s.value, err = s.codec.Decode(s.src)
	}
	if err != nil {
		if a.Error, err = s.faultOf(err); err != nil {
			return nil, nil, err
		}
	} else {
		n, err := tree.FromModel(s.value)
		if err != nil {
			return nil, nil, err
		}
		s.root = tree.Whole(s.typ, &n)
		root := rowOf(s.root)
		a.Root, a.Encoded = &root, s.rewrite()
	}
	a.Spans = len(s.spans)
	out := make([]byte, 8*len(s.spans))
	for i, span := range s.spans {
		binary.LittleEndian.PutUint32(out[4*i:], uint32(span.Start))
		binary.LittleEndian.PutUint32(out[4*(len(s.spans)+i):], uint32(span.End))
	}
	return a, out, nil
}

// bind takes over how bytes are read. After an error the session is as before.
func (s *Session) bind(in Input) error {
	t, ok := codec.Find(in.Type)
	if !ok {
		return fmt.Errorf("unknown type %q", in.Type)
	}
	p, err := ids.ParseProfile(in.Profile)
	if err != nil {
		return err
	}
	context := map[string]string{}
	for _, pair := range in.Context {
		key, value, _ := strings.Cut(pair, "=")
		context[key] = value
	}
	c, err := t.Bind(wire.Settings{Profile: p, Limits: wire.Limits{MaxSpans: maxSpans}}, context)
	if err == nil {
		s.typ, s.profile, s.context, s.codec = t, p, context, c
	}
	return err
}

func (s *Session) faultOf(err error) (*fault, error) {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		return nil, err
	}
	f := &fault{
		Class: string(e.Class), Offset: e.Offset, Path: e.Path, Clause: e.Clause,
		Message: printable.Text(e.Detail), Sides: []string{},
	}
	if e.Err != nil {
		f.Message += ": " + printable.Text(e.Err.Error())
	}
	for _, o := range s.otherSides() {
		if _, err := o.codec.Decode(s.src); err == nil {
			f.Sides = append(f.Sides, o.name)
		}
	}
	return f, nil
}

// rewrite writes the value and compares the bytes with the input.
func (s *Session) rewrite() *again {
	b, err := s.codec.Append(make([]byte, 0, len(s.src)), s.value)
	if err != nil {
		return &again{Error: err.Error()}
	}
	a := &again{Size: len(b), Offset: commonPrefix(b, s.src)}
	a.Same = a.Offset == len(b) && len(b) == len(s.src)
	a.Was, a.Is = excerpt(s.src, a.Offset), excerpt(b, a.Offset)
	return a
}

// excerpt returns a few bytes from an offset on.
func excerpt(b []byte, at int) string {
	const most = 12
	text := fmt.Sprintf("% x", b[at:min(len(b), at+most)])
	if len(b) > at+most {
		text += " …"
	}
	return text
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// other is the type of the input under another side of one flag.
type other struct {
	name  string // flag=side
	codec codec.Codec
}

// otherSides returns the sides of the family that the profile does not take. It
// returns none for an input that is not small.
func (s *Session) otherSides() []other {
	if len(s.src) > smallInput {
		return nil
	}
	var out []other
	for id, names := range ids.Sides(s.typ.Family()) {
		for _, name := range names {
			if s.profile.Takes(id, name) {
				continue
			}
			p, _ := s.profile.With(id, name) // the flag has the side
			if c, err := s.typ.Bind(wire.Settings{Profile: p}, s.context); err == nil {
				out = append(out, other{string(id) + "=" + name, c})
			}
		}
	}
	slices.SortFunc(out, func(a, b other) int { return strings.Compare(a.name, b.name) })
	return out
}

// side is another side, and what it makes of the input.
type side struct{ Name, Result string }

// sides says what the other sides make of the input: accepted with another value, or
// rejected, or accepted where this profile rejects. Sides that change nothing are
// omitted.
func (s *Session) sides() []side {
	out := []side{}
	others := s.otherSides()
	own := ""
	if s.value != nil && len(others) > 0 {
		own = s.root.Node.String()
	}
	for _, o := range others {
		v, err := o.codec.Decode(s.src)
		switch e, ok := errors.AsType[*wire.Error](err); {
		case err == nil && s.value == nil:
			out = append(out, side{o.name, "accepted"})
		case err == nil && textOf(v) != own:
			out = append(out, side{o.name, "another value"})
		case ok && s.value != nil:
			out = append(out, side{o.name, fmt.Sprintf("rejected (%s at byte %d)", e.Class, e.Offset)})
		}
	}
	return out
}

// rebuilt returns a changed package with counts and offsets that fit, and other values
// as they are.
func (s *Session) rebuilt(v any) (any, error) {
	settings := wire.Settings{Profile: s.profile}
	switch v := v.(type) {
	case upkg.Package:
		out, _, err := upkg.New(settings).Rebuild(v)
		return out, err
	case uasset.Package:
		out, _, err := uasset.New(settings).Rebuild(v)
		return out, err
	}
	return v, nil
}
