package upkg_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

func packageOf(t *testing.T, vector string) (upkg.Package, []byte) {
	t.Helper()
	v := corpustest.Find(t, vector)
	return testrun.Must(upkg.DecodePackage(v.Bytes)), v.Bytes
}

// rebuilt returns a package that Rebuild accepts, what it has done, and the bytes.
func rebuilt(t *testing.T, p upkg.Package) (out upkg.Package, done upkg.Rebuilt, b []byte) {
	t.Helper()
	out, done, err := upkg.New(upkg.Settings{}).Rebuild(p)
	if err != nil {
		t.Fatal(err)
	}
	return out, done, testrun.Must(upkg.AppendPackage(nil, out))
}

// TestRebuildLayout: a package with data before, between and after the tables.
// Names are at 57 to 99, imports at 101 to 108, exports at 111 to 141, and the
// file has 145 bytes.
func TestRebuildLayout(t *testing.T) {
	zeros := strings.Repeat("00", 42) // in place of the names; the imports have 7 bytes, the exports 30
	rename := func(text string) func(*upkg.Package) {
		return func(p *upkg.Package) { p.Names[3].Name.Text = text }
	}
	for _, c := range []struct {
		name                    string
		change                  func(*upkg.Package)
		names, imports, exports uint32 // offsets
		size                    int
		data                    string
	}{
		{"nothing", func(*upkg.Package) {}, 57, 101, 111, 145, "56:b0 99:b1b1 108:b2b2b2 141:b3b3b3b3"},
		{"a name of the same length", rename("Other"), 57, 101, 111, 145, "56:b0 99:b1b1 108:b2b2b2 141:b3b3b3b3"},
		{"a shorter name", rename("Oth"), 57, 101, 111, 145, "56:b0 97:0000b1b1 108:b2b2b2 141:b3b3b3b3"},
		{"a longer name", rename("Others"), 145, 101, 111, 188, "56:b0" + zeros[:84] + "b1b1 108:b2b2b2 141:b3b3b3b3"},
		{
			"another import", func(p *upkg.Package) { p.Imports = append(p.Imports, p.Imports[0]) }, 57, 145, 111, 159,
			"56:b0 99:b1b1" + zeros[:14] + "b2b2b2 141:b3b3b3b3",
		},
		{"all tables longer", func(p *upkg.Package) {
			p.Names = append(p.Names, p.Names[3])
			p.Imports = append(p.Imports, p.Imports[0])
			p.Exports = append(p.Exports, p.Exports[0])
		}, 145, 242, 198, 256, "56:b0" + zeros[:84] + "b1b1" + zeros[:14] + "b2b2b2" + zeros[:60] + "b3b3b3b3"},
		{
			"no export", func(p *upkg.Package) { p.Exports = nil }, 57, 101, 111, 145,
			"56:b0 99:b1b1 108:b2b2b2" + zeros[:60] + "b3b3b3b3",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, old := packageOf(t, "upkg/Package/data-everywhere")
			c.change(&p)
			out, _, b := rebuilt(t, p)
			var data []string
			for _, d := range out.Data {
				data = append(data, strconv.Itoa(int(d.Offset))+":"+hex.EncodeToString(d.Bytes))
			}
			h := out.Header
			if got := strings.Join(data, " "); got != c.data || h.NameOffset != c.names || h.ImportOffset != c.imports ||
				h.ExportOffset != c.exports {
				t.Errorf("names at %d, imports at %d, exports at %d, data %s", h.NameOffset, h.ImportOffset, h.ExportOffset, got)
			}
			if len(b) != c.size {
				t.Errorf("%d bytes", len(b))
			}
			if c.name == "nothing" && !bytes.Equal(b, old) {
				t.Error("an unchanged package changes")
			}
		})
	}
}

// TestRebuildEmpty: a table without rows, before and after, keeps its offset.
func TestRebuildEmpty(t *testing.T) {
	p, src := packageOf(t, "upkg/Package/empty-version-69")
	if out, _, b := rebuilt(t, p); !bytes.Equal(b, src) {
		t.Errorf("an unchanged package has the header %+v", out.Header)
	}
}

func TestRebuildLastTableGrowsInPlace(t *testing.T) {
	p, _ := packageOf(t, "upkg/Package/version-61")
	p.Exports = append(p.Exports, p.Exports[1])
	p.Heritages = append(p.Heritages, [16]byte{1})
	out, done, _ := rebuilt(t, p)
	if len(done.Warnings) != 0 {
		t.Fatal(done)
	}
	// Exports are the last table, from 109 on: 26 bytes, and 12 of the new entry.
	if h := out.Header; h.ExportOffset != 109 || h.ExportCount != 3 || h.Heritage.Offset != 147 || h.Heritage.Count != 2 {
		t.Errorf("header %+v, heritage %+v", h, h.Heritage)
	}
	if p.Header.Heritage.Count != 1 {
		t.Error("Rebuild changes its argument")
	}
}

// TestRebuildOld: below version 42 no heritages are stored, and their offset stays
// that of the names. Below 50 an import names its package.
func TestRebuildOld(t *testing.T) {
	p, _ := packageOf(t, "upkg/Package/version-41")
	p.Names[3].Name.Text = "Others"
	out, _, b := rebuilt(t, p)
	if h := out.Header; h.NameOffset == p.Header.NameOffset || h.Heritage.Offset != h.NameOffset ||
		h.Heritage.Count != 1 {
		t.Errorf("names at %d, heritage %+v", h.NameOffset, h.Heritage)
	}
	if again := testrun.Must(upkg.DecodePackage(b)); again.Names[3].Name.Text != "Others" || *again.Imports[0].PackageName != 1 {
		t.Errorf("%+v", again)
	}
	p.Heritages = [][16]byte{{}}
	if _, _, err := upkg.New(upkg.Settings{}).Rebuild(p); err == nil {
		t.Error("a heritage is accepted")
	}
	p, _ = packageOf(t, "upkg/Package/version-44")
	p.Names, p.Imports[1].ObjectName, p.Exports[1].ObjectName = p.Names[:4], 0, 0
	var e *upkg.Error
	if _, _, err := upkg.New(upkg.Settings{}).Rebuild(p); !errors.As(err, &e) || e.Path != "imports[1].packageName" {
		t.Errorf("a removed name of a package: %v", err)
	}
}

// TestRebuildEncodings: padded indices are written as they are stored, until the
// layout changes.
func TestRebuildEncodings(t *testing.T) {
	p, src := packageOf(t, "upkg/Package/padded-size-in-a-table")
	p.Names[3].Name.Text = "Other"
	src = bytes.Replace(src, []byte("Thing"), []byte("Other"), 1)
	out, done, b := rebuilt(t, p)
	if len(out.Encodings) != 2 {
		t.Fatal(out.Encodings)
	}
	want := []string{"exports[0]: its 1 bytes at offset 50 are not inside one chunk of data and may change"}
	if !bytes.Equal(b, src) || !slices.Equal(done.Warnings, want) {
		t.Errorf("%x, %q", b, done.Warnings)
	}
	p.Names[3].Name.Text = "Others"
	out, done, b = rebuilt(t, p)
	if out.Encodings != nil || len(p.Encodings) != 2 {
		t.Fatal(out.Encodings)
	}
	want = append(want, "encodings: 2 indices or names get the form that a writer chooses")
	if !slices.Equal(done.Warnings, want) {
		t.Errorf("warnings %q", done.Warnings)
	}
	again := testrun.Must(upkg.DecodePackage(b))
	if again.Names[3].Name.Text != "Others" || *again.Exports[0].SerialOffset != 50 || again.Encodings != nil {
		t.Errorf("%+v", again)
	}
}

// TestRebuildSignature: the tag of Red Orchestra and Killing Floor is kept.
func TestRebuildSignature(t *testing.T) {
	p, src := packageOf(t, "upkg/Package/signature-of-killing-floor")
	p.Names[1].Name.Text = "Engine"
	if _, _, b := rebuilt(t, p); !bytes.Equal(b[:4], src[:4]) || !bytes.Contains(b, []byte("\x07Engine\x00")) {
		t.Errorf("% x", b)
	}
}

func TestRebuildGenerations(t *testing.T) {
	p, _ := packageOf(t, "upkg/Package/version-128-licensee-29")
	p.Names = append(p.Names, p.Names[0])
	out, _, _ := rebuilt(t, p)
	if got, want := out.Header.Identity.Generations[0], (upkg.Generation{ExportCount: 2, NameCount: 5}); got != want {
		t.Errorf("the last generation has %+v", got)
	}
	if p.Header.Identity.Generations[0].NameCount != 4 {
		t.Error("Rebuild changes its argument")
	}
	p.Header.Identity.Generations[0].ExportCount = 1
	if out, _, _ = rebuilt(t, p); out.Header.Identity.Generations[0].NameCount != 4 {
		t.Error("a generation with other counts changes")
	}
}

func TestRebuildRejects(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*upkg.Package)
		path   string
	}{
		{"a name that an import needs", func(p *upkg.Package) { p.Names = p.Names[:3] }, "imports[0].objectName"},
		{
			"a name that an export needs", func(p *upkg.Package) { p.Names, p.Imports[0].ObjectName = p.Names[:3], 0 },
			"exports[0].objectName",
		},
		{"an import that an export needs", func(p *upkg.Package) { p.Imports = nil }, "exports[0].class"},
		{"an export that an export needs", func(p *upkg.Package) {
			p.Exports = p.Exports[:1]
			p.Exports[0].Group = upkg.ReferenceTo(2)
		}, "exports[0].group"},
		{"a name without an encoding", func(p *upkg.Package) {
			p.Names[0].Name = upkg.Name{Text: "\xff", Wide: true}
		}, "names[0].name.text"},
		{"heritages at version 69", func(p *upkg.Package) { p.Heritages = [][16]byte{{}} }, "heritages"},
		{"a longer header", func(p *upkg.Package) {
			p.Header.Identity.Generations = make([]upkg.Generation, 1)
		}, "header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := packageOf(t, "upkg/Package/data-everywhere")
			c.change(&p)
			_, _, err := upkg.New(upkg.Settings{}).Rebuild(p)
			e, ok := errors.AsType[*upkg.Error](err)
			if !ok || e.Class != "range" || e.Path != c.path || e.Type != "upkg.Package" || e.Clause == "" {
				t.Errorf("error %#v", err)
			}
		})
	}
}

// TestRebuildClaims: offsets that no file had allocate nothing.
func TestRebuildClaims(t *testing.T) {
	for name, change := range map[string]func(*upkg.Package){
		"a removed export": func(p *upkg.Package) { p.Header.ExportCount, p.Header.ExportOffset = 1, 0xFFFFF000 },
		"an export": func(p *upkg.Package) {
			p.Header.ImportCount, p.Header.ImportOffset = 1, 0xFFFFF000
			p.Imports = make([]upkg.ImportEntry, 1)
		},
		"many exports": func(p *upkg.Package) {
			h := &p.Header
			h.ExportCount, h.ExportOffset, h.ImportCount, h.ImportOffset = 1<<16, 64, 1, 0xFFFFFFFE
		},
		"tables and a chunk": func(p *upkg.Package) {
			h := &p.Header
			h.NameCount, h.NameOffset, h.ExportCount, h.ExportOffset, h.ImportCount, h.ImportOffset = 1, 56, 1, 1000, 1, 2000
			p.Data = []upkg.Chunk{{Offset: 0xFFFFFFF0, Bytes: []byte{1}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := packageOf(t, "upkg/Package/empty-version-69")
			change(&p)
			var err error
			used := testrun.Allocated(func() { _, _, err = upkg.New(upkg.Settings{}).Rebuild(p) })
			if e, ok := errors.AsType[*upkg.Error](err); !ok || e.Class != "range" {
				t.Errorf("error %v", err)
			}
			if used > 1<<20 {
				t.Errorf("%d bytes are allocated", used)
			}
		})
	}
}

func TestRebuildWarnings(t *testing.T) {
	p, _ := packageOf(t, "upkg/Package/data-everywhere")
	p.Exports = p.Exports[:1]
	out, done, _ := rebuilt(t, p)
	if want := []string{"exports: entries 1 to 1 were removed, and the data of objects was not searched for " +
		"references to them"}; !slices.Equal(done.Warnings, want) {
		t.Errorf("warnings %q", done.Warnings)
	}
	if out.Header.ExportCount != 1 || out.Header.ExportOffset != 111 {
		t.Errorf("header %+v", out.Header)
	}
	p, _ = packageOf(t, "upkg/Package/data-everywhere")
	_, done, _ = rebuilt(t, p)
	if want := []string{"exports[1]: its 1000 bytes at offset 100000 are not inside one chunk of data and may change"}; !slices.Equal(done.Warnings, want) {
		t.Errorf("warnings %q", done.Warnings)
	}
}

// TestRebuildReal: an unchanged real package stays the same, and a longer name
// moves no byte of an object.
func TestRebuildReal(t *testing.T) {
	for _, file := range []string{"upkg/TestUC1.u", "upkg/TestUC2.u"} {
		t.Run(file, func(t *testing.T) {
			src := realfile.Read(t, file)
			p := testrun.Must(upkg.DecodePackage(src))
			if _, done, b := rebuilt(t, p); !bytes.Equal(b, src) || len(done.Warnings) != 0 {
				t.Error("an unchanged package changes", done)
			}
			p.Names[len(p.Names)-1].Name.Text += "_renamed"
			_, done, b := rebuilt(t, p)
			again := testrun.Must(upkg.DecodePackage(b))
			if len(done.Warnings) != 0 || again.Names[len(p.Names)-1] != p.Names[len(p.Names)-1] {
				t.Fatal(done, again.Names)
			}
			objects := 0
			for i, e := range again.Exports {
				if e.SerialOffset == nil {
					continue
				}
				objects++
				from := *p.Exports[i].SerialOffset
				if to := from + p.Exports[i].SerialSize; *e.SerialOffset != from || e.SerialSize != p.Exports[i].SerialSize ||
					!bytes.Equal(b[from:to], src[from:to]) {
					t.Errorf("export %d has another object", i)
				}
			}
			if objects == 0 {
				t.Error("no object was compared")
			}
		})
	}
}

// TestNewPackage: a new package of each form of the header can be written and read.
func TestNewPackage(t *testing.T) {
	for _, version := range []uint16{0, 41, 42, 67, 68, 178} {
		b := testrun.Must(upkg.AppendPackage(nil, upkg.NewPackage(version, 7)))
		p, err := upkg.DecodePackage(b)
		if err != nil || p.Header.Version != version || p.Header.Licensee != 7 || p.Header.Signature != upkg.Signature {
			t.Errorf("%+v, %v", p.Header, err)
		}
	}
	if _, err := upkg.AppendPackage(nil, upkg.NewPackage(179, 0)); !errors.Is(err, upkg.ClassRange) {
		t.Error(err)
	}
}
