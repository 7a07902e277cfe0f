// Package adapter is the protocol between the judge and an implementation,
// both ends of it: JSON Lines over the standard streams of a long-lived
// child, one request, one answer.
//
// The package carries questions and answers; it never judges them.
package adapter

import (
	"context"
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
)

// Version is the version of the protocol.
const Version = "1"

// Op is what a request asks for.
type Op string

const (
	// OpHello asks who the implementation is and what it can do.
	OpHello Op = "hello"
	// OpDecode asks for the tree of an input.
	OpDecode Op = "decode"
	// OpEncode asks for the bytes of a tree.
	OpEncode Op = "encode"
	// OpRecode asks for the bytes of the value that an input decodes to.
	OpRecode Op = "recode"
	// OpSpans asks for the leaf spans of an input.
	OpSpans Op = "spans"
)

// A Request is one line to the implementation.
type Request struct {
	ID      int64             `json:"id"`
	Op      Op                `json:"op"`
	Type    string            `json:"type,omitempty"`
	Profile string            `json:"profile,omitempty"` // the sides to take, as a profile writes them
	Context map[string]string `json:"context,omitempty"` // what the type has to be told from outside
	Hex     *string           `json:"hex,omitempty"`     // the input, of every op but encode
	File    string            `json:"file,omitempty"`    // or the path of a file that holds it
	Tree    *tree.Node        `json:"tree,omitempty"`    // the value, of encode
}

// A Response is one line from the implementation: exactly one of its parts.
type Response struct {
	ID     int64   `json:"id"`
	Hello  *Hello  `json:"hello,omitempty"`
	OK     *OK     `json:"ok,omitempty"`
	Reject *Reject `json:"reject,omitempty"`
	Skip   *Skip   `json:"skip,omitempty"`
	Error  *Fault  `json:"error,omitempty"`
}

// Hello introduces an implementation.
type Hello struct {
	Protocol string `json:"protocol"`
	Name     string `json:"name"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	// Types it knows: full names, or a structure without arguments for all its
	// types. A type that is not listed is skipped.
	Types []string `json:"types"`
	// Operations it knows.
	Operations []Op `json:"operations"`
	// Profile it follows: the base and the sides it takes, such as
	// "observed,upkg.ci-minus-zero=strict". Empty means observed.
	Profile string `json:"profile,omitempty"`
	// AnyProfile says that it follows whatever profile a request names.
	AnyProfile bool `json:"anyProfile,omitempty"`
	// Skips are types that it leaves out, with the reason.
	Skips []Skip `json:"skips,omitempty"`
}

// Lists reports whether a type is among those that it knows.
func (h *Hello) Lists(typ string) bool {
	return slices.Contains(h.Types, typ) || slices.Contains(h.Types, spec.StructureOf(typ))
}

// OK is the answer to a request that was met.
type OK struct {
	Tree     *tree.Node `json:"tree,omitempty"`     // of decode
	Consumed *int       `json:"consumed,omitempty"` // of decode, if known
	Hex      *string    `json:"hex,omitempty"`      // of encode and recode
	Spans    []Span     `json:"spans,omitempty"`    // of spans
}

// Span is a run of bytes with its place in the value.
type Span struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Path   string `json:"path"`
	Value  string `json:"value,omitempty"`
	Clause string `json:"clause,omitempty"`
}

// Reject says that the input, or the value to encode, is refused.
type Reject struct {
	Class   string `json:"class"`
	Offset  *int   `json:"offset,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message,omitempty"`
}

// Skip says that the implementation does not do this, and why.
type Skip struct {
	Type   string `json:"type,omitempty"` // only in Hello
	Reason string `json:"reason"`
	URL    string `json:"url,omitempty"`
}

// Fault says that the implementation itself failed.
type Fault struct {
	Message string `json:"message"`
}

// An Implementation answers requests. Do fails with a [*Broken] when there is
// no answer to judge, and with the context's error when the context ends.
type Implementation interface {
	Hello(ctx context.Context) (Hello, error)
	Do(ctx context.Context, q Request) (Response, error)
	Close() error
}

// A Streamer takes many requests at once: it may send some before earlier ones
// are answered. Answers are given in the order of the requests, one for each,
// until the context ends.
type Streamer interface {
	DoAll(ctx context.Context, qs []Request, answer func(i int, a Response, err error))
}

// A Forker makes another implementation like itself that shares nothing with
// it, so that several can work side by side.
type Forker interface {
	Fork() Implementation
}

// DoAll asks many requests, at once if the implementation is a [Streamer].
func DoAll(ctx context.Context, impl Implementation, qs []Request, answer func(i int, a Response, err error)) {
	if s, ok := impl.(Streamer); ok {
		s.DoAll(ctx, qs, answer)
		return
	}
	for i, q := range qs {
		a, err := impl.Do(ctx, q)
		if ctx.Err() != nil {
			return
		}
		answer(i, a, err)
	}
}

// Kind is how an implementation broke.
type Kind string

const (
	// Crash: it ended.
	Crash Kind = "crash"
	// Hang: it did not answer in time.
	Hang Kind = "hang"
	// Protocol: it answered with something that is no answer.
	Protocol Kind = "protocol"
)

// Broken says that a request got no answer.
type Broken struct {
	Kind   Kind
	Detail string
	// Alone is the answer that the same request got as the only one of a fresh
	// process: then the fault depends on what came before. It is nil if the
	// implementation broke alone too.
	Alone *Response
	// NotAsked says that the implementation was given up before, and the
	// request was not made.
	NotAsked bool
}

func (b *Broken) Error() string { return fmt.Sprintf("%s: %s", b.Kind, b.Detail) }

func protocolFault(format string, args ...any) *Broken {
	return &Broken{Kind: Protocol, Detail: fmt.Sprintf(format, args...)}
}
