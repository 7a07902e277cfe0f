package draw

import (
	"math"
	"reflect"

	fuzz "github.com/google/gofuzz"

	"github.com/formatgauge/formatgauge/model/ka"
)

// kaFuzz gives gofuzz values of the sealed interface, as they stand in a
// 0x0001 archive. Depth is counted here: gofuzz does not tell.
type kaFuzz struct{ depth int }

func (k *kaFuzz) funcs() []any {
	return []any{
		func(v *ka.Value, c fuzz.Continue) { *v = k.value(c) },
		func(v *ka.Array, c fuzz.Continue) {
			*v = ka.Array{}
			for range k.few(c) {
				*v = append(*v, k.value(c))
			}
		},
		func(v *ka.String, c fuzz.Continue) { c.Fuzz(&v.Text) },
		func(v *ka.FastName, c fuzz.Continue) { c.Fuzz(&v.Text) },
		func(v *ka.FilePath, c fuzz.Continue) { c.Fuzz(&v.Text) },
		func(v *ka.WideString, c fuzz.Continue) { v.Text = c.RandString() },
		func(v *ka.Boolean, c fuzz.Continue) { *v = ka.Boolean(c.Intn(2)) },
		func(v *ka.Float, c fuzz.Continue) { *v = ka.Float(math.Float32frombits(c.Uint32())) },
		func(v *ka.Float64, c fuzz.Continue) { *v = ka.Float64(math.Float64frombits(c.Uint64())) },
		func(v *ka.Version, c fuzz.Continue) {
			*v = []ka.Version{ka.V0x0001, ka.V0x0001, ka.V0x0002, ka.V0x0102, ka.V0xff02}[c.Intn(5)]
		},
		func(v *ka.Type, c fuzz.Continue) { *v = ka.Type(c.Intn(31)) },
		func(v *ka.Archive, c fuzz.Continue) { *v = k.archive(c) },
		func(v *ka.KeyedArchive, c fuzz.Continue) { *v = ka.KeyedArchive(k.archive(c)) },
		func(v *ka.Pair, c fuzz.Continue) { *v = k.pair(c) },
		func(v *ka.BodyV0x0002, c fuzz.Continue) {
			*v = ka.BodyV0x0002{FastNames: k.rows(c), Children: []ka.Pair{}}
			v.Children = k.numbered(c, v.FastNames)
		},
		func(v *ka.BodyV0x0102, c fuzz.Continue) { v.Children = k.numbered(c, nil) },
		func(v *ka.BodyV0x0002Pair, c fuzz.Continue) { *v = ka.BodyV0x0002Pair(k.unknown(c)) },
		func(v *ka.BodyV0x0102Pair, c fuzz.Continue) { *v = ka.BodyV0x0102Pair(k.unknown(c)) },
	}
}

func (k *kaFuzz) few(c fuzz.Continue) int {
	if k.depth > 4 {
		return 0
	}
	return c.Intn(5)
}

func (k *kaFuzz) value(c fuzz.Continue) ka.Value {
	k.depth++
	defer func() { k.depth-- }()
	variants := ka.Variants()
	v := reflect.New(reflect.TypeOf(variants[c.Intn(len(variants))]))
	switch v.Interface().(type) {
	case *ka.None, *ka.Color, *ka.Rect, *ka.Quaternion, *ka.AABBox2: // not in every profile
		return ka.Int16(c.Uint32())
	}
	c.Fuzz(v.Interface())
	return v.Elem().Interface().(ka.Value)
}

func (k *kaFuzz) pair(c fuzz.Continue) ka.Pair {
	var key ka.String
	c.Fuzz(&key)
	return ka.Pair{Key: key, Value: k.value(c)}
}

func (k *kaFuzz) rows(c fuzz.Continue) []ka.FastNameEntry {
	rows := []ka.FastNameEntry{}
	for i := range c.Intn(12) {
		row := ka.FastNameEntry{ID: uint32(i)} // one number by id and by position
		c.Fuzz(&row.Name)
		rows = append(rows, row)
	}
	return rows
}

// numbered makes pairs whose texts are numbers, of the few kinds of values
// that are alike under both profiles.
func (k *kaFuzz) numbered(c fuzz.Continue, rows []ka.FastNameEntry) []ka.Pair {
	pairs := []ka.Pair{}
	for range c.Intn(2 + len(rows)) {
		if len(rows) == 0 {
			break
		}
		row := rows[c.Intn(len(rows))]
		p := ka.Pair{Key: ka.String{Text: string(row.Name), ID: &row.ID}, Value: ka.Int64(c.Uint64())}
		switch c.Intn(3) {
		case 0:
			p.Value = ka.FastName{Text: string(row.Name), ID: &row.ID}
		case 1:
			p.Value = ka.Array{ka.FastName{Text: string(row.Name), ID: &row.ID}, ka.Uint8(c.Uint32())}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func (k *kaFuzz) unknown(c fuzz.Continue) ka.Pair {
	n := c.Uint32()
	return ka.Pair{Key: ka.String{ID: &n}, Value: ka.Vector2{X: math.Float32frombits(c.Uint32())}}
}

func (k *kaFuzz) archive(c fuzz.Continue) ka.Archive {
	k.depth++
	defer func() { k.depth-- }()
	a := ka.Archive{Version: ka.V0x0001, Children: []ka.Pair{}}
	switch c.Intn(4) {
	case 0:
		a.Version = ka.V0xff02
	case 1:
		a.Version, a.FastNames = ka.V0x0002, k.rows(c)
		a.Children = k.numbered(c, a.FastNames)
	default:
		for range k.few(c) {
			a.Children = append(a.Children, k.pair(c))
		}
	}
	return a
}
