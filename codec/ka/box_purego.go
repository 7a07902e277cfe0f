//go:build purego

package ka

import (
	"math"

	model "github.com/formatgauge/formatgauge/model/ka"
)

func boxSmall[T model.Value](_ *slabs, _ model.Type, v T) model.Value { return v }

func boxWord(t model.Type, p *uint32) model.Value {
	switch t {
	case model.TypeInt32:
		return model.Int32(*p)
	case model.TypeFloat:
		return model.Float(math.Float32frombits(*p))
	}
	return model.Uint32(*p)
}

func boxFloats(model.Type, []uint32) model.Value { return nil }

const boxesFloats = false

func boxLong(t model.Type, p *uint64) model.Value {
	switch t {
	case model.TypeInt64:
		return model.Int64(*p)
	case model.TypeFloat64:
		return model.Float64(math.Float64frombits(*p))
	}
	return model.Uint64(*p)
}

func boxText(t model.Type, p *model.String) model.Value {
	switch t {
	case model.TypeWideString:
		return model.WideString(*p)
	case model.TypeFastName:
		return model.FastName(*p)
	case model.TypeFilePath:
		return model.FilePath(*p)
	}
	return *p
}

func boxBytes(p *model.ByteArray) model.Value { return *p }

func boxArray(p *model.Array) model.Value { return *p }

func boxArchive(p *model.KeyedArchive) model.Value { return *p }
