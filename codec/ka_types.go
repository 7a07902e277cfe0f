package codec

import (
	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
)

func kaTypes() []*Type {
	return append([]*Type{
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
	}, kaValueTypes()...)
}

// kaType describes one structure. None has a context: a part of an archive is
// read as in a 0x0001 archive (KA-VAL-2) or as if an empty table were in force.
func kaType[T any](accessor func(*ka.Codec) wire.Structure[T]) *Type {
	return newType(map[string]string{}, accessor,
		func(s wire.Settings, _ map[string]string) (*ka.Codec, error) { return ka.New(s), nil })
}
