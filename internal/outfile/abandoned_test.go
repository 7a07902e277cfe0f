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
	kept := []string{
		".formatgauge-" + random + "4", ".formatgauge-MINE", ".formatgauge-mine", "formatgauge-" + random + "2",
	}
	old := time.Now().Add(-time.Hour)
	for _, name := range slices.Concat(left, kept) {
		name = filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		must(t, os.WriteFile(name, []byte("x"), 0o666)) // this process looks only once
		must(t, os.Chtimes(name, old, old))
	}
	must(t, os.Chtimes(filepath.Join(dir, ".formatgauge-"+random+"3"), old, old))
	held, err := os.Open(filepath.Join(dir, kept[0]))
	must(t, err)
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Skip(err)
	}
	must(t, outfile.Write(filepath.Join(dir, "out"), []byte("y")))
	only(t, dir, append(kept, "out")...)
}
