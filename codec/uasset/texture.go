package uasset

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Sizes and offsets in a texture, in bytes.
const (
	formatAt  = 12 // of the name of the pixel format
	formatEnd = formatAt + nameSize
	mipSize   = 32  // of a mip without its payload
	largeMip  = 128 // in the document: pixels in both directions
)

// isTextureClass reports whether objects of a class contain a texture.
func isTextureClass(class string) bool {
	switch class {
	case "Texture2D", "TextureCube", "LightMapTexture2D", "ShadowMapTexture2D":
		return true
	}
	return false
}

// mayContainTexture reports whether a texture may follow the properties of an
// object of a class.
func (c *Codec) mayContainTexture(class string) bool { return c.d.byTypeID || isTextureClass(class) }

// sixFormats lists the pixel formats of UA-TEX-2.
const sixFormats = "PF_DXT1, PF_DXT3, PF_DXT5, PF_BC5, PF_B8G8R8A8 or PF_G8"

func isPixelFormat(text string) bool {
	_, ok := model.PixelFormat(text).PayloadSize(0, 0)
	return ok
}

// UnreadFormat returns the name of the pixel format of a texture that is kept as bytes,
// because its format is none of the six. ok is false for any other object.
func UnreadFormat(f *model.Package, row int) (format string, ok bool) {
	if row >= len(f.Objects) || row >= len(f.Exports) || !isTextureClass(f.ClassName(&f.Exports[row])) {
		return "", false
	}
	o := &f.Objects[row]
	if o.Texture != nil || len(o.Data) < formatEnd {
		return "", false
	}
	format = text(f, nameOf(o.Data[formatAt:]))
	return format, strings.HasPrefix(format, "PF_")
}

// Texture2D is the body of a texture after its properties. It uses Scope.Names
// and Offset. Payloads alias the input.
func (p *Part) Texture2D() wire.Structure[model.Texture2D] {
	return bind(p.family, &p.part, "Texture2D", formatEnd+4*4+4+2+4+4, (*part).texture)
}

// startsTexture reports whether a texture follows the properties of an object.
func (p *part) startsTexture(rest []byte) bool {
	return len(rest) >= formatEnd && isPixelFormat(p.names.plain(nameOf(rest[formatAt:])))
}

// texture reads or writes a texture.
func (p *part) texture(f wire.Fields, t model.Texture2D) model.Texture2D {
	if f.W != nil && !isPixelFormat(string(t.PixelFormat)) {
		f.W.Fail("pixelFormat", "UA-TEX-2", "expected "+sixFormats+", found %q", string(t.PixelFormat))
		return t
	}
	constant(f, 0, wire.Unsupported, "objectGuid", "UA-TEX-1", "no object GUID")
	t.TextureStripFlags = wire.In(f, "textureStripFlags", t.TextureStripFlags, stripFlags)
	t.Texture2DStripFlags = wire.In(f, "texture2DStripFlags", t.Texture2DStripFlags, stripFlags)
	constant(f, 1, wire.Value, "cooked", "UA-TEX-1", "a cooked texture")
	if f.R != nil {
		t.PixelFormat = p.readFormat(f.R)
	} else {
		p.writeText(f.W, string(t.PixelFormat), "pixelFormat")
	}
	skipAt := f.Offset()
	f.Uint32(&t.SkipOffset, "skipOffset", "UA-TEX-3")
	f.Uint32(&t.SizeX, "sizeX", "UA-TEX-4")
	f.Uint32(&t.SizeY, "sizeY", "UA-TEX-4")
	f.Uint32(&t.NumSlices, "numSlices", "UA-TEX-4")
	formatText(f, string(t.PixelFormat)+"\x00")
	f.Uint32(&t.FirstMipToSerialize, "firstMipToSerialize", "UA-TEX-6")
	p.mips(f, &t)
	if !f.Failed() {
		p.textureEnd(f, &t, skipAt)
	}
	return t
}

// readFormat reads the name of a pixel format.
func (p *part) readFormat(r *wire.Reader) model.PixelFormat {
	f, name := wire.Fields{R: r}, model.FName{}
	p.id(f, &name, "pixelFormat", "UA-TEX-2")
	format := p.names.plain(name)
	if !isPixelFormat(format) && !r.Failed() {
		f.Fail(wire.Unsupported, nameSize, "pixelFormat", "UA-TEX-2", "expected the name "+sixFormats+", found %s",
			p.names.quote(name))
	}
	return model.PixelFormat(format)
}

// mips reads or writes the mips of a texture.
func (p *part) mips(f wire.Fields, t *model.Texture2D) {
	own := p.ownLayout(t.PixelFormat)
	if f.R != nil {
		n := f.R.Count(f.R.Uint32("mipCount", "UA-TEX-6"), mipSize, 4, "mipCount", "UA-TEX-6")
		if own && n != 1 {
			f.Fail(wire.Value, 4, "mipCount", "UA-TEX-8", "expected 1 mip in a texture of %s under "+
				"uasset.g8-layout=documented, found %d", model.G8, n)
		}
		t.Mips = make([]model.Mip, n)
	} else {
		f.W.Uint32(f.W.Len(len(t.Mips), "mips", "UA-TEX-6"))
		if own && len(t.Mips) != 1 {
			f.W.Fail("mips", "UA-TEX-8", "expected 1 mip in a texture of %s, found %d", model.G8, len(t.Mips))
		}
	}
	f.Enter("mips")
	for i := range t.Mips {
		f.EnterIndex(i)
		p.outside.setMip(i)
		if m := p.mip(f, t.Mips[i], levelOf(t, i)); f.R != nil {
			t.Mips[i] = m
		}
		f.Leave()
		if f.Failed() {
			return
		}
	}
	f.Leave()
}

// textureEnd reads or writes the fields after the mips.
func (p *part) textureEnd(f wire.Fields, t *model.Texture2D, skipAt int) {
	own := p.ownLayout(t.PixelFormat)
	switch {
	case own && f.R != nil:
		t.Tail = new(f.R.Uint64("tail", "UA-TEX-8"))
		return
	case own && t.Tail == nil:
		f.W.Fail("tail", "UA-TEX-8", "expected a tail in %s, found none", model.G8)
		return
	case own:
		f.W.Uint64(*t.Tail)
		return
	case t.Tail != nil:
		f.W.Fail("tail", "UA-TEX-8", "expected no tail in %s, found %d", t.PixelFormat, *t.Tail)
		return
	}
	at := f.Offset()
	if end := uint64(p.base) + uint64(at); uint64(t.SkipOffset) != end {
		f.Fail(wire.Reference, at-skipAt, "skipOffset", "UA-TEX-3", "expected %d, the end of the mips%s, found %d", end,
			skipSide[t.PixelFormat], t.SkipOffset)
	}
	switch {
	case p.d.countTail:
		constant(f, uint32(len(t.Mips)), wire.Value, "end", "UA-TEX-7", "the count of mips")
		constant(f, 0, wire.Value, "endNull", "UA-TEX-7", "which ends the texture")
	case f.R != nil:
		p.readTextureEnd(f.R)
	default:
		p.writeText(f.W, none, "end")
	}
}

// readTextureEnd reads the name None.
func (p *part) readTextureEnd(r *wire.Reader) {
	f, end := wire.Fields{R: r}, model.FName{}
	if p.name(f, &end, "end", "UA-TEX-7"); p.names.plain(end) != none && !r.Failed() {
		f.Fail(wire.Unsupported, nameSize, "end", "UA-TEX-7", "%s; under uasset.mip-tail=observed %[2]q must follow the "+
			"mips, because another name starts the data of a further pixel format", p.names.misnamed(none, end), none)
	}
}

var skipSide = map[model.PixelFormat]string{model.G8: " under uasset.g8-layout=observed"}

func stripFlags(f wire.Fields, v model.StripFlags) model.StripFlags {
	f.Uint8(&v.Global, "global", "UA-TEX-1")
	f.Uint8(&v.Class, "class", "UA-TEX-1")
	return v
}

// formatText reads or writes the pixel format as a string with its NUL. It must be the same again.
func formatText(f wire.Fields, text string) {
	const clause = "UA-TEX-5"
	f.Enter("pixelFormatText")
	defer f.Leave()
	if f.W != nil {
		f.W.Uint32(uint32(len(text)))
		f.W.Text(text)
		return
	}
	r, at := f.R, f.Offset()
	format := text[:len(text)-1]
	if n := r.Int32("length", clause); int64(n) != int64(len(text)) {
		r.Fail(wire.Value, at, "length", clause, "expected %d, the length of %q with its NUL, found %d", len(text), format, n)
	}
	if b := r.Bytes(len(text), "text", clause); b != nil {
		if string(b) != text {
			r.Fail(wire.Value, at, "", clause, "expected the text %q, found %q", text, b)
		}
		r.Note("%q", format)
	}
}

// ownLayout reports whether a format has a separate layout, as PF_G8 has in the
// document.
func (p *part) ownLayout(f model.PixelFormat) bool { return p.d.ownG8 && f == model.G8 }

// level is what a texture determines for one of its mips.
type level struct {
	format        model.PixelFormat
	slices        uint32
	width, height uint32 // pixels
}

func levelOf(t *model.Texture2D, i int) level {
	return level{t.PixelFormat, t.NumSlices, max(1, t.SizeX>>i), max(1, t.SizeY>>i)}
}

// checkSize returns a detail unless a size in bytes is that of all slices of a
// mip.
func (l level) checkSize(m *model.Mip) (detail string) {
	slice, ok := l.format.PayloadSize(m.SizeX, m.SizeY)
	high, size := bits.Mul64(slice, uint64(l.slices))
	if high > 0 {
		size = math.MaxUint64
	}
	if ok && size == uint64(m.Size) {
		return ""
	}
	return fmt.Sprintf("expected a size of %s (%d by %d pixels in %s, number of slices: %d), found %d",
		bytesText(size), m.SizeX, m.SizeY, l.format, l.slices, m.Size)
}

// bytesText describes a size of which the greatest value means any greater one.
func bytesText(size uint64) string {
	if size == math.MaxUint64 {
		return "2^64-1 bytes or more, which no size field can state"
	}
	return fmt.Sprintf("%d bytes", size)
}

// Mip is one level of detail of a texture. It uses Scope.Offset, Format and
// Slices, and on the documented side of uasset.mip-rule also Width and Height.
// Its payload aliases the input.
func (p *Part) Mip() wire.Structure[model.Mip] {
	return bind(p.family, p, "Mip", mipSize,
		func(p *Part, f wire.Fields, m model.Mip) model.Mip { return p.mip(f, m, p.level) })
}

// isInline reports whether the payload of a mip is inline or in the bulk data.
// It returns a detail if the payload cannot be read.
func (p *part) isInline(flags uint32, l level) (inline bool, detail string) {
	const unsupported = model.SerializeCompressed | model.CompressedBitWindow | model.Unused | model.PayloadInSeparateFile
	inline = flags&model.ForceInlinePayload != 0
	switch {
	case p.ownLayout(l.format):
		return true, ""
	case p.d.mipsBySize:
		return l.width < largeMip || l.height < largeMip, ""
	case flags&unsupported != 0:
		return inline, fmt.Sprintf("expected none of the flags 0x2 and 0x80 (compressed), 0x20 (unused) and 0x100 "+
			"(separate file) under uasset.mip-rule=observed, found %#x in the flags %#x", flags&unsupported, flags)
	case inline == (flags&model.PayloadAtEndOfFile != 0):
		return inline, fmt.Sprintf("expected exactly one of the flags 0x40 (inline) and 0x1 (at the end of the file) "+
			"under uasset.mip-rule=observed, found %#x", flags)
	}
	return inline, ""
}

// mip reads or writes a mip.
func (p *part) mip(f wire.Fields, m model.Mip, l level) model.Mip {
	if f.W != nil {
		if p.checkMip(f.W, &m, l); f.W.Failed() {
			return m
		}
	}
	start := f.Offset()
	constant(f, 1, wire.Value, "cooked", "UA-MIP-1", "a cooked mip")
	f.Uint32(&m.BulkDataFlags, "bulkDataFlags", "UA-MIP-2")
	if f.R != nil && f.R.Tracing() {
		f.R.Note("%#x", m.BulkDataFlags)
	}
	inline, detail := p.isInline(m.BulkDataFlags, l)
	if detail != "" {
		f.Fail(wire.Unsupported, 4, "bulkDataFlags", "UA-MIP-2", "%s", detail)
	}
	sizeAt := f.Offset()
	f.Uint32(&m.Size, "size", "UA-MIP-1")
	constant(f, m.Size, wire.Value, "sizeOnDisk", "UA-MIP-1", "the same as the field size")
	f.Int64(&m.OffsetInFile, "offsetInFile", "UA-MIP-3")
	switch {
	case f.R != nil && inline:
		m.Data = p.readPayload(f.R, &m, sizeAt)
	case f.R != nil:
		m.Data = []byte{}
	default:
		f.W.Bytes(m.Data)
	}
	f.Uint32(&m.SizeX, "sizeX", "UA-MIP-1")
	f.Uint32(&m.SizeY, "sizeY", "UA-MIP-1")
	if detail := l.checkSize(&m); detail != "" {
		f.Fail(wire.Value, f.Offset()-sizeAt, "size", "UA-MIP-7", "%s", detail)
	}
	if !inline {
		p.outside.add(start, &m)
	}
	return m
}

// readPayload reads an inline payload. sizeAt is the offset of the field Size; the field
// OffsetInFile is 8 bytes after it.
func (p *part) readPayload(r *wire.Reader, m *model.Mip, sizeAt int) []byte {
	if here := p.base + int64(r.Offset()); m.OffsetInFile != here {
		r.Fail(wire.Reference, sizeAt+8, "offsetInFile", "UA-MIP-3", "expected %d, the offset of the payload, found %d",
			here, m.OffsetInFile)
	}
	size := r.Length(int64(m.Size), 1, "", sizeAt, "size", "UA-MIP-5")
	return rawBytes(wire.Fields{R: r}, nil, size, "data", "UA-MIP-5")
}

// checkMip finds the faults of a mip to write.
func (p *part) checkMip(w *wire.Writer, m *model.Mip, l level) {
	inline, detail := p.isInline(m.BulkDataFlags, l)
	wrong := l.checkSize(m)
	here := p.base + int64(w.Offset()) + mipSize - 8
	switch {
	case detail != "":
		w.Fail("bulkDataFlags", "UA-MIP-2", "%s", detail)
	case wrong != "":
		w.Fail("size", "UA-MIP-4", "%s", wrong)
	case inline && m.OffsetInFile != here:
		w.Fail("offsetInFile", "UA-MIP-3", "expected %d, the offset of the payload, found %d", here, m.OffsetInFile)
	case inline && uint64(len(m.Data)) != uint64(m.Size):
		w.Fail("data", "UA-MIP-1", "expected %d bytes, as the field size states, found %d", m.Size, len(m.Data))
	case !inline && len(m.Data) > 0:
		w.Fail("data", "UA-MIP-1", "expected 0 bytes, as the payload is in the bulk data, found %d", len(m.Data))
	}
}
