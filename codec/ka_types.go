package codec

import (
	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
)

func kaTypes() []*Type {
	return []*Type{
		kaType((*ka.Codec).Archive),
		kaType((*ka.Codec).Header),
		kaType((*ka.Codec).BodyV0x0001),
		kaType((*ka.Codec).BodyV0x0002),
		kaType((*ka.Codec).FastNameString),
		kaType((*ka.Codec).BodyV0x0002Pair),
		kaType((*ka.Codec).BodyV0x0102),
		kaType((*ka.Codec).BodyV0x0102Pair),
		kaType((*ka.Codec).BodyV0xff02),
		kaType((*ka.Codec).Pair),
		kaType((*ka.Codec).Value),
		kaType((*ka.Codec).ValueHeader),
		kaType((*ka.Codec).None),
		kaType((*ka.Codec).Boolean),
		kaType((*ka.Codec).Int32),
		kaType((*ka.Codec).Float),
		kaType((*ka.Codec).String),
		kaType((*ka.Codec).WideString),
		kaType((*ka.Codec).ByteArray),
		kaType((*ka.Codec).Uint32),
		kaType((*ka.Codec).KeyedArchive),
		kaType((*ka.Codec).Int64),
		kaType((*ka.Codec).Uint64),
		kaType((*ka.Codec).Vector2),
		kaType((*ka.Codec).Vector3),
		kaType((*ka.Codec).Vector4),
		kaType((*ka.Codec).Matrix2),
		kaType((*ka.Codec).Matrix3),
		kaType((*ka.Codec).Matrix4),
		kaType((*ka.Codec).Color),
		kaType((*ka.Codec).FastName),
		kaType((*ka.Codec).AABBox3),
		kaType((*ka.Codec).FilePath),
		kaType((*ka.Codec).Float64),
		kaType((*ka.Codec).Int8),
		kaType((*ka.Codec).Uint8),
		kaType((*ka.Codec).Int16),
		kaType((*ka.Codec).Uint16),
		kaType((*ka.Codec).Rect),
		kaType((*ka.Codec).Array),
		kaType((*ka.Codec).Quaternion),
		kaType((*ka.Codec).Transform),
		kaType((*ka.Codec).AABBox2),
	}
}

// kaType describes one structure. None has a context: a part of an archive is
// read as in a 0x0001 archive (KA-VAL-2) or as if an empty table were in force.
func kaType[T any](make func(*ka.Codec) wire.Structure[T]) *Type {
	return newType(map[string]string{},
		func(s wire.Settings, _ map[string]string) (wire.Structure[T], error) { return make(ka.New(s)), nil })
}
