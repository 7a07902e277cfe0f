package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/corpus"
	_ "github.com/formatgauge/formatgauge/internal/testrun" // the seed of rapid
	"github.com/formatgauge/formatgauge/spec/ids"
)

// sample has a field of every primitive.
type sample struct {
	A   uint8
	B   uint16
	C   uint32
	D   int32
	E   float32
	F   uint64
	G   int64
	H   float64
	Raw []byte
	S   string
	L   []uint16
}

// structure returns a structure that no family keeps.
func structure[T any](name string, least int, s Settings, read func(*Reader) T, write func(*Writer, T)) Structure[T] {
	return Describe(&Family{Settings: s}, name, least, read, write).Structure()
}

func sampleOf(s Settings) Structure[sample] {
	item := DescriptionOf(structure("item", 2, s,
		func(r *Reader) uint16 { return r.Uint16("n", "T-2") },
		func(w *Writer, v uint16) {
			if v == 0xDEAD {
				w.Fail("n", "T-3", "%x is dead", v)
			}
			w.Uint16(v)
		}))
	return structure("sample", 47, s,
		func(r *Reader) (v sample) {
			v.A, v.B, v.C, v.D = r.Uint8("a", "T-1"), r.Uint16("b", "T-1"), r.Uint32("c", "T-1"), r.Int32("d", "T-1")
			v.E, v.F, v.G, v.H = r.Float32("e", "T-1"), r.Uint64("f", "T-1"), r.Int64("g", "T-1"), r.Float64("h", "T-1")
			v.Raw, v.S = r.Bytes(2, "raw", "T-1"), string(r.Text(2, "s", "T-1"))
			r.Enter("l")
			v.L = item.ReadN(r, r.Count(r.Uint32("len", "T-1"), item.Min, 4, "len", "T-4"))
			r.Leave()
			return v
		},
		func(w *Writer, v sample) {
			w.Uint8(v.A)
			w.Uint16(v.B)
			w.Uint32(v.C)
			w.Int32(v.D)
			w.Float32(v.E)
			w.Uint64(v.F)
			w.Int64(v.G)
			w.Float64(v.H)
			w.Bytes(v.Raw)
			w.Text(v.S)
			w.Uint32(w.Len(len(v.L), "l", "T-1"))
			w.Enter("l")
			item.WriteN(w, v.L)
			w.Leave()
		})
}

var value = sample{1, 0x0203, 0x04050607, -2, 1.5, 0x1122334455667788, -3, -0.25, []byte{9, 8}, "ab", []uint16{7, 6}}

var little = []byte{
	1, 3, 2, 7, 6, 5, 4, 0xFE, 0xFF, 0xFF, 0xFF, 0, 0, 0xC0, 0x3F,
	0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
	0, 0, 0, 0, 0, 0, 0xD0, 0xBF, 9, 8, 'a', 'b', 2, 0, 0, 0, 7, 0, 6, 0,
}

var big = []byte{
	1, 2, 3, 4, 5, 6, 7, 0xFF, 0xFF, 0xFF, 0xFE, 0x3F, 0xC0, 0, 0,
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFD,
	0xBF, 0xD0, 0, 0, 0, 0, 0, 0, 9, 8, 'a', 'b', 0, 0, 0, 2, 0, 7, 0, 6,
}

func TestPrimitives(t *testing.T) {
	for _, c := range []struct {
		order string
		big   bool
		src   []byte
	}{{"little", false, little}, {"big", true, big}} {
		s := sampleOf(Settings{BigEndian: c.big})
		got, err := s.Decode(c.src)
		if d := cmp.Diff(value, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.order, err, d)
		}
		b, err := s.Append([]byte("x"), value)
		if d := cmp.Diff(append([]byte("x"), c.src...), b); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.order, err, d)
		}
		if v, n, err := s.DecodePrefix(append(bytes.Clone(c.src), 1, 2, 3)); err != nil || n != len(c.src) || v.A != 1 {
			t.Errorf("%s: a prefix of %d bytes, %v", c.order, n, err)
		}
	}
}

// Each cut names the field that is cut, its place, and its clause.
func TestFaults(t *testing.T) {
	s := sampleOf(Settings{})
	for _, c := range []struct {
		src  []byte
		want string
	}{
		{nil, "sample a: truncated at byte 0 (0x0): expected 1 byte, found 0 [T-1]"},
		{little[:2], "sample b: truncated at byte 1 (0x1): expected 2 bytes, found 1 [T-1]"},
		{little[:42], "sample s: truncated at byte 41 (0x29): expected 2 bytes, found 1 [T-1]"},
		{little[:50], "sample l.len: truncated at byte 43 (0x2b): " +
			"expected at least 4 bytes for a count of 2 (at least 2 bytes each), found 3 remaining [T-4]"},
		{append(bytes.Clone(little), 0, 0), "sample: trailing at byte 51 (0x33): expected the end of the input, found 2 bytes"},
	} {
		_, err := s.Decode(c.src)
		_, _, traced := s.Trace(c.src)
		if fmt.Sprint(err) != c.want || fmt.Sprint(traced) != c.want {
			t.Errorf("%d bytes: decoding says %v, tracing %v, want %s", len(c.src), err, traced, c.want)
		}
	}
}

func TestWriteFault(t *testing.T) {
	v := value
	v.L = []uint16{1, 0xDEAD}
	b, err := sampleOf(Settings{}).Append([]byte("kept"), v)
	want := &Error{Type: "sample", Class: Range, Offset: 49, Path: "l[1].n", Clause: "T-3", Detail: "dead is dead"}
	if d := cmp.Diff(error(want), err); d != "" || string(b) != "kept" {
		t.Errorf("%q\n%s", b, d)
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("the cause")
	for _, c := range []struct {
		err  Error
		want string
	}{
		{
			Error{Type: "a.B", Class: Truncated, Offset: 75, Path: "c[1].d", Clause: "A-1", Detail: "why"},
			"a.B c[1].d: truncated at byte 75 (0x4b): why [A-1]",
		},
		{Error{Type: "a.B", Class: Value, Offset: 1}, "a.B: invalid value at byte 1 (0x1)"},
		{Error{Type: "a.B", Class: Limit, Offset: 1}, "a.B: limit exceeded at byte 1 (0x1)"},
		{Error{Type: "a.B", Class: Range, Path: "c", Err: cause}, "a.B c: cannot be encoded: the cause"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if err := error(&Error{Err: cause}); !errors.Is(err, cause) {
		t.Error("the cause is not found")
	}
	for _, c := range Classes() {
		err := error(&Error{Class: c})
		for _, d := range Classes() {
			if errors.Is(err, d) != (c == d) {
				t.Errorf("an error of class %s is one of class %s: %v", c, d, c != d)
			}
		}
		if eof := errors.Is(err, io.ErrUnexpectedEOF); eof != (c == Truncated) {
			t.Errorf("an error of class %s is io.ErrUnexpectedEOF: %v", c, eof)
		}
	}
}

// TestRules: errors cite the clause that is the same for every field, if there is one.
func TestRules(t *testing.T) {
	citing := Settings{}.Citing("T-SHORT", "T-TRAILING")
	for _, c := range []struct {
		settings Settings
		input    []byte
		want     ids.Clause
	}{
		{Settings{}, nil, "T-1"},
		{Settings{}, []byte{1}, "T-2"},
		{Settings{}, []byte{1, 2}, "T-3"},
		{Settings{}, []byte{1, 2, 3, 4}, ""},
		{citing, nil, "T-SHORT"},
		{citing, []byte{1}, "T-2"},
		{citing, []byte{1, 2}, "T-SHORT"},
		{citing, []byte{1, 2, 3, 4}, "T-TRAILING"},
	} {
		s := structure("rules", 3, c.settings, func(r *Reader) (v struct{}) {
			r.Uint8("a", "T-1")
			rule := r.Cite("T-2")
			r.Uint8("b", "T-1")
			r.Cite(rule)
			r.Uint8("c", "T-3")
			return v
		}, nil)
		_, err := s.Decode(c.input)
		_, _, traced := s.Trace(c.input)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Clause != c.want || traced == nil || traced.Error() != err.Error() {
			t.Errorf("%x: %v and %v, want the clause %q", c.input, err, traced, c.want)
		}
	}
}

// Positions outside the input are faults, not panics.
func TestPositions(t *testing.T) {
	for name, read := range map[string]func(*Reader){
		"skip too far":       func(r *Reader) { r.Skip(4) },
		"skip back":          func(r *Reader) { r.Skip(-1) },
		"narrow too far":     func(r *Reader) { r.Narrow(4) },
		"narrow back":        func(r *Reader) { r.Narrow(-1) },
		"seek too far":       func(r *Reader) { r.Seek(4) },
		"seek back":          func(r *Reader) { r.Seek(-1) },
		"negative length":    func(r *Reader) { r.Bytes(-1, "b", "") },
		"fail, then read on": func(r *Reader) { r.Fail(Truncated, 0, "", "", "x"); r.Narrow(1); r.Seek(1); r.Skip(1) },
	} {
		s := structure("positions", 0, Settings{}, func(r *Reader) int { read(r); return r.Remaining() }, nil)
		if _, err := s.Decode([]byte{1, 2, 3}); !errors.Is(err, Truncated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := structure("positions", 0, Settings{}, func(r *Reader) int { r.Skip(1); r.Seek(3); return r.Remaining() }, nil)
	if n, err := s.Decode([]byte{1, 2, 3}); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// A structure that fails only once, against the rules, still gives its fault.
func TestFaultOfOnePass(t *testing.T) {
	n := 0
	s := structure("once", 0, Settings{},
		func(r *Reader) int {
			if n++; n == 1 {
				r.Fail(Value, 0, "", "T-1", "x")
			}
			return 0
		},
		func(w *Writer, _ int) {
			if n++; n == 1 {
				w.Fail("", "T-1", "x")
			}
		})
	if _, err := s.Decode(nil); !errors.Is(err, Value) {
		t.Errorf("reading: %v", err)
	}
	n = 0
	if _, err := s.Append(nil, 0); !errors.Is(err, Range) {
		t.Errorf("writing: %v", err)
	}
}

// The classes of the codec and those of the corpus are the same words.
func TestClasses(t *testing.T) {
	if got, want := fmt.Sprint(Classes()), fmt.Sprint(corpus.Classes); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTrace(t *testing.T) {
	_, spans, err := sampleOf(Settings{}).Trace(little)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&text, "%d-%d %s=%s %s\n", s.Start, s.End, s.Path, s.Value, s.Clause)
	}
	want := `0-1 a=1 T-1
1-3 b=515 T-1
3-7 c=67438087 T-1
7-11 d=-2 T-1
11-15 e=1.5 T-1
15-23 f=1234605616436508552 T-1
23-31 g=-3 T-1
31-39 h=-0.25 T-1
39-41 raw=0908 T-1
41-43 s="ab" T-1
43-47 l.len=2 T-1
47-49 l[0].n=7 T-2
49-51 l[1].n=6 T-2
`
	if d := cmp.Diff(want, text.String()); d != "" {
		t.Error(d)
	}
}

// nest is a list of itself, one byte a level.
func nest(s Settings) Structure[int] {
	var self Structure[int]
	self = structure("nest", 1, s,
		func(r *Reader) int {
			if !r.Descend("T-5") {
				return 0
			}
			defer r.Ascend()
			if r.Uint8("more", "T-5") == 0 {
				return 1
			}
			return 1 + self.d.Read(r)
		},
		func(w *Writer, v int) {
			if !w.Descend("T-5") {
				return
			}
			defer w.Ascend()
			if v == 1 {
				w.Uint8(0)
				return
			}
			w.Uint8(1)
			self.d.Write(w, v-1)
		})
	return self
}

func TestDepth(t *testing.T) {
	deep := append(bytes.Repeat([]byte{1}, DefaultMaxDepth-1), 0)
	s := nest(Settings{})
	if v, err := s.Decode(deep); err != nil || v != DefaultMaxDepth {
		t.Errorf("%d levels: %v", v, err)
	}
	if b, err := s.Append(nil, DefaultMaxDepth); err != nil || !bytes.Equal(b, deep) {
		t.Errorf("writing %d levels: %v", DefaultMaxDepth, err)
	}
	if _, err := s.Decode(append([]byte{1}, deep...)); !errors.Is(err, Limit) {
		t.Errorf("a level too many: %v", err)
	}
	if _, err := s.Append(nil, DefaultMaxDepth+1); !errors.Is(err, Limit) {
		t.Errorf("writing a level too many: %v", err)
	}
	if _, err := nest(Settings{Limits: Limits{MaxDepth: 2}}).Decode([]byte{1, 1, 0}); !errors.Is(err, Limit) {
		t.Errorf("three levels where two are allowed: %v", err)
	}
}

// windowed reads a length, and that many bytes as a byte and a uint16, or, if
// they are no such thing, as a byte and the rest.
func windowed(s Settings, try bool) Structure[string] {
	return structure("windowed", 1, s, func(r *Reader) string {
		n := int(r.Uint8("size", "T-1"))
		if n > r.Remaining() {
			r.Fail(Truncated, 0, "size", "T-1", "too long")
			return ""
		}
		r.Enter("window")
		defer r.Leave()
		w := r.Narrow(n)
		var got string
		read := func(r *Reader) {
			r.Enter("parts")
			if a := r.Uint8("a", "T-2"); a > 9 {
				r.Fail(Value, r.Offset()-1, "a", "T-2", "too much")
			}
			got = fmt.Sprint("number ", r.Uint16("b", "T-3"))
			r.Leave()
		}
		if !try {
			read(r)
		} else if !r.Try(read) {
			got = fmt.Sprintf("%x", r.Bytes(r.Remaining(), "rest", "T-4"))
		}
		r.Widen(w, "end", "T-5")
		return fmt.Sprint(got, " then ", r.Uint8("after", "T-6"))
	}, func(*Writer, string) {})
}

// What is read in a window ends with it, and what cannot be read leaves no trace.
func TestWindows(t *testing.T) {
	const unread = "windowed window.end: trailing at byte 4 (0x4): " +
		"expected a value that uses all bytes of its stored size, found 1 byte unread [T-5]"
	for _, c := range []struct {
		src  []byte
		try  bool
		want string
	}{
		{[]byte{3, 1, 2, 0, 7}, false, "number 2 then 7"},
		{[]byte{3, 1, 2, 0, 7}, true, "number 2 then 7"},
		{[]byte{2, 1, 2, 0}, false, "windowed window.parts.b: truncated at byte 2 (0x2): " +
			"expected 2 bytes, found 1 up to offset 3, where an enclosing length or size ends [T-3]"},
		{[]byte{2, 1, 2, 0}, true, "0102 then 0"},
		{[]byte{2, 99, 2, 0}, true, "6302 then 0"},
		{[]byte{4, 1, 2, 0, 5, 7}, false, unread},
		{[]byte{4, 1, 2, 0, 5, 7}, true, unread},
		{[]byte{0, 7}, true, " then 7"},
		{[]byte{3, 1, 2, 0}, true, "windowed window.after: truncated at byte 4 (0x4): expected 1 byte, found 0 [T-6]"},
		{[]byte{9, 1}, true, "windowed size: truncated at byte 0 (0x0): too long [T-1]"},
	} {
		s := windowed(Settings{}, c.try)
		got, err := s.Decode(c.src)
		traced, spans, traceErr := s.Trace(c.src)
		if traced != got || fmt.Sprint(err) != fmt.Sprint(traceErr) {
			t.Errorf("%x: %q, %v; traced %q, %v", c.src, got, err, traced, traceErr)
		}
		if err != nil {
			got += err.Error() // with no value
		}
		if got != c.want {
			t.Errorf("%x: %s, want %s", c.src, got, c.want)
		}
		at := 0
		for _, span := range spans {
			if span.Start != at {
				t.Errorf("%x: %+v does not begin at %d", c.src, span, at)
			}
			at = span.End
		}
		if err == nil && at != len(c.src) {
			t.Errorf("%x: spans end at %d", c.src, at)
		}
	}
}

func TestMaxCount(t *testing.T) {
	if _, err := sampleOf(Settings{Limits: Limits{MaxCount: 1}}).Decode(little); !errors.Is(err, Limit) {
		t.Errorf("two elements where one is allowed: %v", err)
	}
}

// A trace has at most MaxSpans spans; decoding is not limited by it.
func TestMaxSpans(t *testing.T) {
	_, spans, err := sampleOf(Settings{}).Trace(little)
	if err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit <= len(spans); limit++ {
		s := sampleOf(Settings{Limits: Limits{MaxSpans: limit}})
		_, some, err := s.Trace(little)
		if limit == len(spans) {
			if err != nil || len(some) != limit {
				t.Errorf("%d spans where as many are allowed: %v", limit, err)
			}
		} else if e, ok := errors.AsType[*Error](err); !ok || e.Class != Limit || e.Offset != spans[limit].Start ||
			len(some) != limit {
			t.Errorf("at most %d spans: %d spans and error %v, want class limit at %d", limit, len(some), err,
				spans[limit].Start)
		}
		if _, err := s.Decode(little); err != nil {
			t.Errorf("decoding fails with MaxSpans %d: %v", limit, err)
		}
	}
}

// A length is compared with the remaining bytes in units, without wrapping.
func TestLength(t *testing.T) {
	for _, c := range []struct {
		n          int64
		unit, want int
	}{
		{0, 2, 0},
		{1, 2, 2},
		{2, 2, -1},
		{3, 1, 3},
		{4, 1, -1},
		{1 << 31, 2, -1},
		{1<<32 - 1, 4, -1},
		{-1, 2, 2},
		{-2, 2, -1},
		{math.MinInt64, 2, -1},
		{math.MaxInt64, 1, -1},
		{1<<62 + 1, 4, -1},
	} {
		s := structure("lengths", 0, Settings{}, func(r *Reader) int { return r.Length(c.n, c.unit, "", 0, "", "") }, nil)
		if n, _, err := s.DecodePrefix([]byte{1, 2, 3}); n != max(c.want, 0) || errors.Is(err, Truncated) != (c.want < 0) {
			t.Errorf("%d units of %d bytes in 3 bytes: %d, %v, want %d", c.n, c.unit, n, err, c.want)
		}
	}
	for _, c := range []struct {
		n           int64
		field, want string
	}{
		{4, "length", "expected 8 bytes for a length of 4 (in units of 2 bytes, by test), found 3 remaining"},
		{-4, "length", "expected 8 bytes for a length of -4 (in units of 2 bytes, by test), found 3 remaining"},
		{4, "size", "expected 8 bytes for a size of 4 (in units of 2 bytes, by test), found 3 remaining"},
	} {
		s := structure("lengths", 0, Settings{}, func(r *Reader) int { return r.Length(c.n, 2, "by test", 0, c.field, "") }, nil)
		if _, err := s.Decode([]byte{1, 2, 3}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestTypeName(t *testing.T) {
	if none, some := TypeName(nil), TypeName(uint16(0)); none != "null" || some != "uint16" {
		t.Errorf("%q and %q", none, some)
	}
}

// A count that the bytes cannot justify costs no memory.
func TestCountAllocates(t *testing.T) {
	src := bytes.Clone(little)
	copy(src[43:], []byte{0xFF, 0xFF, 0xFF, 0xFF})
	s := sampleOf(Settings{})
	if n := testing.AllocsPerRun(10, func() {
		if _, err := s.Decode(src); err == nil {
			t.Error("four thousand million elements in four bytes")
		}
	}); n > 30 {
		t.Errorf("%v allocations", n)
	}
}

func TestWTF8(t *testing.T) {
	for _, c := range []struct {
		units []uint16
		text  string
	}{
		{nil, ""},
		{[]uint16{'A', 0, 0xFFFD, 0xFEFF}, "A\x00\uFFFD\uFEFF"},
		{[]uint16{0xD83D, 0xDE00}, "\U0001F600"},
		{[]uint16{0xD83D}, "\xED\xA0\xBD"},
		{[]uint16{0xDE00, 0xD83D}, "\xED\xB8\x80\xED\xA0\xBD"},
		{[]uint16{0xD83D, 0xD83D, 0xDE00}, "\xED\xA0\xBD\U0001F600"},
	} {
		if got := string(AppendWTF8(nil, c.units)); got != c.text {
			t.Errorf("%x becomes %x, want %x", c.units, got, c.text)
		}
		units, err := DecodeWTF8(c.text)
		if err != nil || !slices.Equal(units, c.units) {
			t.Errorf("%x becomes %x, %v, want %x", c.text, units, err, c.units)
		}
	}
	for _, s := range []string{
		"\x80", "\xC0\x80", "\xED\xA0", "\xED\xA0\xBD\xED\xB8\x80", "\xF4\x90\x80\x80",
		"\xFF", "a\xE2\x82",
	} {
		if u, err := DecodeWTF8(s); err == nil {
			t.Errorf("%x is taken for %x", s, u)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		units := rapid.SliceOf(rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0xD7FF, 0xE001))).Draw(rt, "units")
		text := string(AppendWTF8(nil, units))
		back, err := DecodeWTF8(text)
		if err != nil || !slices.Equal(back, units) {
			rt.Fatalf("%x becomes %x and then %x, %v", units, text, back, err)
		}
	})
}

// textsStructure reads pairs of a string and a converted one, each of a size in one
// byte.
var textsStructure = structure("test.texts", 1, Settings{}, func(r *Reader) (texts []string) {
	n := int(r.Uint8("count", ""))
	for _, pair := range ReadN(r, n, func(r *Reader) [2]string {
		size := int(r.Uint8("size", ""))
		plain := r.String(size, "plain", "")
		return [2]string{plain, r.Units(r.Bytes(2*size, "wide", ""))}
	}) {
		texts = append(texts, pair[:]...)
	}
	return texts
}, nil)

// textsInput returns n pairs of texts of different sizes, and the texts.
func textsInput(n int) (src []byte, texts []string) {
	src = []byte{byte(n)}
	for i := range n {
		text := strings.Repeat(string(rune('A'+i%26)), i*i%90)
		src = append(append(src, byte(len(text))), text...)
		for _, b := range []byte(text) {
			src = append(src, b, 0)
		}
		texts = append(texts, text, text)
	}
	return src, texts
}

// Strings of an array share memory with each other, not with the input, and
// each has its own text.
func TestStringsShareMemory(t *testing.T) {
	for _, n := range []int{0, 1, 2, 30, 255} {
		src, want := textsInput(n)
		got, err := textsStructure.Decode(src)
		traced, _, traceErr := textsStructure.Trace(src)
		if err != nil || traceErr != nil || !slices.Equal(got, want) || !slices.Equal(traced, want) {
			t.Errorf("%d: %q, traced %q, %v, %v, want %q", n, got, traced, err, traceErr, want)
		}
		clear(src)
		if !slices.Equal(got, want) {
			t.Errorf("%d: texts change with the input", n)
		}
	}
	src, _ := textsInput(255)
	if n := testing.AllocsPerRun(10, func() { _, _ = textsStructure.Decode(src) }); n > 40 {
		t.Errorf("%v allocations for 510 strings, expected at most 40", n)
	}
}

// Strings that were read before a failed attempt keep their text.
func TestStringsAfterTry(t *testing.T) {
	s := structure("test.try", 1, Settings{}, func(r *Reader) (texts []string) {
		return ReadN(r, 3, func(r *Reader) string {
			lost := ""
			r.Try(func(r *Reader) {
				lost = r.Units(r.Bytes(2, "", ""))
				r.Fail(Value, 0, "", "", "no")
			})
			return lost + r.Units(r.Bytes(4, "", ""))
		})
	}, nil)
	got, err := s.Decode([]byte("a\x00b\x00c\x00d\x00e\x00f\x00"))
	if want := []string{"aab", "ccd", "eef"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestForgive: a fault within a window is dropped, with the path, the level and
// the windows in it; one that describes the reader stays.
func TestForgive(t *testing.T) {
	for _, c := range []struct {
		class Class
		ok    bool
	}{{Value, true}, {Truncated, true}, {Limit, false}, {Unsupported, false}, {"", false}} {
		r := &Reader{trail: trail{track: true}}
		r.begin([]byte{1, 2, 3, 4, 5, 6}, Settings{})
		r.Enter("outer")
		w := r.Narrow(4)
		r.Enter("inner")
		r.Descend("")
		inner := r.Narrow(2)
		r.Uint8("a", "")
		if c.class != "" {
			r.Fail(c.class, 0, "a", "", "a fault")
		} else {
			r.Uint8("b", "")
		}
		r.Widen(inner, "", "")
		if got := r.Forgive(w); got != c.ok || r.Failed() != (!c.ok && c.class != "") {
			t.Errorf("%q: %v, failed %v", c.class, got, r.Failed())
		}
		if !c.ok {
			continue
		}
		if r.Offset() != 1 || r.Remaining() != 3 || r.depth != 0 || r.pathTo("x") != "outer.x" {
			t.Errorf("%s: offset %d, remaining %d, level %d, path %s", c.class, r.Offset(), r.Remaining(),
				r.depth, r.pathTo("x"))
		}
		r.Bytes(3, "rest", "")
		if r.Widen(w, "", ""); r.Remaining() != 2 {
			t.Errorf("%s: %d bytes after the window", c.class, r.Remaining())
		}
	}
}
