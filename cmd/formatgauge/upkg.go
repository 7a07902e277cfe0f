package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/internal/printable"
)

func newUpkg() *cobra.Command {
	return group(&cobra.Command{
		Use:   "upkg",
		Short: "Show Unreal Engine 1 and 2 packages",
		Long: `Upkg contains a further command for packages of Unreal Engine 1 and 2. Other
files, and packages with the layout of a licensee, are rejected; the error says
what they are.`,
		Example: `  formatgauge upkg info Core.u`,
	}, newUpkgInfo())
}

func newUpkgInfo() *cobra.Command {
	return newInfo(&cobra.Command{
		Short: "List the tables and classes of a package, and what does not fit together",
		Long: `Info prints four lists:
  the tables, with the number of entries, offset and size of each
  the classes, with the number of objects of each and the size of their data
  the bytes that belong neither to the header nor to a table or object
  the indices and references outside their table, and the objects outside the data`,
		Example: `  formatgauge upkg info Core.u`,
	}, "upkg.Package", describeUpkg)
}

// byteRange is a range of bytes in a file.
type byteRange struct{ from, to int64 }

func describeUpkg(f *upkg.Package, size int) []byte {
	var b bytes.Buffer
	h := &f.Header
	fmt.Fprintf(&b, "package of version %d, licensee %d, flags %08x: %s\n\n", h.Version, h.Licensee, h.Flags,
		count(size, "byte"))
	describeTables(&b, f, int64(size))
	describeClasses(&b, f)

	unexplained := unexplainedBytes(f)
	total := int64(0)
	for _, r := range unexplained {
		total += r.to - r.from
	}
	fmt.Fprintf(&b, "\nbytes outside header, tables and objects: %d in %s\n", total, count(len(unexplained), "range"))
	for _, r := range unexplained {
		fmt.Fprintf(&b, "  %d to %d: %s\n", r.from, r.to-1, count(int(r.to-r.from), "byte"))
	}

	dangling := pointsNowhere(f, int64(size))
	fmt.Fprintf(&b, "\nindices, references and objects that point outside: %d\n", len(dangling))
	for _, s := range dangling {
		fmt.Fprintf(&b, "  %s\n", s)
	}
	return b.Bytes()
}

func describeTables(b io.Writer, f *upkg.Package, size int64) {
	type table struct {
		name    string
		entries int
		offset  uint32
	}
	h := &f.Header
	tables := []table{
		{"names", len(f.Names), h.NameOffset},
		{"imports", len(f.Imports), h.ImportOffset},
		{"exports", len(f.Exports), h.ExportOffset},
	}
	if h.Heritage != nil {
		tables = append(tables, table{"heritages", len(f.Heritages), h.Heritage.Offset})
	}
	// Each table extends to the next part of the file.
	starts := []int64{size}
	for _, d := range f.Data {
		starts = append(starts, int64(d.Offset))
	}
	for _, t := range tables {
		if t.entries > 0 {
			starts = append(starts, int64(t.offset))
		}
	}
	slices.Sort(starts)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "table\tentries\toffset\tbytes")
	for _, t := range tables {
		n := int64(0)
		if t.entries > 0 {
			i, _ := slices.BinarySearch(starts, int64(t.offset)+1)
			n = starts[i] - int64(t.offset)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", t.name, t.entries, t.offset, n)
	}
	w.Flush()
	if h.Identity != nil {
		fmt.Fprintf(b, "%s\n", count(len(h.Identity.Generations), "generation"))
	}
}

func describeClasses(b io.Writer, f *upkg.Package) {
	type class struct{ objects, bytes int64 }
	classes := map[string]class{}
	for i := range f.Exports {
		e := &f.Exports[i]
		name := className(f, e)
		c := classes[name]
		c.objects++
		c.bytes += max(0, int64(e.SerialSize))
		classes[name] = c
	}
	fmt.Fprintln(b)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "class\tobjects\tbytes")
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		fmt.Fprintf(w, "%s\t%d\t%d\n", name, classes[name].objects, classes[name].bytes)
	}
	w.Flush()
}

// className returns the name of the class to which an export refers.
func className(f *upkg.Package, e *upkg.ExportEntry) string {
	if e.Class.Table == upkg.Null {
		return "Class"
	}
	name, ok := upkg.ClassName(f, e)
	if !ok {
		return fmt.Sprintf("%s %d (missing)", e.Class.Table, e.Class.Entry)
	}
	return printable.Quoted(name)
}

// objectRange returns the bytes of an object. ok is false if it has none.
func objectRange(e *upkg.ExportEntry) (r byteRange, ok bool) {
	if e.SerialOffset == nil || e.SerialSize <= 0 {
		return byteRange{}, false
	}
	return byteRange{int64(*e.SerialOffset), int64(*e.SerialOffset) + int64(e.SerialSize)}, true
}

// unexplainedBytes returns the ranges of data outside all objects.
func unexplainedBytes(f *upkg.Package) []byteRange {
	var objects []byteRange
	for i := range f.Exports {
		if r, ok := objectRange(&f.Exports[i]); ok {
			objects = append(objects, r)
		}
	}
	slices.SortFunc(objects, func(a, b byteRange) int { return cmp.Compare(a.from, b.from) })
	var out []byteRange
	i, explained := 0, int64(0) // all bytes before explained that objects cover are taken into account
	for _, d := range f.Data {
		at, end := int64(d.Offset), int64(d.Offset)+int64(len(d.Bytes))
		at = max(at, min(explained, end))
		for ; i < len(objects) && objects[i].from < end; i++ {
			if o := objects[i]; o.from > at {
				out = append(out, byteRange{at, o.from})
			}
			explained = max(explained, objects[i].to)
			at = max(at, min(explained, end))
		}
		if at < end {
			out = append(out, byteRange{at, end})
		}
	}
	return out
}

// pointsNowhere describes the indices, references and objects that point outside
// their table or outside the data.
func pointsNowhere(f *upkg.Package, size int64) []string {
	var out []string
	name := func(table string, i int, field string, v upkg.CompactIndex) {
		if v < 0 || int64(v) >= int64(len(f.Names)) {
			out = append(out, fmt.Sprintf("%s[%d].%s: name %d of %d", table, i, field, v, len(f.Names)))
		}
	}
	reference := func(table string, i int, field string, r upkg.ObjectReference) {
		n := len(f.Imports)
		if r.Table == upkg.Export {
			n = len(f.Exports)
		}
		if r.Table != upkg.Null && r.Entry >= uint64(n) {
			out = append(out, fmt.Sprintf("%s[%d].%s: %s %d of %d", table, i, field, r.Table, r.Entry, n))
		}
	}
	for i := range f.Imports {
		e := &f.Imports[i]
		name("imports", i, "classPackage", e.ClassPackage)
		name("imports", i, "className", e.ClassName)
		reference("imports", i, "package", e.Package)
		if e.PackageName != nil {
			name("imports", i, "packageName", *e.PackageName)
		}
		name("imports", i, "objectName", e.ObjectName)
	}
	for i := range f.Exports {
		e := &f.Exports[i]
		reference("exports", i, "class", e.Class)
		reference("exports", i, "super", e.Super)
		reference("exports", i, "group", e.Group)
		name("exports", i, "objectName", e.ObjectName)
		r, ok := objectRange(e)
		switch {
		case !ok:
		case r.from < 0 || r.to > size:
			out = append(out, fmt.Sprintf("exports[%d]: %d bytes at offset %d, the file has %d", i, e.SerialSize, r.from, size))
		case !slices.ContainsFunc(f.Data, func(d upkg.Chunk) bool {
			return r.from >= int64(d.Offset) && r.to <= int64(d.Offset)+int64(len(d.Bytes))
		}):
			out = append(out, fmt.Sprintf("exports[%d]: %d bytes at offset %d, in the header or a table", i,
				e.SerialSize, r.from))
		}
	}
	return out
}
