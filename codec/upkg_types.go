package codec

import (
	"fmt"
	"strconv"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

func upkgTypes() []*Type {
	return []*Type{
		upkgType(upkg.IntegerOf[uint8]),
		upkgType(upkg.IntegerOf[uint16]),
		upkgType(upkg.IntegerOf[uint32]),
		upkgType(upkg.IntegerOf[uint64]),
		upkgType(upkg.IntegerOf[int8]),
		upkgType(upkg.IntegerOf[int16]),
		upkgType(upkg.IntegerOf[int32]),
		upkgType(upkg.IntegerOf[int64]),
		upkgType((*upkg.Codec).CompactIndex),
		upkgVersionType[model.Name]((*upkg.Codec).Name),
		upkgType((*upkg.Codec).ObjectReference),
		upkgType((*upkg.Codec).Header),
		upkgVersionType[model.NameEntry]((*upkg.Codec).NameEntry),
		upkgVersionType[model.ImportEntry]((*upkg.Codec).ImportEntry),
		upkgVersionType[model.ExportEntry]((*upkg.Codec).ExportEntry),
		upkgType((*upkg.Codec).Package),
	}
}

func upkgType[T any](accessor func(*upkg.Codec) wire.Structure[T]) *Type {
	return newType(map[string]string{}, accessor,
		func(s wire.Settings, _ map[string]string) (*upkg.Codec, error) { return upkg.New(s), nil })
}

// upkgVersionType lists a type whose form depends on the version of its
// package.
func upkgVersionType[T any](accessor func(*upkg.Codec, uint16) wire.Structure[T]) *Type {
	type versioned struct {
		*upkg.Codec
		version uint16
	}
	return newType(map[string]string{"version": "69"},
		func(c versioned) wire.Structure[T] { return accessor(c.Codec, c.version) },
		func(s wire.Settings, context map[string]string) (c versioned, err error) {
			v, err := strconv.ParseUint(context["version"], 10, 16)
			if err != nil {
				return c, fmt.Errorf("codec: version: expected a number from 0 to 65535, found %q", context["version"])
			}
			return versioned{upkg.New(s), uint16(v)}, nil
		})
}
