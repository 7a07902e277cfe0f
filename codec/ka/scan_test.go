package ka_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/internal/testrun"
	model "github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// foundAt is the offset and length of an archive that was found, and the number
// of its keys.
type foundAt struct{ Offset, Length, Keys int }

func places(found []ka.Found) (out []foundAt) {
	for _, f := range found {
		out = append(out, foundAt{f.Offset, f.Length, len(f.Archive.Children)})
	}
	return out
}

// TestRealArchives: files of the engine's own tests and two scene containers.
// Every archive is written unchanged and is in canonical order.
func TestRealArchives(t *testing.T) {
	for _, c := range []struct {
		file string
		want []foundAt
	}{
		{"ka/newTest.dat", []foundAt{{0, 665, 16}}},
		{"ka/oldTest.dat", []foundAt{{0, 282, 8}}},
		{"ka/tanksbox.sc2", []foundAt{{12, 8, 0}, {32, 4550, 13}, {4582, 194, 7}, {4776, 472, 8}, {5248, 1125, 8}}},
		// The last two end exactly with the file.
		{"ka/shpere.sc2", []foundAt{{12, 8, 0}, {32, 322, 7}, {354, 18134, 12}, {18488, 194, 7}, {18682, 1072, 8}}},
	} {
		t.Run(c.file, func(t *testing.T) {
			src := realfile.Read(t, c.file)
			codec := ka.New(wire.Settings{})
			found := testrun.Must(codec.Scan(src))
			for _, f := range found {
				part := src[f.Offset : f.Offset+f.Length]
				if b, err := codec.Archive().Append(nil, f.Archive); err != nil || !bytes.Equal(b, part) {
					t.Errorf("the archive at %d is not written as it was: %v", f.Offset, err)
				}
				if b := respelled(codec, f.Archive, f.Archive.Version); !bytes.Equal(b, part) {
					t.Errorf("the archive at %d is not in canonical order", f.Offset)
				}
				a := testrun.Must(codec.Archive().Decode(respelled(codec, f.Archive, model.V0x0002)))
				if b := respelled(codec, a, model.V0x0001); !bytes.Equal(b, part) {
					t.Errorf("the archive at %d does not come back from 0x0002", f.Offset)
				}
			}
			if d := cmp.Diff(c.want, places(found)); d != "" {
				t.Error(d)
			}
		})
	}
}

func respelled(c *ka.Codec, a model.Archive, to model.Version) []byte {
	return testrun.Must(c.Archive().Append(nil, testrun.Must(c.Canonical(a, to))))
}

// TestCanonicalVectors: the writer writes the archives that the corpus calls
// canonical. Their ids and order come from an independent computation.
func TestCanonicalVectors(t *testing.T) {
	c := ka.New(wire.Settings{})
	n, seen := 0, map[uint32]bool{}
	for _, v := range corpustest.Of(t, "ka.Archive") {
		if e := v.Select(ids.Observed()); !strings.HasPrefix(v.ID, "ka/Archive/canonical-") || e == nil ||
			e.Outcome != corpus.Accept {
			continue
		}
		a := testrun.Must(c.Archive().Decode(v.Bytes))
		if a.Version != model.V0x0001 && a.Version != model.V0x0002 {
			continue
		}
		if b := respelled(c, a, a.Version); !bytes.Equal(b, v.Bytes) {
			t.Errorf("%s: written % x, want % x", v.ID, b, v.Bytes)
		}
		n++
		for _, row := range a.FastNames {
			if got := ka.FastNameID(string(row.Name)); got != row.ID {
				t.Errorf("%s: %q has id %08x, want %08x", v.ID, row.Name, got, row.ID)
			}
			seen[row.ID] = true
		}
	}
	if n < 15 || len(seen) < 10 {
		t.Errorf("only %d canonical archives with %d seen", n, len(seen))
	}
}

func TestScan(t *testing.T) {
	c := ka.New(wire.Settings{})
	empty := []byte("KA\x01\x00\x00\x00\x00\x00")
	longer := "KA\x01\x00\x01\x00\x00\x00\x04\x01\x00\x00\x00a\x02\x07\x00\x00\x00"
	for name, tc := range map[string]struct {
		src  string
		want []foundAt
	}{
		"nothing":              {"", nil},
		"a tag alone":          {"KAKAKA", nil},
		"an empty one alone":   {string(empty), []foundAt{{0, 8, 0}}},
		"empty in other bytes": {"..KA" + string(empty) + "..", nil},
		"between other bytes":  {"..KA" + longer + "..", []foundAt{{4, 19, 1}}},
		"one after another":    {string(empty) + string(empty) + longer, []foundAt{{0, 8, 0}, {8, 8, 0}, {16, 19, 1}}},
		"inside a broken one":  {"KA\x01\x00\xff\xff\xff\xff" + longer, []foundAt{{8, 19, 1}}},
		"one inside counts once": {
			"KA\x01\x00\x01\x00\x00\x00\x04\x01\x00\x00\x00a\x08\x08\x00\x00\x00" + string(empty),
			[]foundAt{{0, 27, 1}},
		},
		"a table's child alone":   {"KA\x02\x01\x00\x00\x00\x00", nil},
		"the shortest empty kind": {"KA\x02\xff", []foundAt{{0, 4, 0}}},
	} {
		found, err := c.Scan([]byte(tc.src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(tc.want, places(found)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	p := testrun.Must(ids.Observed().With("ka.magic", "documented"))
	if _, err := ka.New(wire.Settings{Profile: p}).Scan(empty); err == nil {
		t.Error("expected an error for archives without a tag")
	}
	// One pair and a count of two: no archive, also where a reader stops at the end.
	p = testrun.Must(ids.Observed().With("ka.count-past-end", "stop"))
	short := "KA\x01\x00\x02\x00\x00\x00\x04\x06\x00\x00\x00abcdef\x02\x07\x00\x00\x00"
	if found, err := ka.New(wire.Settings{Profile: p}).Scan([]byte(short)); len(found) > 0 || err != nil {
		t.Errorf("with a pair too few: %+v, %v", found, err)
	}
}

// TestScanLarge: the bound of failed attempts grows with an input of any size,
// also where an int has 32 bits.
func TestScanLarge(t *testing.T) {
	const size = 40 << 20
	src := make([]byte, size)
	copy(src, "KA\x01\x00\xFF\xFF\xFF\xFF") // fails
	copy(src[size-8:], "KA\x02\xFF\x00\x00\x00\x00")
	copy(src[size-30:], "KA\x01\x00\x01\x00\x00\x00\x04\x01\x00\x00\x00a\x02\x07\x00\x00\x00") // a pair
	found, err := ka.New(wire.Settings{}).Scan(src)
	if err != nil || len(found) == 0 || found[0].Offset != size-30 || found[0].Length != 19 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestScanMemory: a scan takes at most 64 bytes a byte in every dialect, whatever the
// input. The archives of real files take less than 40.
func TestScanMemory(t *testing.T) {
	u32 := func(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	pair := "\x04\x01\x00\x00\x00a\x01\x01" // a key and true
	nested := func(n int, end string) string {
		for range n {
			end = "KA\x01\x00\x01\x00\x00\x00\x04\x00\x00\x00\x00\x08" + u32(len(end)) + end
		}
		return end
	}
	array := string([]byte{byte(model.TypeArray)})
	const size = 1 << 16
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	inputs := map[string]string{
		"tags":               fill("KA"),
		"versions":           fill("KA\x01\x00"),
		"tables":             strings.Repeat("KA\x02\x00\x00\x01\x00\x00", 2000),
		"tables to the end":  strings.Repeat("KA\x02\x00"+u32(2000*8/6-1), 2000),
		"one row each":       fill("KA\x02\x00\x01\x00\x00\x00\xff\xff"),
		"counts":             fill("KA\x01\x00\x10\x00\x00\x00"),
		"counts of 1":        fill("KA\x01\x00\x01\x00\x00\x00"),
		"versions ff02":      fill("KA\x02\xff"),
		"pairs that fail":    fill("KA\x01\x00\x02\x00\x00\x00" + pair + "\x09"),
		"one pair too many":  "KA\x01\x00" + u32(size/8) + strings.Repeat(pair, size/8-1) + strings.Repeat("\xff", 100),
		"all pairs":          "KA\x01\x00" + u32(size/8) + strings.Repeat(pair, size/8),
		"tags in names":      "KA\x02\x00" + u32(1000) + strings.Repeat("\x08\x00KA\x02\x00\xa0\x00\x00\x00", 1000),
		"empty names":        "KA\x02\x00" + u32(size/8) + strings.Repeat("\x00\x00", size/2),
		"an array of bools":  "KA\x01\x00" + u32(1) + "\x04\x00\x00\x00\x00" + array + u32(size/2) + strings.Repeat("\x01\x01", size/2),
		"a cut array":        "KA\x01\x00" + u32(1) + "\x04\x00\x00\x00\x00" + array + u32(size) + strings.Repeat("\x01\x01", size/4) + fill("\xff"),
		"nested, then fault": strings.Repeat(nested(30, "KA\x01\x00\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff"), 100),
		"nested":             strings.Repeat(nested(30, "KA\x01\x00\x00\x00\x00\x00"), 100),
	}
	dialects := []wire.Settings{{}, {Limits: wire.Limits{MaxCount: 1 << 30}}}
	family, _ := spec.FindFamily("ka")
	for _, p := range family.Departures() {
		if p.Base() == ids.SideObserved {
			dialects = append(dialects, wire.Settings{Profile: p})
		}
	}
	for name, src := range inputs {
		for i, s := range dialects {
			c := ka.New(s)
			_, _ = c.Scan([]byte("KA")) // what is computed once
			var found []ka.Found
			var err error
			used := testrun.Allocated(func() { found, err = c.Scan([]byte(src)) })
			if n := used / uint64(len(src)); n > 64 {
				t.Errorf("%s: %d bytes a byte under %v, %d found (%v)", name, n, s.Profile, len(found), err)
			}
			if whole := name == "all pairs" || name == "an array of bools"; whole && i < 2 &&
				(len(found) != 1 || err != nil) {
				t.Errorf("%s: %d found (%v)", name, len(found), err)
			}
		}
	}
}
