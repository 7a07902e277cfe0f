package main

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

//go:embed schema/upkg-info.json
var upkgInfoSchema []byte

// upkgInfo is the JSON form; schema/upkg-info.json describes it.
type upkgInfo struct {
	Version         uint16               `json:"version"`
	Licensee        uint16               `json:"licensee"`
	Flags           uint32               `json:"flags"`
	Bytes           int                  `json:"bytes"`
	GUID            string               `json:"guid,omitempty"` // as the engine prints it
	Generations     int                  `json:"generations"`
	Tables          []upkgTable          `json:"tables"`
	Classes         []upkgClass          `json:"classes"`
	Outside         []byteRange          `json:"outside"`
	Inconsistencies []wire.Inconsistency `json:"inconsistencies"`
	Objects         []upkgObject         `json:"objects"`
}

type upkgTable struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
	Offset  uint32 `json:"offset"`
	Bytes   int64  `json:"bytes"`
}

type upkgClass struct {
	Name    string `json:"name"`
	Objects int    `json:"objects"`
	Bytes   int64  `json:"bytes"`
}

// byteRange is a range of bytes in a file, without the one at To.
type byteRange struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Bytes returns the length of a range.
func (r byteRange) Bytes() int { return int(r.To - r.From) }

// Last returns the offset of the last byte.
func (r byteRange) Last() int64 { return r.To - 1 }

type upkgObject struct {
	Name   string `json:"name"`
	Class  string `json:"class"`
	Offset *int64 `json:"offset,omitempty"` // nil without bytes
	Bytes  int64  `json:"bytes"`
}

func describeUpkg(f *upkg.Package, size int) any {
	h := &f.Header
	out := &upkgInfo{
		Version: h.Version, Licensee: h.Licensee, Flags: h.Flags, Bytes: size, Tables: upkgTables(f, int64(size)),
		Outside: outsideBytes(f), Inconsistencies: slices.AppendSeq([]wire.Inconsistency{}, upkg.Inconsistencies(f, size)),
		Classes: []upkgClass{}, Objects: []upkgObject{},
	}
	if h.Identity != nil {
		g := h.Identity.Guid
		var words [4]uint32
		_, _ = binary.Decode(g[:], binary.LittleEndian, &words)
		out.GUID = fmt.Sprintf("%08X%08X%08X%08X", words[0], words[1], words[2], words[3])
		out.Generations = len(h.Identity.Generations)
	}
	classes := map[string]upkgClass{}
	for i := range f.Exports {
		e := &f.Exports[i]
		o := upkgObject{Class: className(f, e), Bytes: int64(e.SerialSize)}
		if r, ok := objectRange(e); ok {
			o.Offset = &r.From
		}
		var ok bool
		if o.Name, ok = f.NameAt(e.ObjectName); !ok {
			o.Name = fmt.Sprintf("name %d (missing)", e.ObjectName)
		}
		out.Objects = append(out.Objects, o)
		c := classes[o.Class]
		classes[o.Class] = upkgClass{o.Class, c.Objects + 1, c.Bytes + max(0, o.Bytes)}
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		out.Classes = append(out.Classes, classes[name])
	}
	return out
}

// Empty returns the number of objects without bytes.
func (i *upkgInfo) Empty() (n int) {
	for _, o := range i.Objects {
		if o.Offset == nil {
			n++
		}
	}
	return n
}

// AllOutside returns the number of bytes outside header, tables and objects.
func (i *upkgInfo) AllOutside() (n int) {
	for _, r := range i.Outside {
		n += r.Bytes()
	}
	return n
}

func upkgTables(f *upkg.Package, size int64) []upkgTable {
	h := &f.Header
	tables := []upkgTable{
		{"names", len(f.Names), h.NameOffset, 0},
		{"imports", len(f.Imports), h.ImportOffset, 0},
		{"exports", len(f.Exports), h.ExportOffset, 0},
	}
	if h.Heritage != nil {
		tables = append(tables, upkgTable{"heritages", len(f.Heritages), h.Heritage.Offset, 0})
	}
	// Each table extends to the next part of the file.
	starts := []int64{size}
	for _, d := range f.Data {
		starts = append(starts, int64(d.Offset))
	}
	for _, t := range tables {
		if t.Entries > 0 {
			starts = append(starts, int64(t.Offset))
		}
	}
	slices.Sort(starts)
	for i, t := range tables {
		if t.Entries > 0 {
			at, _ := slices.BinarySearch(starts, int64(t.Offset)+1)
			tables[i].Bytes = starts[at] - int64(t.Offset)
		}
	}
	return tables
}

// className returns the name of the class to which an export refers.
func className(f *upkg.Package, e *upkg.ExportEntry) string {
	if e.Class.Table == upkg.Null {
		return "Class"
	}
	name, ok := f.ClassName(e)
	if !ok {
		return fmt.Sprintf("%s %d (missing)", e.Class.Table, e.Class.Entry)
	}
	return name
}

// objectRange returns the bytes of an object. ok is false if it has none.
func objectRange(e *upkg.ExportEntry) (r byteRange, ok bool) {
	if e.SerialOffset == nil || e.SerialSize <= 0 {
		return byteRange{}, false
	}
	return byteRange{int64(*e.SerialOffset), int64(*e.SerialOffset) + int64(e.SerialSize)}, true
}

// outsideBytes returns the ranges of data outside all objects.
func outsideBytes(f *upkg.Package) []byteRange {
	var objects []byteRange
	for i := range f.Exports {
		if r, ok := objectRange(&f.Exports[i]); ok {
			objects = append(objects, r)
		}
	}
	slices.SortFunc(objects, func(a, b byteRange) int { return cmp.Compare(a.From, b.From) })
	out := []byteRange{}
	i, explained := 0, int64(0) // all bytes before explained that objects cover are taken into account
	for _, d := range f.Data {
		at, end := int64(d.Offset), int64(d.Offset)+int64(len(d.Bytes))
		at = max(at, min(explained, end))
		for ; i < len(objects) && objects[i].From < end; i++ {
			if o := objects[i]; o.From > at {
				out = append(out, byteRange{at, o.From})
			}
			explained = max(explained, objects[i].To)
			at = max(at, min(explained, end))
		}
		if at < end {
			out = append(out, byteRange{at, end})
		}
	}
	return out
}
