package testrun

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSeed: rapid has the seed of the run, and an invalid seed ends the run.
func TestSeed(t *testing.T) {
	if os.Getenv("RAPID_SEED") != "" {
		t.Skip("RAPID_SEED replaces the seed of rapid")
	}
	describe := fmt.Sprintf("seed %d, rapid %s", Seed(), flag.Lookup("rapid.seed").Value)
	if os.Getenv("TESTRUN_CHILD") != "" {
		fmt.Println(describe)
		return
	}
	for value, want := range map[string]string{
		"": "seed 1, rapid 1", "77": "seed 77, rapid 77",
		"18446744073709551615": "seed 18446744073709551615, rapid 18446744073709551615",
		"0":                    "expected a positive integer", "-1": "expected a positive integer",
		"1.5":                  "expected a positive integer",
		"18446744073709551616": "expected a positive integer",
	} {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		child := exec.Command(program, "-test.run=^TestSeed$")
		child.Env = append(os.Environ(), "TESTRUN_CHILD=1", SeedVariable+"="+value)
		out, err := child.CombinedOutput()
		if valid := strings.HasPrefix(want, "seed"); !strings.Contains(string(out), want) || (err == nil) != valid {
			t.Errorf("%s=%s: %v, %s: expected %s", SeedVariable, value, err, out, want)
		}
	}
}

// TestRand: a source depends on the seed and on the name of the test only.
func TestRand(t *testing.T) {
	draw := func(t *testing.T) (out uint64) {
		t.Run("sub", func(t *testing.T) { out = Rand(t).Uint64() })
		return out
	}
	if Rand(t).Uint64() != Rand(t).Uint64() {
		t.Error("two sources of one test differ")
	}
	if draw(t) == Rand(t).Uint64() {
		t.Error("two tests have the same source")
	}
}

// TestRapidHasASeed: a package whose tests use rapid imports this one, otherwise
// rapid draws from a seed of its own.
func TestRapidHasASeed(t *testing.T) {
	rapid, seeded := map[string]bool{}, map[string]bool{} // by folder
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "out":
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		rapid[filepath.Dir(path)] = rapid[filepath.Dir(path)] || bytes.Contains(text, []byte("\t\"pgregory.net/rapid\"\n"))
		seeded[filepath.Dir(path)] = seeded[filepath.Dir(path)] || bytes.Contains(text, []byte("/internal/testrun\""))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for folder, uses := range rapid {
		if uses {
			n++
		}
		if uses && !seeded[folder] {
			t.Errorf("the tests in %s import rapid and not internal/testrun", folder)
		}
	}
	if n == 0 {
		t.Error("no package imports rapid")
	}
}
