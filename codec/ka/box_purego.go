//go:build purego

package ka

import model "github.com/formatgauge/formatgauge/model/ka"

func boxSmall[T model.Value](_ *slabs, _ model.Type, v T) model.Value { return v }

func boxLong[T model.Value](_ *slabs, _ model.Type, v T) model.Value { return v }

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
