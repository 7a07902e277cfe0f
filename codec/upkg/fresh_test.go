package upkg_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestFreshProcess: a program that uses one family does not load the records.
func TestFreshProcess(t *testing.T) {
	cmd := exec.Command("go", "run", "./testdata/fresh")
	cmd.Env = append(os.Environ(), "GOARCH=") // the machine, if this test is emulated
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var bytes, objects int
	if _, err := fmt.Sscan(string(out), &bytes, &objects); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if bytes > 300_000 || objects > 1500 {
		t.Errorf("a new process allocates %d bytes in %d objects, expected at most 300000 in 1500", bytes, objects)
	}
	deps, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(deps), "toml") {
		t.Error("the codec depends on a TOML parser")
	}
}
