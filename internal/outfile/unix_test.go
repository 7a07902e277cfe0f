//go:build unix

package outfile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/formatgauge/formatgauge/internal/outfile"
)

// TestPipe: a pipe is written through. Check does not wait for its reader.
func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skipf("no pipes: %v", err)
	}
	got := make(chan string)
	if err := outfile.Check(name); err != nil {
		t.Error(err)
	}
	go func() {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		got <- string(b)
	}()
	write(t, name, "through")
	if modeOf(t, name)&os.ModeNamedPipe == 0 {
		t.Fatal("the pipe was replaced")
	}
	if s := <-got; s != "through" {
		t.Errorf("the reader of the pipe got %q", s)
	}
	alone(t, filepath.Dir(name))
}

// TestStandardOutput: the file to which standard output goes is not replaced,
// and keeps what it contains.
func TestStandardOutput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	must(t, err)
	defer f.Close()
	defer func(old *os.File) { os.Stdout = old }(os.Stdout)
	os.Stdout = f
	write(t, name, "a")
	write(t, name, "b")
	_, err = f.WriteString("c")
	must(t, err)
	holds(t, name, "abc")
}
