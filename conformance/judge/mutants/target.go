package main

import (
	"path/filepath"
	"strings"
)

// A target is code that is changed, and the families whose vectors judge it.
type target struct {
	name     string
	packages []string // folders
	families []string
	tags     string // of the build
}

// Package ka is judged without its fast path, which would hide it.
var targets = []target{
	{"ubi", []string{"codec/ubi", "model/ubi"}, []string{"ubi"}, ""},
	{"upkg", []string{"codec/upkg", "model/upkg"}, []string{"upkg"}, ""},
	{"ka", []string{"codec/ka", "model/ka"}, []string{"ka"}, "purego"},
	{"uasset", []string{"codec/uasset", "model/uasset"}, []string{"uasset"}, ""},
	{"fast", []string{"codec/ka/internal/fast"}, []string{"ka"}, ""},
	{"wire", []string{"codec/wire"}, []string{"ubi", "upkg", "ka", "uasset"}, ""},
}

func findTarget(name string) (target, bool) {
	for _, t := range targets {
		if t.name == name {
			return t, true
		}
	}
	return target{}, false
}

func targetNames() (names []string) {
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// notJudged lists the files that no operation of the protocol runs, and those that
// contain ids only.
var notJudged = map[string]string{
	"aliases.go":   "names for users",
	"canonical.go": "no operation of the protocol; tests of the package judge it",
	"clauses.go":   "ids of clauses and flags",
	"diagnose.go":  "texts for people",
	"rebuild.go":   "no operation of the protocol; tests of the package judge it",
	"relocate.go":  "no operation of the protocol; tests of the package judge it",
	"scan.go":      "no operation of the protocol; tests of the package judge it",
}

func isExcluded(name string) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, "_test.go") || notJudged[base] != ""
}
