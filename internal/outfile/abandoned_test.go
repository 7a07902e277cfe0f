//go:build unix && !solaris && !aix

package outfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/internal/outfile"
)

// TestAbandoned: a run removes the temporary files and folders that a killed run left, and
// nothing else: not those of a run that still writes, and no files of others.
func TestAbandoned(t *testing.T) {
	dir := t.TempDir()
	const random = "ABCDEFGHIJKLMNOPQRSTUVWXY"
	left := []string{".formatgauge-" + random + "2", ".formatgauge-" + random + "3/sub/file"}
	kept := []string{".formatgauge-" + random + "4", ".formatgauge-mine", "formatgauge-" + random + "2"}
	old := time.Now().Add(-time.Hour)
	for _, name := range slices.Concat(left, kept) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o666); err != nil { // this process looks only once
			t.Fatal(err)
		}
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(dir, ".formatgauge-"+random+"3"), old, old); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(filepath.Join(dir, kept[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Skip(err)
	}
	if err := outfile.Write(filepath.Join(dir, "out"), []byte("y")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, append(kept, "out")) { // both in the order of names
		t.Errorf("%v", got)
	}
}
