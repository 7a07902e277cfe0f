package export_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/export"
)

// kitFiles returns the kit.
var kitFiles = sync.OnceValues(func() ([]export.File, error) { return export.Kit("sha256:0") })

// writeKit writes the kit with the seeds of one type, and returns its folder.
func writeKit(t *testing.T) string {
	t.Helper()
	files, err := kitFiles()
	if err != nil {
		t.Fatal(err)
	}
	var some []export.File
	for _, f := range files {
		if !strings.HasPrefix(f.Name, "seeds/") || strings.HasPrefix(f.Name, "seeds/upkg.CompactIndex/") {
			some = append(some, f)
		}
	}
	return folderOf(t, some)
}

// TestKit: each file occurs once, and the seeds are those of the types.
func TestKit(t *testing.T) {
	files, err := kitFiles()
	if err != nil {
		t.Fatal(err)
	}
	seen, seeds := map[string]bool{}, 0
	for _, f := range files {
		if seen[f.Name] || len(f.Content) == 0 || strings.ContainsAny(f.Name, "<>:*?,\"\\| ") {
			t.Errorf("%s occurs twice, is empty, or has a name that is no file on some system", f.Name)
		}
		seen[f.Name] = true
		if strings.HasPrefix(f.Name, "seeds/ubi.Pair-uint32-float32/") {
			seeds++
		}
	}
	if want := len(seedsOf(t, "ubi.Pair<uint32,float32>")); seeds != want {
		t.Errorf("%d seeds of ubi.Pair<uint32,float32>, want %d", seeds, want)
	}
	if readme := string(content(t, files, "README.md")); !strings.Contains(readme, "(sha256:0)") {
		t.Error("README.md does not name the corpus")
	}
}

// TestKitFinds: the harness in C finds the planted bugs with the seeds, and nothing
// without them.
func TestKitFinds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the harness is built for POSIX")
	}
	dir, compiler := writeKit(t), program(t, "cc")
	harness := filepath.Join(dir, "accept")
	flags := []string{"-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", "-O1", "-o", harness}
	const sanitize = "-fsanitize=address,undefined"
	probe := exec.CommandContext(t.Context(), compiler, sanitize, "-x", "c", "-", "-o", filepath.Join(dir, "probe"))
	probe.Stdin = strings.NewReader("int main(void) { return 0; }\n")
	past := ""
	if probe.Run() == nil {
		flags = append(flags, sanitize, "-fno-sanitize-recover=all")
		past = "heap-buffer-overflow"
	} else {
		t.Log("the compiler has no sanitizers")
	}
	for plant, want := range []string{"", "what the writer wrote is read as another value", past} {
		define := "-DPLANT=" + strconv.Itoa(plant)
		build := slices.Concat([]string{compiler}, flags, []string{define, "fuzz_accept.c", "standalone.c", "sample_index.c"})
		if text, err := runIn(t, filepath.Join(dir, "c"), nil, build...); err != nil || text != "" {
			t.Fatalf("%s: %v\n%s", define, err, text)
		}
		out, err := runIn(t, "", nil, harness, filepath.Join(dir, "seeds", "upkg.CompactIndex"))
		if (err == nil) != (want == "") || !strings.Contains(out, want) || err == nil &&
			!strings.Contains(out, " inputs, no finding") {
			t.Errorf("%s: %.2000s\nwant %q", define, out, want)
		}
	}
}

// TestKitGo: the harness in Go passes on the seeds, and finds the planted bug.
func TestKitGo(t *testing.T) {
	dir := filepath.Join(writeKit(t), "go")
	run := func(plant, want string, command ...string) {
		t.Helper()
		env := []string{"FORMATGAUGE_PLANT=" + plant, "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local"}
		out, err := runIn(t, dir, env, command...)
		if (err == nil) != (plant == "0") || !strings.Contains(out, want) {
			t.Errorf("plant %s: %v\n%s", plant, err, out)
		}
	}
	built := filepath.Join(dir, "kit.test.exe")
	run("0", "ok", program(t, "go"), "test", "-count=1", "-o", built, ".")
	run("1", "is read as another value", built)
}
