package export

import (
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Format is the number of the form of the files. It grows with every new field. A
// consumer refuses a number that it does not know.
const Format = 1

// Index is index.json: what an edition of the corpus contains.
type Index struct {
	Format  int          `json:"format"`
	Edition int          `json:"edition"` // see [corpus.Number]
	Hash    string       `json:"hash"`    // of the vector files; see [corpus.Hash]
	Types   []IndexEntry `json:"types"`
}

// IndexEntry names the file of a type.
type IndexEntry struct {
	Type    string `json:"type"`
	File    string `json:"file"`
	Vectors int    `json:"vectors"`
	Bytes   int    `json:"bytes"`
	SHA256  string `json:"sha256"`
}

// TypeFile is the file of a type.
type TypeFile struct {
	Format  int                `json:"format"`
	Type    string             `json:"type"`
	Context map[string]string  `json:"context,omitempty"` // the parameters, with the defaults
	Tree    schema.Part        `json:"tree"`              // the kinds of values
	Models  []schema.NamedPart `json:"models,omitempty"`  // to which Tree refers
	Vectors []Vector           `json:"vectors"`
}

// Vector is a vector with the permitted answers.
type Vector struct {
	ID      string            `json:"id"`
	Comment string            `json:"comment"`
	Clauses []ids.Clause      `json:"clauses"`
	Flags   []ids.Flag        `json:"flags,omitempty"`
	Context map[string]string `json:"context,omitempty"` // what differs from the defaults
	Source  string            `json:"source"`
	Hex     *string           `json:"hex,omitempty"`     // the input; absent if there is only a value to encode
	Spans   []Span            `json:"spans,omitempty"`   // what the bytes mean
	Results []Result          `json:"results,omitempty"` // a profile in none of them is not applicable
}

// Span is an annotated range of the input: first byte, byte after the last, meaning.
type Span [3]any

// Result holds the permitted answers to each operation under some profiles. An
// operation that is absent is not asked for.
type Result struct {
	Profiles []string   `json:"profiles"`
	Basis    spec.Basis `json:"basis"` // who demands it
	// Choices of this reference decide it, or only what is written.
	Choices   []string   `json:"choices,omitempty"`
	Tree      *tree.Node `json:"tree,omitempty"` // the value to decode to, and to encode
	Decode    []Answer   `json:"decode,omitempty"`
	Roundtrip []Answer   `json:"roundtrip,omitempty"`
	Encode    []Answer   `json:"encode,omitempty"`
}

// Answer is a permitted answer: one of Like, Hex and Reject. The first that fits gives
// the result; if none fits, the vector fails.
type Answer struct {
	Result string  `json:"result"`           // pass or acceptable
	Reason string  `json:"reason,omitempty"` // of acceptable: choice, limit or unsupported
	Like   Like    `json:"like,omitempty"`
	Hex    *string `json:"hex,omitempty"`
	// Reject permits a rejection with one of the classes, or any if there are none.
	Reject *[]string `json:"reject,omitempty"`
	From   *int      `json:"from,omitempty"` // the first and the last valid offset in a rejection of an input
	To     *int      `json:"to,omitempty"`
}

// Like says which values or bytes are permitted.
type Like string

const (
	// LikeTree: a value equal to the tree of the result.
	LikeTree Like = "tree"
	// LikeSign: the same, but an integer of 32 bits may have the other sign.
	LikeSign Like = "sign"
	// LikeText: the same, but a text that is not ASCII may be another one. The judge
	// compares it: see [spec.Charset].
	LikeText Like = "text"
	// LikeInput: the bytes of the input.
	LikeInput Like = "input"
	// LikeAny: any value or bytes. The judge compares more, or gives no verdict.
	LikeAny Like = "any"
)
