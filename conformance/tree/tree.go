// Package tree holds values in a neutral form that is the same for every
// language: what a decoder returns, and what an encoder is given.
//
// In JSON a tree consists of objects that keep the order of their fields,
// lists, strings, booleans and null. Every number is a string: an integer in
// decimal, without +, leading zeros or -0; a float is what wire.FormatFloat32 gives.
// Bytes are lower-case hex. Text that is not valid UTF-8 is {"hex": "..."}. An
// absent value is null.
package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/internal/jsonscan"
)

// NodeKind is the kind of a node.
type NodeKind uint8

const (
	// Null is an absent value.
	Null NodeKind = iota
	// Bool is true or false.
	Bool
	// Text is a string, a number, hex, or the name of a value of an enumeration.
	Text
	// List contains nodes.
	List
	// Object contains named nodes in order.
	Object
)

// Node is a value or a part of one. The zero value is null.
type Node struct {
	Kind  NodeKind
	Text  string   // of Text; "true" or "false" of Bool
	Names []string // of Object, as many as Items
	Items []Node   // of List and Object
}

// A float that is a NaN is NaNBits followed by its bits, or NaN in the tree of a vector.
const (
	NaN     = "nan"
	NaNBits = "nan:"
)

// Index returns the index of the item that a step of a path names; -1 if there is none.
func (n Node) Index(step string) int {
	if n.Kind == List {
		if i, ok := IndexOf(step); ok && i >= 0 && i < len(n.Items) {
			return i
		}
		return -1
	}
	return slices.Index(n.Names, step)
}

// Field returns the named item of an object; null if there is none.
func (n Node) Field(name string) Node { return *n.field(name) }

func (n *Node) field(name string) *Node {
	if i := slices.Index(n.Names, name); i >= 0 {
		return &n.Items[i]
	}
	return &Node{}
}

// Parse parses the JSON of a tree. It rejects numbers that are not strings: other
// JSON readers may round them.
func Parse(text []byte) (Node, error) {
	s := jsonscan.New(text)
	n, err := Scan(s)
	if err == nil {
		err = s.Done()
	}
	if err != nil {
		return Node{}, fmt.Errorf("tree: %w", err)
	}
	return n, nil
}

// Scan scans a tree that is part of a larger text.
func Scan(s *jsonscan.Scanner) (Node, error) {
	switch s.Next() {
	case jsonscan.Null:
		return Node{}, s.Null()
	case jsonscan.True, jsonscan.False:
		v, err := s.Bool()
		return Node{Kind: Bool, Text: strconv.FormatBool(v)}, err
	case jsonscan.String:
		t, err := s.String()
		return Node{Kind: Text, Text: t}, err
	case jsonscan.Number:
		text, err := s.Number()
		if err != nil {
			return Node{}, err
		}
		return Node{}, fail("expected a string, found the JSON number %s; numbers are strings", text)
	case jsonscan.Array:
		n, from := Node{Kind: List}, s.Left()
		err := s.Array(func() error {
			// append grows a long list by a quarter only, and copies each item four times.
			if have := len(n.Items); have >= longList && have == cap(n.Items) {
				n.Items = slices.Grow(n.Items, min(3*have, s.Left()*have/(from-s.Left())+1))
			}
			return n.scanItem(s)
		})
		return n, err
	case jsonscan.Object:
		n := Node{Kind: Object}
		err := s.Object(func(name string) error {
			n.Names = append(n.Names, name)
			return n.scanItem(s)
		})
		return n, err
	}
	return Node{}, s.Skip() // returns the error
}

// longList is the number of items from which a list is allocated for the items that the rest
// of the text can have.
const longList = 256

func (n *Node) scanItem(s *jsonscan.Scanner) error {
	item, err := Scan(s)
	n.Items = append(n.Items, item)
	if e, ok := err.(*Invalid); ok && n.Kind == List {
		return e.at(len(n.Items) - 1)
	} else if ok {
		return e.in("." + n.Names[len(n.Items)-1])
	}
	return err
}

// AppendJSON appends the tree on one line.
func (n Node) AppendJSON(dst []byte) []byte { return n.appendJSON(dst, "", 0) }

// String returns the tree on one line.
func (n Node) String() string { return string(n.AppendJSON(nil)) }

// MarshalJSON returns the tree on one line.
func (n Node) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil), nil }

// UnmarshalJSON parses what [Parse] parses.
func (n *Node) UnmarshalJSON(b []byte) (err error) {
	*n, err = Parse(b)
	return err
}

// Indent returns the tree on several lines. A part that fits 100 columns is on
// one line.
func (n Node) Indent() string { return string(n.appendJSON(nil, "  ", 0)) + "\n" }

const lineWidth = 100

func (n Node) appendJSON(dst []byte, indent string, level int) []byte {
	switch n.Kind {
	case Null:
		return append(dst, "null"...)
	case Bool:
		return append(dst, n.Text...)
	case Text:
		return appendString(dst, n.Text)
	}
	start := len(dst)
	dst = n.appendItems(dst, "", 0)
	if indent == "" || len(dst)-start+level*len(indent) <= lineWidth {
		return dst
	}
	return n.appendItems(dst[:start], indent, level)
}

func (n Node) appendItems(dst []byte, indent string, level int) []byte {
	opening, closing := byte('['), byte(']')
	if n.Kind == Object {
		opening, closing = '{', '}'
	}
	newline := func(level int) {
		if indent != "" {
			dst = append(dst, '\n')
			dst = append(dst, strings.Repeat(indent, level)...)
		}
	}
	dst = append(dst, opening)
	for i, item := range n.Items {
		if i > 0 {
			dst = append(dst, ',')
			if indent == "" {
				dst = append(dst, ' ')
			}
		}
		newline(level + 1)
		if n.Kind == Object {
			dst = appendString(dst, n.Names[i])
			dst = append(dst, ": "...)
		}
		dst = item.appendJSON(dst, indent, level+1)
	}
	if len(n.Items) > 0 {
		newline(level)
	}
	return append(dst, closing)
}

// The control characters with an escape of one letter, and these letters.
const (
	escaped = "\b\f\n\r\t"
	escapes = "bfnrt"
)

func appendString(dst []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7F || c == '"' || c == '\\' {
			plain = false
			break
		}
	}
	if plain {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20 && strings.IndexByte(escaped, c) >= 0:
			dst = append(dst, '\\', escapes[strings.IndexByte(escaped, c)])
		case c < 0x20 || r == 0x2028 || r == 0x2029:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = utf8.AppendRune(dst, r) // U+FFFD for a byte that is not UTF-8
		}
		i += size
	}
	return append(dst, '"')
}
