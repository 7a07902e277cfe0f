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
	"sync"
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
	type job struct {
		found
		done chan File
	}
	work, ordered := make(chan job), make(chan job, ahead*jobs)
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := range jobs {
		wg.Go(func() {
			reader := opts.Reader
			if f, ok := reader.(adapter.Forker); ok && i > 0 {
				reader = f.Fork()
				defer reader.Close()
			}
			c, err := newChecker(ctx, opts, reader)
			if err != nil {
				cancel(err)
				return
			}
			for j := range work {
				out, err := c.check(ctx, j.path, j.file)
				if err != nil {
					cancel(err)
				}
				j.done <- out
			}
		})
	}
	go func() {
		defer close(ordered)
		defer close(work)
		for _, r := range roots {
			walk(r.Path, r.Name, false, opts.Except, func(f found) bool {
				j := job{f, make(chan File, 1)}
				select {
				case ordered <- j:
				case <-ctx.Done():
					return false
				}
				if f.file.Outcome != "" {
					j.done <- f.file
					return true
				}
				select {
				case work <- j:
					return true
				case <-ctx.Done():
					return false
				}
			})
		}
	}()
	for {
		select {
		case j, more := <-ordered:
			if !more {
				return context.Cause(ctx)
			}
			select {
			case f := <-j.done:
				if ctx.Err() == nil {
					if err := each(f); err != nil {
						cancel(err)
					}
				}
			case <-ctx.Done():
			}
		case <-ctx.Done():
			for range ordered { // until the walk has ended
			}
			return context.Cause(ctx)
		}
	}
}

// found is something in a folder. Its result has an outcome unless it is to be read.
type found struct {
	path string
	file File
}

// walk finds everything in a folder, sorted by path, until emit returns false, but not the file
// except. Links to
// files are followed. Links to folders are not, so there are no circles.
func walk(at, name string, isLink bool, except fs.FileInfo, emit func(found) bool) bool {
	info, err := os.Stat(at)
	out := found{at, File{Kind: "file", Path: name}}
	skipped := func(what string) bool {
		out.file.Outcome, out.file.What = Skipped, what
		return emit(out)
	}
	var problem error
	switch {
	case err != nil && isLink && !errors.Is(err, fs.ErrPermission):
		return skipped("a link that leads nowhere")
	case err != nil:
		problem = err
	case except != nil && os.SameFile(info, except):
		return true
	case info.Mode().IsRegular():
		out.file.Size = info.Size()
		return emit(out)
	case info.IsDir() && isLink:
		return skipped("a link to a folder")
	case !info.IsDir():
		return skipped(kindOf(info.Mode()))
	}
	var entries []fs.DirEntry
	if problem == nil {
		entries, problem = os.ReadDir(at)
	}
	if problem != nil {
		out.file = out.file.unreadable(problem)
		out.file.Path = cmp.Or(name, ".")
		if !emit(out) {
			return false
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(nameOf(a), nameOf(b)) })
	for _, e := range entries {
		if !walk(filepath.Join(at, e.Name()), path.Join(name, nameOf(e)), e.Type()&fs.ModeSymlink != 0, except, emit) {
			return false
		}
	}
	return true
}

// nameOf returns the name of a file in a form that JSON can hold.
func nameOf(e fs.DirEntry) string {
	if utf8.ValidString(e.Name()) {
		return e.Name()
	}
	return printable.Text(e.Name())
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// orderOf returns what results are sorted by: a folder comes before its files, and these
// before what follows the folder.
func orderOf(path string) string { return strings.ReplaceAll(path, "/", "\x00") }
