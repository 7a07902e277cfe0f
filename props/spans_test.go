package props

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// readings returns what the bytes of a field can be shown as. The path is that of
// the field, names are those of the input.
func readings(b []byte, family, path string, order binary.ByteOrder, names map[uint32]string) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(b) > 24 {
		add("%x...", b[:24])
	}
	add("%x", b)
	add("%q", b)
	switch field := path[strings.LastIndex(path, ".")+1:]; {
	case family == "ka" && field == "type":
		return []string{ka.Type(b[0]).String()}
	case family == "ka" && field == "version":
		return []string{fmt.Sprintf("0x%04x", order.Uint16(b)), ka.Version(order.Uint16(b)).String()}
	case field == "text" || field == "s" || family == "ka" && field == "tag":
		return append(out, textsOf(b, order)...)
	}
	switch len(b) {
	case 1:
		add("%d", b[0])
		add("%d", int8(b[0]))
	case 2:
		add("%d", order.Uint16(b))
		add("%d", int16(order.Uint16(b)))
	case 4:
		n := order.Uint32(b)
		add("%d", n)
		add("%d", int32(n))
		add("%08x", n)
		add("%#x", n)
		add("%s", wire.FormatFloat32(math.Float32frombits(n)))
		switch i := int32(n); {
		case i < 0:
			add("import %d", ^i)
		case i > 0:
			add("export %d", i-1)
		default:
			add("nothing")
		}
	case 8:
		n := order.Uint64(b)
		add("%d", n)
		add("%d", int64(n))
		add("%s", wire.FormatFloat64(math.Float64frombits(n)))
		if text, ok := names[uint32(n)]; ok && n>>32 == 0 {
			add("%s", text)
		} else if ok {
			add("%s, number %d", text, n>>32)
		}
	}
	if family == "upkg" {
		n := index(b)
		add("%d", n)
		add("%d", int32(n))
	}
	return out
}

// textsOf returns the texts that bytes can be.
func textsOf(b []byte, order binary.ByteOrder) []string {
	var swizzled, points []byte
	for _, c := range b {
		swizzled = append(swizzled, c&0x55<<1|c&0xAA>>1)
	}
	var units []uint16
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, order.Uint16(b[i:]))
	}
	for i := 0; i+3 < len(b); i += 4 {
		points = wire.AppendWTF8Rune(points, rune(order.Uint32(b[i:])))
	}
	wide := wire.AppendWTF8(nil, units)
	var out []string
	for _, text := range [][]byte{b, b[:min(len(b), 96)], swizzled, wide, points} {
		out = append(out, strconv.Quote(string(text)), strconv.Quote(strings.TrimSuffix(string(text), "\x00")))
	}
	return out
}

// index returns the value of a compact index of any number of bytes.
func index(b []byte) int64 {
	v := int64(b[0] & 0x3F)
	for i, c := range b[1:] {
		if i < 3 {
			c &= 0x7F
		}
		v |= int64(c) << (6 + 7*i)
	}
	if b[0]&0x80 != 0 {
		return -v
	}
	return v
}

// namesOf returns the names to which name indices of an input refer.
func namesOf(v *corpus.Vector, spans []wire.Span) map[uint32]string {
	out := map[uint32]string{}
	names, _ := codec.SplitNames(v.Context["names"])
	for i, name := range names {
		out[uint32(i)] = name
	}
	for _, s := range spans {
		var i uint32
		if n, _ := fmt.Sscanf(s.Path, "names[%d].name.text", &i); n == 1 && strings.HasSuffix(s.Path, ".text") {
			text, _ := strconv.QuotedPrefix(s.Value)
			out[i], _ = strconv.Unquote(text)
		}
	}
	return out
}

// TestSpanValues: spans show the values of their bytes. Those of a rejected input
// are the fields before the fault, and the field at the fault unless it is
// incomplete.
func TestSpanValues(t *testing.T) {
	checked := 0
	eachReading(t, func(v *corpus.Vector, p ids.Profile, c codec.Codec) {
		var order binary.ByteOrder = binary.LittleEndian
		if v.Context["order"] == "big" {
			order = binary.BigEndian
		}
		_, spans, fault := c.Trace(v.Bytes)
		// A field with an invalid value is shown too. A value without a layout has
		// no fields.
		e, ok := errors.AsType[*wire.Error](fault)
		if ok && e.Path != "" && e.Class != wire.Truncated && e.Class != wire.Trailing &&
			e.Class != wire.Limit &&
			!slices.ContainsFunc(spans, func(s wire.Span) bool { return s.Start <= e.Offset && e.Offset < s.End }) {
			t.Errorf("%s under %s: the field at byte %d, %s, is not shown: %v", v.ID, p, e.Offset, e.Path, e)
		}
		names := namesOf(v, spans)
		for _, s := range spans {
			b := v.Bytes[s.Start:s.End]
			checked++
			if !slices.ContainsFunc(readings(b, v.Family(), s.Path, order, names), func(r string) bool {
				rest, ok := strings.CutPrefix(s.Value, r)
				return ok && (rest == "" || strings.ContainsAny(rest[:1], ":, ") || strings.HasPrefix(rest, "..."))
			}) {
				t.Errorf("%s under %s: %s is % x, shown as %s", v.ID, p, s.Path, b, s.Value)
			}
		}
	})
	if checked < 1000 {
		t.Errorf("%d spans", checked)
	}
}
