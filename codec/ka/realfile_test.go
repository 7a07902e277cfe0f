package ka_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/realfile"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// same holds an archive to what is true of every real one: it is written byte
// for byte as it was, it is canonical already, and as the other version and
// back it is the same.
func same(t *testing.T, c *ka.Codec, src []byte, a model.Archive) {
	t.Helper()
	b, err := c.Archive().Append(nil, a)
	if err != nil || !bytes.Equal(b, src) {
		t.Errorf("it is not written as it was: %v", err)
	}
	canonical, err := c.Canonical(a, a.Version)
	if d := cmp.Diff(a, canonical); d != "" || err != nil {
		t.Errorf("it is not canonical: %v\n%s", err, d)
	}
	table, err := c.Canonical(a, model.V0x0002)
	if err != nil {
		t.Fatal(err)
	}
	b, err = c.Archive().Append(nil, table)
	if err != nil {
		t.Fatal(err)
	}
	table, err = c.Archive().Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	back, err := c.Canonical(table, model.V0x0001)
	if d := cmp.Diff(a, back); d != "" || err != nil {
		t.Errorf("as 0x0002 and back it is another: %v\n%s", err, d)
	}
}

// TestRealArchives: archives that a real engine wrote.
func TestRealArchives(t *testing.T) {
	for file, keys := range map[string]int{"ka/newTest.dat": 16, "ka/oldTest.dat": 8} {
		t.Run(file, func(t *testing.T) {
			src := realfile.Read(t, file)
			c := ka.New(wire.Settings{})
			a, err := c.Archive().Decode(src)
			if err != nil {
				t.Fatal(err)
			}
			if a.Version != model.V0x0001 || len(a.Children) != keys {
				t.Errorf("version %s, %d keys", a.Version, len(a.Children))
			}
			same(t, c, src, a)
		})
	}
}

// TestRealScenes: the archives inside scene containers.
func TestRealScenes(t *testing.T) {
	type place struct{ Offset, Length, Keys int }
	for file, want := range map[string][]place{
		"ka/tanksbox.sc2": {{12, 8, 0}, {32, 4550, 13}, {4582, 194, 7}, {4776, 472, 8}, {5248, 1125, 8}},
		"ka/shpere.sc2":   {{12, 8, 0}, {32, 322, 7}, {354, 18134, 12}, {18488, 194, 7}, {18682, 1072, 8}},
	} {
		t.Run(file, func(t *testing.T) {
			src := realfile.Read(t, file)
			c := ka.New(wire.Settings{})
			found, err := c.Scan(src)
			if err != nil {
				t.Fatal(err)
			}
			var have []place
			for _, f := range found {
				have = append(have, place{f.Offset, f.Length, len(f.Archive.Children)})
				same(t, c, src[f.Offset:f.Offset+f.Length], f.Archive)
			}
			if d := cmp.Diff(want, have); d != "" {
				t.Error(d)
			}
		})
	}
}
