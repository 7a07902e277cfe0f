package codec

import (
	"fmt"

	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ubi"
)

// The documents do not fix the arguments of Array, Pair and PairArray. The
// instances here cover the arrays of real files, elements of fixed size, of
// variable size, and nesting.
func ubiTypes() []*Type {
	return []*Type{
		ubiType((*ubi.Codec).FileMagic),
		ubiType((*ubi.Codec).BasicString),
		ubiType((*ubi.Codec).BasicWString),
		ubiType((*ubi.Codec).EncryptedString),
		ubiType((*ubi.Codec).Vector2),
		ubiType((*ubi.Codec).Vector3),
		ubiType((*ubi.Codec).Vector4),
		ubiType((*ubi.Codec).Quaternion),
		ubiType((*ubi.Codec).Matrix22),
		ubiType((*ubi.Codec).Matrix33),
		ubiType((*ubi.Codec).Matrix44),
		ubiType((*ubi.Codec).Color),
		ubiType((*ubi.Codec).Box),
		ubiArray((*ubi.Codec).Uint32),
		ubiArray((*ubi.Codec).Uint16),
		ubiArray((*ubi.Codec).Uint8),
		ubiArray((*ubi.Codec).Vector3),
		ubiArray((*ubi.Codec).Matrix44),
		ubiArray((*ubi.Codec).BasicString),
		ubiArray((*ubi.Codec).EncryptedString),
		ubiArray((*ubi.Codec).CompressedQuaternionU32),
		ubiArray(func(c *ubi.Codec) wire.Structure[model.Array[uint32]] { return ubi.ArrayOf(c.Uint32()) }),
		ubiPairArray((*ubi.Codec).Uint32, (*ubi.Codec).Uint32),
		ubiPairArray((*ubi.Codec).BasicString, (*ubi.Codec).BasicString),
		ubiPairArray((*ubi.Codec).BasicString,
			func(c *ubi.Codec) wire.Structure[model.Array[model.Vector3]] { return ubi.ArrayOf(c.Vector3()) }),
		ubiPair((*ubi.Codec).Uint32, (*ubi.Codec).Float32),
		ubiPair((*ubi.Codec).BasicString, (*ubi.Codec).Vector3),
		ubiType((*ubi.Codec).CompressedQuaternion3U16),
		ubiType((*ubi.Codec).Quaternion3U16),
		ubiType((*ubi.Codec).CompressedQuaternionU32),
		ubiType((*ubi.Codec).QuaternionU32),
	}
}

func ubiType[T any](accessor func(*ubi.Codec) wire.Structure[T]) *Type {
	return newType(map[string]string{"order": "little"}, accessor,
		func(s wire.Settings, context map[string]string) (*ubi.Codec, error) {
			switch context["order"] {
			case "little":
			case "big":
				s.BigEndian = true
			default:
				return nil, fmt.Errorf("codec: order: expected little or big, found %q", context["order"])
			}
			return ubi.New(s), nil
		})
}

func ubiArray[T any](elem func(*ubi.Codec) wire.Structure[T]) *Type {
	return ubiType(func(c *ubi.Codec) wire.Structure[model.Array[T]] { return ubi.ArrayOf(elem(c)) })
}

func ubiPair[K, V any](key func(*ubi.Codec) wire.Structure[K], value func(*ubi.Codec) wire.Structure[V]) *Type {
	return ubiType(func(c *ubi.Codec) wire.Structure[model.Pair[K, V]] { return ubi.PairOf(key(c), value(c)) })
}

func ubiPairArray[K, V any](key func(*ubi.Codec) wire.Structure[K], value func(*ubi.Codec) wire.Structure[V]) *Type {
	return ubiType(func(c *ubi.Codec) wire.Structure[model.PairArray[K, V]] { return ubi.PairArrayOf(key(c), value(c)) })
}
