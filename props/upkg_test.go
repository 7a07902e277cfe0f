package props

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	upkgcodec "github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/model/upkg"
)

// TestUpkgChanges: after changes in several rounds, Rebuild gives a package that
// can be encoded, that decodes to the same value, and in which each byte of
// Data is at its old offset. So is each object in it. Rebuilding it again
// changes nothing.
func TestUpkgChanges(t *testing.T) {
	typ, _ := codec.Find("upkg.Package")
	rapid.Check(t, func(rt *rapid.T) {
		c := upkgcodec.New(wire.Settings{Profile: drawProfile(rt, "upkg")})
		rebuild := func(p upkg.Package) (upkg.Package, error) {
			laid, _, err := c.Rebuild(p)
			return laid, err
		}
		var sound upkg.Package
		drawSound(rt, typ, func(p upkg.Package) bool {
			p.Exports = slices.Clone(p.Exports)
			for range rapid.IntRange(0, 3).Draw(rt, "objects") {
				if len(p.Data) == 0 {
					break
				}
				d := rapid.SampledFrom(p.Data).Draw(rt, "chunk")
				from := rapid.IntRange(0, len(d.Bytes)-1).Draw(rt, "from")
				at := upkg.CompactIndex(d.Offset) + upkg.CompactIndex(from)
				size := rapid.IntRange(1, len(d.Bytes)-from).Draw(rt, "size")
				p.Exports = append(p.Exports, upkg.ExportEntry{SerialSize: upkg.CompactIndex(size), SerialOffset: &at})
			}
			// Profiles differ for objects without data.
			p.Exports = slices.DeleteFunc(p.Exports, func(e upkg.ExportEntry) bool { return e.SerialSize <= 0 })
			// References outside tables are valid only under one side.
			p.Imports = []upkg.ImportEntry{}
			for i := range p.Exports {
				e := &p.Exports[i]
				e.Class, e.Super, e.Group, e.ObjectName = upkg.ObjectReference{}, upkg.ObjectReference{}, upkg.ObjectReference{}, 0
			}
			p.Names = append([]upkg.NameEntry{{Name: upkg.Name{Text: "None"}}}, p.Names...)
			laid, err := rebuild(p)
			if err == nil {
				_, err = c.Package().Append(nil, laid)
			}
			sound = p
			return err == nil
		})
		p, file := rebuilt(rt, c.Package(), rebuild, sound)
		for round := range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			before := textOf(rt, p)
			next, file2 := rebuilt(rt, c.Package(), rebuild, changedTables(rt, p, round))
			if textOf(rt, p) != before {
				rt.Fatal("Rebuild changes its argument")
			}
			for _, d := range p.Data {
				if got := file2[d.Offset:][:len(d.Bytes)]; !bytes.Equal(got, d.Bytes) {
					rt.Fatalf("data at %d: %x instead of %x", d.Offset, got, d.Bytes)
				}
			}
			for i := range p.Exports {
				e := &p.Exports[i]
				from, to := *e.SerialOffset, *e.SerialOffset+e.SerialSize
				if inside(p.Data, from, to) && !bytes.Equal(file[from:to], file2[from:to]) {
					rt.Fatalf("export %d has other bytes", i)
				}
			}
			p, file = next, file2
		}
	})
}

func inside(data []upkg.Chunk, from, to upkg.CompactIndex) bool {
	return slices.ContainsFunc(data, func(d upkg.Chunk) bool {
		return from >= upkg.CompactIndex(d.Offset) && to <= upkg.CompactIndex(d.Offset)+upkg.CompactIndex(len(d.Bytes))
	})
}

// rebuilt rebuilds a package and returns it decoded again, and the file. The
// rebuilt package decodes to itself, and a second rebuild changes nothing.
func rebuilt[T any](rt *rapid.T, s wire.Structure[T], rebuild func(T) (T, error), p T) (T, []byte) {
	laid := testrun.Must(rebuild(p))
	b := testrun.Must(s.Append(nil, laid))
	got, err := s.Decode(b)
	if err != nil || !tree.Equal(mustTree(rt, got), mustTree(rt, laid)) {
		rt.Fatalf("the encoded package decodes to another value: %v", err)
	}
	again, err := rebuild(got)
	if err != nil || !sameValue(rt, again, got) {
		rt.Fatalf("a second Rebuild gives %v, %v", again, err)
	}
	return got, b
}

// changedTables renames, appends and removes entries.
func changedTables(rt *rapid.T, p upkg.Package, round int) upkg.Package {
	p.Names, p.Imports, p.Exports, p.Heritages = slices.Clone(p.Names), slices.Clone(p.Imports), slices.Clone(p.Exports),
		slices.Clone(p.Heritages)
	chance := func(label string) bool { return rapid.Bool().Draw(rt, label) }
	if chance("rename") {
		i := rapid.IntRange(0, len(p.Names)-1).Draw(rt, "name")
		p.Names[i].Name.Text = strings.Repeat("r", rapid.IntRange(0, 100).Draw(rt, "length"))
	}
	if chance("remove") && len(p.Exports) > 0 {
		p.Exports = p.Exports[:len(p.Exports)-1]
	}
	if chance("add names") {
		p.Names = append(p.Names, upkg.NameEntry{Name: upkg.Name{Text: fmt.Sprintf("Added%d", round)}, Flags: 7})
	}
	name := upkg.CompactIndex(len(p.Names) - 1)
	if chance("add imports") {
		p.Imports = append(p.Imports, inVersion(p.Header.Version, upkg.ImportEntry{ClassPackage: name, ObjectName: name}))
	}
	if chance("add exports") {
		at := upkg.CompactIndex(rapid.IntRange(0, 300).Draw(rt, "offset"))
		p.Exports = append(p.Exports, upkg.ExportEntry{ObjectName: name, SerialSize: 1, SerialOffset: &at})
	}
	if p.Header.Heritage != nil && p.Header.Version >= 42 && chance("add heritages") {
		p.Heritages = append(p.Heritages, [16]byte{byte(round)})
	}
	return p
}

// inVersion returns the form of an entry in a version: below 50, a name instead of
// a reference.
func inVersion(version uint16, e upkg.ImportEntry) upkg.ImportEntry {
	if version < 50 {
		name := e.ObjectName
		e.Package, e.PackageName = upkg.ObjectReference{}, &name
	}
	return e
}
