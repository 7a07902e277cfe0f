package adapter

import (
	"runtime/debug"
	"testing"
)

func TestVersionFrom(t *testing.T) {
	const module = "github.com/formatgauge/formatgauge"
	vcs := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "abc123"}}
	for _, c := range []struct {
		want  string
		build debug.BuildInfo
	}{
		{"v1.2.3", debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.2.3"}, Settings: vcs}},
		{"abc123", debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}, Settings: vcs}},
		{"devel", debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}}},
		{"v1.2.3", debug.BuildInfo{Main: debug.Module{Path: "example.org/user", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: module, Version: "v1.2.3"}}, Settings: vcs}},
		{"devel", debug.BuildInfo{Main: debug.Module{Path: "example.org/user", Version: "v9.0.0"}, Settings: vcs}},
		{"devel", debug.BuildInfo{}},
	} {
		if got := versionFrom(&c.build); got != c.want {
			t.Errorf("%+v: %s, want %s", c.build, got, c.want)
		}
	}
	if ownVersion() == "" {
		t.Error("ownVersion is empty")
	}
}
