package infile_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/formatgauge/formatgauge/internal/infile"
)

// endless gives zeros without end, and counts them.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.given += len(p)
	return len(p), nil
}

func TestRead(t *testing.T) {
	const limit = 100000
	for _, n := range []int{0, 1, 4096, 4097, limit - 1, limit} {
		if b, err := infile.Read(bytes.NewReader(make([]byte, n)), limit); len(b) != n || err != nil {
			t.Errorf("%d bytes: %d, %v", n, len(b), err)
		}
	}
	e := &endless{}
	if _, err := infile.Read(e, limit); !errors.Is(err, infile.ErrTooLong) || e.given > 4*limit {
		t.Errorf("%v after %d bytes", err, e.given)
	}
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, limit+1), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := infile.ReadFile(name, limit); !errors.Is(err, infile.ErrTooLong) {
		t.Error(err)
	}
}

// lying is a file that has more bytes than it states.
type lying struct{ fs.File }

func (lying) Read(p []byte) (int, error) { return len(p), nil }

type liar struct{ fstest.MapFS }

func (l liar) Open(name string) (fs.File, error) {
	f, err := l.MapFS.Open(name)
	return lying{f}, err
}

// TestFS: the bound is for all files together, and for what is read, not what is stated.
func TestFS(t *testing.T) {
	files := fstest.MapFS{"a": {Data: make([]byte, 60)}, "b": {Data: make([]byte, 60)}, "d/e": {Data: make([]byte, 40)}}
	b := infile.FS(files, 100)
	for _, c := range []struct {
		name string
		long bool
	}{{"a", false}, {"b", true}, {"d/e", false}, {"d/e", true}} {
		if _, err := fs.ReadFile(b, c.name); errors.Is(err, infile.ErrTooLong) != c.long || err != nil && !c.long {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if entries, err := fs.ReadDir(b, "d"); len(entries) != 1 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
	f, err := infile.FS(liar{files}, 100).Open("a")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, f); !errors.Is(err, infile.ErrTooLong) || n > 100 {
		t.Errorf("%d bytes, %v", n, err)
	}
}
