// Package realfile gives tests the files that other people made with real
// engines. They are kept beside the checkout, in ../shared/data, and never in
// the repository; where they are absent the test is skipped and says so.
package realfile

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a real file, such as upkg/TestUC1.u.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	root, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(root)
		if up == root {
			tb.Fatal("the test does not run inside the module")
		}
		root = up
	}
	path := filepath.Join(filepath.Dir(root), "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("the real file %s is not beside the checkout in ../shared/data", name)
	}
	return path
}

// Read returns the content of a real file.
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
