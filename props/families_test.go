package props

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	upkgcodec "github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/model/upkg"
)

func init() {
	drawFor(func(t *rapid.T) ubi.FileMagic {
		return rapid.SampledFrom([]ubi.FileMagic{ubi.MagicLittle, ubi.MagicBig}).Draw(t, "magic")
	})
	drawFor(func(t *rapid.T) upkg.CompactIndex { return upkg.CompactIndex(drawIndex(t)) })
	drawFor(func(t *rapid.T) upkg.ObjectReference { return upkg.ReferenceTo(drawIndex(t)) })
	drawFor(drawHeader)
	drawFor(drawImport)
	drawFor(drawExport)
	drawFor(drawPackage)
}

// drawIndex draws values near each change of length, and any value of 36 bits.
func drawIndex(t *rapid.T) int64 {
	const most = 1<<35 - 1
	v := rapid.OneOf(
		rapid.Int64Range(0, 100),
		rapid.Custom(func(t *rapid.T) int64 {
			return 1<<rapid.SampledFrom([]int{6, 13, 20, 27, 31, 32}).Draw(t, "bits") + rapid.Int64Range(-2, 2).Draw(t, "near")
		}),
		rapid.Int64Range(0, math.MaxInt32),
		rapid.Int64Range(0, most),
	).Draw(t, "magnitude")
	if rapid.Bool().Draw(t, "negative") {
		return -v
	}
	return v
}

func drawHeader(t *rapid.T) upkg.Header {
	h := upkg.Header{
		Signature: rapid.SampledFrom([]uint32{upkg.Signature, upkg.TripwireSignature}).Draw(t, "tag"),
		Version:   rapid.Uint16Range(0, 178).Draw(t, "version"),
		Licensee:  rapid.Uint16().Draw(t, "licensee"),
		Flags:     rapid.Uint32().Draw(t, "flags"),
		NameCount: rapid.Uint32().Draw(t, "names"), NameOffset: rapid.Uint32().Draw(t, "at"),
		ExportCount: rapid.Uint32().Draw(t, "exports"), ExportOffset: rapid.Uint32().Draw(t, "at"),
		ImportCount: rapid.Uint32().Draw(t, "imports"), ImportOffset: rapid.Uint32().Draw(t, "at"),
	}
	if h.Version < 68 {
		h.Heritage = &upkg.Heritage{Count: rapid.Uint32().Draw(t, "count"), Offset: rapid.Uint32().Draw(t, "offset")}
		return h
	}
	h.Identity = &upkg.Identity{Generations: []upkg.Generation{}}
	copy(h.Identity.Guid[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "guid"))
	for range rapid.IntRange(0, 3).Draw(t, "generations") {
		h.Identity.Generations = append(h.Identity.Generations,
			upkg.Generation{ExportCount: rapid.Uint32().Draw(t, "e"), NameCount: rapid.Uint32().Draw(t, "n")})
	}
	return h
}

// drawImport draws an entry of the default version.
func drawImport(t *rapid.T) upkg.ImportEntry {
	index := func(name string) upkg.CompactIndex { return upkg.CompactIndex(drawIndex(t)) }
	return upkg.ImportEntry{
		ClassPackage: index("classPackage"), ClassName: index("className"),
		Package: upkg.ReferenceTo(int64(rapid.Int32().Draw(t, "package"))), ObjectName: index("objectName"),
	}
}

func drawExport(t *rapid.T) upkg.ExportEntry {
	e := upkg.ExportEntry{
		Class: upkg.ReferenceTo(drawIndex(t)), Super: upkg.ReferenceTo(drawIndex(t)),
		Group:      upkg.ReferenceTo(int64(rapid.Int32().Draw(t, "group"))),
		ObjectName: upkg.CompactIndex(drawIndex(t)), ObjectFlags: rapid.Uint32().Draw(t, "flags"),
		SerialSize: upkg.CompactIndex(max(0, drawIndex(t))),
	}
	if e.SerialSize > 0 {
		at := upkg.CompactIndex(drawIndex(t))
		e.SerialOffset = &at
	}
	return e
}

// drawPackage draws table entries and places the tables in a drawn order with
// drawn gaps. The profile is drawn later, and the lengths of entries depend on
// it. drawPackage uses the lengths of the observed profile, and values that have
// the same length under all profiles.
func drawPackage(t *rapid.T) upkg.Package {
	small := rapid.Int64Range(-60, 60)
	index := func(name string) upkg.CompactIndex { return upkg.CompactIndex(small.Draw(t, name)) }
	reference := func(name string) upkg.ObjectReference { return upkg.ReferenceTo(small.Draw(t, name)) }
	p := upkg.Package{
		Header: drawHeader(t), Names: []upkg.NameEntry{}, Imports: []upkg.ImportEntry{}, Exports: []upkg.ExportEntry{},
		Heritages: [][16]byte{}, Data: []upkg.Chunk{},
	}
	h := &p.Header
	name := rapid.StringOfN(rapid.RuneFrom([]rune("aB_9é")), 0, 30, 60)
	for range rapid.IntRange(0, 4).Draw(t, "names") {
		p.Names = append(p.Names,
			upkg.NameEntry{Name: upkg.Name{Text: name.Draw(t, "name")}, Flags: rapid.Uint32().Draw(t, "flags")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "imports") {
		e := upkg.ImportEntry{
			ClassPackage: index("package"), ClassName: index("class"), Package: reference("outer"), ObjectName: index("object"),
		}
		p.Imports = append(p.Imports, inVersion(h.Version, e))
	}
	for range rapid.IntRange(0, 3).Draw(t, "exports") {
		e := upkg.ExportEntry{
			Class: reference("class"), Super: reference("super"), Group: reference("group"),
			ObjectName: index("object"), ObjectFlags: rapid.Uint32().Draw(t, "flags"), SerialSize: max(0, index("size")),
		}
		if e.SerialSize > 0 {
			at := index("offset")
			e.SerialOffset = &at
		}
		if h.Version < 50 {
			e.Group = upkg.ObjectReference{}
		}
		p.Exports = append(p.Exports, e)
	}
	h.NameCount, h.ImportCount, h.ExportCount = uint32(len(p.Names)), uint32(len(p.Imports)), uint32(len(p.Exports))

	if h.Heritage != nil && h.Version >= 42 {
		for range rapid.IntRange(0, 2).Draw(t, "heritages") {
			p.Heritages = append(p.Heritages, [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "guid")))
		}
		h.Heritage.Count = uint32(len(p.Heritages))
	}

	c := upkgcodec.New(wire.Settings{})
	at := sizeOf(t, c.Header(), *h)
	gap := func() {
		if n := rapid.IntRange(0, 3).Draw(t, "gap"); n > 0 {
			p.Data = append(p.Data, upkg.Chunk{Offset: at, Bytes: slices.Repeat([]byte{0xDA}, n)})
			at += uint32(n)
		}
	}
	gap()
	for _, table := range rapid.Permutation([]string{"names", "imports", "exports", "heritages"}).Draw(t, "order") {
		switch table {
		case "names":
			h.NameOffset = at
			for _, e := range p.Names {
				at += sizeOf(t, c.NameEntry(h.Version), e)
			}
		case "imports":
			h.ImportOffset = at
			for _, e := range p.Imports {
				at += sizeOf(t, c.ImportEntry(h.Version), e)
			}
		case "exports":
			h.ExportOffset = at
			for _, e := range p.Exports {
				at += sizeOf(t, c.ExportEntry(h.Version), e)
			}
		case "heritages":
			if len(p.Heritages) > 0 {
				h.Heritage.Offset = at
				at += 16 * h.Heritage.Count
			}
		}
		if n := len(p.Data); n == 0 || p.Data[n-1].Offset+uint32(len(p.Data[n-1].Bytes)) < at {
			gap()
		}
	}
	return p
}

// inVersion returns the form of an entry in a version: below 50, a name instead of
// a reference.
func inVersion(version uint16, e upkg.ImportEntry) upkg.ImportEntry {
	if version < 50 {
		name := e.ObjectName
		e.Package, e.PackageName = upkg.ObjectReference{}, &name
	}
	return e
}

func sizeOf[T any](t *rapid.T, s wire.Structure[T], v T) uint32 {
	b, err := s.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(len(b))
}
