package filekind_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/filekind"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func of(t *testing.T, src string) filekind.Kind {
	t.Helper()
	k, err := filekind.Of(strings.NewReader(src), int64(len(src)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// dvpl returns data with the footer of DVPL. The sum is wrong.
func dvpl(data string, how byte) string {
	return data + string([]byte{0, 0, 0, 0, byte(len(data)), 0, 0, 0, 0, 0, 0, 0, how, 0, 0, 0}) + "DVPL"
}

// The bytes are those of the public descriptions of these formats.
func TestOf(t *testing.T) {
	const tag, pak = "\xc1\x83\x2a\x9e", "\xe1\x12\x6f\x5a"
	for src, want := range map[string]string{
		"KA\x01\x00\x00\x00\x00\x00": "whole ka.Archive: a keyed archive",
		"KA\x02\xff":                 "whole ka.Archive: a keyed archive",
		"KA":                         "whole ka.Archive: a keyed archive",
		"KAREN: hello":               "foreign: plain text",
		"K":                          "unknown: an unknown file that begins with 4b",
		tag:                          "whole upkg.Package: an Unreal package that ends after its tag",
		tag + "\x45\x00\x00\x00":     "whole upkg.Package: a package of Unreal Engine 1 or 2, version 69",
		tag + "\x80\x00\x1d\x00":     "whole upkg.Package: a package of Unreal Engine 1 or 2, version 128",
		tag + "\xb2\x00\x01\x00":     "whole upkg.Package: a package of Unreal Engine 1 or 2, version 178",
		tag + "\xb3\x00\x00\x00":     "unsupported: possibly a package of Unreal Engine 3, or of a later Unreal Engine 2, version 179",
		tag + "\x00\x02\x7f\x00":     "unsupported: possibly a package of Unreal Engine 3, or of a later Unreal Engine 2, version 512",
		"\xc2\x83\x2a\x9e":           "whole upkg.Package: a package of Red Orchestra or Killing Floor",
		"\xc3\x83\x2a\x9e\x80\x00":   "unknown: an unknown file that begins with c3 83 2a 9e 80 00",
		tag + "\x0d\x00\x00\x00":     "unsupported: a cache of the asset registry of Unreal Engine 4, version 13",
		tag + "\x03\x00\x00\x00":     "unsupported: a cache of the asset registry of Unreal Engine 4, version 3",
		tag + "\x0e\x00\x00\x00":     "whole upkg.Package: a package of Unreal Engine 1 or 2, version 14",
		tag + "\x00\x00\x02\x00\x10": "unsupported: compressed data of Unreal Engine 3 or later; unpack it first",
		tag + "\x00\x00\x00\x00\x00\x00\x02\x00" +
			"\x00\x00\x00\x00": "unsupported: compressed data of Unreal Engine 3 or later; unpack it first",
		tag + "\xf9\xff\xff\xff":              "whole uasset.Package: a package of Unreal Engine 4 or 5, file version -7",
		"\x9e\x2a\x83\xc1\x00\x00\x02\x00":    "unsupported: a byte-swapped Unreal package, for a big-endian platform",
		"ubi/b0-l\x01\x00":                    "header ubi.FileMagic: a file of Myst IV",
		"SFV2\x16\x00\x00\x00":                "holder: a scene of DAVA (SFV2)",
		"SCPG\x01\x00\x00\x00":                "holder: a geometry file of DAVA (SCPG)",
		dvpl("\x50abcde", 2):                  "unsupported: compressed (DVPL); unpack it first",
		dvpl("KA\x01\x00\x00\x00\x00\x00", 0): "holder: packed without compression (DVPL); unpack it to read it as a whole",
		"\x00\x00\x00\x00\x07\x00\x00\x00" +
			tag: "unsupported: the objects of a package split in two files (.uexp)",
		"\x07\x00" + pak + strings.Repeat("\x01", 40):                  "unsupported: an Unreal archive (.pak); unpack it first",
		"\x07\x00" + pak + strings.Repeat("\x01", 168):                 "unsupported: an Unreal archive (.pak); unpack it first",
		"\x07\x00" + pak + strings.Repeat("\x01", 200):                 "unsupported: an Unreal archive (.pak); unpack it first",
		"\x07\x00" + pak + strings.Repeat("\x01", 50):                  "unknown: an unknown file that begins with 07 00 e1 12 6f 5a 01 01",
		"L\x00i\x00n\x00e\x00a\x00g\x00e\x002\x00V\x00e\x00r\x001\x00": "unsupported: an encrypted file of Lineage II",
		"\xd2\x04\x00\x00\x08Core.u\x00":                               "unsupported: a compressed Unreal package (.uz); unpack it first",
		"PK\x03\x04\x14\x00":                                           "foreign: a ZIP archive",
		"\x89PNG\r\n\x1a\n\x00":                                        "foreign: a PNG picture",
		"\x00" + strings.Repeat("\x02", 30) + "TRUEVISION-XFILE.\x00":  "foreign: a TGA picture",
		"":                             "foreign: an empty file",
		"[Core.System]\r\nPaths=..":    "foreign: plain text",
		"Größe = 3 in Windows: \xdf\n": "foreign: plain text",
		strings.Repeat("日本語", 2000):    "foreign: plain text",
		"\xff\xfea\x00b\x00":           "foreign: plain text (UTF-16)",
		"\x80":                         "unknown: an unknown file that begins with 80",
		"\x01\x02\x03":                 "unknown: an unknown file that begins with 01 02 03",
		// The compression does not exist, or a byte of the footer is missing.
		"\x01" + dvpl("\x50abcde", 4): "unknown: an unknown file that begins with 01 50 61 62 63 64 65 00",
		dvpl("", 2)[1:]:               "unknown: an unknown file that begins with 00 00 00 00 00 00 00 00",
	} {
		k := of(t, src)
		if got := strings.TrimSpace(string(k.Group)+" "+k.Type) + ": " + k.Name; got != want {
			t.Errorf("%.40q: %s, want %s", src, got, want)
		}
	}
}

// TestFooter: each field of the footer of DVPL is compared with the data. The sums are
// those of zip.
func TestFooter(t *testing.T) {
	right := "\x50abcde\x20\x00\x00\x00\x06\x00\x00\x00\x2c\x86\xe9\xfe\x02\x00\x00\x00DVPL"
	stored := strings.Replace(strings.Replace(right, "\x20", "\x06", 1), "\x02\x00\x00\x00D", "\x00\x00\x00\x00D", 1)
	for src, want := range map[string]string{
		right:                                   "",
		stored:                                  "",
		"text":                                  "",
		strings.Replace(right, "abc", "abd", 1): "footer.crc",
		strings.Replace(right, "\xfe", "\xff", 1): "footer.crc",
		strings.Replace(right, "\x06", "\x05", 1): "footer.size",
		right[1:]: "footer.size footer.crc",
		strings.Replace(stored, "\x06", "\x07", 1): "footer.unpackedSize",
		stored[:len(stored)-1]:                     "",
	} {
		found, err := filekind.FooterInconsistencies(strings.NewReader(src), int64(len(src)))
		var got []string
		for _, f := range found {
			got = append(got, f.Path)
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%q: %v, %v, want %s", src, found, err, want)
		}
	}
}

// TestLines: each line of the list is read, and its bytes alone give its kind.
func TestLines(t *testing.T) {
	for _, m := range filekind.Marks() {
		groups := []filekind.Group{filekind.Holder, filekind.Unsupported, filekind.LFS, filekind.Foreign}
		if m.Kind.Name == "" || m.Bytes == "" || !slices.Contains(groups, m.Kind.Group) {
			t.Errorf("%+v", m)
		}
		src := m.Bytes
		switch {
		case m.At > 0:
			src = strings.Repeat("\x01", m.At) + src
		case m.At < 0:
			src = "\x01" + src + strings.Repeat("\x01", -m.At-len(src))
		}
		if k := of(t, src); k != m.Kind {
			t.Errorf("%q is %+v, want %+v", src, k, m.Kind)
		}
	}
}

// TestVectors: a vector of a file that is accepted is a file of its type.
func TestVectors(t *testing.T) {
	n := 0
	for _, v := range corpustest.All(t) {
		files := []string{"ka.Archive", "upkg.Package", "uasset.Package"}
		e := v.Select(ids.Observed())
		if !slices.Contains(files, v.Type) || e == nil || e.Outcome == corpus.Reject || e.Outcome == corpus.Encodes {
			continue
		}
		n++
		if k := of(t, string(v.Bytes)); k.Type != v.Type {
			t.Errorf("%s is %+v", v.ID, k)
		}
	}
	if n < 100 {
		t.Errorf("only %d vectors", n)
	}
}

func TestRealFiles(t *testing.T) {
	for name, want := range map[string]string{
		"ka/newTest.dat": "ka.Archive", "upkg/load_umx_invalid_objname.umx": "upkg.Package",
		"uasset/ue418_T_Worm_D.uasset": "uasset.Package",
		"ka/tanksbox.sc2":              "", "README.md": "",
	} {
		if k := of(t, string(realfile.Read(t, name))); k.Type != want {
			t.Errorf("%s is %+v", name, k)
		}
	}
}

func TestHint(t *testing.T) {
	for src, want := range map[string]string{
		"":                "",
		"KA\x01\x00":      "",
		"\x01":            "",
		"PK\x03\x04":      "the file is a ZIP archive",
		dvpl("\x50ab", 1): "the file is compressed (DVPL); unpack it first",
	} {
		if got := filekind.Hint([]byte(src)); got != want {
			t.Errorf("%q: %q", src, got)
		}
	}
}

// TestUnreadable: an error of the file is returned, and a file that has become shorter is
// none.
func TestUnreadable(t *testing.T) {
	if k, err := filekind.Of(bytes.NewReader([]byte("PK\x03\x04")), 100); err != nil || k.Name != "a ZIP archive" {
		t.Errorf("%+v, %v", k, err)
	}
}
