package props

import (
	"bytes"
	"errors"
	"reflect"
	"runtime"
	"runtime/metrics"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// lossy are the types whose encoding does not keep every value. Their errors
// have bounds, which are separate properties.
var lossy = []string{"ubi.CompressedQuaternion3U16.Quaternion", "ubi.CompressedQuaternionU32.Quaternion"}

// Lossy reports whether encoding a value of t and decoding it can give another
// value.
func Lossy(t *codec.Type) bool { return slices.Contains(lossy, t.Name) }

// Bind is like typ.Bind. The codec that it returns also tells [CheckBytes]
// whether the profile takes a lenient side.
func Bind(typ *codec.Type, p ids.Profile, context map[string]string) (codec.Codec, error) {
	c, err := typ.Bind(wire.Settings{Profile: p}, context)
	f, _ := spec.FindFamily(typ.Family())
	for i := range f.Flags {
		if s, ok := f.Flags[i].Side(p.Side(f.Flags[i].ID)); ok && s.Lenient != "" {
			return lenient{c}, err
		}
	}
	return c, err
}

// lenient is a codec under a side that the records call lenient: a prefix of an
// accepted input may be accepted, and bytes after it may belong to the value.
type lenient struct{ codec.Codec }

// A decoder may allocate allocBase + allocPerByte * length of the input. Four
// bytes may become a slice header of 24 bytes, and the input is decoded a second
// time to find the path of an error. allocBase is for what the runtime counts in
// whole blocks.
const (
	allocBase    = 512 << 10
	allocPerByte = 64
)

// allocated returns the number of bytes allocated since the start of the
// program. It is fast but not exact for small objects.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// exactAllocated is [testrun.Allocated], whose package changes the flags and the collector of
// a program: this one is also in programs of fuzzers. It stops the program twice. The result
// of allocated may include earlier allocations.
func exactAllocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TB has the methods of testing.T and rapid.T that the checks need.
type TB interface {
	Helper()
	Fatalf(string, ...any)
}

// treeOf returns the tree of v.
func treeOf(t TB, v any) tree.Node {
	t.Helper()
	n, err := tree.FromModel(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return n
}

// mustTree is treeOf. It also fails the test if the tree does not convert to a model with the
// same tree.
func mustTree(t TB, v any) tree.Node {
	t.Helper()
	n := treeOf(t, v)
	back := reflect.New(reflect.TypeOf(v))
	if err := tree.ToModel(n, back.Interface()); err != nil {
		t.Fatalf("the tree %s cannot be converted to a model: %v", n, err)
	}
	if again := treeOf(t, back.Elem().Interface()); !tree.Equal(again, n) {
		t.Fatalf("the tree %s becomes %s after conversion to a model", n, again)
	}
	return n
}

// textOf is [mustTree] as JSON, which later changes of v do not change.
func textOf(t TB, v any) string {
	t.Helper()
	return mustTree(t, v).String()
}

// CheckBytes checks the properties that hold for every input: decoding does not
// panic; an accepted input encodes to the same bytes, or to canonical bytes that
// decode to the same value and encode to themselves; tracing gives the same
// result and its spans cover every byte; no proper prefix is accepted; errors
// are of type *wire.Error with an offset in the input, and bytes after it change none but
// that it ends early; the memory allocated is
// at most a small multiple of the input.
func CheckBytes(t TB, typ *codec.Type, c codec.Codec, src []byte) {
	t.Helper()
	given := bytes.Clone(src)
	before := allocated()
	v, err := c.Decode(src)
	limit := uint64(allocBase + allocPerByte*len(src))
	if allocated()-before <= limit {
		// An exact count is not necessary.
	} else if used := exactAllocated(func() { _, _ = c.Decode(src) }); used > limit {
		t.Fatalf("decoding %d bytes allocates %d bytes, more than %d: %.100x", len(src), used, limit, src)
	}
	if !bytes.Equal(given, src) {
		t.Fatalf("decoding changes its input from %x to %x", given, src)
	}
	if err != nil {
		checkTrace(t, c, src, tree.Node{}, err)
		checkError(t, typ, src, err)
		checkAppended(t, typ, c, src, err)
		return
	}
	n := mustTree(t, v)
	checkTrace(t, c, src, n, nil)
	checkPrefixes(t, typ, c, src, n)
	checkEncoding(t, typ, c, src, v)
}

// CheckRoundTrip is the part of [CheckBytes] that is fast enough for campaigns:
// decoding does not panic; an accepted input encodes to the same bytes, or to
// canonical bytes that decode to the same value and encode to themselves; errors
// are of type *wire.Error with an offset in the input.
func CheckRoundTrip(t TB, typ *codec.Type, c codec.Codec, src []byte) {
	v, err := c.Decode(src)
	if err != nil {
		checkError(t, typ, src, err)
		return
	}
	checkEncoding(t, typ, c, src, v)
}

// checkEncoding checks what an accepted input encodes to.
func checkEncoding(t TB, typ *codec.Type, c codec.Codec, src []byte, v any) {
	t.Helper()
	b, err := c.Append(nil, v)
	if Lossy(typ) {
		return // the bounds of the error are separate properties
	}
	if err != nil {
		t.Fatalf("%x is accepted and cannot be encoded: %v", src, err)
	}
	if bytes.Equal(b, src) {
		return
	}
	s, _ := spec.FindStructure(typ.Structure())
	if s.OneSpelling != "" {
		t.Fatalf("%x is encoded as %x, but the record says: %s", src, b, s.OneSpelling)
	}
	again, err := c.Decode(b)
	if err != nil || !sameValue(t, again, v) {
		t.Fatalf("%x decodes to %s; its canonical form %x to %v, %v", src, treeOf(t, v), b, again, err)
	}
	if fixed, err := c.Append(nil, again); err != nil || !bytes.Equal(fixed, b) {
		t.Fatalf("the canonical form %x of %x is encoded as %x, %v", b, src, fixed, err)
	}
}

// sameValue compares two values by their trees.
func sameValue(t TB, a, b any) bool {
	t.Helper()
	return tree.Equal(treeOf(t, a), treeOf(t, b))
}

// checkError checks that an error is a *wire.Error with the type, an offset in
// the input, and a class of decoding.
func checkError(t TB, typ *codec.Type, src []byte, err error) {
	t.Helper()
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		t.Fatalf("expected a *wire.Error, found %T: %v", err, err)
	}
	if e.Type != typ.Name || e.Offset < 0 || e.Offset > len(src) || e.Class == wire.Range ||
		!slices.Contains(wire.Classes(), e.Class) {
		t.Fatalf("%x: not a valid error of decoding: %#v", src, e)
	}
}

// checkAppended checks that bytes after the input do not change its first fault, unless it
// ends early, or its structure extends to the end of the input.
func checkAppended(t TB, typ *codec.Type, c codec.Codec, src []byte, err error) {
	t.Helper()
	s, _ := spec.FindStructure(typ.Structure())
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || e.Class == wire.Truncated || e.Class == wire.Trailing || s.TakesAll != "" {
		return
	}
	_, err = c.Decode(append(bytes.Clone(src), "after"...))
	longer, ok := errors.AsType[*wire.Error](err)
	if !ok || longer.Class != e.Class || longer.Offset != e.Offset || longer.Clause != e.Clause {
		t.Fatalf("%x: %v, but with bytes after it %v", src, e, err)
	}
}

// checkTrace checks that tracing gives the same result as decoding, and that
// each byte of an accepted input belongs to exactly one span.
func checkTrace(t TB, c codec.Codec, src []byte, decoded tree.Node, decodeErr error) {
	t.Helper()
	v, spans, err := c.Trace(src)
	if (err == nil) != (decodeErr == nil) || err != nil && err.Error() != decodeErr.Error() {
		t.Fatalf("%x: error of decoding %v, of tracing %v", src, decodeErr, err)
	}
	if err != nil {
		return
	}
	if traced := treeOf(t, v); !tree.Equal(traced, decoded) {
		t.Fatalf("%x: decoding gives %s, tracing %s", src, decoded, traced)
	}
	at := 0
	for _, s := range spans {
		if s.Start != at || s.End <= s.Start {
			t.Fatalf("%x: expected a span that begins at %d, found %+v", src, at, s)
		}
		at = s.End
	}
	if at != len(src) {
		t.Fatalf("%x: the spans end at %d, want %d", src, at, len(src))
	}
}

// checkPrefixes checks that DecodePrefix does not read bytes after the value,
// and that prefixes of an accepted input are rejected. Both do not apply to
// structures that extend to the end of the input.
func checkPrefixes(t TB, typ *codec.Type, c codec.Codec, src []byte, decoded tree.Node) {
	t.Helper()
	s, _ := spec.FindStructure(typ.Structure())
	if _, ok := c.(lenient); ok || s.TakesAll != "" {
		return
	}
	got, n, err := c.DecodePrefix(append(bytes.Clone(src), "after"...))
	if err != nil || n != len(src) || !tree.Equal(treeOf(t, got), decoded) {
		t.Fatalf("%x with bytes after it: %d bytes, %v, %v", src, n, got, err)
	}
	for _, cut := range []int{0, len(src) / 2, len(src) - 1} {
		if cut < 0 || cut == len(src) {
			continue
		}
		if _, err := c.Decode(src[:cut]); err == nil {
			t.Fatalf("%x is accepted, and its first %d bytes too", src, cut)
		}
	}
}
