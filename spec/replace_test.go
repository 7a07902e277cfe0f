package spec

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// TestReplaceFaults: records that are missing, or in which a flag has other sides than in
// this program, do not take the place of those of the module.
func TestReplaceFaults(t *testing.T) {
	before := Embedded()
	changed := fstest.MapFS{}
	names, err := fs.Glob(FS(), "records/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(FS(), name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "records/upkg.toml" {
			text = bytes.Replace(text, []byte(`name = "strict"`), []byte(`name = "other"`), 1)
		}
		changed[name] = &fstest.MapFile{Data: text}
	}
	for want, files := range map[string]fs.FS{"views.toml": fstest.MapFS{}, "use a program of that time": changed} {
		if err := Replace(files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if Embedded() != before {
		t.Error("the records were replaced")
	}
	if err := Replace(FS()); err != nil {
		t.Error(err)
	}
}
