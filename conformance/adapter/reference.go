package adapter

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/infile"
	"github.com/formatgauge/formatgauge/internal/version"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Reference is the codec of this project as an implementation. It is safe for
// concurrent use.
type Reference struct {
	profile string // empty: the profile of each request
	views   []string
	mu      sync.Mutex
	codecs  map[string]codec.Codec
}

// NewReference returns the built-in implementation. It follows the profile of
// each request.
func NewReference() *Reference { return &Reference{codecs: map[string]codec.Codec{}} }

// NewReferenceUnder returns the built-in implementation with a single profile. It
// declares this profile and ignores the profile of requests.
func NewReferenceUnder(p ids.Profile) *Reference {
	r := NewReference()
	r.profile = p.String()
	return r
}

// WithViews makes the reference declare views, and returns it.
func (r *Reference) WithViews(views []string) *Reference {
	r.views = spec.MergeViews(nil, views)
	return r
}

// Hello returns the types and operations of the reference.
func (r *Reference) Hello(context.Context) (Hello, error) {
	h := Hello{
		Protocol: Version, Name: "formatgauge", Version: version.String(), Language: "Go", AnyProfile: r.profile == "",
		Views: r.views, Profile: r.profile,
		Operations: slices.Clone(operations),
	}
	for _, t := range codec.Types() {
		h.Types = append(h.Types, t.Name)
	}
	return h, nil
}

// Close does nothing.
func (r *Reference) Close() error { return nil }

// Fork returns the reference itself: it has no state except a cache of codecs.
func (r *Reference) Fork() Implementation { return r }

// Do answers a request.
func (r *Reference) Do(_ context.Context, q Request) (Response, error) {
	a := r.answer(q)
	a.ID = q.ID
	return a, nil
}

func fault(format string, args ...any) Response {
	return Response{Error: &Fault{Message: fmt.Sprintf(format, args...)}}
}

func (r *Reference) answer(q Request) Response {
	if q.Op == OpHello {
		h, _ := r.Hello(context.Background())
		return Response{Hello: &h}
	}
	if !slices.Contains(operations, q.Op) {
		return Response{Skip: &Skip{Reason: fmt.Sprintf("unknown operation %q", q.Op)}}
	}
	t, ok := codec.Find(q.Type)
	if !ok {
		return Response{Skip: &Skip{Reason: fmt.Sprintf("unknown type %q", q.Type)}}
	}
	c, err := r.Bind(t, cmp.Or(r.profile, q.Profile), q.Context)
	if err != nil {
		return fault("%v", err)
	}
	if q.Op == OpEncode {
		return encode(t, c, q.Tree)
	}
	src, err := q.input()
	if err != nil {
		return fault("%v", err)
	}
	if q.Op == OpSpans {
		return spans(c, src)
	}
	v, err := c.Decode(src)
	if err != nil {
		return rejected(err)
	}
	if q.Op == OpRoundtrip {
		return written(c, v)
	}
	n, err := tree.FromModel(v)
	if err != nil {
		return fault("%v", err)
	}
	size := len(src)
	return Response{OK: &OK{Tree: &n, Consumed: &size}}
}

// Bind returns the codec of a type under a profile, whatever that of the reference is, and in a
// context. It keeps codecs: most requests share a few profiles and contexts.
func (r *Reference) Bind(t *codec.Type, profile string, context map[string]string) (codec.Codec, error) {
	key := t.Name + "|" + profile + "|" + corpus.ContextText(context)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.codecs[key]; ok {
		return c, nil
	}
	p, err := ids.ParseProfile(profile)
	if err != nil {
		return nil, err
	}
	c, err := t.Bind(wire.Settings{Profile: p}, context)
	if err != nil {
		return nil, err
	}
	if len(r.codecs) > maxCodecs {
		clear(r.codecs)
	}
	r.codecs[key] = c
	return c, nil
}

const maxCodecs = 10000

func (q *Request) input() ([]byte, error) {
	if q.File != "" {
		return infile.ReadFile(q.File, infile.Max)
	}
	if q.Hex == nil {
		return nil, errors.New("the request has neither hex nor file")
	}
	return hex.DecodeString(*q.Hex)
}

// rejected returns the answer for the error of a codec.
func rejected(err error) Response {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		return fault("%v", err)
	}
	return Response{Reject: &Reject{Class: string(e.Class), Offset: &e.Offset, Path: e.Path, Message: err.Error(), Clause: e.Clause}}
}

func encode(t *codec.Type, c codec.Codec, n *tree.Node) Response {
	if n == nil {
		return fault("the request has no tree")
	}
	v, err := tree.Value(t, *n)
	if err != nil {
		return fault("%v", err)
	}
	return written(c, v)
}

// written returns the answer with the bytes of a value.
func written(c codec.Codec, v any) Response {
	b, err := c.Append(nil, v)
	if err != nil {
		return rejected(err)
	}
	s := hex.EncodeToString(b)
	return Response{OK: &OK{Hex: &s}}
}

func spans(c codec.Codec, src []byte) Response {
	_, traced, err := c.Trace(src)
	if err != nil {
		return rejected(err)
	}
	out := make([]Span, len(traced))
	for i, s := range traced {
		out[i] = Span{Start: s.Start, End: s.End, Path: s.Path, Value: s.Value, Clause: string(s.Clause)}
	}
	return Response{OK: &OK{Spans: out}}
}
