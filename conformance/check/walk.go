package check

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/internal/printable"
)

// A Root is a file or folder to check.
type Root struct {
	Path string
	Name string // begins the paths of the results; empty for none
}

// ahead is the number of results per job that wait for an earlier one.
const ahead = 8

// Run checks the files of roots, and calls each with the results in the order of their
// paths. Its memory does not depend on the number of files, but on that of one folder.
// After an error of each, and when the context ends, it returns the error.
func Run(ctx context.Context, roots []Root, opts Options, each func(File) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := max(1, opts.Jobs)
	idle := make(chan *checker, jobs)
	for i := range jobs {
		reader := opts.Reader
		if f, ok := reader.(adapter.Forker); ok && i > 0 {
			reader = f.Fork()
			defer reader.Close()
		}
		c, err := newChecker(ctx, opts, reader)
		if err != nil {
			return err
		}
		idle <- c
	}
	results := make(chan chan File, ahead*jobs)
	begin := func(path string, f File) bool {
		result := make(chan File, 1)
		results <- result
		if f.Outcome != "" {
			result <- f
			return ctx.Err() == nil
		}
		c := <-idle
		go func() {
			out, err := c.check(ctx, path, f)
			if err != nil {
				cancel(err)
			}
			idle <- c
			result <- out
		}()
		return ctx.Err() == nil
	}
	go func() {
		defer close(results)
		for _, r := range roots {
			walk(r.Path, r.Name, false, opts.Except, begin)
		}
	}()
	for result := range results {
		// After the end of the context the rest is awaited.
		if f := <-result; ctx.Err() == nil {
			if err := each(f); err != nil {
				cancel(err)
			}
		}
	}
	return context.Cause(ctx)
}

// walk finds everything in a folder, sorted by path, until emit returns false, but not
// the file except. It emits a result without an outcome for what is to be read. Links to
// files are followed. Links to folders are not, so there are no circles.
func walk(at, name string, isLink bool, except fs.FileInfo, emit func(path string, f File) bool) bool {
	f := File{Kind: "file", Path: name}
	var entries []fs.DirEntry
	info, err := os.Stat(at)
	switch {
	case err != nil && isLink && !errors.Is(err, fs.ErrPermission):
		f.Outcome, f.What = Skipped, "a link that leads nowhere"
	case err != nil:
	case except != nil && os.SameFile(info, except):
		return true
	case info.Mode().IsRegular():
		f.Size = info.Size()
	case !info.IsDir():
		f.Outcome, f.What = Skipped, "a pipe, a socket or a device"
	case isLink:
		f.Outcome, f.What = Skipped, "a link to a folder"
	default:
		if entries, err = os.ReadDir(at); err == nil {
			slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(nameOf(a), nameOf(b)) })
			for _, e := range entries {
				if !walk(filepath.Join(at, e.Name()), path.Join(name, nameOf(e)), e.Type()&fs.ModeSymlink != 0, except, emit) {
					return false
				}
			}
			return true
		}
	}
	if err != nil && f.Outcome == "" {
		f.Path = cmp.Or(name, ".")
		f = f.unreadable(err)
	}
	return emit(at, f)
}

// nameOf returns the name of a file in a form that JSON can hold.
func nameOf(e fs.DirEntry) string {
	if utf8.ValidString(e.Name()) {
		return e.Name()
	}
	return printable.Text(e.Name())
}

// orderOf returns what results are sorted by: a folder comes before its files, and these
// before what follows the folder.
func orderOf(path string) string { return strings.ReplaceAll(path, "/", "\x00") }
