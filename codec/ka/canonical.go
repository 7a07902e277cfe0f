package ka

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// FastNameID returns the id that canonical writers give a name (KA-CAN-1): a
// hash, of which two names may have the same. The empty name has 0.
func FastNameID(name string) uint32 {
	c := crc32.ChecksumIEEE([]byte(name))
	return c&0xFFFE0000 | c&0x7FFF<<2
}

// Canonical returns an archive as canonical writers spell it, of version
// 0x0001 or 0x0002 as asked for, whatever versions and ids it has so far: it
// makes a file of a bare tree, and one version of the other. Pairs are sorted
// by their keys (KA-CAN-3), those with one key in the order they have; the
// archives inside get the versions of KA-CAN-4; with 0x0002 all of them share
// one table, which holds the texts that are numbers under the codec's profile
// and nothing else (KA-CAN-2).
//
// Errors are of type [*wire.Error] and class [wire.Range], or [wire.Limit]
// for what nests too deep: in 0x0002 a key that is wide text, a name that is
// too long, and two names with one id; in 0x0001 a FASTNAME that has to be a
// number. What has no encoding for other reasons is left to Append.
func (c *Codec) Canonical(a model.Archive, to model.Version) (model.Archive, error) {
	s := speller{c: c, to: to, names: map[string]*name{}}
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
		err = refusal("version", clauseWrite, "an archive that stands alone is 0x0001 or 0x0002, not %s", to)
	}
	if err != nil {
		return model.Archive{}, err
	}
	out.Version = to
	return out, nil
}

// speller makes one canonical archive.
type speller struct {
	c     *Codec
	to    model.Version
	names map[string]*name
}

// name is a text that is a number. Values point to its id or position, which
// is known only when all names are.
type name struct {
	text         string
	id, position uint32
}

func refusal(path string, clause clauseID, format string, args ...any) error {
	return &wire.Error{Type: "ka.Archive", Class: wire.Range, Path: path, Clause: clause, Detail: fmt.Sprintf(format, args...)}
}

// inside puts a step before the path of a refusal.
func inside(err error, format string, args ...any) error {
	var e *wire.Error
	if errors.As(err, &e) {
		step := fmt.Sprintf(format, args...)
		if e.Path != "" && e.Path[0] != '[' {
			step += "."
		}
		e.Path = step + e.Path
	}
	return err
}

// archive respells an archive; its version is left to the caller.
func (s *speller) archive(a model.Archive, rules numbered, level int) (model.Archive, error) {
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
	slices.SortStableFunc(out.Children, func(p, q model.Pair) int { return cmp.Compare(keyText(p.Key), keyText(q.Key)) })
	return out, nil
}

// depth refuses what Append would refuse too, before it costs stack.
func (s *speller) depth(level int) error {
	limit := s.c.s.Limits.MaxDepth
	if limit == 0 {
		limit = wire.DefaultMaxDepth
	}
	if level <= limit {
		return nil
	}
	return &wire.Error{Type: "ka.Archive", Class: wire.Limit, Clause: clauseDepth, Detail: fmt.Sprintf("nested deeper than %d levels", limit)}
}

// key respells a key. That of the outermost 0x0002 archive is an id even where
// other numbers are positions.
func (s *speller) key(v model.Value, rules numbered, level int) (model.Value, error) {
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
		return nil, refusal("", clauseKey2, "a 0x0002 archive has no WIDE_STRING keys")
	}
	return nil, refusal("", clauseKey, "a key is a text, not %T", v)
}

// value respells a value of an archive at a level.
func (s *speller) value(v model.Value, rules numbered, level int) (model.Value, error) {
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
		return nil, refusal("", clauseValue, "there is no value")
	}
	return v, nil
}

// number returns what stands in place of a text, nil for the text itself.
func (s *speller) number(text string, t model.Type, rules numbered) (*uint32, error) {
	switch {
	case !rules.has(t):
		return nil, nil
	case s.to == model.V0x0001:
		return nil, refusal("", clauseFastName, "a %s has to be a number here, and there is no table", t)
	case s.c.d.byPosition:
		return &s.name(text).position, nil
	}
	return &s.name(text).id, nil
}

// name notes that the table needs a text.
func (s *speller) name(text string) *name {
	n, ok := s.names[text]
	if !ok {
		n = &name{text: text, id: FastNameID(text)}
		s.names[text] = n
	}
	return n
}

// table makes the table of the names that are needed.
func (s *speller) table() ([]model.FastNameEntry, error) {
	names := make([]*name, 0, len(s.names))
	for _, n := range s.names {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b *name) int { return strings.Compare(a.text, b.text) })
	rows := make([]model.FastNameEntry, len(names))
	byID := make(map[uint32]string, len(names))
	for i, n := range names {
		if other, taken := byID[n.id]; taken {
			return nil, refusal("fastNames", clauseHash, "%.40q and %.40q have the same id %08x", other, n.text, n.id)
		}
		if len(n.text) > maxName {
			return nil, refusal("fastNames", clauseNameRange, "a name of %d bytes does not fit a length of 16 bits", len(n.text))
		}
		byID[n.id] = n.text
		n.position = uint32(i)
		rows[i] = model.FastNameEntry{ID: n.id, Name: model.FastNameString(n.text)}
	}
	return rows, nil
}
