package corpus_test

import (
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/formatgauge/formatgauge/corpus"
)

// TestDigestAsSha256sum: the digest is what the documented command line gives.
func TestDigestAsSha256sum(t *testing.T) {
	got, err := corpus.Digest()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"sh", "find", "sort", "xargs", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here to compare with: %v", tool, err)
		}
	}
	cmd := exec.Command("sh", "-c", `find */*/*.txtar | LC_ALL=C sort | xargs sha256sum | sha256sum`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := strings.Cut(string(out), " ")
	if got != "sha256:"+want {
		t.Errorf("the digest is %s, sha256sum says %s", got, want)
	}
}

// TestHashTellsApart: a changed byte, a changed id and a vector more each give another digest.
func TestHashTellsApart(t *testing.T) {
	one := fstest.MapFS{"ubi/Box/one.txtar": {Data: []byte("1")}}
	seen := map[string]string{}
	for name, fsys := range map[string]fstest.MapFS{
		"one":      one,
		"changed":  {"ubi/Box/one.txtar": {Data: []byte("2")}},
		"renamed":  {"ubi/Box/two.txtar": {Data: []byte("1")}},
		"one more": {"ubi/Box/one.txtar": {Data: []byte("1")}, "ubi/Box/two.txtar": {Data: []byte("")}},
		"none":     {},
	} {
		h, err := corpus.Hash(fsys)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		seen[h] = name
	}
	elsewhere := fstest.MapFS{"ubi/Box/one.txtar": {Data: []byte("1")}, "README.md": {Data: []byte("no vector")}}
	a, _ := corpus.Hash(one)
	if b, _ := corpus.Hash(elsewhere); a != b {
		t.Error("a file that is no vector changes the digest")
	}
}
