package ka

import (
	"math"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

const (
	tag       = "KA"
	leastPair = 5 // of a 0x0002 or 0x0102 archive: id and type id
	// leastPlainPair has an empty key and a value without a body.
	leastPlainPair = 1 + 4 + 1
	leastRow       = 2 + 4
)

// Archive is a header and the body that its version selects (KA-ARC-1). Byte
// arrays alias the input; see the package comment.
func (c *Codec) Archive() wire.Structure[model.Archive] {
	return wire.Keep(c.family, wire.Key{Name: "Archive"}, func() wire.Description[model.Archive] {
		d := level(c, "Archive", c.leastHeader(),
			func(d decoder) (a model.Archive) { d.archive(&a, nil, c.d.headerless); return a },
			func(e encoder, a model.Archive) { e.archive(&a, nil, c.d.headerless) })
		if c.levels > 0 {
			d.Shortcut, d.ShortcutAppend = c.decodeShortcut, c.appendShortcut
		}
		return d
	})
}

// Header is the tag and the version (KA-HDR-1, KA-HDR-2).
func (c *Codec) Header() wire.Structure[model.Header] {
	return wire.Bind(c.family, c, "Header", c.leastHeader(),
		func(c *Codec, r *wire.Reader) model.Header {
			v, _ := c.readVersion(r, false)
			return model.Header{Version: v}
		},
		func(c *Codec, w *wire.Writer, h model.Header) {
			if h.Version == model.Headerless {
				w.Fail("version", "KA-HDR-4", "expected a version, found none")
			}
			c.writeVersion(w, h.Version)
		})
}

func (c *Codec) leastHeader() int {
	if c.d.untagged {
		return 2
	}
	return len(tag) + 2
}

// readVersion reads a header and returns its version and the offset of the
// version. With headerless set it returns [model.Headerless] for data that do
// not begin with the tag.
func (c *Codec) readVersion(r *wire.Reader, headerless bool) (model.Version, int) {
	if !c.d.untagged {
		if rest := r.Unread(); headerless && len(rest) >= len(tag) && string(rest[:len(tag)]) != tag {
			return model.Headerless, r.Offset()
		}
		at := r.Offset()
		if b := r.Text(len(tag), "tag", "KA-HDR-1"); b != nil && string(b) != tag {
			side := map[bool]string{false: "observed", true: "headerless"}[c.d.headerless]
			r.Fail(wire.Magic, at, "tag", "KA-HDR-1", "expected %q (% x) under ka.magic=%s, found % x", tag, tag, side, b)
		}
	}
	at := r.Offset()
	v := model.Version(r.Uint16("version", "KA-HDR-2"))
	if r.Tracing() {
		r.Note("%s", v)
	}
	if c.d.tagIgnored && byte(v) == 1 {
		v = model.V0x0001
	}
	if v == model.Headerless || !v.Valid() {
		r.Fail(wire.Version, at, "version", "KA-HDR-2",
			"expected version 0x0001, 0x0002, 0x0102 or 0xff02, found 0x%04x", uint16(v))
	}
	return v, at
}

func (c *Codec) writeVersion(w *wire.Writer, v model.Version) {
	if !v.Valid() {
		w.Fail("version", "KA-ARC-10", "expected version 0x0001, 0x0002, 0x0102 or 0xff02, found 0x%04x", uint16(v))
	}
	if v == model.Headerless {
		return
	}
	if !c.d.untagged {
		w.Text(tag)
	}
	w.Uint16(uint16(v))
}

// archive reads a header and a body. outer is the table in force around it.
func (d decoder) archive(a *model.Archive, outer *table, headerless bool) {
	v, at := d.c.readVersion(d.r, headerless)
	a.Version = v
	if v == model.V0x0102 && outer == nil {
		d.r.Fail(wire.Reference, at, "version", "KA-ARC-9", needsTable)
	}
	if d.r.Failed() {
		return
	}
	switch v {
	case model.V0x0002:
		if t := d.table(); t != nil {
			a.FastNames = t.rows
			a.Children = d.pairs(d.c.scopeOf(v, t))
		}
	case model.V0xff02:
		a.Children = []model.Pair{}
	default:
		a.Children = d.pairs(d.c.scopeOf(v, outer))
	}
}

// nested reads a length and an archive (KA-NEST-1).
func (d decoder) nested(s scope) (a model.KeyedArchive) {
	outer := s.table
	r, plain := d.r, (*model.Archive)(&a)
	if !r.Descend("KA-ARC-6") {
		return a
	}
	at, size := r.Offset(), uint32(0)
	if !d.c.d.bareNested {
		size = r.Uint32("length", clauseOf(model.TypeKeyedArchive))
	}
	if !d.c.bounded() {
		d.archive(plain, outer, false)
		r.Ascend()
		return a
	}
	window := r.Narrow(r.Length(int64(size), 1, "", at, "length", "KA-NEST-2"))
	if r.Failed() {
		return a
	}
	d.inside = true
	d.archive(plain, outer, d.c.d.headerless)
	ignored := d.c.d.faultsIgnored && r.Forgive(window)
	if ignored && len(a.Children) == 0 && (a.Children == nil || a.Version == model.Headerless) {
		*plain = model.Archive{Version: model.V0x0001, Children: []model.Pair{}} // KA-NEST-6
	}
	if over := r.Remaining(); over > 0 && !r.Failed() {
		if !ignored && d.c.d.mismatch == mismatchRejected {
			r.Fail(wire.Value, at, "length", "KA-NEST-2",
				"expected an archive of %s, as its length states, found one of %s", wire.CountBytes(size),
				wire.CountBytes(int(size)-over))
		}
		r.Bytes(over, "ignored", "KA-NEST-2")
	}
	r.Widen(window, "ignored", "KA-NEST-2")
	r.Ascend()
	return a
}

// BodyV0x0001 is a count and pairs with inline text (KA-V1-1).
func (c *Codec) BodyV0x0001() wire.Structure[model.BodyV0x0001] {
	return body(c, "BodyV0x0001", 4,
		func(d decoder) model.BodyV0x0001 { return model.BodyV0x0001{Children: d.pairs(d.c.alone())} },
		func(e encoder, b model.BodyV0x0001) { e.pairs(b.Children, e.c.alone()) })
}

// BodyV0x0002 is a table of fast names, a count, and pairs that use the table
// (KA-V2-1).
func (c *Codec) BodyV0x0002() wire.Structure[model.BodyV0x0002] {
	return body(c, "BodyV0x0002", 8,
		func(d decoder) (b model.BodyV0x0002) {
			if t := d.table(); t != nil {
				b.FastNames = t.rows
				b.Children = d.pairs(d.c.scopeOf(model.V0x0002, t))
			}
			return b
		},
		func(e encoder, b model.BodyV0x0002) { e.body2(b.FastNames, b.Children) })
}

// BodyV0x0102 is a count and pairs that use the table in force, which is empty
// here (KA-V102-1, KA-V102-3).
func (c *Codec) BodyV0x0102() wire.Structure[model.BodyV0x0102] {
	return body(c, "BodyV0x0102", 4,
		func(d decoder) model.BodyV0x0102 {
			return model.BodyV0x0102{Children: d.pairs(d.c.scopeOf(model.V0x0102, &table{}))}
		},
		func(e encoder, b model.BodyV0x0102) { e.pairs(b.Children, e.c.scopeOf(model.V0x0102, &table{})) })
}

// BodyV0xff02 has no bytes.
func (c *Codec) BodyV0xff02() wire.Structure[model.BodyV0xff02] {
	return body(c, "BodyV0xff02", 0,
		func(decoder) model.BodyV0xff02 { return model.BodyV0xff02{} },
		func(encoder, model.BodyV0xff02) {})
}

// body returns the structure of what counts as one level of nesting.
func body[T any](c *Codec, name string, least int, read func(decoder) T, write func(encoder, T)) wire.Structure[T] {
	return wire.Keep(c.family, wire.Key{Name: name}, func() wire.Description[T] {
		return level(c, name, least, read, write)
	})
}

// level describes what counts as one level of nesting.
func level[T any](c *Codec, name string, least int, read func(decoder) T, write func(encoder, T)) wire.Description[T] {
	return wire.Describe(c.family, name, least,
		func(r *wire.Reader) (b T) {
			d := decoder{c: c, r: r}
			if r.Descend("KA-ARC-6") {
				b = read(d)
				r.Ascend()
			}
			return b
		},
		func(w *wire.Writer, b T) {
			e := encoder{c, w}
			if w.Descend("KA-ARC-6") {
				write(e, b)
				w.Ascend()
			}
		})
}

// Pair is a key and a value of a 0x0001 archive (KA-PAIR-1).
func (c *Codec) Pair() wire.Structure[model.Pair] {
	return wire.Bind(c.family, c, "Pair", leastPlainPair,
		func(c *Codec, r *wire.Reader) model.Pair { return decoder{c: c, r: r}.pair(c.alone()) },
		func(c *Codec, w *wire.Writer, p model.Pair) { encoder{c, w}.pair(&p, c.alone()) })
}

// BodyV0x0002Pair is a key and a value of a 0x0002 archive, read as if an
// empty table were in force (KA-P2-1, KA-P2-3).
func (c *Codec) BodyV0x0002Pair() wire.Structure[model.BodyV0x0002Pair] {
	return pair[model.BodyV0x0002Pair](c, "BodyV0x0002Pair", model.V0x0002)
}

// BodyV0x0102Pair is a key and a value of a 0x0102 archive, read as if an
// empty table were in force (KA-P102-1).
func (c *Codec) BodyV0x0102Pair() wire.Structure[model.BodyV0x0102Pair] {
	return pair[model.BodyV0x0102Pair](c, "BodyV0x0102Pair", model.V0x0102)
}

func pair[T model.BodyV0x0002Pair | model.BodyV0x0102Pair](c *Codec, name string, v model.Version) wire.Structure[T] {
	return wire.Keep(c.family, wire.Key{Name: name}, func() wire.Description[T] {
		return wire.Describe(c.family, name, leastPair,
			func(r *wire.Reader) T { return T(decoder{c: c, r: r}.pair(c.scopeOf(v, &table{}))) },
			func(w *wire.Writer, p T) {
				plain := model.Pair(p)
				encoder{c, w}.pair(&plain, c.scopeOf(v, &table{}))
			})
	})
}

// table reads the table of a 0x0002 archive. After a fault it returns nil.
func (d decoder) table() *table {
	r := d.r
	n := r.Count(r.Uint32("fastNameCount", "KA-V2-1"), leastRow, 4, "fastNameCount", "KA-V2-2")
	rows := []model.FastNameEntry{}
	r.Enter("fastNames")
	for i := range n {
		r.EnterIndex(i)
		r.Enter("name")
		name := model.FastNameString(r.Text(readNameLength(r), "text", "KA-FNS-1"))
		if r.Failed() {
			return nil
		}
		rows = append(room(d, rows, n, rowMemory), model.FastNameEntry{Name: name})
		r.Leave()
		r.Leave()
	}
	for i := range rows {
		r.EnterIndex(i)
		rows[i].ID = r.Uint32("id", "KA-V2-1")
		if r.Tracing() {
			r.Note("%08x", rows[i].ID)
		}
		r.Leave()
	}
	r.Leave()
	if r.Failed() {
		return nil
	}
	d.take(len(rows), keyMemory)
	return d.c.newTable(rows)
}

// stops reports whether a count that exceeds the data is no fault before the
// pairs that the data contain (KA-NEST-5).
func (d decoder) stops() bool { return d.c.d.faultsIgnored && d.inside }

// capped returns a count, and the number of the remaining bytes if that is less.
func (d decoder) capped(count uint32) uint32 {
	return uint32(min(uint64(count), uint64(d.r.Remaining())))
}

// pairs reads a body, after the table if it has one.
func (d decoder) pairs(s scope) []model.Pair {
	r := d.r
	at, n := r.Offset(), math.MaxInt
	if s.count != "" {
		count, least := r.Uint32("count", s.count), s.least
		if d.stops() || d.c.d.countStops && !s.tabled() {
			count, least = d.capped(count), 1
		}
		n = r.Count(count, least, 4, "count", s.fits)
	}
	out := d.children(n, s)
	if len(out) < n && s.count != "" && !r.Failed() && !d.c.d.countStops {
		r.Fail(wire.Truncated, at, "count", s.fits,
			"expected a count of at most %d, the number of pairs up to offset %d, the end of the data, found %d",
			len(out), r.Offset(), n)
	}
	return d.distinct(out)
}

// children reads at most n pairs. Those with text for keys may end before, with the data.
func (d decoder) children(n int, s scope) []model.Pair {
	r := d.r
	out := []model.Pair{}
	r.Enter("children")
	for len(out) < n && !r.Failed() && (s.tabled() || r.Remaining() > 0) {
		r.EnterIndex(len(out))
		if p := d.pair(s); !r.Failed() {
			out = append(room(d, out, n, pairMemory), p)
		}
		r.Leave()
	}
	r.Leave()
	return out
}

func (d decoder) pair(s scope) (p model.Pair) {
	d.r.Enter("key")
	p.Key = d.key(s)
	d.r.Leave()
	d.r.Enter("value")
	p.Value = d.value(s)
	d.r.Leave()
	return p
}

// key reads an id or, in a body without a table, a type id and text.
func (d decoder) key(s scope) model.Value {
	r := d.r
	if s.tabled() {
		return d.lookUp(r.Uint32("id", s.key), s.table, s.version == model.V0x0002)
	}
	t := model.Type(r.Uint8("type", "KA-PAIR-1"))
	if r.Tracing() {
		r.Note("%s", t)
	}
	switch {
	case t == model.TypeString:
		return d.text(t, s)
	case t == model.TypeWideString && d.c.d.wideKeys:
		return model.WideString(d.text(t, s))
	}
	r.Fail(wire.Kind, r.Offset()-1, "type", "KA-PAIR-2",
		"expected type id 4 (STRING) for a key, or 5 (WIDE_STRING) under ka.key-type=observed, found %d", uint8(t))
	return nil
}

// distinct drops the pairs that ka.duplicate-key does not keep.
func (d decoder) distinct(pairs []model.Pair) []model.Pair {
	if d.c.d.duplicates == keepAll || len(pairs) < 2 {
		return pairs
	}
	d.take(len(pairs), keyMemory)
	if d.c.d.duplicates == keepFirst {
		return slices.DeleteFunc(pairs, repeats(len(pairs)))
	}
	slices.Reverse(pairs)
	pairs = slices.DeleteFunc(pairs, repeats(len(pairs)))
	slices.Reverse(pairs)
	return pairs
}

// repeats returns a function that reports whether it has got the key of a pair before. It is
// called for n pairs.
func repeats(n int) func(model.Pair) bool {
	seen := make(map[string]bool, n)
	return func(p model.Pair) bool {
		text, _ := KeyText(p)
		before := seen[text]
		seen[text] = true
		return before
	}
}

// needsTable is the fault of a 0x0102 archive.
const needsTable = "expected a table of fast names in force, which a 0x0102 archive needs, found none " +
	"(a table is that of an enclosing 0x0002 archive; ka.registry-scope says which archives inside end it)"

// archive writes a header and a body. outer is the table in force around it.
func (e encoder) archive(a *model.Archive, outer *table, headerless bool) {
	w := e.w
	switch {
	case a.Version == model.Headerless && (!headerless || len(a.Children) == 0):
		w.Fail("version", "KA-ARC-10",
			"expected a version, found none; an archive without a header needs ka.magic=headerless, at least one pair and, "+
				"if it is nested, a byte length")
	case a.Version == model.V0xff02 && len(a.Children) > 0:
		w.Fail("children", "KA-ARC-10", "expected no pairs in a 0xff02 archive, found %d", len(a.Children))
	case a.Version == model.V0x0102 && outer == nil:
		w.Fail("version", "KA-ARC-9", needsTable)
	case (a.Version == model.V0x0002) != (a.FastNames != nil):
		w.Fail("fastNames", "KA-ARC-10", "expected a list in version 0x0002 and null in any other, found version %s", a.Version)
	}
	e.c.writeVersion(w, a.Version)
	if w.Failed() {
		return
	}
	switch a.Version {
	case model.V0x0002:
		e.body2(a.FastNames, a.Children)
	case model.V0xff02:
	default:
		e.pairs(a.Children, e.c.scopeOf(a.Version, outer))
	}
}

// nested writes a length and an archive.
func (e encoder) nested(a model.KeyedArchive, s scope) {
	w := e.w
	if !w.Descend("KA-ARC-6") {
		return
	}
	at := w.Offset()
	if !e.c.d.bareNested {
		w.Uint32(0)
	}
	plain := model.Archive(a)
	e.archive(&plain, s.table, e.c.d.headerless && e.c.bounded())
	if !e.c.d.bareNested {
		patchLength(w, at, clauseOf(model.TypeKeyedArchive))
	}
	w.Ascend()
}

// body2 writes the body of a 0x0002 archive.
func (e encoder) body2(rows []model.FastNameEntry, children []model.Pair) {
	w := e.w
	if rows == nil {
		w.Fail("fastNames", "KA-ARC-10", "expected a list of fast names, found null")
	}
	w.Uint32(w.Len(len(rows), "fastNames", "KA-V2-1"))
	w.Enter("fastNames")
	for i := range rows {
		w.EnterIndex(i)
		w.Enter("name")
		writeName(w, rows[i].Name)
		w.Leave()
		w.Leave()
	}
	w.Leave()
	if w.Failed() {
		return
	}
	for i := range rows {
		w.Uint32(rows[i].ID)
	}
	e.pairs(children, e.c.scopeOf(model.V0x0002, e.c.newTable(rows)))
}

// pairs writes a body, after the table if it has one.
func (e encoder) pairs(children []model.Pair, s scope) {
	w := e.w
	if s.count != "" {
		w.Uint32(w.Len(len(children), "children", s.count))
	}
	e.rejectDuplicates(children)
	w.Enter("children")
	for i := range children {
		if w.Failed() {
			break
		}
		w.EnterIndex(i)
		e.pair(&children[i], s)
		w.Leave()
	}
	w.Leave()
}

func (e encoder) pair(p *model.Pair, s scope) {
	e.w.Enter("key")
	if s.tabled() {
		e.keyID(p.Key, s)
	} else {
		e.keyText(p.Key, s)
	}
	e.w.Leave()
	e.w.Enter("value")
	e.value(p.Value, s)
	e.w.Leave()
}

// keyText writes the key of a pair in a body without a table.
func (e encoder) keyText(key model.Value, s scope) {
	w := e.w
	switch k := key.(type) {
	case model.String:
		w.Uint8(uint8(model.TypeString))
		e.text(model.TypeString, k, s)
	case model.WideString:
		if !e.c.d.wideKeys {
			w.Fail("type", "KA-PAIR-2", "expected a key of type STRING, found WIDE_STRING")
		}
		w.Uint8(uint8(model.TypeWideString))
		e.text(model.TypeWideString, model.String(k), s)
	default:
		w.Fail("", "KA-PAIR-2", "expected a key of type STRING or WIDE_STRING, found %s", wire.TypeName(key))
	}
}

// keyID writes the key of a pair in a body with a table.
func (e encoder) keyID(key model.Value, s scope) {
	k, ok := key.(model.String)
	switch {
	case !ok:
		e.w.Fail("", s.key, "expected a key of type STRING, found %s", wire.TypeName(key))
	case k.ID == nil:
		e.w.Fail("id", "KA-VAL-3", "expected a text reference, found a key without an id")
	default:
		e.number(k.Text, *k.ID, s.table, s.version == model.V0x0002)
	}
}

// rejectDuplicates rejects pairs that would not all be read back.
func (e encoder) rejectDuplicates(children []model.Pair) {
	if e.c.d.duplicates == keepAll || len(children) < 2 {
		return
	}
	if i := slices.IndexFunc(children, repeats(len(children))); i >= 0 {
		text, _ := KeyText(children[i])
		e.w.Fail("children", "KA-ARC-4", "expected a new key in pair %d, counted from 0, found %.40q, the key of "+
			"an earlier pair", i, text)
	}
}
