// Package adapter implements both ends of the protocol between the judge and an
// implementation: JSON Lines over the standard streams of a long-lived child
// process, with one answer per request.
//
// The package transports requests and answers. It does not judge them.
//
// The memory of a run does not depend on the length of answers: the reader knows the
// limit of each answer before the answer ends. A longer one is counted and not kept.
//
// No process of an adapter remains: each adapter is a process group, which is killed
// after a fault and at the end. The command also ends orphans among its descendants on
// Linux, and uses a job object on Windows. This package does not, because other
// programs that import it have children of their own.
package adapter

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Version is the version of the protocol.
const Version = "1"

// Op is the operation that a request asks for.
type Op string

const (
	// OpHello asks for the name and the capabilities of the implementation.
	OpHello Op = "hello"
	// OpDecode asks for the tree of an input.
	OpDecode Op = "decode"
	// OpEncode asks for the bytes of a tree.
	OpEncode Op = "encode"
	// OpRoundtrip asks for the bytes of the value that an input decodes to.
	OpRoundtrip Op = "roundtrip"
	// OpSpans asks for the leaf spans of an input.
	OpSpans Op = "spans"
)

// operations are those on types.
var operations = []Op{OpDecode, OpEncode, OpRoundtrip, OpSpans}

// A Request is one line to the implementation.
type Request struct {
	ID      int64             `json:"id"`
	Op      Op                `json:"op" required:"true"`
	Type    string            `json:"type,omitempty"`
	Profile string            `json:"profile,omitempty"` // as [ids.ParseProfile] parses it
	Context map[string]string `json:"context,omitempty"` // such as the byte order
	Hex     *string           `json:"hex,omitempty"`     // the input; not for encode
	File    string            `json:"file,omitempty"`    // the path of a file with the input, instead of Hex
	Tree    *tree.Node        `json:"tree,omitempty"`    // the value to encode

	// Expected is the size in bytes of the JSON of the expected answer. It is not
	// sent. An answer that is longer than 1 MiB plus 8 times this size, or the size
	// of the input in hex or of the request if they are greater, is a protocol
	// fault. It is discarded while it is read.
	Expected int `json:"-"`
}

// A Response is one line from the implementation. Exactly one of the pointers is
// not nil.
type Response struct {
	ID     int64   `json:"id"`
	Hello  *Hello  `json:"hello,omitempty"`
	OK     *OK     `json:"ok,omitempty"`
	Reject *Reject `json:"reject,omitempty"`
	Skip   *Skip   `json:"skip,omitempty"`
	Error  *Fault  `json:"error,omitempty"`
}

// Hello is the answer to hello.
type Hello struct {
	Protocol string `json:"protocol" required:"true"`
	Name     string `json:"name" required:"true"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	// Types lists the supported types: full names, or the name of a structure
	// without arguments for all its types. Other types are skipped.
	Types []string `json:"types" required:"true"`
	// Operations lists the supported operations.
	Operations []Op `json:"operations" required:"true"`
	// Profile is the base and the sides that the implementation follows, such as
	// "observed,upkg.ci-minus-zero=strict". Empty means observed.
	Profile string `json:"profile,omitempty"`
	// AnyProfile says that it follows the profile of each request.
	AnyProfile bool `json:"anyProfile,omitempty"`
	// Views lists what the values of the implementation do not contain: see
	// [spec.View].
	Views []string `json:"views,omitempty"`
	// Skips lists types that are not supported, with the reason.
	Skips []Skip `json:"skips,omitempty"`
}

// Lists reports whether Types contains a type or its structure.
func (h *Hello) Lists(typ string) bool {
	return slices.Contains(h.Types, typ) || slices.Contains(h.Types, spec.StructureOf(typ))
}

// SkipOf returns what hello says in skips of a type or of its structure; nil if nothing.
func (h *Hello) SkipOf(typ string) *Skip {
	i := slices.IndexFunc(h.Skips, func(s Skip) bool { return s.Type == typ || s.Type == spec.StructureOf(typ) })
	if i < 0 {
		return nil
	}
	return &h.Skips[i]
}

// DeclaredProfile returns the profile that hello declares.
func (h *Hello) DeclaredProfile() (ids.Profile, error) {
	p, err := ids.ParseProfile(h.Profile)
	if err != nil {
		err = fmt.Errorf("profile declared in hello: %w; formatgauge list flags shows flags and sides", err)
	}
	return p, err
}

// difference describes the first difference of another answer to hello. The
// order of lists has no meaning.
func (h *Hello) difference(other *Hello) string {
	a, b := reflect.ValueOf(*h), reflect.ValueOf(*other)
	for i := range a.NumField() {
		name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
		was, is := a.Field(i), b.Field(i)
		if was.Kind() != reflect.Slice {
			if x, y := fmt.Sprint(was), fmt.Sprint(is); x != y {
				return fmt.Sprintf("%s: %.100q, then %.100q", name, x, y)
			}
			continue
		}
		if s, ok := firstOnlyIn(was, is); ok {
			return fmt.Sprintf("%s: %.100q is missing", name, s)
		}
		if s, ok := firstOnlyIn(is, was); ok {
			return fmt.Sprintf("%s: %.100q was not in the first answer", name, s)
		}
	}
	return ""
}

// firstOnlyIn returns the first element of a that b does not contain.
func firstOnlyIn(a, b reflect.Value) (string, bool) {
	in := map[string]bool{}
	for _, v := range b.Seq2() {
		in[fmt.Sprint(v)] = true
	}
	for _, v := range a.Seq2() {
		if s := fmt.Sprint(v); !in[s] {
			return s, true
		}
	}
	return "", false
}

// OK says that the operation succeeded.
type OK struct {
	Tree     *tree.Node `json:"tree,omitempty"`     // of decode
	Consumed *int       `json:"consumed,omitempty"` // of decode, in bytes; optional
	Hex      *string    `json:"hex,omitempty"`      // of encode and roundtrip
	Spans    []Span     `json:"spans,omitempty"`    // of spans
}

// Span is a range of bytes of the input with its path in the value.
type Span struct {
	Start  int    `json:"start" required:"true"`
	End    int    `json:"end" required:"true"`
	Path   string `json:"path"`
	Value  string `json:"value,omitempty"`
	Clause string `json:"clause,omitempty"`
}

// Reject says that the input, or the value to encode, is rejected.
type Reject struct {
	Class   string `json:"class"`
	Offset  *int   `json:"offset,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message,omitempty"`

	// Clause is what the input contradicts. Only the reference sets it; it is not sent.
	Clause ids.Clause `json:"-"`
}

// Skip says that the implementation does not support a type or an operation.
type Skip struct {
	Type   string `json:"type,omitempty"` // only in Hello
	Reason string `json:"reason" required:"true"`
	URL    string `json:"url,omitempty"`
}

// Fault says that the implementation itself failed.
type Fault struct {
	Message string `json:"message" required:"true"`
}

// An Implementation answers requests. Do returns a [*Broken] if there is no
// answer to judge, and the error of the context if the context ends.
type Implementation interface {
	Hello(ctx context.Context) (Hello, error)
	Do(ctx context.Context, q Request) (Response, error)
	Close() error
}

// A Streamer takes many requests at once. It may send requests before earlier
// ones are answered. It calls answer once per request, in the order of the
// requests, until the context ends.
type Streamer interface {
	DoAll(ctx context.Context, qs []Request, answer func(i int, a Response, err error))
}

// A Forker returns another implementation of the same kind that shares no state
// with it, so that several can work in parallel.
type Forker interface {
	Fork() Implementation
}

// DoAll makes many requests, all at once if the implementation is a [Streamer].
func DoAll(ctx context.Context, impl Implementation, qs []Request, answer func(i int, a Response, err error)) {
	if s, ok := impl.(Streamer); ok {
		s.DoAll(ctx, qs, answer)
		return
	}
	for i := 0; i < len(qs) && ctx.Err() == nil; i++ {
		if a, err := impl.Do(ctx, qs[i]); ctx.Err() == nil {
			answer(i, a, err)
		}
	}
}

// BrokenKind says why there is no answer.
type BrokenKind string

const (
	// Crash: the process ended.
	Crash BrokenKind = "crash"
	// Timeout: no answer within the time limit.
	Timeout BrokenKind = "timeout"
	// Protocol: the answer violates the protocol.
	Protocol BrokenKind = "protocol"
)

// Broken is the error of a request without a valid answer.
type Broken struct {
	Kind   BrokenKind
	Detail string
	// Alone is the answer to the same request as the only one of a fresh process;
	// it shows that the fault depends on earlier requests. It is nil if there was
	// no such answer.
	Alone *Response
	// NotAsked says that the request was not made, because the implementation had
	// been given up.
	NotAsked bool
}

// Error returns the kind of the fault and what was wrong.
func (b *Broken) Error() string { return fmt.Sprintf("%s: %s", b.Kind, b.Detail) }

func protocolFault(format string, args ...any) *Broken {
	return &Broken{Kind: Protocol, Detail: fmt.Sprintf(format, args...)}
}
