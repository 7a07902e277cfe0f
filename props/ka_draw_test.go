package props

import (
	"hash/crc32"
	"reflect"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// kaDraw draws parts of archives that can be encoded under one profile. It
// follows the rules of the records and does not use the codec.
type kaDraw struct {
	t         *rapid.T
	p         ids.Profile
	nested    int // number of archives and arrays that contain the next value
	remaining int // number of values that may still be drawn
}

// kaScope determines how a text is encoded.
type kaScope struct {
	rows     []ka.FastNameEntry // the table that applies
	hasTable bool
	version  ka.Version // whose rules apply: 0x0001 also stands for Headerless
	element  bool       // the value is an element of an array
}

func newKADraw(t *rapid.T, p ids.Profile) *kaDraw { return &kaDraw{t: t, p: p, remaining: 60} }

// drawWide draws text whose characters have at most 16 bits each.
func drawWide(t *rapid.T) string {
	units := rapid.SliceOfN(rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0x20, 0x7E), rapid.Uint16Range(0xD7FE, 0xE001)),
		0, 8).Draw(t, "wide")
	return string(wire.AppendWTF8(nil, units))
}

// drawName draws common names and unusual ones.
func drawName(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "a", "b", "name", "components", "rotation.#0", "\x00", "a\x00b", "имя", "名",
			"\xff\xfe", "KA\x01\x00", " ",
		}),
		rapid.StringMatching(`[a-z]{1,6}(\.[a-z]{1,4})?`),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.IntRange(200, 400), func(n int) string { return strings.Repeat("long ", n) }),
	).Draw(t, "name")
}

// hasSide reports whether the profile has a side at a flag.
func (d *kaDraw) hasSide(flag ids.Flag, side string) bool { return d.p.Side(flag) == side }

func (d *kaDraw) documented(flag ids.Flag) bool { return d.hasSide(flag, ids.SideDocumented) }

// table draws a table of fast names whose ids are hashes, small, equal or
// arbitrary.
func (d *kaDraw) table() []ka.FastNameEntry {
	rows := []ka.FastNameEntry{}
	for range rapid.SampledFrom([]int{0, 1, 2, 3, 7, 9, 20}).Draw(d.t, "rows") {
		name := drawName(d.t)
		c := crc32.ChecksumIEEE([]byte(name))
		id := rapid.OneOf(
			rapid.Just(c&0xFFFE0000|c&0x7FFF<<2),
			rapid.Uint32Range(0, 3),
			rapid.Uint32(),
		).Draw(d.t, "id")
		rows = append(rows, ka.FastNameEntry{ID: id, Name: ka.FastNameString(name)})
	}
	return rows
}

// textID draws an id, and returns it with the text that it has in the table.
// isKey2 is set for keys of 0x0002.
func (d *kaDraw) textID(s kaScope, isKey2 bool) (text string, id *uint32) {
	byPosition := d.documented("ka.fastname-id") && !isKey2
	n := rapid.Uint32().Draw(d.t, "id")
	known := len(s.rows) > 0 && (d.documented("ka.unknown-id") || rapid.IntRange(0, 9).Draw(d.t, "known") > 0)
	if known {
		n = uint32(rapid.IntRange(0, len(s.rows)-1).Draw(d.t, "row"))
		if !byPosition {
			n = s.rows[n].ID
		}
	}
	if byPosition {
		if uint64(n) < uint64(len(s.rows)) {
			text = string(s.rows[n].Name)
		}
		return text, &n
	}
	for _, r := range s.rows {
		if r.ID == n {
			text = string(r.Name)
			if d.hasSide("ka.duplicate-id", "first") {
				break
			}
		}
	}
	return text, &n
}

// storedAsID reports whether a text of a type is stored as an id.
func (d *kaDraw) storedAsID(typ ka.Type, s kaScope) bool {
	if s.version == ka.V0x0001 {
		return typ == ka.TypeFastName && d.documented("ka.fastname-v1")
	}
	switch typ {
	case ka.TypeFastName:
		return true
	case ka.TypeWideString:
		return !d.documented("ka.wide-v2")
	case ka.TypeFilePath:
		return !d.documented("ka.filepath-v2")
	}
	return !d.documented("ka.string-v2") || s.version == ka.V0x0102 && !s.element
}

// canEncode reports whether any text of a type can be encoded. With an empty
// table, an id can be encoded only if unknown ids are accepted.
func (d *kaDraw) canEncode(typ ka.Type, s kaScope) bool {
	return !d.storedAsID(typ, s) || len(s.rows) > 0 || !d.documented("ka.unknown-id")
}

func (d *kaDraw) text(typ ka.Type, s kaScope) (string, *uint32) {
	switch {
	case d.storedAsID(typ, s):
		return d.textID(s, false)
	case typ == ka.TypeWideString:
		return drawWide(d.t), nil
	}
	return drawName(d.t), nil
}

// types lists the types that a value may have in a scope.
func (d *kaDraw) types(s kaScope) []ka.Type {
	var out []ka.Type
	for _, v := range ka.Variants() {
		ok := true
		switch v.Type() {
		case ka.TypeNone:
			ok = d.documented("ka.none")
		case ka.TypeColor:
			ok = !d.documented("ka.color")
		case ka.TypeRect, ka.TypeQuaternion, ka.TypeAABBox2:
			ok = !d.documented("ka.types-26-28-30")
		case ka.TypeString, ka.TypeWideString, ka.TypeFastName, ka.TypeFilePath:
			ok = d.canEncode(v.Type(), s)
		case ka.TypeKeyedArchive, ka.TypeArray:
			ok = d.nested < 8 && d.remaining > 0
		}
		if ok {
			out = append(out, v.Type())
		}
	}
	return out
}

func (d *kaDraw) value(s kaScope) ka.Value {
	d.remaining--
	t := d.t
	types := d.types(s)
	if d.nested < 3 {
		types = append(types, slices.DeleteFunc(slices.Clone(types), func(x ka.Type) bool {
			return x != ka.TypeKeyedArchive && x != ka.TypeArray && x != ka.TypeString
		})...)
	}
	switch typ := rapid.SampledFrom(types).Draw(t, "type"); typ {
	case ka.TypeBoolean:
		most := uint8(1)
		if d.hasSide("ka.bool", ids.SideObserved) {
			most = 255
		}
		return ka.Boolean(rapid.Uint8Range(0, most).Draw(t, "boolean"))
	case ka.TypeString:
		text, id := d.text(typ, s)
		return ka.String{Text: text, ID: id}
	case ka.TypeWideString:
		text, id := d.text(typ, s)
		return ka.WideString{Text: text, ID: id}
	case ka.TypeByteArray:
		return ka.ByteArray(append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes")...))
	case ka.TypeKeyedArchive:
		return d.nestedArchive(s)
	case ka.TypeFastName:
		text, id := d.text(typ, s)
		return ka.FastName{Text: text, ID: id}
	case ka.TypeFilePath:
		text, id := d.text(typ, s)
		return ka.FilePath{Text: text, ID: id}
	case ka.TypeArray:
		return d.array(s)
	default: // numbers
		number, _ := codec.Find("ka." + reflect.TypeOf(ka.Variants()[typ]).Name())
		return drawValue(t, number).(ka.Value)
	}
}

func (d *kaDraw) array(s kaScope) ka.Array {
	d.nested++
	defer func() { d.nested-- }()
	s.element = true
	out := ka.Array{}
	for range d.count() {
		out = append(out, d.value(s))
	}
	return out
}

// count draws a number of elements or pairs.
func (d *kaDraw) count() int {
	return rapid.IntRange(0, max(0, min(6, d.remaining))).Draw(d.t, "count")
}

// versions lists the versions that an archive in a scope may have.
func (d *kaDraw) versions(outer kaScope, bounded bool) []ka.Version {
	out := []ka.Version{ka.V0x0001, ka.V0x0002, ka.V0xff02}
	if outer.hasTable {
		out = append(out, ka.V0x0102, ka.V0x0102)
	}
	if bounded && d.hasSide("ka.magic", "headerless") {
		out = append(out, ka.Headerless)
	}
	return out
}

func (d *kaDraw) nestedArchive(outer kaScope) ka.KeyedArchive {
	bounded := !d.documented("ka.nested-length") && !d.hasSide("ka.nested-length-mismatch", "ignore")
	return ka.KeyedArchive(d.archive(outer, bounded))
}

// archive draws an archive in the scope of the archive that contains it. bounded
// is set if the end of the archive is known from outside.
func (d *kaDraw) archive(outer kaScope, bounded bool) ka.Archive {
	d.nested++
	defer func() { d.nested-- }()
	a := ka.Archive{Version: rapid.SampledFrom(d.versions(outer, bounded)).Draw(d.t, "version"), Children: []ka.Pair{}}
	switch a.Version {
	case ka.V0x0002:
		a.FastNames = d.table()
		a.Children = d.pairs(kaScope{a.FastNames, true, a.Version, false}, 0)
	case ka.V0x0102:
		outer.version, outer.element = a.Version, false
		a.Children = d.pairs(outer, 0)
	case ka.V0x0001, ka.Headerless:
		inner := kaScope{version: ka.V0x0001}
		switch d.p.Side("ka.registry-scope") {
		case ids.SideDocumented:
			inner.rows, inner.hasTable = outer.rows, outer.hasTable
		case "inherit":
			if outer.hasTable {
				inner = kaScope{outer.rows, true, ka.V0x0102, false}
			}
		}
		least := 0
		if a.Version == ka.Headerless {
			least = 1
		}
		a.Children = d.plainPairs(inner, least)
	}
	return a
}

// pairs draws pairs that follow the rules of the scope's version.
func (d *kaDraw) pairs(s kaScope, least int) []ka.Pair {
	if s.version == ka.V0x0001 {
		return d.plainPairs(s, least)
	}
	out := []ka.Pair{}
	if len(s.rows) == 0 && d.documented("ka.unknown-id") {
		return out // no key can be encoded
	}
	for range max(least, d.count()) {
		text, id := d.textID(s, s.version == ka.V0x0002)
		out = append(out, ka.Pair{Key: ka.String{Text: text, ID: id}, Value: d.value(s)})
	}
	return d.distinct(out)
}

// plainPairs draws pairs with a type id before the key.
func (d *kaDraw) plainPairs(s kaScope, least int) []ka.Pair {
	out := []ka.Pair{}
	if !d.canEncode(ka.TypeString, s) {
		if least == 0 {
			return out
		}
		s = kaScope{version: ka.V0x0001} // encoding will fail
	}
	for range max(least, d.count()) {
		var key ka.Value
		if !d.documented("ka.key-type") && d.canEncode(ka.TypeWideString, s) &&
			rapid.IntRange(0, 4).Draw(d.t, "wide key") == 0 {
			text, id := d.text(ka.TypeWideString, s)
			key = ka.WideString{Text: text, ID: id}
		} else {
			text, id := d.text(ka.TypeString, s)
			key = ka.String{Text: text, ID: id}
		}
		out = append(out, ka.Pair{Key: key, Value: d.value(s)})
	}
	return d.distinct(out)
}

// distinct drops pairs with a duplicate key where a reader would not keep them.
func (d *kaDraw) distinct(pairs []ka.Pair) []ka.Pair {
	if d.documented("ka.duplicate-key") {
		return pairs
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(pairs, func(p ka.Pair) bool {
		text := kaText(p.Key)
		defer func() { seen[text] = true }()
		return seen[text]
	})
}

func kaText(v ka.Value) string {
	switch v := v.(type) {
	case ka.String:
		return v.Text
	case ka.WideString:
		return v.Text
	}
	return ""
}
