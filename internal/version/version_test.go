package version

import (
	"runtime/debug"
	"testing"
)

func TestFrom(t *testing.T) {
	main := func(version string) debug.BuildInfo {
		return debug.BuildInfo{Main: debug.Module{Path: module, Version: version}}
	}
	user := func(deps ...*debug.Module) debug.BuildInfo {
		return debug.BuildInfo{Main: debug.Module{Path: "example.org/user", Version: "v9.0.0"}, Deps: deps}
	}
	for _, c := range []struct {
		want  string
		build debug.BuildInfo
	}{
		{"v1.2.3", main("v1.2.3")},
		{"v1.2.3+dirty", main("v1.2.3+dirty")},
		{"v1.2.3-rc.1", main("v1.2.3-rc.1")},
		{"devel-6dd30328d38e", main("v0.0.0-20261122001122-6dd30328d38e")},
		{"devel-6dd30328d38e+dirty", main("v1.2.4-0.20261122001122-6dd30328d38e+dirty")},
		{"devel-6dd30328d38e", main("v1.2.3-rc.1.0.20261122001122-6dd30328d38e")},
		{"devel", main("(devel)")},
		{"v1.2.3", user(&debug.Module{Path: module, Version: "v1.2.3"})},
		{"devel", user()},
		{"devel", debug.BuildInfo{}},
	} {
		if got := from(&c.build); got != c.want {
			t.Errorf("%+v: got %s, expected %s", c.build, got, c.want)
		}
	}
}
