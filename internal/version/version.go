// Package version identifies the version of Formatgauge in a program.
package version

import (
	"regexp"
	"runtime/debug"
	"sync"
)

const module = "github.com/formatgauge/formatgauge"

// linked is for builds without version control:
// go build -ldflags "-X github.com/formatgauge/formatgauge/internal/version.linked=v0.1.0".
var linked string

// pseudo matches the version that Go gives to a revision without a tag.
const pseudo = `[-.][0-9]{14}-([0-9a-f]{12}(?:\+dirty)?)$`

// String returns the version that the linker has set, or the module's tag, or
// "devel". A revision without a tag follows "devel" after a hyphen if the build
// information contains it; "+dirty" marks files that differ from the revision.
var String = sync.OnceValue(func() string {
	b, ok := debug.ReadBuildInfo()
	switch {
	case linked != "":
		return linked
	case ok:
		return from(b)
	}
	return "devel"
})

func from(b *debug.BuildInfo) string {
	for _, m := range append([]*debug.Module{&b.Main}, b.Deps...) {
		if m.Path != module || m.Version == "" || m.Version == "(devel)" {
			continue
		}
		if revision := regexp.MustCompile(pseudo).FindStringSubmatch(m.Version); revision != nil {
			return "devel-" + revision[1]
		}
		return m.Version
	}
	return "devel"
}
