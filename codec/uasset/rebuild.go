package uasset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Rebuilt says what [Codec.Rebuild] has done; see [wire.Rebuilt].
type Rebuilt = wire.Rebuilt

// Rebuild computes the layout of a changed package (UA-PKG-14): every count,
// offset and size in the summary, the exports, inner tags and mips, and the
// hashes of the names. It keeps everything else, and every order. It does not
// change an unchanged package, except name hashes and inner sizes that are wrong.
//
// If the data of an object move, offsets in them have to change too (UA-PKG-18):
// the engine counts some of them from the start of the file. Rebuild moves the
// data only if it knows where all these offsets are. That is so for:
//   - the data of a class for which it is known where offsets are: DataTable,
//     Font, the classes of textures, Material and MaterialInstanceConstant;
//   - data in which no number of 32 or 64 bits, at any position, is an offset in the
//     object, except in bulk headers whose payloads are inline.
//
// As far as is known, each such offset is that of a later part of the same object,
// and properties contain none. If Rebuild has to move any other data, it returns
// an error that names the object, its class, and the first number in doubt;
// [Codec.RebuildUnread] moves them. The data are taken to be at the end of the object
// that SerialOffset and SerialSize describe; those of an object with SerialSize 0 are
// new and are kept as they are. An offset in the summary that is that of no part is an
// error in any case.
//
// Payloads in the bulk data stay where they are if all mips keep theirs. If the
// flags of a mip with Data say that its payload is not inline, the payload moves
// to the bulk data. A mip without Data keeps the Size bytes at its OffsetInFile.
// After such a change, or in another order, the payloads follow one another from
// 0, and after them the bytes of the bulk data that no mip uses. Then Rebuild also
// rejects data that may refer to these bulk data.
//
// Rebuild does not change the given package. The result shares unchanged parts
// with it. A package that cannot be written is an error of class [wire.Range], or
// [wire.Limit] for lists nested too deeply, from Rebuild or from writing.
func (c *Codec) Rebuild(f model.Package) (out model.Package, done Rebuilt, err error) {
	return c.rebuild(f, false)
}

// RebuildUnread is [Codec.Rebuild] that also moves data whose offsets are not all
// known, and lists these objects as unread. Offsets in bulk headers, and others that are
// known, stay right. Any other offset in the data becomes wrong. It is an error
// nevertheless if the bytes of a material have more possible shader maps than can be
// searched in time proportional to their size.
func (c *Codec) RebuildUnread(f model.Package) (out model.Package, done Rebuilt, err error) {
	return c.rebuild(f, true)
}

func (c *Codec) rebuild(f model.Package, moveUnread bool) (out model.Package, done Rebuilt, err error) {
	if len(f.Exports) != len(f.Objects) {
		return out, Rebuilt{}, rebuildError("objects", "expected %d, the number of exports, found %d", len(f.Exports),
			len(f.Objects))
	}
	old := f.Summary
	at, err := c.layHeader(&f)
	if err != nil {
		return out, Rebuilt{}, err
	}
	s := &f.Summary
	done.PlaceTable("names", old.NameCount, s.NameCount, old.NameOffset, s.NameOffset)
	done.PlaceTable("imports", old.ImportCount, s.ImportCount, old.ImportOffset, s.ImportOffset)
	done.PlaceTable("exports", old.ExportCount, s.ExportCount, old.ExportOffset, s.ExportOffset)
	var unread []int
	b := &builder{part: &part{Codec: c, names: names{entries: f.Names}, resize: true}, old: f.BulkData}
	f.Exports, f.Objects = slices.Clone(f.Exports), slices.Clone(f.Objects)
	for i := range f.Objects {
		o, e := &f.Objects[i], &f.Exports[i]
		size, err := b.object(o, at)
		if err != nil {
			return out, Rebuilt{}, inside(err, rowPath("objects", i))
		}
		begin, end := int64(e.SerialOffset), int64(e.SerialOffset)+int64(e.SerialSize)
		if begin != end {
			doubt, err := b.moveData(&f, i, int64(at+size))
			if err == nil && doubt != "" && !moveUnread {
				err = unreadError(&f, i, "%s", doubt)
			}
			switch {
			case err != nil:
				return out, Rebuilt{}, err
			case doubt != "":
				unread = append(unread, i)
			}
			done.Place(rowPath("objects", i), begin, int64(at))
		}
		e.SerialOffset, e.SerialSize = uint32(at), uint32(size)
		if at += size; at > math.MaxUint32 {
			return out, Rebuilt{}, rebuildError(rowPath("objects", i), "expected an end of at most %d, found %d",
				uint32(math.MaxUint32), at)
		}
	}
	if s.BulkDataStartOffset = int64(at); len(f.BulkData) > 0 {
		done.Place("bulkData", old.BulkDataStartOffset, int64(at))
	}
	if !b.inPlace() {
		for i := range f.Objects {
			if !refersToBulk(f.Objects[i].Data, len(f.BulkData)) {
				continue
			}
			if !moveUnread {
				return out, Rebuilt{}, unreadError(&f, i, "may refer to the %d bytes of bulk data, which move", len(f.BulkData))
			}
			unread = append(unread, i)
		}
		f.BulkData = b.bulk()
	}
	slices.Sort(unread)
	for _, i := range slices.Compact(unread) {
		done.Unread = append(done.Unread, rowPath("objects", i))
	}
	return f, done, nil
}

// layHeader computes the counts and offsets of the summary and the hashes of the names, and
// returns where the header ends.
func (c *Codec) layHeader(f *model.Package) (uint64, error) {
	old := f.Summary
	s := &f.Summary
	at := summarySize(s)
	s.NameOffset = uint32(at) // a greater size is an error below
	s.NameCount, s.ImportCount, s.ExportCount = uint32(len(f.Names)), uint32(len(f.Imports)), uint32(len(f.Exports))
	if s.Generations = slices.Clone(s.Generations); len(s.Generations) > 0 {
		last := &s.Generations[len(s.Generations)-1]
		if s.NameCount != old.NameCount {
			last.NameCount = s.NameCount
		}
		if s.ExportCount != old.ExportCount {
			last.ExportCount = s.ExportCount
		}
	}

	f.Names = slices.Clone(f.Names)
	for i := range f.Names {
		n := &f.Names[i]
		n.NonCasePreservingHash, n.CasePreservingHash = NameHashes(n.Name)
		at += stringSize(n.Name) + 4
	}
	if s.ImportOffset = uint32(at); len(f.Imports) == 0 && old.ImportOffset == 0 {
		s.ImportOffset = 0
	}
	at += importSize * uint64(len(f.Imports))
	if s.ExportOffset = uint32(at); len(f.Exports) == 0 && old.ExportOffset == 0 {
		s.ExportOffset = 0
	}
	at += entryRegion * uint64(len(f.Exports))
	region := at
	for i := range f.SoftPackageReferences {
		at += stringSize(f.SoftPackageReferences[i])
	}
	s.AssetRegistryDataOffset = uint32(at)
	at += 4
	if s.TotalHeaderSize = uint32(at); s.TotalHeaderSize != old.TotalHeaderSize {
		s.PreloadDependencyOffset = uint32(at)
	}
	if at > math.MaxUint32 {
		return 0, rebuildError("summary.totalHeaderSize", "expected a header of at most %d bytes, found %d",
			uint32(math.MaxUint32), at)
	}
	references := len(f.SoftPackageReferences)
	if !c.d.softNulls {
		s.SoftPackageReferencesCount = uint32(references)
	}
	if references > 0 {
		s.SoftPackageReferencesOffset = uint32(region)
	}
	return at, relocateSummary(&old, s, references > 0)
}

// moveData moves the data of an object so that they end at an offset, with the offsets in them.
// It says what is in doubt if not all of these are known.
func (b *builder) moveData(f *model.Package, i int, end int64) (doubt string, err error) {
	o, e := &f.Objects[i], &f.Exports[i]
	begin, oldEnd := int64(e.SerialOffset), int64(e.SerialOffset)+int64(e.SerialSize)
	size := int64(len(o.Data))
	data := &body{part: b.part, class: f.ClassName(e), data: o.Data, at: oldEnd - size, begin: begin, end: oldEnd}
	to := end - size
	if to == data.at {
		return "", nil
	}
	data.find(o)
	switch {
	case data.budget < 0:
		return "", unreadError(f, i, "move from %d to %d, with too many possible shader maps: the search for offsets ended "+
			"at %d", data.at, to, data.at+data.doubt)
	case data.doubt >= 0:
		doubt = fmt.Sprintf("move from %d to %d, with the number %d at %d, which may be an offset from the start of the file",
			data.at, to, data.u32(data.doubt), data.at+data.doubt)
	}
	o.Data = data.moved(to)
	return doubt, nil
}

// unreadError is the error for an object whose data are not understood. The
// text says what the bytes do.
func unreadError(f *model.Package, i int, format string, args ...any) error {
	e := &f.Exports[i]
	class := f.ClassName(e)
	if row, ok := e.ClassIndex.Export(); ok && row < len(f.Exports) {
		class = text(f, f.Exports[row].ObjectName)
	}
	return rangeError("UA-PKG-18", rowPath("objects", i)+".data",
		"object %q of class %q: expected data whose offsets are all known, found %d bytes that %s",
		text(f, e.ObjectName), class, len(f.Objects[i].Data), fmt.Sprintf(format, args...))
}

// text returns the text of a name, or "" if the name table does not contain it.
func text(f *model.Package, v model.FName) string {
	if t := (names{entries: f.Names}); t.has(v) {
		return t.text(v)
	}
	return ""
}

// AddName returns the first row of the name table with a text in form Bytes. If
// there is none, it adds one.
func AddName(f *model.Package, text string) model.FName {
	name := model.FString{Text: text}
	row := slices.IndexFunc(f.Names, func(e model.NameEntry) bool { return e.Name == name })
	if row >= 0 {
		return model.FName{Index: uint32(row)}
	}
	e := model.NameEntry{Name: name}
	e.NonCasePreservingHash, e.CasePreservingHash = NameHashes(e.Name)
	f.Names = append(f.Names, e)
	return model.FName{Index: uint32(len(f.Names) - 1)}
}

func stringSize(s model.FString) uint64 {
	switch s.Form {
	case model.Absent:
		return 4
	case model.UTF16:
		return 4 + 2*(uint64(len(unitsOf(s)))+1)
	}
	return 4 + uint64(len(s.Text)) + 1
}

// rebuildError is the error for a package that has no layout.
func rebuildError(path, format string, args ...any) error {
	return rangeError("UA-PKG-14", path, format, args...)
}

func rangeError(clause clauseID, path, format string, args ...any) error {
	return &wire.Error{
		Type: "uasset.Package", Class: wire.Range, Path: path, Clause: clause, Detail: fmt.Sprintf(format, args...),
	}
}

// inside prefixes the path of an error with the path of a part.
func inside(err error, path string) error { return wire.Inside(err, "uasset.Package", path) }

// A builder computes the layout of objects and collects the payloads for the
// bulk data.
type builder struct {
	*part
	old      []byte // the bulk data of the given package
	payloads []placed
}

// placed is a payload for the bulk data.
type placed struct {
	mip    *model.Mip
	pixels []byte
	from   int64 // its offset in the old bulk data, or -1
}

// object computes the layout of an object at an offset, and returns its size.
func (b *builder) object(o *model.Object, at uint64) (uint64, error) {
	size := uint64(0)
	if o.Properties != nil {
		s := b.list()
		bytes, err := s.Append(nil, *o.Properties)
		if err != nil {
			return 0, inside(err, "properties")
		}
		list, err := s.Decode(bytes) // with the sizes that writing computed
		if err != nil {
			return 0, inside(err, "properties")
		}
		o.Properties = &list
		size += uint64(len(bytes))
	}
	if o.Texture != nil {
		t := *o.Texture
		n, err := b.texture(&t, at+size)
		if err != nil {
			return 0, inside(err, "texture")
		}
		o.Texture = &t
		size += n
	}
	return size + uint64(len(o.Data)), nil
}

// texture computes the layout of a texture at an offset, and returns its size.
func (b *builder) texture(t *model.Texture2D, begin uint64) (uint64, error) {
	end := begin + formatEnd + 4*4 + 4 + uint64(len(t.PixelFormat)) + 1 + 4 + 4
	t.Mips = slices.Clone(t.Mips)
	for i := range t.Mips {
		m := &t.Mips[i]
		inline, detail := b.isInline(m.BulkDataFlags, levelOf(t, i))
		switch {
		case detail != "":
			return 0, rebuildError(rowPath("mips", i), "%s", detail)
		case inline:
			m.Size = uint32(len(m.Data))
			m.OffsetInFile = int64(end) + mipSize - 8
			end += uint64(len(m.Data))
		default:
			if err := b.move(m); err != nil {
				return 0, inside(err, rowPath("mips", i))
			}
		}
		end += mipSize
	}
	if !b.ownLayout(t.PixelFormat) {
		t.SkipOffset = uint32(end)
	}
	return end + nameSize - begin, nil
}

// move collects a payload for the bulk data.
func (b *builder) move(m *model.Mip) error {
	p := placed{m, m.Data, -1}
	if len(m.Data) == 0 {
		var ok bool
		if p.pixels, ok = m.PayloadIn(b.old); !ok {
			return rebuildError("", "expected a payload in the %d bytes of bulk data, found %d bytes at %d", len(b.old), m.Size,
				m.OffsetInFile)
		}
		p.from = m.OffsetInFile
	}
	if uint64(len(p.pixels)) > math.MaxUint32 {
		return rebuildError("", "expected a payload of at most %d bytes, found %d", uint32(math.MaxUint32), len(p.pixels))
	}
	m.Data, m.Size = []byte{}, uint32(len(p.pixels))
	b.payloads = append(b.payloads, p)
	return nil
}

// inPlace reports whether all payloads can stay where they are: none is new, and
// they are in the order of the mips.
func (b *builder) inPlace() bool {
	end := int64(0)
	for _, p := range b.payloads {
		if p.from < end {
			return false
		}
		end = p.from + int64(len(p.pixels))
	}
	return true
}

// bulk returns the payloads one after another, then the unused bytes of the old
// bulk data.
func (b *builder) bulk() (out []byte) {
	for _, p := range b.payloads {
		p.mip.OffsetInFile = int64(len(out))
		out = append(out, p.pixels...)
	}
	slices.SortFunc(b.payloads, func(x, y placed) int { return cmp.Compare(x.from, y.from) })
	end := int64(0)
	for _, p := range b.payloads {
		if p.from > end {
			out = append(out, b.old[end:p.from]...)
		}
		if p.from >= 0 {
			end = max(end, p.from+int64(len(p.pixels)))
		}
	}
	return append(out, b.old[end:]...)
}
