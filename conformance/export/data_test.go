package export_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

// folder contains the data of the repository.
const folder = "../../corpus/json"

// TestCurrent: corpus/json is what the vectors say. With GOLDIE_UPDATE it is written anew.
func TestCurrent(t *testing.T) {
	vectors := corpustest.All(t)
	hash, err := corpus.Digest()
	if err != nil {
		t.Fatal(err)
	}
	files, err := export.JSON(vectors, hash)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("GOLDIE_UPDATE") != "" {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if err := export.Dir(folder, files); err != nil {
			t.Fatal(err)
		}
	}
	kept := map[string]bool{}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			kept[filepath.ToSlash(path)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, f := range files {
		name := folder + "/" + f.Name
		content, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(content, f.Content) {
			t.Errorf("%s is not current: GOLDIE_UPDATE=1 go test ./conformance/export -run TestCurrent", name)
		}
		delete(kept, name)
		total += len(f.Content)
	}
	if len(kept) > 0 || total > 10<<20 {
		t.Errorf("%d bytes, and surplus files: %v", total, kept)
	}
}
