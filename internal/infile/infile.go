// Package infile reads the inputs of the command up to a bound: an input that is too long
// is an error, not a reason to use all memory.
package infile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// Max is the bound where none is chosen. Files of the formats have some megabytes, seldom
// more than a hundred.
const Max = 256 << 20

// ErrTooLong is the error of an input beyond its bound.
var ErrTooLong = errors.New("too long")

func tooLong(limit int64) error {
	return fmt.Errorf("%w: it has more than %d bytes", ErrTooLong, limit)
}

// Read reads all bytes, at most limit. It reads parts and joins them at the end: a
// growing slice would need several times the memory.
func Read(in io.Reader, limit int64) ([]byte, error) {
	parts := [][]byte{{}}
	for size, part := int64(0), 4096; ; part = min(2*part, 4<<20) {
		b := make([]byte, part)
		n, err := io.ReadFull(in, b)
		parts = append(parts, b[:n])
		size += int64(n)
		switch {
		case size > limit:
			return nil, tooLong(limit)
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return bytes.Join(parts, nil), nil
		case err != nil:
			return nil, err
		}
	}
}

// ReadFile is [Read] of a file. It reads nothing of one whose stated size is beyond the bound.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, tooLong(limit)
	}
	return Read(f, limit)
}

// FS returns files of which at most limit bytes are read in all. For those of an archive
// these are bytes after unpacking.
func FS(files fs.FS, limit int64) fs.FS {
	b := &bounded{files: files, limit: limit}
	b.left.Store(limit)
	return b
}

type bounded struct {
	files fs.FS
	limit int64
	left  atomic.Int64
}

// Open also refuses a file whose stated size is beyond the bound: a reader may allocate it.
func (b *bounded) Open(name string) (fs.File, error) {
	f, err := b.files.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		return f, nil
	}
	if err == nil && (info.Size() < 0 || info.Size() > b.left.Load()) {
		err = &fs.PathError{Op: "read", Path: name, Err: tooLong(b.limit)}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &boundedFile{f, b}, nil
}

type boundedFile struct {
	fs.File
	all *bounded
}

func (f *boundedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if f.all.left.Add(-int64(n)) < 0 {
		return 0, tooLong(f.all.limit)
	}
	return n, err
}

// Stat opens nothing: a file that is too long exists.
func (b *bounded) Stat(name string) (fs.FileInfo, error) { return fs.Stat(b.files, name) }
