package bench

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// A loop reads or writes the tables of a package from version 68 on as one would by hand,
// under the observed profile: the model and the checks of the codec, but errors without
// place or clause, and no names of 16-bit units.
type loop struct {
	src  []byte // that is read, from at on
	at   int
	bad  bool
	dst  []byte           // that is written
	kept []model.Encoding // that are found, or are still to be written
}

// loopRead is a pass of the loop over a package that it reads as the codec does.
func loopRead(src []byte) (func() error, error) {
	want, err := upkg.New(wire.Settings{}).Package().Decode(src)
	if err != nil {
		return nil, err
	}
	if got, err := readByLoop(src); err != nil || !reflect.DeepEqual(got, want) {
		return nil, errors.Join(err, errors.New("the loop reads another package than the codec"))
	}
	v := new(model.Package) // keeps the result alive
	return func() (err error) { *v, err = readByLoop(src); return err }, nil
}

// loopWrite is a pass of the loop over a package that it writes as the codec does.
func loopWrite(src []byte) (func() error, error) {
	v, err := upkg.New(wire.Settings{}).Package().Decode(src)
	if err != nil {
		return nil, err
	}
	dst := make([]byte, 0, len(src))
	if b, err := writeByLoop(dst, &v); err != nil || !bytes.Equal(b, src) {
		return nil, errors.Join(err, errors.New("the loop writes another package than the codec"))
	}
	return func() error { _, err := writeByLoop(dst, &v); return err }, nil
}

var errLoop = errors.New("the package is not sound")

// index reads a compact index, and reports whether it has the shortest form.
func (l *loop) index() (v int32, shortest bool) {
	if l.at < len(l.src) {
		if b := l.src[l.at]; b&0x40 == 0 {
			l.at++
			if v = int32(b & 0x3F); b&0x80 != 0 {
				return -v, v != 0
			}
			return v, true
		}
	}
	return l.longIndex()
}

func (l *loop) longIndex() (v int32, shortest bool) {
	start := l.at
	if start >= len(l.src) {
		l.bad = true
		return 0, true
	}
	m, last := uint32(l.src[start]&0x3F), byte(0x80)
	for i := 1; last&0x80 != 0 && i < 5; i++ {
		if start+i >= len(l.src) {
			l.bad = true
			return 0, true
		}
		last = l.src[start+i]
		if i < 4 {
			m |= uint32(last&0x7F) << (7*i - 1)
		} else {
			m |= uint32(last) << 27
		}
		l.at = start + i + 1
	}
	v = int32(m)
	if l.src[start]&0x80 != 0 {
		v = -v
	}
	if l.at-start == 5 {
		return v, bytes.Equal(upkg.AppendCompactIndex(nil, v), l.src[start:l.at])
	}
	return v, last != 0
}

// field reads an index of a table, and keeps it if it does not have the shortest form.
func (l *loop) field() model.CompactIndex {
	at := l.at
	v, shortest := l.index()
	if !shortest {
		l.keep(at)
	}
	return model.CompactIndex(v)
}

func (l *loop) keep(at int) {
	l.kept = append(l.kept, model.Encoding{Offset: uint32(at), Bytes: slices.Clip(l.src[at:l.at])})
}

func (l *loop) uint32() uint32 {
	if len(l.src)-l.at < 4 {
		l.bad = true
		return 0
	}
	l.at += 4
	return binary.LittleEndian.Uint32(l.src[l.at-4:])
}

// rows goes to a table of rows of at least a size, and returns their number; 0 after a fault.
func (l *loop) rows(count, offset uint32, size int) uint32 {
	if l.bad = l.bad || uint64(offset)+uint64(count)*uint64(size) > uint64(len(l.src)); l.bad {
		return 0
	}
	l.at = int(offset)
	return count
}

// A part is the header or a table.
type part struct {
	start, end int
	write      func()
}

func readByLoop(src []byte) (p model.Package, err error) {
	l := loop{src: src}
	h := &p.Header
	if len(src) < 56 || binary.LittleEndian.Uint32(src) != model.Signature {
		return p, errLoop
	}
	h.Signature = l.uint32()
	version := l.uint32()
	h.Version, h.Licensee = uint16(version), uint16(version>>16)
	if h.Version < 68 || h.Version > 178 {
		return p, errLoop
	}
	for _, f := range []*uint32{
		&h.Flags, &h.NameCount, &h.NameOffset, &h.ExportCount, &h.ExportOffset, &h.ImportCount, &h.ImportOffset,
	} {
		*f = l.uint32()
	}
	h.Identity = &model.Identity{Guid: [16]byte(src[l.at:])}
	l.at += 16
	n := l.uint32()
	if uint64(n)*8 > uint64(len(src)-l.at) {
		return p, errLoop
	}
	h.Identity.Generations = make([]model.Generation, n)
	for i := range h.Identity.Generations {
		h.Identity.Generations[i] = model.Generation{ExportCount: l.uint32(), NameCount: l.uint32()}
	}
	p.Heritages = [][16]byte{}
	parts := append(make([]part, 0, 5), part{end: l.at}, part{start: len(src)})
	p.Names = l.names(h)
	parts = append(parts, part{start: int(h.NameOffset), end: l.at})
	p.Exports = l.exports(h)
	parts = append(parts, part{start: int(h.ExportOffset), end: l.at})
	p.Imports = l.imports(h)
	parts = append(parts, part{start: int(h.ImportOffset), end: l.at})
	if l.bad {
		return p, errLoop
	}
	slices.SortFunc(l.kept, func(a, b model.Encoding) int { return cmp.Compare(a.Offset, b.Offset) })
	p.Encodings = l.kept
	p.Data, err = chunks(src, slices.DeleteFunc(parts, func(s part) bool { return s.start == s.end }))
	return p, err
}

// chunks returns the bytes between the parts.
func chunks(src []byte, parts []part) (data []model.Chunk, err error) {
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.start, b.start) })
	data = []model.Chunk{}
	end := 0
	for _, s := range parts {
		if s.start < end {
			return nil, errLoop
		}
		if s.start > end {
			data = append(data, model.Chunk{Offset: uint32(end), Bytes: src[end:s.start:s.start]})
		}
		end = s.end
	}
	return data, nil
}

func (l *loop) names(h *model.Header) []model.NameEntry {
	names := make([]model.NameEntry, l.rows(h.NameCount, h.NameOffset, 5))
	base := l.at
	texts := string(l.src[base:min(base+32*len(names), len(l.src))])
	for i := range names {
		at := l.at
		length, shortest := l.index()
		n := int(length)
		if l.bad || n < 0 || n > len(l.src)-l.at {
			l.bad = true
			return nil
		}
		if n > 0 {
			if l.src[l.at+n-1] != 0 {
				l.bad = true
				return nil
			}
			if l.at-base+n > len(texts) {
				base, texts = l.at, string(l.src[l.at:min(l.at+max(n, 32*len(names)), len(l.src))])
			}
			names[i].Name.Text = texts[l.at-base : l.at-base+n-1]
			l.at += n
		}
		if n == 0 || !shortest {
			l.keep(at)
		}
		names[i].Flags = l.uint32()
	}
	return names
}

func (l *loop) imports(h *model.Header) []model.ImportEntry {
	imports := make([]model.ImportEntry, l.rows(h.ImportCount, h.ImportOffset, 7))
	for i := range imports {
		e := &imports[i]
		e.ClassPackage, e.ClassName = l.field(), l.field()
		e.Package = model.ReferenceTo(int64(int32(l.uint32())))
		e.ObjectName = l.field()
		if l.bad {
			return nil
		}
	}
	return imports
}

func (l *loop) exports(h *model.Header) []model.ExportEntry {
	exports := make([]model.ExportEntry, l.rows(h.ExportCount, h.ExportOffset, 12))
	offsets := make([]model.CompactIndex, len(exports))
	for i := range exports {
		e := &exports[i]
		e.Class, e.Super = model.ReferenceTo(int64(l.field())), model.ReferenceTo(int64(l.field()))
		e.Group = model.ReferenceTo(int64(int32(l.uint32())))
		e.ObjectName, e.ObjectFlags, e.SerialSize = l.field(), l.uint32(), l.field()
		if e.SerialSize > 0 {
			offsets[i] = l.field()
			e.SerialOffset = &offsets[i]
		}
		if l.bad || e.SerialSize < 0 {
			l.bad = true
			return nil
		}
	}
	return exports
}

func writeByLoop(dst []byte, p *model.Package) ([]byte, error) {
	h := &p.Header
	if h.Signature != model.Signature || h.Version < 68 || h.Version > 178 || h.Heritage != nil || h.Identity == nil ||
		int(h.NameCount) != len(p.Names) || int(h.ExportCount) != len(p.Exports) || int(h.ImportCount) != len(p.Imports) {
		return dst, errLoop
	}
	l := loop{dst: dst, at: len(dst), kept: p.Encodings}
	parts := append(make([]part, 0, 16), part{write: func() { l.writeHeader(h) }})
	if len(p.Names) > 0 {
		parts = append(parts, part{start: int(h.NameOffset), write: func() { l.writeNames(p.Names) }})
	}
	if len(p.Exports) > 0 {
		parts = append(parts, part{start: int(h.ExportOffset), write: func() { l.writeExports(p.Exports) }})
	}
	if len(p.Imports) > 0 {
		parts = append(parts, part{start: int(h.ImportOffset), write: func() { l.writeImports(p.Imports) }})
	}
	for _, d := range p.Data {
		l.bad = l.bad || len(d.Bytes) == 0
		parts = append(parts, part{start: int(d.Offset), write: func() { l.dst = append(l.dst, d.Bytes...) }})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.start, b.start) })
	for _, s := range parts {
		if l.bad || len(l.dst)-l.at != s.start {
			return dst, errLoop
		}
		s.write()
	}
	if l.bad || len(l.kept) > 0 {
		return dst, errLoop
	}
	return l.dst, nil
}

// stored writes the form that is kept for the position, if there is one that fits.
func (l *loop) stored(fits func(stored []byte) bool) bool {
	if len(l.kept) == 0 || int(l.kept[0].Offset) != len(l.dst)-l.at {
		return false
	}
	form := l.kept[0].Bytes
	l.kept = l.kept[1:]
	l.bad = l.bad || !fits(form)
	l.dst = append(l.dst, form...)
	return true
}

func (l *loop) put(v int64) {
	if l.stored(func(form []byte) bool {
		r := loop{src: form}
		got, shortest := r.index()
		return int64(got) == v && !shortest && r.at == len(form)
	}) {
		return
	}
	if v < math.MinInt32 || v > math.MaxInt32 {
		l.bad = true
	}
	if v >= 0 && v < 0x40 {
		l.dst = append(l.dst, byte(v))
		return
	}
	l.dst = upkg.AppendCompactIndex(l.dst, int32(v))
}

// number returns the number that stores a reference.
func (l *loop) number(r model.ObjectReference) int64 {
	v := r.Value()
	if model.ReferenceTo(v) != r || r.Entry >= math.MaxInt64 {
		l.bad = true
	}
	return v
}

func (l *loop) putUint32(v uint32) { l.dst = binary.LittleEndian.AppendUint32(l.dst, v) }

func (l *loop) putPlain(r model.ObjectReference) {
	v := l.number(r)
	if v != int64(int32(v)) {
		l.bad = true
	}
	l.putUint32(uint32(v))
}

func (l *loop) writeHeader(h *model.Header) {
	for _, v := range []uint32{
		h.Signature, uint32(h.Version) | uint32(h.Licensee)<<16, h.Flags, h.NameCount, h.NameOffset, h.ExportCount,
		h.ExportOffset, h.ImportCount, h.ImportOffset,
	} {
		l.putUint32(v)
	}
	l.dst = append(l.dst, h.Identity.Guid[:]...)
	l.putUint32(uint32(len(h.Identity.Generations)))
	for _, g := range h.Identity.Generations {
		l.putUint32(g.ExportCount)
		l.putUint32(g.NameCount)
	}
}

func (l *loop) writeNames(names []model.NameEntry) {
	for i := range names {
		e := &names[i]
		if e.Name.Wide {
			l.bad = true
		}
		if !l.stored(func(form []byte) bool {
			r := loop{src: form}
			n, shortest := r.index()
			if n == 0 {
				return e.Name.Text == "" && len(form) == r.at
			}
			text, ended := strings.CutSuffix(string(form[r.at:]), "\x00")
			return !shortest && ended && text == e.Name.Text && int(n) == len(form)-r.at
		}) {
			l.put(int64(len(e.Name.Text)) + 1)
			l.dst = append(append(l.dst, e.Name.Text...), 0)
		}
		l.putUint32(e.Flags)
	}
}

func (l *loop) writeImports(imports []model.ImportEntry) {
	for i := range imports {
		e := &imports[i]
		l.bad = l.bad || e.PackageName != nil
		l.put(int64(e.ClassPackage))
		l.put(int64(e.ClassName))
		l.putPlain(e.Package)
		l.put(int64(e.ObjectName))
	}
}

func (l *loop) writeExports(exports []model.ExportEntry) {
	for i := range exports {
		e := &exports[i]
		if e.SerialSize < 0 || (e.SerialSize > 0) != (e.SerialOffset != nil) {
			l.bad = true
			return
		}
		l.put(l.number(e.Class))
		l.put(l.number(e.Super))
		l.putPlain(e.Group)
		l.put(int64(e.ObjectName))
		l.putUint32(e.ObjectFlags)
		l.put(int64(e.SerialSize))
		if e.SerialOffset != nil {
			l.put(int64(*e.SerialOffset))
		}
	}
}
