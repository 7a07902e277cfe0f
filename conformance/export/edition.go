package export

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/internal/infile"
	"github.com/formatgauge/formatgauge/internal/printable"
)

// An Edition is the corpus as it was frozen under a number.
type Edition struct {
	Index Index
	// Data has the files of [JSON], Vectors those of [corpus.FS], and Records those of
	// [spec.FS].
	Data, Vectors, Records fs.FS
}

// Open opens an edition: what [Files] returns, in a folder or a ZIP file; a checkout of
// the repository; or only the data. At most limit bytes are read, after unpacking.
func Open(name string, limit int64) (*Edition, error) {
	root := os.DirFS(name)
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.IsDir() {
		text, err := infile.ReadFile(name, limit)
		if err != nil {
			return nil, err
		}
		z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		names := map[string]bool{}
		for _, f := range z.File {
			if names[f.Name] {
				return nil, fmt.Errorf("%s contains the file %s twice", name, printable.Quoted(f.Name))
			}
			names[f.Name] = true
		}
		root = z
	}
	root = infile.FS(root, limit)
	for _, dirs := range [][3]string{
		{"corpus/json", "corpus", "spec"}, {"json", VectorFolder, "."}, {"*/json", "*/" + VectorFolder, "*"}, {".", "", ""},
	} {
		found, _ := fs.Glob(root, path.Join(dirs[0], indexFile))
		if len(found) != 1 {
			continue
		}
		top, _, _ := strings.Cut(found[0], "/")
		sub := func(dir string) fs.FS {
			dir = strings.Replace(dir, "*", top, 1)
			if _, err := fs.Stat(root, dir); err != nil {
				return nil
			}
			out, _ := fs.Sub(root, dir) // the path is valid
			return out
		}
		e := &Edition{Data: sub(dirs[0]), Vectors: sub(dirs[1]), Records: sub(dirs[2])}
		if err := e.read(indexFile, &e.Index); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return e, nil
	}
	return nil, fmt.Errorf("%s is no edition: it contains no %s", name, indexFile)
}

const indexFile = "index.json"

// read reads a file of the data. It refuses another number of the format.
func (e *Edition) read(name string, into any) error {
	text, err := fs.ReadFile(e.Data, name)
	if err != nil {
		return err
	}
	var format struct{ Format int }
	if err := json.Unmarshal(text, &format); err == nil && format.Format != Format {
		return fmt.Errorf("%s has format %d; this program knows %d", name, format.Format, Format)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// A Change is what differs between two editions in one vector.
type Change struct {
	Type   string `json:"type"`
	Vector string `json:"vector"`
	// Change is added or removed; result if an expected result differs; input if only the
	// bytes or the context do.
	Change string   `json:"change"`
	Before []Result `json:"before,omitempty"`
	After  []Result `json:"after,omitempty"`
}

// Diff lists the vectors that differ between two editions, by type. Other texts than
// bytes, contexts and results are not compared. Where selects returns false for a type or
// an id, nothing is compared; the file of a type of which nothing is selected may be
// absent. For a whole type, selects gets no id.
func Diff(from, to *Edition, selects func(typ, id string) bool) (out []Change, err error) {
	older, lacksA, err := from.entries(selects)
	if err != nil {
		return nil, err
	}
	newer, lacksB, err := to.entries(selects)
	if err != nil {
		return nil, err
	}
	for key, b := range newer {
		a, known := older[key]
		c := Change{key[0], key[1], "", a.Results, b.Results}
		switch {
		case !known:
			c.Change = "added"
		case !reflect.DeepEqual(a.Results, b.Results):
			c.Change = "result"
		case !reflect.DeepEqual(a.Hex, b.Hex) || !reflect.DeepEqual(a.Context, b.Context):
			c.Change = "input"
		default:
			continue
		}
		out = append(out, c)
	}
	for key, a := range older {
		if _, known := newer[key]; !known {
			out = append(out, Change{Type: key[0], Vector: key[1], Change: "removed", Before: a.Results})
		}
	}
	for _, c := range out {
		if err := cmp.Or(lacksA[c.Type], lacksB[c.Type]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Type+" "+a.Vector, b.Type+" "+b.Vector) })
	return out, nil
}

// entries returns the selected vectors by type and id, with the whole context, and the
// types whose file is absent.
func (e *Edition) entries(selects func(typ, id string) bool) (_ map[[2]string]Vector, lacks map[string]error, _ error) {
	out, lacks := map[[2]string]Vector{}, map[string]error{}
	for _, entry := range e.Index.Types {
		var file TypeFile
		if err := e.read(entry.File, &file); errors.Is(err, fs.ErrNotExist) && !selects(entry.Type, "") {
			lacks[entry.Type] = err
		} else if err != nil {
			return nil, nil, err
		}
		for _, v := range file.Vectors {
			if !selects(file.Type, v.ID) {
				continue
			}
			context := map[string]string{}
			maps.Copy(context, file.Context)
			maps.Copy(context, v.Context)
			v.Context = context
			out[[2]string{file.Type, v.ID}] = v
		}
	}
	return out, lacks, nil
}
