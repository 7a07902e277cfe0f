package uasset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/internal/testrun"
	model "github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec/ids"
)

var dataTables = []string{
	"uasset/hb415_Array.uasset", "uasset/hb415_Map.uasset", "uasset/hb415_Normal.uasset",
	"uasset/hb415_Set.uasset",
}

func sameBytes(t *testing.T, c *uasset.Codec, f model.Package, want []byte) {
	t.Helper()
	got := testrun.Must(c.Package().Append(nil, f))
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes were written, which differ from the original %d", len(got), len(want))
	}
}

// TestRealRebuild: each real package that is read is written again byte for byte, also after
// Rebuild, which computes each hash of a name that the engine wrote. It survives a longer
// name: each offset of its objects that are in the file moves, or the error names the object
// and its class.
func TestRealRebuild(t *testing.T) {
	c := uasset.New(wire.Settings{})
	files, err := filepath.Glob(filepath.Join(realfile.Path(t, "uasset"), "*.uasset"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var tables []string
	renamed, rejected := 0, map[string]int{}
	for _, path := range files {
		src := testrun.Must(os.ReadFile(path))
		f, err := c.Package().Decode(src)
		if errors.Is(err, wire.Unsupported) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		sameBytes(t, c, f, src)
		if len(f.Objects) == 1 && f.Objects[0].Properties != nil && f.Objects[0].Texture == nil &&
			f.ClassName(&f.Exports[0]) == "DataTable" {
			tables = append(tables, filepath.Base(path))
		}
		same, done, err := c.Rebuild(f)
		if err != nil || len(done.Moved)+len(done.Unread) > 0 {
			t.Errorf("%s: %+v, %v", path, done, err)
			continue
		}
		sameBytes(t, c, same, src)
		uasset.AddName(&f, strings.Repeat("n", 36)) // 45 bytes
		got, _, err := c.Rebuild(f)
		if fault, ok := errors.AsType[*wire.Error](err); ok && fault.Clause == "UA-PKG-18" {
			_, class, ok := strings.Cut(err.Error(), "\" of class \"")
			if class, _, _ = strings.Cut(class, "\""); !ok {
				t.Errorf("%s: %v", path, err)
			}
			rejected[class]++
			continue
		}
		b, err := c.Package().Append(nil, got)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for i := range f.Exports {
			old, now := objectBytes(src, &f.Exports[i]), objectBytes(b, &got.Exports[i])
			if now = unmoved(old, now, f.Exports[i].SerialOffset, 45); !bytes.Equal(now, old) {
				t.Errorf("%s: object %d has other bytes, or offsets that do not move", path, i)
			}
		}
		renamed++
	}
	t.Logf("%d with a longer name, rejected by class: %v", renamed, rejected)
	if renamed == 0 {
		t.Error("no package was renamed")
	}
	for _, path := range dataTables {
		if !slices.Contains(tables, filepath.Base(path)) {
			t.Errorf("%s was not read as a data table", path)
		}
	}
}

func objectBytes(file []byte, e *model.Export) []byte {
	return file[e.SerialOffset:][:e.SerialSize]
}

// unmoved returns an object with the offsets as they were before it moved by some
// bytes: the 32-bit numbers that gave an offset in the object and that have grown
// by as much. If a bulk header with an inline payload has not moved, the result
// is another object.
func unmoved(old, now []byte, at, by uint32) []byte {
	now = slices.Clone(now)
	for i := 0; i+4 <= len(old) && len(old) == len(now); i++ {
		v := binary.LittleEndian.Uint32(old[i:])
		inside := at <= v && v <= at+uint32(len(old))
		if inside && binary.LittleEndian.Uint32(now[i:]) == v+by {
			binary.LittleEndian.PutUint32(now[i:], v)
		} else if header := i - 12; header >= 0 && v == at+uint32(i)+8 &&
			old[header]&0x40 != 0 && bytes.Equal(old[header+4:header+8], old[header+8:i]) {
			return nil
		}
	}
	return now
}

// TestRealPackageAsDocumented: the documented profile reads the header and the
// tables of this file, but not the list in its object.
func TestRealPackageAsDocumented(t *testing.T) {
	src := realfile.Read(t, "uasset/hb415_Set.uasset")
	c := uasset.New(wire.Settings{Profile: ids.Documented()})
	f := testrun.Must(c.Package().Decode(src))
	if len(f.Names) != 36 || len(f.Imports) != 4 || len(f.Exports) != 1 {
		t.Errorf("%d names, %d imports, %d exports", len(f.Names), len(f.Imports), len(f.Exports))
	}
	if o := f.Objects[0]; o.Properties != nil || len(o.Data) != int(f.Exports[0].SerialSize) {
		t.Errorf("the object is read as the properties %v and %d bytes", o.Properties, len(o.Data))
	}
	sameBytes(t, c, f, src)

	// The other three have other PackageFlags. The document has a constant there.
	for _, name := range dataTables[:3] {
		_, err := c.Package().Decode(realfile.Read(t, name))
		if e, ok := errors.AsType[*wire.Error](err); !ok || e.Class != wire.Value || e.Offset != 37 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRealPackagesOfAnotherEngine: packages of 4.18, split in two files.
func TestRealPackagesOfAnotherEngine(t *testing.T) {
	for _, name := range []string{"uasset/ue418_T_Worm_D.uasset", "uasset/ue418_T_Worm_N.uasset"} {
		src := realfile.Read(t, name)
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			_, err := uasset.New(wire.Settings{Profile: p}).Package().Decode(src)
			e, ok := errors.AsType[*wire.Error](err)
			if !ok || e.Class != wire.Unsupported || e.Offset != 165 || e.Clause != "UA-SUM-13" {
				t.Fatalf("%s: %v", name, err)
			}
			for _, part := range []string{"newer engine", "4.16 or later", "104 bytes", ".uexp"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %q does not say %q", name, err, part)
				}
			}
		}
	}
}
