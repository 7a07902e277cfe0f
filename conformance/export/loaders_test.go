package export_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const loaders = "files/loaders/"

// noHash is in the place of the hash of the corpus.
var noHash = "sha256:" + strings.Repeat("0", 64)

// program returns the path of a program, or skips the test. Of Python it is not that of a
// script that selects a version, which takes longer than most tests.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is missing", name)
	}
	if name == "python3" {
		out, err := exec.CommandContext(t.Context(), path, "-c", "import sys; print(sys.executable)").Output()
		if err != nil {
			t.Fatal(err)
		}
		path = strings.TrimSpace(string(out))
	}
	return path
}

// runIn runs a program in a folder, with additions to the environment, and returns what it
// prints.
func runIn(t *testing.T, dir string, env []string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// sample returns every 40th vector unless it is long, and those of which the tests speak. An
// exhaustive run takes all.
func sample(t *testing.T, also ...string) (out []*corpus.Vector) {
	t.Helper()
	all := corpustest.All(t)
	for i, v := range all {
		const long = 16 << 10 // bytes: readers in Python take seconds
		if i%40 == 0 && len(v.Bytes) < long || testrun.Exhaustive || slices.Contains(also, v.ID) {
			out = append(out, v)
		}
	}
	return out
}

// sampleFolder writes an edition with a sample.
func sampleFolder(t *testing.T, vectors []*corpus.Vector) string {
	t.Helper()
	files, err := export.Files(vectors, noHash)
	if err != nil {
		t.Fatal(err)
	}
	return folderOf(t, files)
}

// folderOf writes files into a new folder.
func folderOf(t *testing.T, files []export.File) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "files")
	if err := export.Dir(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

// childOf starts a reader.
func childOf(t *testing.T, reader []string) *adapter.Child {
	t.Helper()
	child, err := adapter.NewChild(reader, adapter.Options{Timeout: testrun.Answer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Close() })
	return child
}

func content(t *testing.T, files []export.File, name string) []byte {
	t.Helper()
	for _, f := range files {
		if f.Name == name {
			return f.Content
		}
	}
	t.Fatalf("no file %s", name)
	return nil
}

// faults are those of testdata/plant.py. An exhaustive run plants each fault alone.
func faults() []string {
	if !testrun.Exhaustive {
		return []string{"mixed", "late"}
	}
	return []string{
		"none", "mixed", "typed", "number", "spelling", "null", "omit", "field", "list", "hex", "upper", "consumed", "bytes",
		"class", "offset", "late",
		"no-offset", "refuse", "accept", "skip", "error", "crash",
	}
}

// special are vectors that a sample may lack: any NaN, an answer beyond a limit, choices that
// leave values open, and a long text.
var special = []string{
	"ubi/CompressedQuaternionU32.Quaternion/no-root-one-flag", "ka/Archive/levels-64", "ka/Archive/levels-65",
	"ka/Archive/nested-fault-of-class-limit",
	"ka/Array/levels-65", "uasset/Mip/flags-bit-window", "upkg/ExportEntry/version-50",
	"upkg/Name/utf-8-bytes", "upkg/Package/padded-index-in-a-table", "upkg/Name/wide-65537-units",
}

// TestRunners: both programs that judge adapters give the results of the judge, for each
// vector and for right, wrong and crashing readers.
func TestRunners(t *testing.T) {
	python, node := program(t, "python3"), program(t, "node")
	vectors := sample(t, special...)
	folder := filepath.Join(sampleFolder(t, vectors), "json")
	runners := [][]string{
		{python, loaders + "python/formatgauge_run.py"},
		{node, loaders + "javascript/formatgauge_run.mjs"},
	}
	run := func(family, fault, profile string, reader ...string) {
		if !testrun.Exhaustive && (family != "ubi" || profile != "documented") && fault != "mixed" &&
			(family != "ka" || fault != "late") {
			return
		}
		name := strings.Join([]string{family, fault, profile, filepath.Ext(reader[len(reader)-1])[1:]}, "-")
		t.Run(name, func(t *testing.T) {
			want := judged(t, vectors, family, profile, reader)
			failed := 0
			for _, result := range want {
				if result == "fail" {
					failed++
				}
			}
			harmless := fault == "none" || fault == "omit" || fault == "skip"
			if harmless && profile == "observed" && failed > 0 || !harmless && failed == 0 {
				t.Errorf("%d failures", failed)
			}
			for _, command := range runners {
				args := append(slices.Clip(command), "--all", "--profile", profile, "--run", family, folder, "--")
				compareResults(t, args[1], want, append(args, reader...))
			}
		})
	}
	for _, family := range []string{"ubi", "upkg", "ka", "uasset"} {
		script := "../../examples/adapters/python/" + family + ".py"
		run(family, "none", "documented", python, "testdata/plant.py", "none", script)
		for _, fault := range faults() {
			run(family, fault, "observed", python, "testdata/plant.py", fault, script)
		}
		module := "../../examples/adapters/javascript/" + family + ".mjs"
		if _, err := os.Stat(module); err == nil {
			run(family, "none", "observed", node, module)
		} else {
			run(family, "none", "observed", python, script)
		}
	}
}

// TestRunnerOnSlowPipe: a reader that begins after the runner ended its adapter, when a
// pipe has been full for long, gets all output.
func TestRunnerOnSlowPipe(t *testing.T) {
	node := program(t, "node")
	cmd := exec.CommandContext(t.Context(), node, loaders+"javascript/formatgauge_run.mjs", "--all",
		"../../corpus/json", "--", node, "testdata/without-types.mjs")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if text, err := bufio.NewReader(stderr).ReadString('\n'); text != "ended\n" {
		t.Errorf("standard error: %q, %v", text, err)
	}
	out, err := io.ReadAll(stdout)
	if err != nil {
		t.Error(err)
	}
	vectors, err := corpus.Count()
	if got, want := bytes.Count(out, []byte("\n")), vectors+1; got != want || err != nil {
		t.Errorf("%d lines of output, want %d (%v)", got, want, err)
	}
	if code := cmd.Wait(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("%v, want exit status 2: nothing was judged", code)
	}
}

// compareResults runs a command that prints results and compares them with those of the
// judge.
func compareResults(t *testing.T, name string, want map[string]string, args []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, _ := cmd.Output() // the exit code follows
	got, failed := map[string]string{}, 0
	for text := range strings.Lines(string(out)) {
		for _, status := range []string{"FAIL", "pass", "acceptable", "skip", "not applicable"} {
			if id, ok := strings.CutPrefix(strings.TrimSpace(text), status+" "); ok && strings.Count(id, "/") == 2 &&
				text[0] != ' ' {
				got[strings.TrimSpace(id)] = strings.ToLower(status)
			}
		}
	}
	for id, result := range want {
		if result == "fail" {
			failed++
		}
		// How far a value or bytes differ, and whether they are stated, only the judge compares.
		if v, ok := corpus.Find(id); ok && got[id] == "acceptable" && (result == "not applicable" || opensValue(v)) {
			if got[id] = result; result == "fail" {
				failed--
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-judge +loader):\n%.3000s\n%s", name, d, &errOut)
	}
	if code := cmd.ProcessState.ExitCode(); code != min(failed, 1) &&
		(code != 2 || slices.Contains(slices.Collect(maps.Values(got)), "pass")) {
		t.Errorf("%s: exit code %d after %d failures: %s", name, code, failed, &errOut)
	}
}

// opensValue reports whether a vector leaves more open than a rejection: a choice decides it,
// or readers may support what others reject.
func opensValue(v *corpus.Vector) bool {
	if slices.ContainsFunc(v.Expect, func(e corpus.Expectation) bool {
		return e.Class != "" && corpus.Admits(e.Class, string(judge.Unsupported))
	}) {
		return true
	}
	for _, p := range []ids.Profile{ids.Documented(), ids.Observed()} {
		for _, d := range slices.Concat(v.Choices(p), v.DecidedIn(corpus.Writing)) {
			if _, open := v.Reason(d); open != spec.Rejection {
				return true
			}
		}
	}
	return false
}

// judged returns the results of the judge, in the words of the loaders.
func judged(t *testing.T, vectors []*corpus.Vector, family, profile string, reader []string) map[string]string {
	t.Helper()
	p, err := ids.ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	// Without its method Fork it answers as one process, and no request is repeated alone in another.
	one := struct{ adapter.Implementation }{childOf(t, reader)}
	report, err := judge.Run(context.Background(), one, vectors, judge.Options{
		Profile: &p, NoDerived: true, Filter: func(v *corpus.Vector) bool { return v.Family() == family },
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range report.Results {
		out[r.ID] = resultOf(r.Status)
	}
	return out
}

// resultOf returns a status in the words of the loaders.
func resultOf(s judge.Status) string {
	switch {
	case s.Failed():
		return "fail"
	case s == judge.NotApplicable:
		return "not applicable"
	}
	return string(s)
}

// TestNothingToRun: patterns that match no vector, such as a name that is mistyped, are an
// error, and so is an unknown profile.
func TestNothingToRun(t *testing.T) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	const (
		inPython = "import sys; import formatgauge_vectors as v; list(v.load(*sys.argv[1:]))"
		inNode   = "const [folder, type, profile] = process.argv.slice(1); " +
			"[...(await import('./formatgauge_vectors.mjs')).load(folder, [type], profile)]"
	)
	python, node := program(t, "python3"), program(t, "node")
	for _, args := range [][]string{{"upkg.CompactIndx", "observed"}, {"upkg.CompactIndex", "obsrved"}} {
		for language, command := range map[string][]string{
			"python":     {python, "-c", inPython, folder},
			"javascript": {node, "--input-type=module", "-e", inNode, folder},
		} {
			out, err := runIn(t, loaders+language, nil, append(command, args...)...)
			if want := "no vector of " + strings.Join(args, " under "); err == nil || !strings.Contains(out, want) {
				t.Errorf("%v: %v, %s: want %q", args, err, out, want)
			}
		}
	}
}

// TestLimits: each loader has at most 120 lines, and the license of the program is the
// one in the export.
func TestLimits(t *testing.T) {
	names, err := filepath.Glob(loaders + "*/*")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if n := bytes.Count(text, []byte("\n")); err != nil || n > 120 {
			t.Errorf("%s has %d lines: %v", name, n, err)
		}
	}
	license, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("files/LICENSE-APACHE")
	if err != nil || !bytes.Equal(license, own) {
		t.Errorf("LICENSE-APACHE is not that of the repository: %v", err)
	}
}
