package uasset_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

var rock = texturesample.Texture{Name: "T_Rock", Format: model.DXT1, Width: 8, Height: 8}

// TestDiagnoses: a valid file of another kind is rejected, and the error names that kind. The
// vectors have most kinds, and the snapshots the texts; here are the bounds between the
// versions, and a file of a newer engine that is split.
func TestDiagnoses(t *testing.T) {
	version := func(v uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[4:], v)
			return b
		}
	}
	newerSplit := func(b []byte) []byte {
		binary.LittleEndian.PutUint32(b[165:], binary.LittleEndian.Uint32(b[61:])+108) // the end of the exports
		return b[:binary.LittleEndian.Uint32(b[24:])]
	}
	for _, c := range []struct {
		change func([]byte) []byte
		class  wire.Class
		offset int
		clause string
		says   string
	}{
		{version(0xFFFFFFF8), wire.Version, 4, "UA-SUM-2", "Unreal Engine 5"},
		{version(0xFFFFFFFA), wire.Version, 4, "UA-SUM-2", "earlier Unreal Engine 4"},
		{version(0xFFFFFFFE), wire.Version, 4, "UA-SUM-2", "earlier Unreal Engine 4"},
		{version(0xFFFFFFFF), wire.Version, 4, "UA-SUM-2", "expected file version -7, found -1;"},
		{version(0), wire.Version, 4, "UA-SUM-2", "expected file version -7, found 0;"},
		{version(2), wire.Version, 4, "UA-SUM-2", "Unreal Engine 1 or 2, version 2"},
		{version(3), wire.Version, 4, "UA-SUM-2", "cache of the asset registry of Unreal Engine 4, version 3"},
		{version(13), wire.Version, 4, "UA-SUM-2", "cache of the asset registry of Unreal Engine 4, version 13"},
		{version(14), wire.Version, 4, "UA-SUM-2", "Unreal Engine 1 or 2, version 14"},
		{version(178), wire.Version, 4, "UA-SUM-2", "Unreal Engine 1 or 2, version 178"},
		{version(179), wire.Version, 4, "UA-SUM-2", "Unreal Engine 3, or of a later Unreal Engine 2, version 179"},
		{newerSplit, wire.Unsupported, 165, "UA-SUM-13", "newer engine"},
		{newerSplit, wire.Unsupported, 165, "UA-SUM-13", ".uexp"},
	} {
		_, err := uasset.New(wire.Settings{}).Package().Decode(c.change(testrun.Must(texturesample.File(rock))))
		e, ok := errors.AsType[*wire.Error](err)
		if !ok || e.Class != c.class || e.Offset != c.offset || string(e.Clause) != c.clause ||
			!strings.Contains(e.Detail, c.says) {
			t.Errorf("%v, want %s at %d by %s that says %q", err, c.class, c.offset, c.clause, c.says)
		}
	}
}
