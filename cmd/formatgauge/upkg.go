package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
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
		Short: "List the tables, classes and objects of a package, and what does not fit together",
		Long: `Info prints five lists:
  the tables, with the number of entries, offset and size of each, and the GUID
  the classes, with the number of objects of each and the size of their data
  the bytes that belong neither to the header nor to a table or object
  the indices and references outside their table, and the objects outside the data
  the objects, with name, class, offset and size`,
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

	describeInconsistencies(&b, slices.Collect(upkg.Inconsistencies(f, size)))
	describeExports(&b, f)
	return b.Bytes()
}

// describeInconsistencies lists what does not fit together.
func describeInconsistencies(b *bytes.Buffer, all []wire.Inconsistency) {
	fmt.Fprintf(b, "\nindices, references and objects that point outside: %d\n", len(all))
	for _, f := range all {
		fmt.Fprintf(b, "  %s\n", f)
	}
}

// describeExports writes a line per object.
func describeExports(b *bytes.Buffer, f *upkg.Package) {
	empty := 0
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "row\tobject\tclass\toffset\tbytes")
	for i := range f.Exports {
		e, offset := &f.Exports[i], "-"
		if r, ok := objectRange(e); ok {
			offset = strconv.FormatInt(r.from, 10)
		} else {
			empty++
		}
		name, ok := f.NameAt(e.ObjectName)
		if name = printable.Quoted(name); !ok {
			name = fmt.Sprintf("name %d (missing)", e.ObjectName)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\n", i, name, className(f, e), offset, e.SerialSize)
	}
	fmt.Fprintf(b, "\nobjects: %d, without bytes: %d\n", len(f.Exports), empty)
	w.Flush()
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
		g := h.Identity.Guid
		var words [4]uint32 // as the engine prints them
		_, _ = binary.Decode(g[:], binary.LittleEndian, &words)
		fmt.Fprintf(b, "GUID %08X%08X%08X%08X, %s\n", words[0], words[1], words[2], words[3],
			count(len(h.Identity.Generations), "generation"))
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
	name, ok := f.ClassName(e)
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
