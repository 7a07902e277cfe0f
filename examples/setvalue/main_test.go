package main

import (
	"bytes"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ka"
)

// archive returns an archive with a table of fast names.
func archive(t *testing.T, speed ka.Int32) []byte {
	t.Helper()
	a, err := ka.New(ka.Settings{}).Canonical(ka.Archive{Version: ka.V0x0001, Children: []ka.Pair{
		{Key: ka.String{Text: "name"}, Value: ka.String{Text: "tank"}},
		{Key: ka.String{Text: "speed"}, Value: speed},
	}}, ka.V0x0002)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ka.AppendArchive(nil, a)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSetValue(t *testing.T) {
	src := archive(t, 600)
	got, err := setValue(src, "speed", 700)
	if err != nil {
		t.Fatal(err)
	}
	if want := archive(t, 700); !bytes.Equal(got, want) {
		t.Errorf("wrote %x, want %x", got, want)
	}
	for _, key := range []string{"name", "weight"} {
		if _, err := setValue(src, key, 1); err == nil {
			t.Errorf("key %s: expected an error", key)
		}
	}
	if _, err := setValue(src[:20], "speed", 1); err == nil {
		t.Error("truncated archive: expected an error")
	}
}
