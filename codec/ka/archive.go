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
		d := level(c, "Archive", c.leastHeader(), func(k coder, a model.Archive) model.Archive {
			k.archive(&a, nil, c.d.headerless)
			return a
		})
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

// archive reads or writes a header and a body. outer is the table in force around it.
func (k coder) archive(a *model.Archive, outer *table, headerless bool) {
	if k.R != nil {
		at := 0
		if a.Version, at = k.c.readVersion(k.R, headerless); a.Version == model.V0x0102 && outer == nil {
			k.R.Fail(wire.Reference, at, "version", "KA-ARC-9", needsTable)
		}
	} else {
		checkArchive(k.W, a, outer, headerless)
		k.c.writeVersion(k.W, a.Version)
	}
	if k.Failed() {
		return
	}
	switch a.Version {
	case model.V0x0002:
		a.FastNames, a.Children = k.body2(a.FastNames, a.Children)
	case model.V0xff02:
		a.Children = []model.Pair{}
	default:
		a.Children = k.pairs(a.Children, k.c.scopeOf(a.Version, outer))
	}
}

// checkArchive finds the faults of an archive to write, but for its table and its pairs.
func checkArchive(w *wire.Writer, a *model.Archive, outer *table, headerless bool) {
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
}

// nested reads or writes a length and an archive (KA-NEST-1).
func (k coder) nested(a model.KeyedArchive, s scope) model.KeyedArchive {
	if !k.Descend("KA-ARC-6") {
		return a
	}
	if plain := (*model.Archive)(&a); k.R != nil {
		k.readNested(plain, s.table)
	} else {
		k.writeNested(plain, s.table)
	}
	k.Ascend()
	return a
}

func (k coder) readNested(a *model.Archive, outer *table) {
	r := k.R
	at, size := r.Offset(), uint32(0)
	if !k.c.d.bareNested {
		size = r.Uint32("length", clauseOf(model.TypeKeyedArchive))
	}
	if !k.c.bounded() {
		k.archive(a, outer, false)
		return
	}
	window := r.Narrow(r.Length(int64(size), 1, "", at, "length", "KA-NEST-2"))
	if r.Failed() {
		return
	}
	k.inside = true
	k.archive(a, outer, k.c.d.headerless)
	ignored := k.c.d.faultsIgnored && r.Forgive(window)
	if ignored && len(a.Children) == 0 && (a.Children == nil || a.Version == model.Headerless) {
		*a = model.Archive{Version: model.V0x0001, Children: []model.Pair{}} // KA-NEST-6
	}
	if over := r.Remaining(); over > 0 && !r.Failed() {
		if !ignored && k.c.d.mismatch == mismatchRejected {
			r.Fail(wire.Value, at, "length", "KA-NEST-2",
				"expected an archive of %s, as its length states, found one of %s", wire.CountBytes(size),
				wire.CountBytes(int(size)-over))
		}
		r.Bytes(over, "ignored", "KA-NEST-2")
	}
	r.Widen(window, "ignored", "KA-NEST-2")
}

func (k coder) writeNested(a *model.Archive, outer *table) {
	at := k.Offset()
	if !k.c.d.bareNested {
		k.W.Uint32(0)
	}
	k.archive(a, outer, k.c.d.headerless && k.c.bounded())
	if !k.c.d.bareNested {
		patchLength(k.W, at, clauseOf(model.TypeKeyedArchive))
	}
}

// BodyV0x0001 is a count and pairs with inline text (KA-V1-1).
func (c *Codec) BodyV0x0001() wire.Structure[model.BodyV0x0001] {
	return body(c, "BodyV0x0001", 4, func(k coder, b model.BodyV0x0001) model.BodyV0x0001 {
		b.Children = k.pairs(b.Children, k.c.alone())
		return b
	})
}

// BodyV0x0002 is a table of fast names, a count, and pairs that use the table
// (KA-V2-1).
func (c *Codec) BodyV0x0002() wire.Structure[model.BodyV0x0002] {
	return body(c, "BodyV0x0002", 8, func(k coder, b model.BodyV0x0002) model.BodyV0x0002 {
		b.FastNames, b.Children = k.body2(b.FastNames, b.Children)
		return b
	})
}

// BodyV0x0102 is a count and pairs that use the table in force, which is empty
// here (KA-V102-1, KA-V102-3).
func (c *Codec) BodyV0x0102() wire.Structure[model.BodyV0x0102] {
	return body(c, "BodyV0x0102", 4, func(k coder, b model.BodyV0x0102) model.BodyV0x0102 {
		b.Children = k.pairs(b.Children, k.c.scopeOf(model.V0x0102, noNames))
		return b
	})
}

// BodyV0xff02 has no bytes.
func (c *Codec) BodyV0xff02() wire.Structure[model.BodyV0xff02] {
	return body(c, "BodyV0xff02", 0, func(_ coder, b model.BodyV0xff02) model.BodyV0xff02 { return b })
}

// body returns the structure of what counts as one level of nesting.
func body[T any](c *Codec, name string, least int, code func(coder, T) T) wire.Structure[T] {
	return wire.Keep(c.family, wire.Key{Name: name}, func() wire.Description[T] { return level(c, name, least, code) })
}

// level describes what counts as one level of nesting.
func level[T any](c *Codec, name string, least int, code func(coder, T) T) wire.Description[T] {
	return describe(c, name, least, func(k coder, v T) T {
		if k.Descend("KA-ARC-6") {
			v = code(k, v)
			k.Ascend()
		}
		return v
	})
}

// Pair is a key and a value of a 0x0001 archive (KA-PAIR-1).
func (c *Codec) Pair() wire.Structure[model.Pair] {
	return pair[model.Pair](c, "Pair", leastPlainPair, c.alone())
}

// BodyV0x0002Pair is a key and a value of a 0x0002 archive, read as if an
// empty table were in force (KA-P2-1, KA-P2-3).
func (c *Codec) BodyV0x0002Pair() wire.Structure[model.BodyV0x0002Pair] {
	return pair[model.BodyV0x0002Pair](c, "BodyV0x0002Pair", leastPair, c.scopeOf(model.V0x0002, noNames))
}

// BodyV0x0102Pair is a key and a value of a 0x0102 archive, read as if an
// empty table were in force (KA-P102-1).
func (c *Codec) BodyV0x0102Pair() wire.Structure[model.BodyV0x0102Pair] {
	return pair[model.BodyV0x0102Pair](c, "BodyV0x0102Pair", leastPair, c.scopeOf(model.V0x0102, noNames))
}

func pair[T model.Pair | model.BodyV0x0002Pair | model.BodyV0x0102Pair](c *Codec, name string, least int, s scope,
) wire.Structure[T] {
	return wire.Keep(c.family, wire.Key{Name: name}, func() wire.Description[T] {
		return describe(c, name, least, func(k coder, p T) T { return T(k.pair(model.Pair(p), s)) })
	})
}

// body2 reads or writes the body of a 0x0002 archive. After a fault of the table it has nothing.
func (k coder) body2(rows []model.FastNameEntry, children []model.Pair) ([]model.FastNameEntry, []model.Pair) {
	t := k.table(rows)
	if t == nil {
		return nil, nil
	}
	return t.rows, k.pairs(children, k.c.scopeOf(model.V0x0002, t))
}

// table reads or writes the table of a 0x0002 archive. After a fault it returns nil.
func (k coder) table(rows []model.FastNameEntry) *table {
	n := len(rows)
	if k.R != nil {
		n = k.R.Count(k.R.Uint32("fastNameCount", "KA-V2-1"), leastRow, 4, "fastNameCount", "KA-V2-2")
		rows = []model.FastNameEntry{}
	} else {
		if rows == nil {
			k.W.Fail("fastNames", "KA-ARC-10", "expected a list of fast names, found null")
		}
		k.W.Uint32(k.W.Len(n, "fastNames", "KA-V2-1"))
	}
	k.Enter("fastNames")
	for i := 0; i < n && !k.Failed(); i++ {
		k.EnterIndex(i)
		k.Enter("name")
		if k.W != nil {
			k.name(rows[i].Name)
		} else if name := k.name(""); !k.Failed() {
			rows = append(room(k, rows, n, rowMemory), model.FastNameEntry{Name: name})
		}
		k.Leave()
		k.Leave()
	}
	if k.Failed() {
		return nil
	}
	for i := range rows {
		k.EnterIndex(i)
		k.Hex32(&rows[i].ID, "id", "KA-V2-1")
		k.Leave()
	}
	k.Leave()
	if k.Failed() {
		return nil
	}
	k.take(len(rows), keyMemory)
	return k.c.newTable(rows)
}

// stops reports whether a count that exceeds the data is no fault before the
// pairs that the data contain (KA-NEST-5).
func (k coder) stops() bool { return k.c.d.faultsIgnored && k.inside }

// capped returns a count, and the number of the remaining bytes if that is less.
func (k coder) capped(count uint32) uint32 {
	return uint32(min(uint64(count), uint64(k.R.Remaining())))
}

// pairs reads or writes a body, after the table if it has one.
func (k coder) pairs(children []model.Pair, s scope) []model.Pair {
	if k.R != nil {
		return k.readPairs(s)
	}
	if s.count != "" {
		k.W.Uint32(k.W.Len(len(children), "children", s.count))
	}
	k.rejectDuplicates(children)
	k.Enter("children")
	for i := range children {
		if k.Failed() {
			break
		}
		k.EnterIndex(i)
		k.pair(children[i], s)
		k.Leave()
	}
	k.Leave()
	return children
}

func (k coder) readPairs(s scope) []model.Pair {
	r := k.R
	at, n := r.Offset(), math.MaxInt
	if s.count != "" {
		count, least := r.Uint32("count", s.count), s.least
		if k.stops() || k.c.d.countStops && !s.tabled() {
			count, least = k.capped(count), 1
		}
		n = r.Count(count, least, 4, "count", s.fits)
	}
	out := k.children(n, s)
	if len(out) < n && s.count != "" && !r.Failed() && !k.c.d.countStops {
		r.Fail(wire.Truncated, at, "count", s.fits,
			"expected a count of at most %d, the number of pairs up to offset %d, the end of the data, found %d",
			len(out), r.Offset(), n)
	}
	return k.distinct(out)
}

// children reads at most n pairs. Those with text for keys may end before, with the data.
func (k coder) children(n int, s scope) []model.Pair {
	out := []model.Pair{}
	k.Enter("children")
	for len(out) < n && !k.Failed() && (s.tabled() || k.R.Remaining() > 0) {
		k.EnterIndex(len(out))
		if p := k.pair(model.Pair{}, s); !k.Failed() {
			out = append(room(k, out, n, pairMemory), p)
		}
		k.Leave()
	}
	k.Leave()
	return out
}

func (k coder) pair(p model.Pair, s scope) model.Pair {
	k.Enter("key")
	if k.R != nil {
		p.Key = k.readKey(s)
	} else {
		k.writeKey(p.Key, s)
	}
	k.Leave()
	k.Enter("value")
	p.Value = k.value(p.Value, s)
	k.Leave()
	return p
}

// readKey reads an id or, in a body without a table, a type id and text.
func (k coder) readKey(s scope) model.Value {
	if s.tabled() {
		return k.lookUp(k.R.Uint32("id", s.key), s.table, s.version == model.V0x0002)
	}
	t := model.Type(k.R.Uint8("type", "KA-PAIR-1"))
	if k.R.Tracing() {
		k.R.Note("%s", t)
	}
	switch {
	case t == model.TypeString:
		return k.text(t, model.String{}, s)
	case t == model.TypeWideString && k.c.d.wideKeys:
		return model.WideString(k.text(t, model.String{}, s))
	}
	k.Fail(wire.Kind, 1, "type", "KA-PAIR-2",
		"expected type id 4 (STRING) for a key, or 5 (WIDE_STRING) under ka.key-type=observed, found %d", uint8(t))
	return nil
}

// writeKey writes a key as [coder.readKey] reads it.
func (k coder) writeKey(key model.Value, s scope) {
	w := k.W
	switch text, isString := key.(model.String); {
	case s.tabled() && !isString:
		w.Fail("", s.key, "expected a key of type STRING, found %s", wire.TypeName(key))
	case s.tabled() && text.ID == nil:
		w.Fail("id", "KA-VAL-3", "expected a text reference, found a key without an id")
	case s.tabled():
		k.number(text.Text, *text.ID, s.table, s.version == model.V0x0002)
	case isString:
		w.Uint8(uint8(model.TypeString))
		k.text(model.TypeString, text, s)
	default:
		wide, isWide := key.(model.WideString)
		if !isWide {
			w.Fail("", "KA-PAIR-2", "expected a key of type STRING or WIDE_STRING, found %s", wire.TypeName(key))
			return
		}
		if !k.c.d.wideKeys {
			w.Fail("type", "KA-PAIR-2", "expected a key of type STRING, found WIDE_STRING")
		}
		w.Uint8(uint8(model.TypeWideString))
		k.text(model.TypeWideString, model.String(wide), s)
	}
}

// distinct drops the pairs that ka.duplicate-key does not keep.
func (k coder) distinct(pairs []model.Pair) []model.Pair {
	if k.c.d.duplicates == keepAll || len(pairs) < 2 {
		return pairs
	}
	k.take(len(pairs), keyMemory)
	if k.c.d.duplicates == keepFirst {
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

// rejectDuplicates rejects pairs that would not all be read back.
func (k coder) rejectDuplicates(children []model.Pair) {
	if k.c.d.duplicates == keepAll || len(children) < 2 {
		return
	}
	if i := slices.IndexFunc(children, repeats(len(children))); i >= 0 {
		text, _ := KeyText(children[i])
		k.W.Fail("children", "KA-ARC-4", "expected a new key in pair %d, counted from 0, found %.40q, the key of "+
			"an earlier pair", i, text)
	}
}
