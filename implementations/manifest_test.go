// Package implementations_test checks what is written about implementations:
// the manifests and the lists of known failures. It needs none of them.
package implementations_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// manifest is the file implementation.toml. README.md says what its keys mean.
type manifest struct {
	Name, Repository, Revision, Licence, Language, File, Profile string

	Needs, Command, Types, Operations, Views []string
}

func manifests(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*/implementation.toml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	return paths
}

func TestManifests(t *testing.T) {
	for _, path := range manifests(t) {
		name := filepath.Dir(path)
		t.Run(name, func(t *testing.T) {
			var m manifest
			meta, err := toml.DecodeFile(path, &m)
			if err != nil {
				t.Fatal(err)
			}
			if unknown := meta.Undecoded(); len(unknown) > 0 {
				t.Errorf("unknown keys: %v", unknown)
			}
			for _, key := range []string{
				"name", "repository", "revision", "licence", "language", "needs", "file", "command",
				"types", "operations", "profile", "views",
			} {
				if !meta.IsDefined(key) {
					t.Errorf("%s is missing", key)
				}
			}
			if m.Name != name {
				t.Errorf("name %q in the folder %s", m.Name, name)
			}
			if !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(m.Revision) {
				t.Errorf("revision %q is not a commit", m.Revision)
			}
			for _, name := range m.Types {
				if _, ok := codec.Find(name); !ok {
					t.Errorf("type %q does not exist", name)
				}
			}
			for _, op := range m.Operations {
				if !slices.Contains([]string{"decode", "encode", "roundtrip", "spans"}, op) {
					t.Errorf("operation %q does not exist", op)
				}
			}
			if _, err := ids.ParseProfile(m.Profile); err != nil {
				t.Errorf("profile: %v", err)
			}
			if err := spec.CheckViews(m.Views); err != nil {
				t.Error(err)
			}
		})
	}
}

// Every entry of a list names a vector, and every block of entries begins with
// the cause. Whether the entries are right, only run.sh can tell.
func TestKnownFailures(t *testing.T) {
	vectors := corpustest.All(t)
	for _, manifest := range manifests(t) {
		list := filepath.Join(filepath.Dir(manifest), "known-failures.txt")
		t.Run(list, func(t *testing.T) {
			text, err := os.ReadFile(list)
			if err != nil {
				t.Fatal(err)
			}
			known, err := judge.ParseKnown(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if len(known.Entries()) == 0 {
				t.Error("no entries")
			}
			lines := strings.Split(string(text), "\n")
			for _, e := range known.Entries() {
				if before := strings.TrimSpace(lines[e.Line-2]); before == "" {
					t.Errorf("line %d: the block has no cause", e.Line)
				}
				id, _, _ := strings.Cut(e.Pattern, "#")
				if !slices.ContainsFunc(vectors, func(v *corpus.Vector) bool {
					ok, err := path.Match(id, v.ID)
					return ok && err == nil
				}) {
					t.Errorf("line %d: no vector matches %s", e.Line, id)
				}
			}
		})
	}
}
