package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tinylib/msgp/msgp"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

func init() { subjects["3 keyed archive"] = keyedArchive }

// A scene is one tree in the forms to compare: archives of both versions, and the
// encoding of msgp. It contains only bytes, so that the memory of one side does
// not slow the garbage collector down for the other.
type scene struct {
	leaves             int // numbers, texts and byte arrays; each float of a vector is one leaf
	plain, table, peer []byte
}

// component lists the keys of one kind of archive. Each key has one type of
// value, as in files that engines write.
type component []struct {
	key string
	typ model.Type
}

var components = []component{
	{
		{"comp.typename", model.TypeString},
		{"tc.localTranslation", model.TypeVector3},
		{"tc.localRotation", model.TypeVector4},
		{"tc.localScale", model.TypeVector3},
		{"tc.parent", model.TypeUint64},
		{"tc.static", model.TypeBoolean},
	},
	{
		{"comp.typename", model.TypeString},
		{"rc.material", model.TypeString},
		{"rc.lods", model.TypeInt32},
		{"rc.batches", model.TypeArray},
		{"rc.bounds", model.TypeAABBox3},
		{"rc.lodDistance", model.TypeFloat},
		{"rc.flags", model.TypeUint32},
		{"rc.vertices", model.TypeByteArray},
		{"rc.shader", model.TypeString},
		{"rc.sorting", model.TypeUint8},
	},
	{
		{"comp.typename", model.TypeString},
		{"ac.clip", model.TypeString},
		{"ac.duration", model.TypeFloat64},
		{"ac.loop", model.TypeBoolean},
		{"ac.frame", model.TypeInt64},
	},
	{
		{"comp.typename", model.TypeString},
		{"cc.count", model.TypeUint32},
		{"cc.names", model.TypeArray},
		{"cc.key", model.TypeString},
		{"cc.value", model.TypeString},
		{"cc.weight", model.TypeFloat},
	},
}

// newScene creates a tree like those of scene files: entities with a few
// properties, components of several kinds, and child entities.
func newScene(tb testing.TB) *scene {
	tb.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	s := &scene{}
	floats := func(n int) (f [6]float32, peers []any) {
		s.leaves += n - 1
		for i := range n {
			f[i] = r.Float32() * 100
			peers = append(peers, f[i])
		}
		return f, peers
	}
	leaf := func(t model.Type) (model.Value, any) {
		s.leaves++
		switch t {
		case model.TypeVector3:
			f, peers := floats(3)
			return model.Vector3{X: f[0], Y: f[1], Z: f[2]}, peers
		case model.TypeVector4:
			f, peers := floats(4)
			return model.Vector4{X: f[0], Y: f[1], Z: f[2], W: f[3]}, peers
		case model.TypeAABBox3:
			f, peers := floats(6)
			return model.AABBox3{
				Minimum: model.Vector3{X: f[0], Y: f[1], Z: f[2]},
				Maximum: model.Vector3{X: f[3], Y: f[4], Z: f[5]},
			}, peers
		case model.TypeBoolean:
			b := r.IntN(2)
			return model.Boolean(b), b == 1
		case model.TypeInt32:
			v := int32(r.Uint32()) >> r.IntN(32)
			return model.Int32(v), v
		case model.TypeUint32:
			v := r.Uint32() >> r.IntN(32)
			return model.Uint32(v), v
		case model.TypeFloat:
			v := r.Float32() * 100
			return model.Float(v), v
		case model.TypeInt64:
			v := int64(r.Uint64()) >> r.IntN(64)
			return model.Int64(v), v
		case model.TypeUint64:
			v := r.Uint64() >> r.IntN(64)
			return model.Uint64(v), v
		case model.TypeFloat64:
			v := r.NormFloat64()
			return model.Float64(v), v
		case model.TypeByteArray:
			v := make([]byte, r.IntN(40))
			return model.ByteArray(v), v
		case model.TypeUint8:
			v := uint8(r.Uint32())
			return model.Uint8(v), v
		}
		v := fmt.Sprintf("~res:/Gfx/materials/stone_%d.material", r.IntN(300))[:8+r.IntN(28)]
		return model.String{Text: v}, v
	}
	type both struct {
		a model.Archive
		m map[string]any
	}
	add := func(x *both, key string, v model.Value, p any) {
		x.a.Children, x.m[key] = append(x.a.Children, model.Pair{Key: model.String{Text: key}, Value: v}), p
	}
	empty := func() both { return both{model.Archive{Children: []model.Pair{}}, map[string]any{}} }
	fill := func(x *both, c component) {
		for _, p := range c {
			if p.typ != model.TypeArray {
				v, peer := leaf(p.typ)
				add(x, p.key, v, peer)
				continue
			}
			list, peers := model.Array{}, []any{}
			for range 2 + r.IntN(4) {
				v, peer := leaf(c[1].typ)
				list, peers = append(list, v), append(peers, peer)
			}
			add(x, p.key, list, peers)
		}
	}
	entity := component{
		{"name", model.TypeString},
		{"id", model.TypeUint32},
		{"flags", model.TypeUint32},
		{"visible", model.TypeBoolean},
		{"entity.tag", model.TypeString},
	}
	var newEntity func(depth int) both
	newEntity = func(depth int) both {
		e := empty()
		fill(&e, entity)
		all := empty()
		for i, c := range components {
			if i > 0 && r.IntN(3) == 0 {
				continue
			}
			x := empty()
			fill(&x, c)
			add(&all, fmt.Sprintf("%04d", i), model.KeyedArchive(x.a), x.m)
		}
		add(&e, "components", model.KeyedArchive(all.a), all.m)
		if depth > 0 {
			below := empty()
			for i := range 3 + r.IntN(4) {
				x := newEntity(depth - 1)
				add(&below, fmt.Sprintf("#%d", i), model.KeyedArchive(x.a), x.m)
			}
			add(&e, "#hierarchy", model.KeyedArchive(below.a), below.m)
		}
		return e
	}
	x := newEntity(3)
	plain, peer := x.a, x.m
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	c := ka.New(wire.Settings{})
	for v, dst := range map[model.Version]*[]byte{model.V0x0001: &s.plain, model.V0x0002: &s.table} {
		a, err := c.Canonical(plain, v)
		must(err)
		*dst, err = c.Archive().Append(nil, a)
		must(err)
	}
	var err error
	s.peer, err = msgp.AppendIntf(nil, peer)
	must(err)
	return s
}

// The functions to compare. Archives are decoded first, so that encoding starts
// from the result of decoding.

func decodeArchive(tb testing.TB, src []byte) func() {
	s := ka.New(wire.Settings{}).Archive()
	return func() {
		a, err := s.Decode(src)
		if err != nil {
			tb.Fatal(err)
		}
		sink += uint64(len(a.Children))
	}
}

func decodePeer(tb testing.TB, src []byte) func() {
	return func() {
		v, _, err := msgp.ReadIntfBytes(src)
		if err != nil {
			tb.Fatal(err)
		}
		sink += uint64(len(v.(map[string]any)))
	}
}

func appendArchive(tb testing.TB, src []byte) func() {
	s := ka.New(wire.Settings{}).Archive()
	a, err := s.Decode(src)
	if err != nil {
		tb.Fatal(err)
	}
	dst := make([]byte, 0, len(src))
	return func() {
		b, err := s.Append(dst, a)
		if err != nil || len(b) != len(src) {
			tb.Fatal(len(b), err)
		}
	}
}

func appendPeer(tb testing.TB, src []byte) func() {
	v, _, err := msgp.ReadIntfBytes(src)
	if err != nil {
		tb.Fatal(err)
	}
	dst := make([]byte, 0, len(src)+1024)
	return func() {
		b, err := msgp.AppendIntf(dst, v)
		if err != nil || len(b) != len(src) {
			tb.Fatal(len(b), err)
		}
	}
}

func keyedArchive(t *testing.T, out *table) {
	s := newScene(t)
	size := func(name string, b []byte) string { return fmt.Sprintf("%s %d bytes", name, len(b)) }
	tree := fmt.Sprintf("msgp into any, the same tree: %d leaves, %s, %s, %s",
		s.leaves, size("0x0001", s.plain), size("0x0002", s.table), size("msgp", s.peer))
	perLeaf := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(s.leaves) }

	plain, table, peer := decodeArchive(t, s.plain), decodeArchive(t, s.table), decodePeer(t, s.peer)
	d := best(side{"0x0001", plain}, side{"0x0002", table}, side{"msgp", peer})
	n := []float64{allocs(plain), allocs(table), allocs(peer)}
	for i, v := range []string{"0x0001", "0x0002"} {
		atMost(t, out, "keyed archive, read, "+v, tree,
			fmt.Sprintf("%.1f against %.1f ns per leaf", perLeaf(d[i]), perLeaf(d[2])), float64(d[i])/float64(d[2]), 0.5)
		atMost(t, out, "keyed archive, allocations of reading, "+v, "msgp",
			fmt.Sprintf("%.0f against %.0f", n[i], n[2]), n[i]/n[2], 0.5)
	}

	plain, table, peer = appendArchive(t, s.plain), appendArchive(t, s.table), appendPeer(t, s.peer)
	d = best(side{"0x0001", plain}, side{"0x0002", table}, side{"msgp", peer}, side{"walk", walkArchive(t, s.plain)},
		side{"floor", writeArchive(t, s.plain)})
	out.add("keyed archive, gone through without writing", "msgp.AppendIntf",
		fmt.Sprintf("%.1f against %.1f ns per leaf", perLeaf(d[3]), perLeaf(d[2])),
		fmt.Sprintf("%.2f", float64(d[3])/float64(d[2])), "")
	out.add("keyed archive, 0x0001, written without a check into room that is there", "msgp.AppendIntf",
		fmt.Sprintf("%.1f against %.1f ns per leaf", perLeaf(d[4]), perLeaf(d[2])),
		fmt.Sprintf("%.2f", float64(d[4])/float64(d[2])), "")
	n = []float64{allocs(plain), allocs(table)}
	for i, v := range []string{"0x0001", "0x0002"} {
		atMost(t, out, "keyed archive, append, "+v, "msgp.AppendIntf",
			fmt.Sprintf("%.1f against %.1f ns per leaf", perLeaf(d[i]), perLeaf(d[2])), float64(d[i])/float64(d[2]), 0.5)
		if n[i] != 0 {
			t.Errorf("appending %s allocates %.0f times", v, n[i])
		}
	}
}

func benchmark(b *testing.B, size int, run func()) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

func BenchmarkKADecode(b *testing.B) {
	s := newScene(b)
	b.Run("0x0001", func(b *testing.B) { benchmark(b, len(s.plain), decodeArchive(b, s.plain)) })
	b.Run("0x0002", func(b *testing.B) { benchmark(b, len(s.table), decodeArchive(b, s.table)) })
}

func BenchmarkMsgpDecode(b *testing.B) {
	s := newScene(b)
	benchmark(b, len(s.peer), decodePeer(b, s.peer))
}

func BenchmarkKAAppend(b *testing.B) {
	s := newScene(b)
	b.Run("0x0001", func(b *testing.B) { benchmark(b, len(s.plain), appendArchive(b, s.plain)) })
	b.Run("0x0002", func(b *testing.B) { benchmark(b, len(s.table), appendArchive(b, s.table)) })
}

func BenchmarkMsgpAppend(b *testing.B) {
	s := newScene(b)
	benchmark(b, len(s.peer), appendPeer(b, s.peer))
}
