// Package realfile gives tests access to files that others made with real
// engines. These files are not part of the repository. They are expected in
// ../shared/data, relative to the checkout. A test that needs a missing file is
// skipped.
package realfile

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of the real file name, such as upkg/TestUC1.u. It skips
// the test if the file is missing.
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
		parent := filepath.Dir(root)
		if parent == root {
			tb.Skip("real files are found from the module, and no parent directory has a go.mod")
		}
		root = parent
	}
	path := filepath.Join(filepath.Dir(root), "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("real file %s is missing: expected %s", name, path)
	}
	return path
}

// Read returns the content of the real file name. It skips the test if the file
// is missing.
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
