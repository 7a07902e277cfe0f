package ka

import (
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// FastNameID returns the id that canonical writers give a name (KA-CAN-1). It
// is a hash: two names may have the same id. The empty name has id 0.
func FastNameID(name string) uint32 {
	c := crc32.ChecksumIEEE([]byte(name))
	return c&0xFFFE0000 | c&0x7FFF<<2
}

// Canonical returns the canonical form of an archive in version 0x0001 or
// 0x0002. The versions and ids of a do not matter: a may be a tree without ids,
// or have the other version. Pairs are sorted by their keys (KA-CAN-3); pairs
// with equal keys keep their order. Nested archives get the versions of
// KA-CAN-4. In 0x0002 all archives share one table, which contains exactly the
// texts that are references under the codec's profile (KA-CAN-2). The result
// shares the memory of byte arrays and texts with a.
//
// Errors are of type [*wire.Error]. Class [wire.Limit]: nesting exceeds the
// limit. Class [wire.Range]: in 0x0002 a key that is wide text, a name of more
// than 65,535 bytes, or two names with the same id; in 0x0001 a FASTNAME that
// is a text reference under the profile. Everything else that has no encoding is
// reported by Append.
func (c *Codec) Canonical(a model.Archive, to model.Version) (model.Archive, error) {
	if c.family == nil {
		return model.Archive{}, errZero
	}
	s := canonicalizer{c: c, to: to, names: map[string]*name{}}
	var out model.Archive
	var err error
	switch to {
	case model.V0x0001:
		out, err = s.archive(a, c.d.plain, 1)
	case model.V0x0002:
		out, err = s.archive(a, c.d.top, 1)
		out.FastNames = []model.FastNameEntry{}
		if err == nil {
			out.FastNames, err = s.table()
		}
	default:
		err = rangeError("version", "KA-ARC-10", "expected version 0x0001 or 0x0002, found %s", to)
	}
	if err != nil {
		return model.Archive{}, err
	}
	out.Version = to
	return out, nil
}

// canonicalizer makes one canonical archive.
type canonicalizer struct {
	c     *Codec
	to    model.Version
	names map[string]*name
}

// name is an entry of the table to be. Values point to its id or position; the
// position is known when all names are.
type name struct {
	text         string
	id, position uint32
}

func rangeError(path string, clause clauseID, format string, args ...any) error {
	return &wire.Error{
		Type: "ka.Archive", Class: wire.Range, Path: path, Clause: clause,
		Detail: fmt.Sprintf(format, args...),
	}
}

// inside prepends a step to the path of an error.
func inside(err error, format string, args ...any) error {
	return wire.Inside(err, "ka.Archive", fmt.Sprintf(format, args...))
}

// archive returns the canonical form of an archive without its version.
func (s *canonicalizer) archive(a model.Archive, rules references, level int) (model.Archive, error) {
	if err := s.depth(level); err != nil {
		return a, err
	}
	out := model.Archive{Children: make([]model.Pair, len(a.Children))}
	for i, p := range a.Children {
		var err error
		if out.Children[i].Key, err = s.key(p.Key, rules, level); err != nil {
			return out, inside(err, "children[%d].key", i)
		}
		if out.Children[i].Value, err = s.value(p.Value, rules, level); err != nil {
			return out, inside(err, "children[%d].value", i)
		}
	}
	slices.SortStableFunc(out.Children, func(p, q model.Pair) int {
		x, _ := KeyText(p)
		y, _ := KeyText(q)
		return strings.Compare(x, y)
	})
	return out, nil
}

// depth rejects nesting that Append would reject, before it takes stack.
func (s *canonicalizer) depth(level int) error {
	limit := s.c.family.Settings.Limits.Depth()
	if level <= limit {
		return nil
	}
	return &wire.Error{
		Type: "ka.Archive", Class: wire.Limit, Clause: "KA-ARC-6",
		Detail: fmt.Sprintf("expected at most %d levels of nesting, the limit, found more", limit),
	}
}

// key returns the canonical form of a key. A key of the outermost 0x0002
// archive is an id even if other text references are positions.
func (s *canonicalizer) key(v model.Value, rules references, level int) (model.Value, error) {
	switch k := v.(type) {
	case model.String:
		if s.to != model.V0x0002 {
			return model.String{Text: k.Text}, nil
		}
		n := s.name(k.Text)
		if level == 1 || !s.c.d.byPosition {
			return model.String{Text: k.Text, ID: &n.id}, nil
		}
		return model.String{Text: k.Text, ID: &n.position}, nil
	case model.WideString:
		if s.to != model.V0x0002 {
			return s.value(v, rules, level)
		}
		return nil, rangeError("", "KA-P2-1", "expected a key of type STRING, found WIDE_STRING")
	}
	return nil, rangeError("", "KA-PAIR-2", "expected a key of type STRING or WIDE_STRING, found %s", wire.TypeName(v))
}

// value returns the canonical form of a value of an archive at a level.
func (s *canonicalizer) value(v model.Value, rules references, level int) (model.Value, error) {
	switch v := v.(type) {
	case model.String:
		id, err := s.number(v.Text, model.TypeString, rules)
		return model.String{Text: v.Text, ID: id}, err
	case model.WideString:
		id, err := s.number(v.Text, model.TypeWideString, rules)
		return model.WideString{Text: v.Text, ID: id}, err
	case model.FastName:
		id, err := s.number(v.Text, model.TypeFastName, rules)
		return model.FastName{Text: v.Text, ID: id}, err
	case model.FilePath:
		id, err := s.number(v.Text, model.TypeFilePath, rules)
		return model.FilePath{Text: v.Text, ID: id}, err
	case model.KeyedArchive:
		if s.to == model.V0x0002 {
			rules = s.c.d.sub
		}
		out, err := s.archive(model.Archive(v), rules, level+1)
		switch {
		case s.to == model.V0x0001:
			out.Version = model.V0x0001
		case len(out.Children) == 0:
			out.Version = model.V0xff02
		default:
			out.Version = model.V0x0102
		}
		return model.KeyedArchive(out), err
	case model.Array:
		level++
		if err := s.depth(level); err != nil {
			return nil, err
		}
		out := make(model.Array, len(v))
		for i := range v {
			var err error
			if out[i], err = s.value(v[i], rules.inArray(), level); err != nil {
				return nil, inside(err, "[%d]", i)
			}
		}
		return out, nil
	case nil:
		return nil, rangeError("", "KA-VAL-1", "expected a value, found none")
	}
	return v, nil
}

// number returns the text reference of a text; nil for inline text.
func (s *canonicalizer) number(text string, t model.Type, rules references) (*uint32, error) {
	switch {
	case !rules.has(t):
		return nil, nil
	case s.to == model.V0x0001:
		return nil, rangeError("", "KA-FN-2", "expected no %s, which needs a table under ka.fastname-v1=documented, found one", t)
	case s.c.d.byPosition:
		return &s.name(text).position, nil
	}
	return &s.name(text).id, nil
}

// name returns the entry of a text, a new one for a new text.
func (s *canonicalizer) name(text string) *name {
	n, ok := s.names[text]
	if !ok {
		n = &name{text: text, id: FastNameID(text)}
		s.names[text] = n
	}
	return n
}

// table returns the entries of all names, sorted.
func (s *canonicalizer) table() ([]model.FastNameEntry, error) {
	names := slices.SortedFunc(maps.Values(s.names), func(a, b *name) int { return strings.Compare(a.text, b.text) })
	rows := make([]model.FastNameEntry, len(names))
	byID := make(map[uint32]string, len(names))
	for i, n := range names {
		if other, taken := byID[n.id]; taken {
			return nil, rangeError("fastNames", "KA-CAN-1", "expected an id per name, found 0x%08x for %.40q and %.40q",
				n.id, other, n.text)
		}
		if len(n.text) > maxName {
			return nil, rangeError("fastNames", "KA-FNS-3", "expected a name of at most 65535 bytes, found %d",
				len(n.text))
		}
		byID[n.id] = n.text
		n.position = uint32(i)
		rows[i] = model.FastNameEntry{ID: n.id, Name: model.FastNameString(n.text)}
	}
	return rows, nil
}
