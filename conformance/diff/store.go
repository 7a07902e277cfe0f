package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/infile"
	"github.com/formatgauge/formatgauge/internal/outfile"
)

// A Store keeps inputs in a folder, so that later runs and other fuzzers start
// from them. Each type has a folder with its inputs as raw files. An input with
// a context is in a folder inside, whose name is the context. A run can be
// killed at any time: a file is complete or does not exist.
type Store struct {
	dir string

	mu    sync.Mutex
	state storeState
	has   map[string]bool // folder and hash of each input
}

// storeState is the file state.json.
type storeState struct {
	Runs uint64 `json:"runs"` // that have begun
}

// MaxFile is the greatest size in bytes of a file with an input. Larger files are
// not used.
const MaxFile = 16 << 20

const (
	stateName = "state.json"
	// maxFolderName is the greatest length of the name of a folder. A longer
	// context is the name of nested folders.
	maxFolderName = 200
	hashLength    = 20 // bytes of the SHA-256 in the name of a file
)

// OpenStore opens a folder. It is created when the first input is kept.
func OpenStore(dir string) (*Store, error) {
	s := &Store{dir: dir, has: map[string]bool{}}
	b, err := os.ReadFile(filepath.Join(dir, stateName))
	if err == nil {
		err = json.Unmarshal(b, &s.state)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, stateName), err)
	}
	return s, nil
}

// Runs returns how many runs have begun.
func (s *Store) Runs() uint64 { return s.state.Runs }

// Begin records that a run begins.
func (s *Store) Begin() error {
	s.state.Runs++
	b, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	return outfile.Write(filepath.Join(s.dir, stateName), append(b, '\n'))
}

// Inputs returns the inputs of types in a fixed order, and the folders that
// belong to no type or to no context of a type. Files with names that begin with
// a dot are not used.
func (s *Store) Inputs(types []*codec.Type) (ins []Input, unknown []string, err error) {
	byFolder := map[string]*codec.Type{}
	for _, t := range codec.Types() {
		byFolder[corpus.FolderOf(t.Name)] = t
	}
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		name := e.Name()
		t := byFolder[name]
		switch {
		case !e.IsDir() || strings.HasPrefix(name, "."):
		case t == nil:
			unknown = append(unknown, filepath.Join(s.dir, name))
		case slices.Contains(types, t):
			if err := s.read(t, name, &ins, &unknown); err != nil {
				return nil, nil, err
			}
		}
	}
	return ins, unknown, err
}

// read appends the inputs of one type.
func (s *Store) read(t *codec.Type, name string, ins *[]Input, unknown *[]string) error {
	return ReadFiles(filepath.Join(s.dir, name), func(file string, b []byte) error {
		inside, err := filepath.Rel(s.dir, file)
		if err != nil || strings.Contains(filepath.ToSlash(inside), "/.") {
			return err
		}
		folder := filepath.Dir(inside)
		context, ok := contextOf(t, strings.TrimPrefix(folder, name))
		if !ok {
			*unknown = append(*unknown, filepath.Dir(file))
			return fs.SkipDir
		}
		*ins = append(*ins, Input{Type: t, Context: context, Bytes: b})
		s.has[filepath.Join(folder, hashOf(b))] = true
		return nil
	})
}

// ReadFiles calls use with each file in a folder and in those inside, except those of
// more than [MaxFile] bytes.
func ReadFiles(dir string, use func(file string, b []byte) error) error {
	return filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Size() > MaxFile {
			return err
		}
		b, err := infile.ReadFile(file, MaxFile)
		if err != nil {
			return err
		}
		return use(file, b)
	})
}

// Keep writes an input, unless the folder contains it or it is a value to
// encode.
func (s *Store) Keep(in Input) error {
	if in.Tree != nil || len(in.Bytes) > MaxFile {
		return nil
	}
	folder := filepath.Join(corpus.FolderOf(in.Type.Name), contextFolder(in.Context))
	name := filepath.Join(folder, hashOf(in.Bytes))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has[name] {
		return nil
	}
	s.has[name] = true
	if err := os.MkdirAll(filepath.Join(s.dir, folder), 0o777); err != nil {
		return err
	}
	return outfile.Write(filepath.Join(s.dir, name), in.Bytes)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:hashLength])
}

// contextFolder returns a context as the name of a folder, or of nested folders
// if it is long: version=63. It has no capitals, because some file systems do
// not distinguish them.
func contextFolder(context map[string]string) string {
	escape := func(text string) string {
		var b strings.Builder
		for i := range len(text) {
			if c := text[i]; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02x", c)
			}
		}
		return b.String()
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(context)) {
		parts = append(parts, escape(k)+"="+escape(context[k]))
	}
	name := strings.Join(parts, "&")
	var folders []string
	for len(name) > maxFolderName {
		folders, name = append(folders, name[:maxFolderName]), name[maxFolderName:]
	}
	return filepath.Join(append(folders, name)...)
}

// contextOf returns the context of a folder, and whether the type can have it.
func contextOf(t *codec.Type, folder string) (map[string]string, bool) {
	values, err := url.ParseQuery(strings.ReplaceAll(filepath.ToSlash(folder), "/", ""))
	if err != nil {
		return nil, false
	}
	context := map[string]string{}
	for k, v := range values {
		if len(v) != 1 {
			return nil, false
		}
		context[k] = v[0]
	}
	_, err = t.Bind(wire.Settings{}, context)
	return context, err == nil
}
