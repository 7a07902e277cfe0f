package uasset

import (
	"math/bits"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Sizes and places in a texture.
const (
	formatAt  = 12 // the name of the pixel format
	formatEnd = formatAt + nameSize
	mipSize   = 32  // without payload
	largeMip  = 128 // pixels in both directions, in the document
)

// isTextureClass reports whether objects of a class hold a texture.
func isTextureClass(class string) bool { return class == "Texture2D" || class == "TextureCube" }

func isPixelFormat(text string) bool {
	_, ok := model.PixelFormat(text).PayloadSize(0, 0)
	return ok
}

// Texture2D is what follows the properties of a texture. It needs Names and
// Offset. Payloads alias the input.
func (c *Codec) Texture2D(s Scope) wire.Structure[model.Texture2D] {
	p := c.part(s)
	return structure(c, "Texture2D", formatEnd+4*4+4+2+4+4, p.readTexture, p.writeTexture)
}

// startsTexture reports whether a texture follows the properties of an object.
func (p *part) startsTexture(rest []byte) bool {
	return len(rest) >= formatEnd && isPixelFormat(p.names.plain(nameOf(rest[formatAt:])))
}

func (p *part) readTexture(r *wire.Reader) (t model.Texture2D) {
	want(r, 0, wire.Unsupported, "objectGuid", clauseTexture, "objects with a GUID are not read")
	r.Enter("textureStripFlags")
	t.TextureStripFlags = readStripFlags(r)
	r.Leave()
	r.Enter("texture2DStripFlags")
	t.Texture2DStripFlags = readStripFlags(r)
	r.Leave()
	want(r, 1, wire.Value, "cooked", clauseTexture, "a cooked texture has 1 here")
	at := r.Offset()
	format := p.names.plain(p.readID(r, "pixelFormat", clausePixelFormat))
	if !isPixelFormat(format) {
		r.Fail(wire.Unsupported, at, "pixelFormat", clausePixelFormat, "the pixel format %q is none of the six", format)
	}
	t.PixelFormat = model.PixelFormat(format)
	skipAt := r.Offset()
	t.SkipOffset = r.Uint32("skipOffset", clauseSkipOffset)
	t.SizeX = r.Uint32("sizeX", clauseTextureSize)
	t.SizeY = r.Uint32("sizeY", clauseTextureSize)
	t.NumSlices = r.Uint32("numSlices", clauseTextureSize)
	readFormatText(r, format)
	t.FirstMipToSerialize = r.Uint32("firstMipToSerialize", clauseMips)
	countAt := r.Offset()
	n := r.Count(r.Uint32("mipCount", clauseMips), mipSize, 4, "mipCount", clauseMips)
	if p.ownLayout(t.PixelFormat) && n != 1 {
		r.Fail(wire.Value, countAt, "mipCount", clauseG8, "%d mips; the document has one", n)
	}
	r.Enter("mips")
	t.Mips = make([]model.Mip, 0, n)
	for i := range n {
		r.EnterIndex(i)
		p.outside.mip(i)
		t.Mips = append(t.Mips, p.readMip(r, levelOf(&t, i)))
		r.Leave()
		if r.Failed() {
			return t
		}
	}
	r.Leave()
	p.readTextureEnd(r, &t, skipAt)
	return t
}

// readTextureEnd reads what stands behind the mips.
func (p *part) readTextureEnd(r *wire.Reader, t *model.Texture2D, skipAt int) {
	at := r.Offset()
	if p.ownLayout(t.PixelFormat) {
		v := r.Uint64("tail", clauseG8)
		t.Tail = &v
		return
	}
	if uint64(t.SkipOffset) != uint64(p.base)+uint64(at) {
		r.Fail(wire.Reference, skipAt, "skipOffset", clauseSkipOffset, "it is %d; the name that ends the list stands at %d", t.SkipOffset, p.base+int64(at))
	}
	if p.d.countTail {
		want(r, uint32(len(t.Mips)), wire.Value, "end", clauseTextureEnd, "the count of mips again is expected")
		want(r, 0, wire.Value, "endNull", clauseTextureEnd, "a null is expected")
		return
	}
	if end := p.readName(r, "end", clauseTextureEnd); p.names.plain(end) != none && !r.Failed() {
		r.Fail(wire.Unsupported, at, "end", clauseTextureEnd, "%s, number %d, instead of %s: a further pixel format", p.names.texts[end.Index], end.Number, none)
	}
}

func readStripFlags(r *wire.Reader) model.StripFlags {
	return model.StripFlags{Global: r.Uint8("global", clauseTexture), Class: r.Uint8("class", clauseTexture)}
}

// readFormatText reads the pixel format again, as a string.
func readFormatText(r *wire.Reader, format string) {
	at := r.Offset()
	r.Enter("pixelFormatText")
	if n := r.Int32("length", clauseFormatText); int64(n) != int64(len(format))+1 {
		r.Fail(wire.Value, at, "length", clauseFormatText, "%d instead of %d for %s", n, len(format)+1, format)
	}
	b := r.Bytes(len(format)+1, "text", clauseFormatText)
	if b != nil {
		if string(b) != format+"\x00" {
			r.Fail(wire.Value, at, "text", clauseFormatText, "%q instead of %q and a NUL", b, format)
		}
		r.Note("%q", format)
	}
	r.Leave()
}

// ownLayout reports whether the document gives a format a layout of its own
// and is followed in that.
func (p *part) ownLayout(f model.PixelFormat) bool { return p.d.ownG8 && f == model.G8 }

// level is what a texture says of one of its mips.
type level struct {
	format        model.PixelFormat
	slices        uint32
	width, height uint32
}

func levelOf(t *model.Texture2D, i int) level {
	return level{t.PixelFormat, t.NumSlices, max(1, t.SizeX>>i), max(1, t.SizeY>>i)}
}

// payloadSize returns the bytes that all slices of a size take, and whether
// they can be counted.
func (l level) payloadSize(width, height uint32) (uint64, bool) {
	size, ok := l.format.PayloadSize(width, height)
	high, low := bits.Mul64(size, uint64(l.slices))
	return low, ok && high == 0
}

// Mip is one level of detail of a texture. It needs Offset, Format and Slices,
// and with uasset.mip-rule on its documented side Width and Height. Its
// payload aliases the input.
func (c *Codec) Mip(s Scope) wire.Structure[model.Mip] {
	p := c.part(s)
	l := level{s.Format, max(1, s.Slices), s.Width, s.Height}
	return structure(c, "Mip", mipSize,
		func(r *wire.Reader) model.Mip { return p.readMip(r, l) },
		func(w *wire.Writer, m model.Mip) { p.writeMip(w, &m, l) })
}

// isInline tells where the payload of a mip is; the detail is not empty where
// it can be read in neither place.
func (p *part) isInline(flags uint32, l level) (inline bool, detail string) {
	const unread = model.SerializeCompressed | model.CompressedBitWindow | model.Unused | model.PayloadInSeparateFile
	inline = flags&model.ForceInlinePayload != 0
	switch {
	case p.ownLayout(l.format):
		return true, ""
	case p.d.mipsBySize:
		return l.width < largeMip || l.height < largeMip, ""
	case flags&unread != 0:
		return inline, "payloads that are compressed, unused or in a file of their own are not read"
	case inline == (flags&model.PayloadAtEndOfFile != 0):
		return inline, "the flags have to say either inline (0x40) or at the end of the file (0x01)"
	}
	return inline, ""
}

func (p *part) readMip(r *wire.Reader, l level) (m model.Mip) {
	start := r.Offset()
	want(r, 1, wire.Value, "cooked", clauseMip, "a cooked mip has 1 here")
	at := r.Offset()
	m.BulkDataFlags = r.Uint32("bulkDataFlags", clauseMipFlags)
	r.Note("%#x", m.BulkDataFlags)
	inline, detail := p.isInline(m.BulkDataFlags, l)
	if detail != "" {
		r.Fail(wire.Unsupported, at, "bulkDataFlags", clauseMipFlags, "flags %#x: %s", m.BulkDataFlags, detail)
	}
	sizeAt := r.Offset()
	m.Size = r.Uint32("size", clauseMip)
	want(r, m.Size, wire.Value, "sizeOnDisk", clauseMip, "not the count of elements")
	at = r.Offset()
	m.OffsetInFile = r.Int64("offsetInFile", clauseMipOffset)
	if m.Data = []byte{}; inline {
		m.Data = p.readPayload(r, &m, at, sizeAt)
	}
	m.SizeX = r.Uint32("sizeX", clauseMip)
	m.SizeY = r.Uint32("sizeY", clauseMip)
	if size, ok := l.payloadSize(m.SizeX, m.SizeY); !ok || size != uint64(m.Size) {
		r.Fail(wire.Value, sizeAt, "size", clausePayloadSize, "%d bytes for %d by %d pixels in %d slices of %s, which take %d", m.Size, m.SizeX, m.SizeY, l.slices, l.format, size)
	}
	if !inline {
		p.outside.add(start, &m)
	}
	return m
}

// readPayload reads an inline payload whose offset and size stand at the given places.
func (p *part) readPayload(r *wire.Reader, m *model.Mip, offsetAt, sizeAt int) []byte {
	if here := p.base + int64(r.Offset()); m.OffsetInFile != here {
		r.Fail(wire.Reference, offsetAt, "offsetInFile", clauseMipOffset, "it is %d; the payload stands at %d", m.OffsetInFile, here)
	}
	if uint64(m.Size) > uint64(r.Remaining()) {
		r.Fail(wire.Truncated, sizeAt, "size", clausePayloadBounds, "a payload of %d bytes cannot be in the %d left", m.Size, r.Remaining())
		return nil
	}
	return kept(r, int(m.Size), "data", clausePayloadBounds)
}

func (p *part) writeTexture(w *wire.Writer, t model.Texture2D) {
	if !isPixelFormat(string(t.PixelFormat)) {
		w.Fail("pixelFormat", clausePixelFormat, "the pixel format %q is none of the six", string(t.PixelFormat))
		return
	}
	w.Uint32(0)
	for _, f := range [...]model.StripFlags{t.TextureStripFlags, t.Texture2DStripFlags} {
		w.Uint8(f.Global)
		w.Uint8(f.Class)
	}
	w.Uint32(1)
	p.writeText(w, string(t.PixelFormat), "pixelFormat")
	w.Uint32(t.SkipOffset)
	w.Uint32(t.SizeX)
	w.Uint32(t.SizeY)
	w.Uint32(t.NumSlices)
	w.Uint32(uint32(len(t.PixelFormat) + 1))
	w.Text(string(t.PixelFormat))
	w.Uint8(0)
	w.Uint32(t.FirstMipToSerialize)
	w.Uint32(w.Len(len(t.Mips), "mips", clauseMips))
	if p.ownLayout(t.PixelFormat) && len(t.Mips) != 1 {
		w.Fail("mips", clauseG8, "%d mips; the document has one", len(t.Mips))
	}
	w.Enter("mips")
	for i := range t.Mips {
		w.EnterIndex(i)
		p.outside.mip(i)
		p.writeMip(w, &t.Mips[i], levelOf(&t, i))
		w.Leave()
	}
	w.Leave()
	p.writeTextureEnd(w, &t)
}

func (p *part) writeTextureEnd(w *wire.Writer, t *model.Texture2D) {
	if own := p.ownLayout(t.PixelFormat); own != (t.Tail != nil) {
		w.Fail("tail", clauseG8, "it is there in the document's layout of %s, and only there", model.G8)
		return
	} else if own {
		w.Uint64(*t.Tail)
		return
	}
	if here := uint64(p.base) + uint64(w.Offset()); uint64(t.SkipOffset) != here {
		w.Fail("skipOffset", clauseSkipOffset, "it is %d; the name that ends the list stands at %d", t.SkipOffset, here)
	}
	if p.d.countTail {
		w.Uint32(uint32(len(t.Mips)))
		w.Uint32(0)
		return
	}
	p.writeText(w, none, "end")
}

func (p *part) writeMip(w *wire.Writer, m *model.Mip, l level) {
	inline, detail := p.isInline(m.BulkDataFlags, l)
	size, ok := l.payloadSize(m.SizeX, m.SizeY)
	start := w.Offset()
	here := p.base + int64(start) + mipSize - 8
	switch {
	case detail != "":
		w.Fail("bulkDataFlags", clauseMipFlags, "flags %#x: %s", m.BulkDataFlags, detail)
	case !ok || size != uint64(m.Size):
		w.Fail("size", clausePayloadSize, "%d bytes for %d by %d pixels in %d slices of %s, which take %d", m.Size, m.SizeX, m.SizeY, l.slices, l.format, size)
	case inline && m.OffsetInFile != here:
		w.Fail("offsetInFile", clauseMipOffset, "it is %d; the payload stands at %d", m.OffsetInFile, here)
	case inline && uint64(len(m.Data)) != uint64(m.Size):
		w.Fail("data", clauseMip, "%d bytes where the size is %d", len(m.Data), m.Size)
	case !inline && len(m.Data) > 0:
		w.Fail("data", clauseMip, "a payload that is not inline stands in the bulk data")
	}
	w.Uint32(1)
	w.Uint32(m.BulkDataFlags)
	w.Uint32(m.Size)
	w.Uint32(m.Size)
	w.Int64(m.OffsetInFile)
	if inline {
		w.Bytes(m.Data)
	}
	w.Uint32(m.SizeX)
	w.Uint32(m.SizeY)
	if !inline {
		p.outside.add(start, m)
	}
}
