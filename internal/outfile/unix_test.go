//go:build unix

package outfile_test

import (
	"errors"
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
	if s := <-got; s != "through" {
		t.Errorf("the reader of the pipe got %q", s)
	}
	if modeOf(t, name)&os.ModeNamedPipe == 0 {
		t.Error("the pipe was replaced")
	}
	alone(t, filepath.Dir(name))
}

func TestDevices(t *testing.T) {
	write(t, os.DevNull, "nothing")
	if modeOf(t, os.DevNull)&os.ModeDevice == 0 {
		t.Error("the device was replaced")
	}
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skipf("no %s: %v", full, err)
	}
	if err := outfile.Write(full, []byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%s: %v", full, err)
	}
}

// TestStandardOutput: the file to which standard output goes is not replaced,
// and keeps what it contains.
func TestStandardOutput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	defer func(old *os.File) { os.Stdout = old }(os.Stdout)
	os.Stdout = f
	for _, s := range []string{"a", "b"} {
		write(t, name, s)
	}
	if _, err := f.WriteString("c"); err != nil {
		t.Fatal(err)
	}
	holds(t, name, "abc")
}
