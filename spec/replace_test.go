package spec_test

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// TestReplaceFaults: records that are missing, or in which a flag has other sides than in
// this program, do not take the place of those of the module.
func TestReplaceFaults(t *testing.T) {
	before := spec.Embedded()
	text, err := fs.ReadFile(spec.FS(), "records/upkg.toml")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`name = "strict"`), []byte(`name = "other"`), 1)
	changed := corpus.Join(fstest.MapFS{"records/upkg.toml": {Data: text}}, spec.FS())
	for want, files := range map[string]fs.FS{"views.toml": fstest.MapFS{}, "use a program of that time": changed} {
		if err := spec.Replace(files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if spec.Embedded() != before {
		t.Error("the records were replaced")
	}
	if err := spec.Replace(spec.FS()); err != nil || len(spec.Views()) == 0 {
		t.Errorf("%v, %d views", err, len(spec.Views()))
	}
}
