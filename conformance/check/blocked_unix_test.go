//go:build unix

package check

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestBlockedFile: a run ends with its context, also while a file cannot be opened or read.
func TestBlockedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c, err := newChecker(ctx, Options{Profile: ids.Observed()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	// Nobody writes to the pipe: opening it does not return.
	if _, err := c.check(ctx, name, File{Size: 8}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
