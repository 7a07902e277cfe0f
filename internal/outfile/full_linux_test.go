package outfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/formatgauge/formatgauge/internal/outfile"
)

// mountVariable is the environment variable that makes TestFullDisk mount a small
// file system. It contains the folder.
const mountVariable = "FORMATGAUGE_MOUNT"

// TestFullDisk runs itself in a namespace of its own, where it may mount a small
// file system that ends with the process.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(mountVariable); dir != "" {
		fullDisk(t, dir)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), mountVariable+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch _, failed := errors.AsType[*exec.ExitError](err); {
	case err != nil && !failed:
		t.Skipf("this machine gives no namespace: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("%s", out)
	}
}

// fullDisk: a full disk leaves the old file and nothing else.
func fullDisk(t *testing.T, dir string) {
	const size = 64 << 10
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("this machine mounts no file system: %v", err)
	}
	name := filepath.Join(dir, "file")
	put(t, name, "old", 0o644)
	err := outfile.Write(name, make([]byte, 2*size))
	if !errors.Is(err, syscall.ENOSPC) ||
		!strings.HasSuffix(err.Error(), "no space left on device; the old file is unchanged") {
		t.Errorf("error %v", err)
	}
	holds(t, name, "old")
	fresh := filepath.Join(dir, "new")
	if err := outfile.Write(fresh, make([]byte, 2*size)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a new file: %v", err)
	}
	err = outfile.NewDir(fresh, func(to string) error {
		return os.WriteFile(filepath.Join(to, "f"), make([]byte, 2*size), 0o666)
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a new folder: %v", err)
	}
	only(t, dir, "file")
	write(t, name, "new")
	holds(t, name, "new")
}

// TestFullDevice writes to a device like /dev/full. Root gets one of its own, so
// that an error in this package cannot replace that of the machine.
func TestFullDevice(t *testing.T) {
	name := "/dev/full"
	if os.Geteuid() == 0 {
		name = filepath.Join(t.TempDir(), "full")
		if err := syscall.Mknod(name, syscall.S_IFCHR|0o600, 1<<8|7); err != nil {
			t.Skipf("this machine creates no device: %v", err)
		}
	}
	if err := outfile.Write(name, []byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%s: %v", name, err)
	}
	if modeOf(t, name)&os.ModeCharDevice == 0 {
		t.Error("the device was replaced")
	}
}
