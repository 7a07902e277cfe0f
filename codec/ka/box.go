package ka

import (
	"math"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// Go copies a value that is converted to an interface to a block of its own:
// two allocations per pair of an archive. Where boxes is true, an interface is
// built from the address of a value in a slab instead, which does not change
// any more.

// boxSmall boxes a value without pointers of at most 64 bytes, aligned to 4.
func boxSmall[T model.Value](s *slabs, t model.Type, v T) model.Value {
	if boxes {
		return boxCopy(s, t, v)
	}
	return v
}

// boxWord boxes a value of four bytes.
func boxWord(t model.Type, p *uint32) model.Value {
	if boxes {
		return box(t, p)
	}
	switch t {
	case model.TypeInt32:
		return model.Int32(*p)
	case model.TypeFloat:
		return model.Float(math.Float32frombits(*p))
	}
	return model.Uint32(*p)
}

// boxLong boxes a value of eight bytes.
func boxLong(t model.Type, p *uint64) model.Value {
	if boxes {
		return box(t, p)
	}
	switch t {
	case model.TypeInt64:
		return model.Int64(*p)
	case model.TypeFloat64:
		return model.Float64(math.Float64frombits(*p))
	}
	return model.Uint64(*p)
}

// boxText boxes a text of a slab as one of the four types of text, which have
// the same layout.
func boxText(t model.Type, p *model.String) model.Value {
	if boxes {
		return box(t, p)
	}
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

func boxBytes(p *model.ByteArray) model.Value {
	if boxes {
		return box(model.TypeByteArray, p)
	}
	return *p
}

func boxArray(p *model.Array) model.Value {
	if boxes {
		return box(model.TypeArray, p)
	}
	return *p
}

func boxArchive(p *model.KeyedArchive) model.Value {
	if boxes {
		return box(model.TypeKeyedArchive, p)
	}
	return *p
}
