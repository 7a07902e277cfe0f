package outfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/internal/outfile"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, name, content string, mode fs.FileMode) {
	t.Helper()
	must(t, os.WriteFile(name, []byte(content), 0o600))
	must(t, os.Chmod(name, mode)) // regardless of the umask
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := outfile.Check(name); err != nil {
		t.Errorf("check: %v", err)
	}
	if err := outfile.Write(name, []byte(content)); err != nil {
		t.Error(err)
	}
}

// holds checks the content of a file, and that nothing else is in its folder.
func holds(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s contains %q (%v), want %q", name, got, err, want)
	}
	alone(t, filepath.Dir(name))
}

func alone(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".formatgauge-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files remain: %v (%v)", left, err)
	}
}

// only checks that a folder contains these names, which are sorted, and no others.
func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	same := func(e fs.DirEntry, name string) bool { return e.Name() == name }
	if err != nil || !slices.EqualFunc(entries, want, same) {
		t.Errorf("%s contains %v (%v), want %v", dir, entries, err, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "new")
	write(t, name, "one")
	holds(t, name, "one")
	plain := filepath.Join(dir, "plain")
	must(t, os.WriteFile(plain, nil, 0o666))
	if got, want := modeOf(t, name), modeOf(t, plain); got != want {
		t.Errorf("a new file has mode %v, want %v as os.WriteFile gives", got, want)
	}

	// The old file is replaced, not overwritten: who has it open keeps it.
	open, err := os.Open(name)
	must(t, err)
	defer open.Close()
	write(t, name, "two")
	holds(t, name, "two")
	if runtime.GOOS != "windows" {
		if b, err := io.ReadAll(open); err != nil || string(b) != "one" {
			t.Errorf("the old file contains %q (%v), want %q", b, err, "one")
		}
	}
}

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(name)
	must(t, err)
	return info.Mode()
}

func TestModeIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has one bit of the mode")
	}
	name := filepath.Join(t.TempDir(), "f")
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666, 0o755} {
		put(t, name, "old", mode)
		write(t, name, "new")
		holds(t, name, "new")
		if got := modeOf(t, name); got != mode {
			t.Errorf("mode %v, want %v", got, mode)
		}
	}
}

// TestLinks: the target is replaced, and the links remain. A link may point to
// nothing, and through a folder that is a link itself.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	must(t, os.Mkdir(at("a"), 0o777))
	must(t, os.MkdirAll(at("b/c"), 0o777))
	for name, to := range map[string]string{
		"a/first":   "second",
		"a/second":  filepath.FromSlash("through/../file"),
		"a/through": filepath.Join("..", "b", "c"),
		"absolute":  at("b/file"),
		"dangling":  filepath.Join("b", "created"),
		"circle":    "circle",
	} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Skipf("no links: %v", err)
		}
	}
	put(t, at("b/file"), "old", 0o644)
	for link, target := range map[string]string{"a/first": "b/file", "absolute": "b/file", "dangling": "b/created"} {
		write(t, at(link), link)
		holds(t, at(target), link)
		alone(t, filepath.Dir(at(link)))
		if modeOf(t, at(link))&fs.ModeSymlink == 0 {
			t.Errorf("%s is no longer a link", link)
		}
	}
	if err := outfile.Write(at("circle"), nil); err == nil {
		t.Error("a link to itself was written")
	}
}

// TestUnwritable: Check and Write give the same error, and nothing changes.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	file, locked := filepath.Join(dir, "file"), filepath.Join(dir, "locked")
	put(t, file, "old", 0o644)
	put(t, locked, "old", 0o444)
	for name, want := range map[string]string{
		dir:                             "it is a folder",
		filepath.Join(dir, "none", "f"): "cannot create a file in the folder " + filepath.Join(dir, "none"),
		filepath.Join(file, "f"):        "",
		locked:                          "the old file is unchanged",
	} {
		if name == locked && os.Geteuid() == 0 {
			continue // root may write it
		}
		checked, written := outfile.Check(name), outfile.Write(name, []byte("new"))
		if checked == nil || written == nil || checked.Error() != written.Error() ||
			!strings.Contains(written.Error(), want) || !strings.HasPrefix(written.Error(), "cannot write "+name+": ") {
			t.Errorf("%s: check %v, write %v, want %q", name, checked, written, want)
		}
	}
	holds(t, file, "old")
	holds(t, locked, "old")
}

func TestDirs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	put(t, file, "", 0o644)
	for name, ok := range map[string]bool{
		dir: true, filepath.Join(dir, "a", "b"): true,
		file: false, filepath.Join(file, "a"): false,
	} {
		if err := outfile.CheckDir(name); (err == nil) != ok {
			t.Errorf("CheckDir(%s): %v", name, err)
		}
	}
	made := filepath.Join(dir, "deep", "made")
	fill := func(to string) error { return os.WriteFile(filepath.Join(to, "f"), []byte("x"), 0o666) }
	failing := errors.New("no more")
	err := outfile.NewDir(made, func(to string) error { return errors.Join(fill(to), failing) })
	if !errors.Is(err, failing) {
		t.Error(err)
	}
	only(t, filepath.Dir(made)) // no folder without all its files
	must(t, outfile.NewDir(made+string(filepath.Separator), fill))
	holds(t, filepath.Join(made, "f"), "x")
	only(t, filepath.Dir(made), "made")
	if err := outfile.NewDir(made, fill); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("an existing folder: %v", err)
	}
	alone(t, dir)
}

// TestStreamFails: if the content cannot be made, the old file remains, and no
// other.
func TestStreamFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report")
	put(t, name, "old", 0o644)
	broken := errors.New("broken")
	err := outfile.Stream(name, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		must(t, err)
		return broken
	})
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	holds(t, name, "old")
	only(t, filepath.Dir(name), "report")
}
