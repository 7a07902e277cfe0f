package uasset_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// nestedLists returns nested lists: each is the MaterialTextureInfo of a
// property. The names are those of deepScope.
func nestedLists(levels int) []byte {
	row := func(b []byte, i uint32) []byte {
		return append(binary.LittleEndian.AppendUint32(b, i), 0, 0, 0, 0)
	}
	list := row(nil, 0)
	for range levels - 1 {
		b := row(row(nil, 1), 2) // name, type
		b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
		b = row(append(b, 0, 0, 0, 0), 3)    // ArrayIndex, name of the struct
		b = append(b, make([]byte, 16+1)...) // GUID of the struct, GUID byte
		list = row(append(b, list...), 0)
	}
	return list
}

var deepScope = uasset.Scope{Names: []string{"None", "P", "StructProperty", "MaterialTextureInfo"}}

// TestObjectBeyondTheLimit: a body whose list exceeds the limit of depth is
// rejected. It is not read as a body without a list, since a reader with
// another limit would disagree (UA-OBJ-4).
func TestObjectBeyondTheLimit(t *testing.T) {
	s := uasset.New(wire.Settings{}).In(deepScope).Object()
	o, err := s.Decode(nestedLists(64))
	if err != nil || o.Properties == nil || len(o.Data) > 0 {
		t.Errorf("64 levels: %+v, %v", o, err)
	}
	var fault *wire.Error
	if _, err = s.Decode(nestedLists(65)); !errors.As(err, &fault) || fault.Class != wire.Limit {
		t.Errorf("65 levels: %v", err)
	}
	// A body without a list is kept as data. A list cannot be written as data.
	if o, err = s.Decode(nestedLists(65)[:100]); err != nil || o.Properties != nil || len(o.Data) != 100 {
		t.Errorf("a list cut short: %+v, %v", o, err)
	}
	for _, levels := range []int{1, 64, 65} {
		if _, err = s.Append(nil, model.Object{Data: nestedLists(levels)}); !errors.As(err, &fault) ||
			fault.Class != wire.Range {
			t.Errorf("%d levels as data: %v", levels, err)
		}
	}
}
