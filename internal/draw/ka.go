package draw

import (
	"math"
	"reflect"
	"sync"

	codec "github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// kaDrawer draws values of the sealed interface ka.Value, in the form that
// they have in a 0x0001 archive. It counts the depth: a [Source] does not.
type kaDrawer struct{ depth int }

func (k *kaDrawer) funcs() []any {
	return []any{
		func(v *ka.Value, s Source) { *v = k.value(s) },
		func(v *ka.Array, s Source) {
			*v = ka.Array{}
			for range k.few(s) {
				*v = append(*v, k.value(s))
			}
		},
		func(v *ka.String, s Source) { s.Fuzz(&v.Text) },
		func(v *ka.FastName, s Source) { s.Fuzz(&v.Text) },
		func(v *ka.FilePath, s Source) { s.Fuzz(&v.Text) },
		func(v *ka.WideString, s Source) { v.Text = wideText(s) },
		func(v *ka.Boolean, s Source) { *v = ka.Boolean(s.Intn(2)) },
		func(v *ka.Float, s Source) { *v = ka.Float(math.Float32frombits(s.Uint32())) },
		func(v *ka.Float64, s Source) { *v = ka.Float64(math.Float64frombits(s.Uint64())) },
		func(v *ka.Version, s Source) {
			*v = []ka.Version{ka.V0x0001, ka.V0x0001, ka.V0x0002, ka.V0x0102, ka.V0xff02}[s.Intn(5)]
		},
		func(v *ka.Type, s Source) { *v = ka.Type(s.Intn(len(ka.Variants()))) },
		func(v *ka.Archive, s Source) { *v = k.archive(s) },
		func(v *ka.KeyedArchive, s Source) { *v = ka.KeyedArchive(k.archive(s)) },
		func(v *ka.Pair, s Source) { *v = k.pair(s) },
		func(v *ka.BodyV0x0002, s Source) {
			*v = ka.BodyV0x0002{FastNames: k.rows(s), Children: []ka.Pair{}}
			v.Children = k.numbered(s, v.FastNames)
		},
		func(v *ka.BodyV0x0102, s Source) { v.Children = k.numbered(s, nil) },
		func(v *ka.BodyV0x0002Pair, s Source) { *v = ka.BodyV0x0002Pair(k.unknown(s)) },
		func(v *ka.BodyV0x0102Pair, s Source) { *v = ka.BodyV0x0102Pair(k.unknown(s)) },
	}
}

// kaEverywhere has the types of values that exist under both profiles.
var kaEverywhere = sync.OnceValue(func() map[ka.Type]bool {
	types := map[ka.Type]bool{}
	observed, documented := codec.New(wire.Settings{}), codec.New(wire.Settings{Profile: ids.Documented()})
	for _, v := range ka.Variants() {
		_, err := observed.ValueHeader().Append(nil, ka.ValueHeader{Type: v.Type()})
		_, err2 := documented.ValueHeader().Append(nil, ka.ValueHeader{Type: v.Type()})
		types[v.Type()] = err == nil && err2 == nil && v.Type() != ka.TypeColor // a colour has no layout under one
	}
	return types
})

func (k *kaDrawer) few(s Source) int {
	if k.depth > 4 {
		return 0
	}
	return s.Intn(5)
}

func (k *kaDrawer) value(s Source) ka.Value {
	k.depth++
	defer func() { k.depth-- }()
	variants := ka.Variants()
	zero := variants[s.Intn(len(variants))]
	if !kaEverywhere()[zero.Type()] {
		return ka.Int16(s.Uint32())
	}
	v := reflect.New(reflect.TypeOf(zero))
	s.Fuzz(v.Interface())
	return v.Elem().Interface().(ka.Value)
}

func (k *kaDrawer) pair(s Source) ka.Pair {
	var key ka.String
	s.Fuzz(&key)
	return ka.Pair{Key: key, Value: k.value(s)}
}

func (k *kaDrawer) rows(s Source) []ka.FastNameEntry {
	rows := []ka.FastNameEntry{}
	for i := range s.Intn(12) {
		row := ka.FastNameEntry{ID: uint32(i)} // the id is the index, so both readings of an id agree
		s.Fuzz(&row.Name)
		rows = append(rows, row)
	}
	return rows
}

// numbered draws pairs whose texts have ids, with the few kinds of values that
// have the same encoding under both profiles.
func (k *kaDrawer) numbered(s Source, rows []ka.FastNameEntry) []ka.Pair {
	pairs := []ka.Pair{}
	for range s.Intn(2 + len(rows)) {
		if len(rows) == 0 {
			break
		}
		row := rows[s.Intn(len(rows))]
		p := ka.Pair{Key: ka.String{Text: string(row.Name), ID: &row.ID}, Value: ka.Int64(s.Uint64())}
		switch s.Intn(3) {
		case 0:
			p.Value = ka.FastName{Text: string(row.Name), ID: &row.ID}
		case 1:
			p.Value = ka.Array{ka.FastName{Text: string(row.Name), ID: &row.ID}, ka.Uint8(s.Uint32())}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func (k *kaDrawer) unknown(s Source) ka.Pair {
	n := s.Uint32()
	return ka.Pair{Key: ka.String{ID: &n}, Value: ka.Vector2{X: math.Float32frombits(s.Uint32())}}
}

func (k *kaDrawer) archive(s Source) ka.Archive {
	k.depth++
	defer func() { k.depth-- }()
	a := ka.Archive{Version: ka.V0x0001, Children: []ka.Pair{}}
	switch s.Intn(4) {
	case 0:
		a.Version = ka.V0xff02
	case 1:
		a.Version, a.FastNames = ka.V0x0002, k.rows(s)
		a.Children = k.numbered(s, a.FastNames)
	default:
		for range k.few(s) {
			a.Children = append(a.Children, k.pair(s))
		}
	}
	return a
}
