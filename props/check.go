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

// lossy are operations whose output is not the inverse of their input. Separate
// properties test their bounds.
var lossy = []string{"ubi.CompressedQuaternion3U16.Quaternion", "ubi.CompressedQuaternionU32.Quaternion"}

// Lossy reports whether a type is an operation that loses information.
func Lossy(t *codec.Type) bool { return slices.Contains(lossy, t.Name) }

// openSides are the sides on which a prefix of an encoding may be an encoding
// too, and trailing bytes may belong to the value.
var openSides = map[ids.Flag]string{"ka.magic": "headerless", "ka.count-past-end": "stop"}

// Bind is typ.Bind for the checks, which treat some sides specially.
func Bind(typ *codec.Type, p ids.Profile, context map[string]string) (codec.Codec, error) {
	c, err := typ.Bind(wire.Settings{Profile: p}, context)
	for id, side := range openSides {
		if f, _ := spec.FindFlag(id); f.Family() == typ.Family() && p.Side(id) == side {
			return openEnded{c}, err
		}
	}
	return c, err
}

// openEnded is a codec under one of the openSides.
type openEnded struct{ codec.Codec }

// The memory that a decoder may use, in bytes: a multiple of the input, since
// four bytes may become a slice header of 24, and the input is read twice if
// it has a fault; and a constant, since the runtime counts whole blocks.
const (
	allocBase    = 512 << 10
	allocPerByte = 64
)

// allocated returns the number of bytes allocated since the program started. It
// is fast, and inexact for small objects.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// allocatedBy returns the exact number of bytes that f allocates. It stops the
// program twice.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TB is the part of [testing.TB] that the T of rapid also has.
type TB interface {
	Helper()
	Fatalf(string, ...any)
}

// CheckValue tests a codec on a value. If it writes the value, the bytes are
// read as the same value, which is written as the same bytes. Otherwise the
// error has class range, or limit if the value is nested too deeply. It reports
// whether v was written.
func CheckValue(t TB, typ *codec.Type, c codec.Codec, v any) bool {
	t.Helper()
	prefix := []byte("before")
	b, err := c.Append(bytes.Clone(prefix), v)
	if err != nil {
		if !errors.Is(err, wire.Range) && !errors.Is(err, wire.Limit) {
			t.Fatalf("writing failed with %v, want class range or limit", err)
		}
		if !bytes.Equal(b, prefix) {
			t.Fatalf("after a fault Append returned %x, want %x", b, prefix)
		}
		return false
	}
	if !bytes.HasPrefix(b, prefix) {
		t.Fatalf("Append changed the bytes before the value: %x", b)
	}
	b = b[len(prefix):]
	got, err := c.Decode(b)
	if err != nil {
		t.Fatalf("%x was written and is rejected: %v", b, err)
	}
	if Lossy(typ) {
		return true
	}
	want, have := mustTree(t, v), mustTree(t, got)
	if want != have {
		t.Fatalf("wrote %s, read %s", want, have)
	}
	again, err := c.Append(nil, got)
	if err != nil || !bytes.Equal(b, again) {
		t.Fatalf("wrote %x, and wrote the value read from it as %x, %v", b, again, err)
	}
	return true
}

func mustTree(t TB, v any) string {
	t.Helper()
	n, err := tree.FromModel(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	back := reflect.New(reflect.TypeOf(v))
	if err := tree.ToModel(n, back.Interface()); err != nil {
		t.Fatalf("the tree %s is not converted to a model: %v", n, err)
	}
	again, err := tree.FromModel(back.Elem().Interface())
	if err != nil || again.String() != n.String() {
		t.Fatalf("the tree %s becomes a model and then %s, %v", n, again, err)
	}
	return n.String()
}

// CheckBytes tests a codec on an input. It does not panic. An accepted input is
// written as the same bytes, or as canonical bytes, which are read as the same
// value and written as themselves. Tracing gives the same result, and spans
// cover every byte. No prefix of an accepted input is accepted. An error is a
// [*wire.Error] with an offset inside the input. The memory used is at most a
// small multiple of the input.
func CheckBytes(t TB, typ *codec.Type, c codec.Codec, src []byte) {
	t.Helper()
	given := bytes.Clone(src)
	before := allocated()
	v, err := c.Decode(src)
	limit := uint64(allocBase + allocPerByte*len(src))
	if allocated()-before <= limit {
		// The fast count is enough.
	} else if used := allocatedBy(func() { _, _ = c.Decode(src) }); used > limit {
		t.Fatalf("%d bytes of input use %d bytes of memory, want at most %d: %.100x", len(src), used, limit, src)
	}
	if !bytes.Equal(given, src) {
		t.Fatalf("decoding changed the input from %x to %x", given, src)
	}
	checkTrace(t, c, src, v, err)
	if err != nil {
		checkError(t, typ, src, err)
		return
	}
	checkPrefixes(t, typ, c, src, v)
	b, err := c.Append(nil, v)
	if Lossy(typ) {
		return // a lossy operation may write other bytes
	}
	if err != nil {
		t.Fatalf("%x was read, and its value is not written: %v", src, err)
	}
	if bytes.Equal(b, src) {
		return
	}
	s, _ := spec.FindStructure(typ.Structure())
	if s.OneSpelling != "" {
		t.Fatalf("%x is written as %x, but the record says: %s", src, b, s.OneSpelling)
	}
	again, err := c.Decode(b)
	if err != nil || mustTree(t, again) != mustTree(t, v) {
		t.Fatalf("%x is read as %s, and its canonical form %x as %v, %v", src, mustTree(t, v), b, again, err)
	}
	if fix, err := c.Append(nil, again); err != nil || !bytes.Equal(fix, b) {
		t.Fatalf("the canonical form %x of %x is written as %x, %v", b, src, fix, err)
	}
}

// checkError: an error is a [*wire.Error] with the name of the type, an offset
// inside the input and a class of reading.
func checkError(t TB, typ *codec.Type, src []byte, err error) {
	t.Helper()
	var e *wire.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v has type %T, want *wire.Error", err, err)
	}
	if e.Type != typ.Name || e.Offset < 0 || e.Offset > len(src) || e.Class == wire.Range || !slices.Contains(wire.Classes(), e.Class) {
		t.Fatalf("%x: wrong type, offset or class in %#v", src, e)
	}
}

// checkTrace: tracing gives the result of decoding, and every byte of an
// accepted input belongs to exactly one span.
func checkTrace(t TB, c codec.Codec, src []byte, decoded any, decodeErr error) {
	t.Helper()
	v, spans, err := c.Trace(src)
	if (err == nil) != (decodeErr == nil) || err != nil && err.Error() != decodeErr.Error() {
		t.Fatalf("%x: decoding gives error %v, tracing %v", src, decodeErr, err)
	}
	if err != nil {
		return
	}
	if want, have := mustTree(t, decoded), mustTree(t, v); want != have {
		t.Fatalf("%x: decoding gives %s, tracing %s", src, want, have)
	}
	at := 0
	for _, s := range spans {
		if s.Start != at || s.End <= s.Start {
			t.Fatalf("%x: span %+v, want one that begins at %d", src, s, at)
		}
		at = s.End
	}
	if at != len(src) {
		t.Fatalf("%x: spans end at %d, want %d", src, at, len(src))
	}
}

// checkPrefixes: bytes after a value are not read, and a truncated encoding is
// rejected, unless the structure extends to the end of its input.
func checkPrefixes(t TB, typ *codec.Type, c codec.Codec, src []byte, v any) {
	t.Helper()
	s, _ := spec.FindStructure(typ.Structure())
	if _, open := c.(openEnded); open || s.TakesAll != "" {
		return
	}
	got, n, err := c.DecodePrefix(append(bytes.Clone(src), "after"...))
	if err != nil || n != len(src) || mustTree(t, got) != mustTree(t, v) {
		t.Fatalf("%x with bytes after it: %d bytes, %v, %v", src, n, got, err)
	}
	for _, cut := range []int{0, len(src) / 2, len(src) - 1} {
		if cut < 0 || cut == len(src) {
			continue
		}
		if _, err := c.Decode(src[:cut]); err == nil {
			t.Fatalf("%x and its first %d bytes are both accepted", src, cut)
		}
	}
}
