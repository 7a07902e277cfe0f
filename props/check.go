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

// lossy are operations that do not give back what they are given; their
// bounds have properties of their own.
var lossy = []string{"ubi.CompressedQuaternion3U16.Quaternion", "ubi.CompressedQuaternionU32.Quaternion"}

// Lossy reports whether a type is an operation that does not give back what
// it is given.
func Lossy(t *codec.Type) bool { return slices.Contains(lossy, t.Name) }

// Bind is typ.Bind for the checks, which need to know whether the profile
// takes a lenient side.
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

// lenient is a codec under a side that the records call lenient: it may accept
// an input that is cut short, and bytes after it may belong to it.
type lenient struct{ codec.Codec }

// A decoder may use this much memory: a multiple of the input, since four
// bytes may become a slice header of 24, twice over when the input is read
// again for the place of a fault; and what the runtime counts in whole blocks.
const (
	allocBase    = 512 << 10
	allocPerByte = 64
)

// allocated counts the bytes allocated since the program began. It is coarse
// for small objects and cheap.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// exactly counts the bytes that f allocates, at the price of stopping the
// program twice. The coarse count may hold what others have left over.
func exactly(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TB is what the T of testing and that of rapid share.
type TB interface {
	Helper()
	Fatalf(string, ...any)
}

// CheckValue holds a codec to what is true of every value: what it writes reads
// back as the same value and is written as the same bytes again; what it
// cannot write is an error of class range, or limit if it nests too deep. It reports whether v was written.
func CheckValue(t TB, typ *codec.Type, c codec.Codec, v any) bool {
	t.Helper()
	prefix := []byte("before")
	b, err := c.Append(bytes.Clone(prefix), v)
	if err != nil {
		if !errors.Is(err, wire.Range) && !errors.Is(err, wire.Limit) {
			t.Fatalf("writing fails with %v, which is not of class range or limit", err)
		}
		if !bytes.Equal(b, prefix) {
			t.Fatalf("after a fault Append returns %x", b)
		}
		return false
	}
	if !bytes.HasPrefix(b, prefix) {
		t.Fatalf("Append changes what stands before: %x", b)
	}
	b = b[len(prefix):]
	got, err := c.Decode(b)
	if err != nil {
		t.Fatalf("%x was written and does not read: %v", b, err)
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
		t.Fatalf("wrote %x, and what was read writes %x, %v", b, again, err)
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
		t.Fatalf("the tree %s does not become a model: %v", n, err)
	}
	again, err := tree.FromModel(back.Elem().Interface())
	if err != nil || again.String() != n.String() {
		t.Fatalf("the tree %s comes back as %s, %v", n, again, err)
	}
	return n.String()
}

// CheckBytes holds a codec to what is true of every input: no panic; what is
// accepted is written as the same bytes, or as other bytes that are a fixed
// point and read as the same value; tracing agrees and covers every byte;
// prefixes are told apart; errors are ours and lie inside the input; memory
// stays within a small multiple of the input.
func CheckBytes(t TB, typ *codec.Type, c codec.Codec, src []byte) {
	t.Helper()
	given := bytes.Clone(src)
	before := allocated()
	v, err := c.Decode(src)
	limit := uint64(allocBase + allocPerByte*len(src))
	if allocated()-before <= limit {
		// The coarse count is enough.
	} else if used := exactly(func() { _, _ = c.Decode(src) }); used > limit {
		t.Fatalf("%d bytes of input cost %d bytes of memory: %.100x", len(src), used, src)
	}
	if !bytes.Equal(given, src) {
		t.Fatalf("decoding changed its input from %x to %x", given, src)
	}
	checkTrace(t, c, src, v, err)
	if err != nil {
		checkError(t, typ, src, err)
		return
	}
	checkPrefixes(t, typ, c, src, v)
	b, err := c.Append(nil, v)
	if Lossy(typ) {
		return // whether and how it can be written is not this property's
	}
	if err != nil {
		t.Fatalf("%x was read and cannot be written: %v", src, err)
	}
	if bytes.Equal(b, src) {
		return
	}
	s, _ := spec.FindStructure(typ.Structure())
	if s.OneSpelling != "" {
		t.Fatalf("%x is written as %x, and the record says: %s", src, b, s.OneSpelling)
	}
	again, err := c.Decode(b)
	if err != nil || mustTree(t, again) != mustTree(t, v) {
		t.Fatalf("%x reads as %s; its canonical form %x as %v, %v", src, mustTree(t, v), b, again, err)
	}
	if fix, err := c.Append(nil, again); err != nil || !bytes.Equal(fix, b) {
		t.Fatalf("the canonical form %x of %x is written as %x, %v", b, src, fix, err)
	}
}

// checkError: an error is ours, names its type, lies inside the input, and
// has a class for reading.
func checkError(t TB, typ *codec.Type, src []byte, err error) {
	t.Helper()
	var e *wire.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no *wire.Error: %v", err, err)
	}
	if e.Type != typ.Name || e.Offset < 0 || e.Offset > len(src) || e.Class == wire.Range || !slices.Contains(wire.Classes(), e.Class) {
		t.Fatalf("%x: an error that no reader has: %#v", src, e)
	}
}

// checkTrace: tracing changes nothing, and every byte of an accepted input
// belongs to exactly one span.
func checkTrace(t TB, c codec.Codec, src []byte, decoded any, decodeErr error) {
	t.Helper()
	v, spans, err := c.Trace(src)
	if (err == nil) != (decodeErr == nil) || err != nil && err.Error() != decodeErr.Error() {
		t.Fatalf("%x: decoding says %v, tracing %v", src, decodeErr, err)
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
			t.Fatalf("%x: span %+v does not begin at %d", src, s, at)
		}
		at = s.End
	}
	if at != len(src) {
		t.Fatalf("%x: spans end at %d of %d", src, at, len(src))
	}
}

// checkPrefixes: bytes behind a value are left alone, and a value that is cut
// short is none; unless the structure takes all it is given.
func checkPrefixes(t TB, typ *codec.Type, c codec.Codec, src []byte, v any) {
	t.Helper()
	s, _ := spec.FindStructure(typ.Structure())
	if _, ok := c.(lenient); ok || s.TakesAll != "" {
		return
	}
	got, n, err := c.DecodePrefix(append(bytes.Clone(src), "behind"...))
	if err != nil || n != len(src) || mustTree(t, got) != mustTree(t, v) {
		t.Fatalf("%x with bytes behind: %d bytes, %v, %v", src, n, got, err)
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
