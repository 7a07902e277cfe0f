package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

const survivorsFile = "conformance/judge/mutants/survivors.toml"

// A survivor is a mutant that no vector detects, with the reason.
type survivor struct {
	key
	Equivalent string `toml:"equivalent"` // why no verdict can depend on the change
	Gap        string `toml:"gap"`        // what a vector that detects it needs
}

// survivors contains the file of survivors.
type survivors map[key]*survivor

// loadSurvivors reads and checks the file of survivors.
func loadSurvivors(name string) (survivors, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var file struct {
		Survivor []*survivor `toml:"survivor"`
	}
	meta, err := toml.Decode(string(text), &file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if u := meta.Undecoded(); len(u) > 0 {
		return nil, fmt.Errorf("%s: unknown key %s", name, u[0])
	}
	out := survivors{}
	for _, s := range file.Survivor {
		switch {
		case (s.Equivalent == "") == (s.Gap == ""):
			return nil, fmt.Errorf("%s: expected either equivalent or gap: %s", name, s.key)
		case out[s.key] != nil:
			return nil, fmt.Errorf("%s: listed twice: %s", name, s.key)
		}
		out[s.key] = s
	}
	return out, nil
}

// verdict returns what the file says of a mutant that survives.
func (s survivors) verdict(k key) string {
	switch v := s[k]; {
	case v == nil:
		return "survives:"
	case v.Gap != "":
		return "gap:"
	}
	return "equivalent:"
}

// missing returns the entries for files of a target that are no mutants of it.
func (s survivors) missing(t target, all []*mutant) (problems []string) {
	exist := map[key]bool{}
	for _, m := range all {
		exist[m.key] = true
	}
	for k := range s {
		ofTarget := slices.ContainsFunc(t.packages, func(dir string) bool {
			name, ok := strings.CutPrefix(k.File, dir+"/")
			return ok && !strings.Contains(name, "/")
		})
		if ofTarget && !exist[k] {
			problems = append(problems, fmt.Sprintf("%s does not exist: remove it from %s", k, survivorsFile))
		}
	}
	slices.Sort(problems)
	return problems
}
