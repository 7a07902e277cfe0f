// Package implementations_test checks what is written about implementations.
// It needs none of them.
package implementations_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// manifest is the file implementation.toml. README.md says what its keys mean.
type manifest struct {
	Name, Repository, Revision, Licence, Language, File, Profile string

	Needs, Command, Types, Operations, Views []string
}

func TestManifests(t *testing.T) {
	paths, err := filepath.Glob("*/implementation.toml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, path := range paths {
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
			for _, key := range []string{"name", "repository", "revision", "licence", "language", "needs", "file", "command", "types", "operations", "profile", "views"} {
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
				if !slices.Contains([]string{"decode", "encode", "recode", "spans"}, op) {
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
