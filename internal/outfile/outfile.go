// Package outfile writes the files of the command. No failure loses a file that
// exists: new content is written to a temporary file in the same folder, synced
// and renamed.
package outfile

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Write writes a file. It keeps the mode of a file that exists, and its owner and
// group if the system allows it. Through a link it replaces the file to which the
// link points. It writes directly to everything that is not a regular file, and
// to the file to which standard output or standard error goes.
func Write(name string, content []byte) error {
	return Stream(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Stream is [Write] of what write writes. After an error of write, a file that
// exists is unchanged.
func Stream(name string, write func(io.Writer) error) error {
	t, err := locate(name)
	if err == nil {
		err = t.write(write)
	}
	return t.cannot(err)
}

// Check returns the error that [Write] would return, as far as it can be known
// without content. It leaves the file unchanged, and opens no pipe or device.
func Check(name string) error {
	t, err := locate(name)
	if err == nil && t.direct == nil {
		err = t.probe()
	}
	return t.cannot(err)
}

// CheckDir checks that files can be created in a folder. A folder that does not
// exist can be created later.
func CheckDir(name string) error {
	for dir := filepath.Clean(name); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
			continue
		case err == nil && !info.IsDir():
			err = fmt.Errorf("%s is not a folder", dir)
		case err == nil:
			err = target{path: filepath.Join(dir, "any")}.probe()
		}
		return target{name: name}.cannot(err)
	}
}

// NewDir creates a folder with all its files or not at all. The function fill
// writes the files into dir, which gets its name afterwards.
func NewDir(name string, fill func(dir string) error) error {
	if err := Absent(name); err != nil {
		return err
	}
	parent := filepath.Dir(filepath.Clean(name))
	temporary := filepath.Join(parent, temporaryName())
	err := os.MkdirAll(parent, 0o777)
	if err == nil {
		removeAbandoned(parent)
		err = os.Mkdir(temporary, 0o777)
	}
	if err == nil {
		if d, err := os.Open(temporary); err == nil {
			defer d.Close()
			_ = lock(d)
		}
		defer os.RemoveAll(temporary) // nothing after success
		err = fill(temporary)
	}
	if err == nil {
		err = os.Rename(temporary, name)
	}
	return target{name: name}.cannot(err)
}

// Absent returns an error if a file or folder exists, or cannot exist. A command that works
// long before it calls [NewDir] checks its argument first.
func Absent(name string) error {
	_, err := os.Lstat(name)
	switch {
	case name == "" || errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		return fmt.Errorf("%s already exists", name)
	}
	return target{name: name}.cannot(err)
}

// target is where a file is written.
type target struct {
	name   string      // as given
	path   string      // after all links
	old    fs.FileInfo // of the file to replace; nil if none exists
	direct func() (*os.File, error)
}

// maxLinks is the greatest number of links that are followed.
const maxLinks = 40

func locate(name string) (target, error) {
	t := target{name: name, path: name}
	info, err := os.Stat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return t, err
	case err == nil && info.IsDir():
		return t, errors.New("it is a folder")
	case err == nil:
		for _, f := range []*os.File{os.Stdout, os.Stderr} {
			if stream, err := f.Stat(); err == nil && os.SameFile(stream, info) {
				t.direct = func() (*os.File, error) { return f, nil }
				return t, nil
			}
		}
		if !info.Mode().IsRegular() {
			t.direct = func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) }
			return t, nil
		}
		t.old = info
	}
	for range maxLinks {
		link, err := os.Readlink(t.path)
		if err != nil {
			return t, nil // a file, or nothing
		}
		if !filepath.IsAbs(link) {
			dir, _ := filepath.Split(t.path) // unlike Join, it keeps the .. after a link
			link = dir + link
		}
		t.path = link
	}
	return t, errors.New("too many links")
}

func (t target) write(write func(io.Writer) error) error {
	buffered := func(f *os.File) error {
		w := bufio.NewWriterSize(f, 1<<16)
		return cmp.Or(write(w), w.Flush())
	}
	if t.direct != nil {
		f, err := t.direct()
		if err != nil {
			return err
		}
		err = buffered(f)
		if f != os.Stdout && f != os.Stderr {
			err = cmp.Or(err, f.Close())
		}
		return err
	}
	f, err := t.beside()
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing after success
	err = buffered(f)
	if err == nil && t.old != nil {
		keepOwner(f, t.old)
		err = f.Chmod(t.old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), t.path); err != nil {
		return err
	}
	// The folder is synced where the system can do it.
	dir, _ := filepath.Split(t.path)
	if d, err := os.Open(filepath.Clean(dir)); err == nil {
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// beside creates the temporary file. A file that may not be written is not
// replaced, although its folder would allow it.
func (t target) beside() (*os.File, error) {
	mode := fs.FileMode(0o666)
	if t.old != nil {
		f, err := os.OpenFile(t.path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		f.Close()
		mode = 0o600 // until it has the mode of the old file
	}
	dir, _ := filepath.Split(t.path)
	removeAbandoned(filepath.Clean(dir))
	f, err := os.OpenFile(dir+temporaryName(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		_ = lock(f)
	} else {
		err = fmt.Errorf("cannot create a file in the folder %s: %w", filepath.Clean(dir), cause(err))
	}
	return f, err
}

const temporaryPrefix = ".formatgauge-"

func temporaryName() string { return temporaryPrefix + rand.Text() }

// tidied are the folders in which this process has looked for abandoned files.
var tidied sync.Map

// abandonedAfter is the age of a temporary file from which it can be abandoned: a new one
// is perhaps not locked yet.
const abandonedAfter = time.Second

// removeAbandoned removes the temporary files in a folder that runs left which were killed.
// A run that still writes has locked its own.
func removeAbandoned(dir string) {
	if _, done := tidied.LoadOrStore(dir, true); done {
		return
	}
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // what cannot be read stays
	for _, name := range names {
		random, ours := strings.CutPrefix(name, temporaryPrefix)
		if !ours || len(random) != len(rand.Text()) || strings.ToUpper(random) != random {
			continue
		}
		name = filepath.Join(dir, name)
		info, err := os.Lstat(name)
		if err != nil || time.Since(info.ModTime()) < abandonedAfter || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		if f, err := os.Open(name); err == nil {
			if lock(f) == nil {
				_ = os.RemoveAll(name)
			}
			f.Close()
		}
	}
}

// probe creates the temporary file and removes it.
func (t target) probe() error {
	f, err := t.beside()
	if err != nil {
		return err
	}
	return cmp.Or(f.Close(), os.Remove(f.Name()))
}

// cannot returns the error for the user, or nil.
func (t target) cannot(err error) error {
	switch {
	case err == nil:
		return nil
	case t.old != nil:
		return fmt.Errorf("cannot write %s: %w; the old file is unchanged", t.name, cause(err))
	}
	return fmt.Errorf("cannot write %s: %w", t.name, cause(err))
}

// cause removes the operation and the name, which may be that of a temporary file.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	if at, ok := errors.AsType[*os.LinkError](err); ok {
		return at.Err
	}
	return err
}
