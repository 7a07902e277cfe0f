package uasset_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

func sample(t *testing.T, textures ...texturesample.Texture) []byte {
	t.Helper()
	b, err := texturesample.File(textures...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var rock = texturesample.Texture{Name: "T_Rock", Format: model.DXT1, Width: 8, Height: 8}

// TestDiagnoses: a valid file of another kind is rejected, and the error names
// that kind.
func TestDiagnoses(t *testing.T) {
	const (
		atVersion, atEngine, atExports, atRegistry, atPreload = 4, 12, 61, 165, 185
	)
	put := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[at:], v)
			return b
		}
	}
	exportBytes := func(n uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[atRegistry:], binary.LittleEndian.Uint32(b[atExports:])+n)
			return b
		}
	}
	header := func(b []byte) []byte { return b[:binary.LittleEndian.Uint32(b[24:])] }
	type diagnosis struct {
		name   string
		change func([]byte) []byte
		class  wire.Class
		offset int
		clause string
		says   []string
	}
	version := func(name string, v uint32, says ...string) diagnosis {
		return diagnosis{name, put(atVersion, v), wire.Version, 4, "UA-SUM-2", says}
	}
	for _, c := range []diagnosis{
		{
			"a picture", func([]byte) []byte { return []byte("\x89PNG\r\n\x1a\n") }, wire.Magic, 0, "UA-SUM-1",
			[]string{"not an Unreal package"},
		},
		{"swapped", put(0, 0xC1832A9E), wire.Unsupported, 0, "UA-SUM-1", []string{"byte-swapped", "big-endian"}},
		version("engine 5", 0xFFFFFFF8, "Unreal Engine 5", "-8"),
		version("early engine 4", 0xFFFFFFFA, "earlier Unreal Engine 4", "-6"),
		version("engine 1", 0x00000045, "Unreal Engine 1 or 2", "69", "upkg.Package"),
		version("cache", 3, "cache of the asset registry", "version 3"),
		version("later cache", 13, "cache of the asset registry", "version 13"),
		version("before the caches", 2, "Unreal Engine 1 or 2, version 2"),
		version("after the caches", 14, "Unreal Engine 1 or 2, version 14"),
		version("engine 3", 0x00000240, "Unreal Engine 3, or of a later Unreal Engine 2", "576"),
		version("no engine", 0xFFFFFFFF, "expected file version -7, found -1"),
		{
			"an editor's", put(atEngine, 510), wire.Version, 12, "UA-SUM-3",
			[]string{"as an editor saves it", "expected fileVersionUE4 0, found 510"},
		},
		{"4.13", exportBytes(76), wire.Unsupported, 165, "UA-SUM-13", []string{"older engine", "4.12 or 4.13", "72 bytes"}},
		{
			"4.18", exportBytes(108), wire.Unsupported, 165, "UA-SUM-13",
			[]string{"newer engine", "4.16 or later", "104 bytes"},
		},
		{
			"4.18, split", func(b []byte) []byte { return header(exportBytes(108)(b)) }, wire.Unsupported, 165, "UA-SUM-13",
			[]string{"newer engine", ".uexp"},
		},
		{"short header", put(45, 181), wire.Reference, 45, "UA-SUM-20", []string{"181", "an earlier engine"}},
		{"long header", put(45, 197), wire.Reference, 45, "UA-SUM-20", []string{"197", "a later engine"}},
		{"split", header, wire.Unsupported, 24, "UA-PKG-6", []string{"split in two", ".uexp"}},
		{
			"event-driven, split", func(b []byte) []byte { return header(put(atPreload, 0)(b)) }, wire.Unsupported, 185,
			"UA-SUM-15",
			[]string{"split in two", ".uexp", "event-driven loader", "found a list of 0 preload"},
		},
		{"4.18 with references", func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[77:], 1)
			return put(81, binary.LittleEndian.Uint32(b[atExports:])+108)(b)
		}, wire.Unsupported, 81, "UA-SUM-13", []string{"newer engine", "4.16 or later"}},
		{"gatherable texts", put(49, 3), wire.Unsupported, 49, "UA-SUM-8", []string{"gatherable text", "found 3"}},
		{
			"event-driven", put(atPreload, 2), wire.Unsupported, 185, "UA-SUM-15",
			[]string{"event-driven loader", "2 preload dependencies"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := uasset.New(wire.Settings{}).Package().Decode(c.change(sample(t, rock)))
			e, ok := errors.AsType[*wire.Error](err)
			if !ok {
				t.Fatalf("error %v", err)
			}
			if e.Class != c.class || e.Offset != c.offset || string(e.Clause) != c.clause {
				t.Errorf("%s at %d by %s, want %s at %d by %s", e.Class, e.Offset, e.Clause, c.class, c.offset, c.clause)
			}
			for _, s := range c.says {
				if !strings.Contains(e.Detail, s) {
					t.Errorf("%q does not say %q", e.Detail, s)
				}
			}
		})
	}
}
