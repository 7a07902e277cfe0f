package diff

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func mustRead(t *testing.T, s *Store, names ...string) ([]Input, []string) {
	t.Helper()
	ins, unknown, err := s.Inputs(types(t, names...))
	if err != nil {
		t.Fatal(err)
	}
	return ins, unknown
}

// TestStore: what is kept is read again, with every context, and once.
func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	s := testrun.Must(OpenStore(dir))
	name, fname := types(t, "upkg.Name")[0], types(t, "uasset.FName")[0]
	if ins, _ := mustRead(t, s, "upkg.Name"); len(ins) != 0 {
		t.Errorf("a new folder contains %v", ins)
	}
	long := strings.Repeat("Long.Name|", 90) + "É/\\ +%25&=None"
	want := []Input{
		{Type: fname, Context: map[string]string{"names": long}, Bytes: []byte("12345678")},
		{Type: fname, Context: map[string]string{"names": "a|B"}, Bytes: []byte("12345678")},
		{Type: fname, Context: map[string]string{"names": "a|b"}, Bytes: []byte("12345678")},
		{Type: name, Context: map[string]string{}, Bytes: []byte{}},
		{Type: name, Context: map[string]string{}, Bytes: []byte("\x02a\x00")},
		{Type: name, Context: map[string]string{"version": "63"}, Bytes: []byte("\x02a\x00")},
	}
	for range 2 {
		for _, in := range want {
			if err := s.Keep(in); err != nil {
				t.Fatal(err)
			}
		}
		s = testrun.Must(OpenStore(dir))
		got, unknown := mustRead(t, s, "upkg.Name", "uasset.FName")
		byKey := func(a, b Input) int { return strings.Compare(a.Type.Name+a.key(), b.Type.Name+b.key()) }
		slices.SortFunc(got, byKey)
		slices.SortFunc(want, byKey)
		if !reflect.DeepEqual(got, want) || unknown != nil {
			t.Errorf("%v, unknown %v", got, unknown)
		}
	}
	if ins, _ := mustRead(t, s, "upkg.Name"); len(ins) != 3 {
		t.Errorf("%d inputs of one type, want 3", len(ins))
	}
	if _, err := os.Stat(filepath.Join(dir, "upkg.Name", "version=63", hashOf([]byte("\x02a\x00")))); err != nil {
		t.Error(err)
	}
	// Files of others, of a run that was killed, and unknown folders.
	for file, text := range map[string]string{
		"upkg.Name/id:000001,orig:x": "\x03bc\x00", "upkg.Name/.formatgauge-ABC": "half", "upkg.Name/.state/queue": "x",
		"notes":                     "text",
		"upkg.Name/queue/id:000002": "x", "upkg.Name/version=old/f": "x", "upkg.Name/version=63&order=big/f": "x",
		"FuzzUpkgName/f": "x", "upkg.Name/%zz/f": "x",
	} {
		file = filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Skip(err) // a file system without colons in names
		}
	}
	ins, unknown := mustRead(t, s, "upkg.Name")
	if len(ins) != 4 || len(unknown) != 5 {
		t.Errorf("%d inputs, unknown: %v", len(ins), unknown)
	}
}

func TestStoreState(t *testing.T) {
	dir := t.TempDir()
	for want := range uint64(3) {
		s := testrun.Must(OpenStore(dir))
		if s.Runs() != want {
			t.Errorf("%d runs, want %d", s.Runs(), want)
		}
		if err := s.Begin(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, stateName), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(dir); err == nil || !strings.Contains(err.Error(), stateName) {
		t.Errorf("the error is %v", err)
	}
}

// TestKeep: a run keeps the inputs that show something new. They alone show the
// same, so a run that starts from them keeps none.
func TestKeep(t *testing.T) {
	documented := adapter.NewReferenceUnder(ids.Documented())
	run := func(kept []Input, seed uint64, count int) (out []Input, r *Report) {
		var mu sync.Mutex
		r = mustRun(t, adapter.NewReferenceUnder(ids.Observed()), documented, Options{
			Types: types(t, "upkg.Package"), Count: count, Seed: seed, Kept: kept,
			Keep: func(in Input) error {
				mu.Lock()
				defer mu.Unlock()
				if in.Tree == nil {
					out = append(out, in)
				}
				return nil
			},
		})
		return out, r
	}
	first, r := run(nil, testrun.Seed(), some(3000))
	if len(first) == 0 || len(first) > some(3000)/2 || len(r.Findings) == 0 {
		t.Fatalf("%d inputs are kept, %d findings", len(first), len(r.Findings))
	}
	others := func(v *corpus.Vector) bool { return v.Type != "upkg.Package" }
	own := len(slices.DeleteFunc(vectors(t), others))
	again, other := run(first, testrun.Seed()+1, own+len(first))
	for _, in := range again {
		if !slices.ContainsFunc(first, func(f Input) bool { return f.key() == in.key() }) {
			t.Errorf("kept in addition: %s", in.key())
		}
	}
	if got, want := other.Types[0].Behaviours, r.Types[0].Behaviours; got < want*9/10 {
		t.Errorf("%d behaviours, want about %d", got, want)
	}
}

// TestKeepFails: an input that cannot be kept ends the run, with the results.
func TestKeepFails(t *testing.T) {
	r := mustRun(t, adapter.NewReference(), adapter.NewReference(), Options{
		Types: types(t, "upkg.Name", "upkg.Header"), Count: 1 << 20,
		Keep: func(Input) error { return errors.New("no space") },
	})
	if r.Stopped != "an input cannot be kept: no space" || len(r.Types) != 1 || r.NoDifference() {
		t.Errorf("%q, %d types", r.Stopped, len(r.Types))
	}
}
