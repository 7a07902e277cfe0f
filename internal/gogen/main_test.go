package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	files, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Error(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not current: run go generate ./...", name)
		}
	}
}
