package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseLog(t *testing.T) {
	start := time.Date(2026, 11, 22, 23, 59, 58, 0, time.UTC)
	log := func(engine string, lines ...string) string {
		return fmt.Sprintf(logHeader, start.Format(time.RFC3339), "abc123+", "ka 0123456789", engine, "quick", "T") + strings.Join(lines, "\n") + "\n"
	}
	for _, c := range []struct {
		name, log  string
		executions int64
		coverage   string
		findings   string
		fails      bool
	}{
		{"libFuzzer, at its end", log(
			libFuzzer, "INFO: Seed: 1234", "#2\tINITED cov: 34 ft: 35 corp: 1/1b exec/s: 0 rss: 28Mb",
			"#1024\tNEW    cov: 40 ft: 51 corp: 7/9b lim: 4 exec/s: 0 rss: 30Mb L: 3/4 MS: 1 Custom-",
			"#50000\tDONE   cov: 41 ft: 52 corp: 8/12b lim: 4 exec/s: 25000 rss: 31Mb",
			"Done 50001 runs in 2 second(s)", "stat::number_of_executed_units: 50001", "stat::average_exec_per_sec:     25000",
		), 50001, "cov 41 ft 52", "none", false},
		{"libFuzzer, killed", log(
			libFuzzer, "#2\tINITED cov: 34 ft: 35 corp: 1/1b exec/s: 0 rss: 28Mb",
			"#1048576\tpulse  cov: 40 ft: 51 corp: 7/9b lim: 4 exec/s: 34952 rss: 30Mb", "#10485",
		), 1048576, "cov 40 ft 51", "none", false},
		{"libFuzzer, a finding", log(
			libFuzzer, "#7\tREDUCE cov: 3 ft: 4 corp: 1/1b exec/s: 0 rss: 28Mb", "stat::number_of_executed_units: 9",
			"artifact_prefix='/c/findings/T/'; Test unit written to /c/findings/T/slow-unit-ff", "artifact_prefix='/c/findings/T/'; Test unit written to /c/findings/T/crash-a1b2",
		), 9, "cov 3 ft 4", "crash-a1b2 open", false},
		{"libFuzzer, in its first execution", log(libFuzzer, "artifact_prefix='./'; Test unit written to ./timeout-a1"), 0, "", "timeout-a1 open", false},
		{"libFuzzer, text of the other engine", log(libFuzzer, "fuzz: elapsed: 3s, execs: 325 (108/sec), new interesting: 11 (total: 202)"), 0, "", "", true},
		{"Go, at its end", log(
			native, "fuzz: elapsed: 0s, gathering baseline coverage: 0/192 completed", "fuzz: elapsed: 3s, execs: 325017 (108336/sec), new interesting: 11 (total: 202)",
			"fuzz: elapsed: 6s, execs: 680218 (118402/sec), new interesting: 12 (total: 203)", "PASS",
		), 680218, "new 12 total 203", "none", false},
		{"Go, two findings", log(
			native, "fuzz: elapsed: 3s, execs: 12 (4/sec)", "--- FAIL: FuzzT (3.00s)", "    Failing input written to testdata/fuzz/FuzzT/5838cdfae7b16cde",
			"    To re-run:", "    Failing input written to testdata/fuzz/FuzzT/771e938e4458e983",
		), 12, "", "crash-5838cdfae7b16cde open, crash-771e938e4458e983 open", false},
		{"Go, a finding in a seed", log(
			native, "fuzz: elapsed: 0s, gathering baseline coverage: 0/283 completed", "failure while testing seed corpus entry: FuzzT/seed#9",
			"fuzz: elapsed: 1s, gathering baseline coverage: 9/283 completed", "campaign ended: exit status 1",
		), 9, "inputs 9 of 283", "seed#9 open", false},
		{"libFuzzer, without an input", log(libFuzzer, "#1024\tpulse  cov: 40 ft: 51 corp: 7/9b exec/s: 0 rss: 30Mb", "campaign ended: signal: killed"), 1024, "cov 40 ft 51", "signal: killed open", false},
		{"Go, a limit that it reports as a failure", log(native, "fuzz: elapsed: 3s, execs: 12 (4/sec), new interesting: 0 (total: 5)", "--- FAIL: FuzzT (3.00s)", "    context deadline exceeded", "campaign ended: exit status 1"), 12, "new 0 total 5", "none", false},
		{"Go, at the corpus", log(native, "fuzz: elapsed: 0s, gathering baseline coverage: 0/192 completed", "fuzz: elapsed: 3s, gathering baseline coverage: 140/192 completed", "PASS"), 140, "inputs 140 of 192", "none", false},
		{"a target that does not start", log(native, "testing: no such flag"), 0, "", "", true},
		{"no header", "#2\tINITED cov: 34 ft: 35 corp: 1/1b\n", 0, "", "", true},
		{"empty", "", 0, "", "", true},
	} {
		r, err := parseLog([]byte(c.log), start.Add(3*time.Second))
		if c.fails {
			if err == nil {
				t.Errorf("%s: %+v, want an error", c.name, r)
			}
			continue
		}
		want := row{"2026-11-22", "abc123+", "ka 0123456789", "T", r.Engine, "quick", c.executions, c.coverage, 3, c.findings}
		if err != nil || r != want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, r, err, want)
		}
	}
}

func TestSums(t *testing.T) {
	codecs := map[string]string{"ka": "ka 1", "ubi": "ubi 1", all: "all 1"}
	rows := []row{
		{"2026-01-02", "b", "ka 1", "ka_value", libFuzzer, "quick", 299_000_000, "cov 1 ft 2", 1000, "none"},
		{"2026-01-02", "b", "all 1", "small", libFuzzer, "quick", 1_000_000, "", 10, "crash-1 open, crash-2 ka/Value/x"},
		{"2026-01-01", "a", "ka 1", "FuzzKaValue", native, "full", 500, "new 1 total 2", 7, "none"},
		{"2026-01-01", "a", "ubi 1", "FuzzUbiBox", native, "full", 20, "", 1, "none"},
		{"2025-01-01", "0", "ka 0", "ka_value", libFuzzer, "quick", 4000, "", 1, "crash-3 open"},
	}
	text := render(rows, codecs)
	for _, want := range []string{
		"The sum is 300,000,520 (30.0%). Open findings: 2.\n",
		"| ka 1 | 2 | 299,000,500 | 1,007 |\n", "| ubi 1 | 1 | 20 | 1 |\n", "| all 1 | 1 | 1,000,000 | 10 |\n",
		"| 2026-01-02 | b | ka 1 | ka_value | libfuzzer | quick | 299,000,000 | cov 1 ft 2 | 1,000 | 299,000 | none |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the ledger does not contain %q:\n%s", want, text)
		}
	}
	if _, earlier, _ := strings.Cut(text, "## Earlier codecs"); strings.Count(earlier, "| 202") != 1 || !strings.Contains(earlier, "| ka 0 |") {
		t.Errorf("rows of earlier codecs: %s", earlier)
	}
	if got, err := parseLedger(text); err != nil || !slices.Equal(got, rows) {
		t.Errorf("the ledger is read as %+v, %v", got, err)
	}

	// A changed codec starts anew, and only this one.
	codecs["ka"], codecs[all] = "ka 2", "all 2"
	text = render(rows, codecs)
	for _, want := range []string{"The sum is 20 (0.0%). Open findings: 2.\n", "| ka 2 | 0 | 0 | 0 |\n", "| ubi 1 | 1 | 20 | 1 |\n", "| all 2 | 0 | 0 | 0 |\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the ledger does not contain %q:\n%s", want, text)
		}
	}
	if present, earlier, _ := strings.Cut(text, "## Earlier codecs"); strings.Count(present, "| 202") != 1 || strings.Count(earlier, "| 202") != 4 {
		t.Errorf("sections after a change:\n%s", text)
	}
	for _, line := range []string{
		"| 2026-01-02 | b | ka 1 | T | native | quick | many | | 1 | 1 | none |\n",
		"| 2026-01-02 | b | ka 1 | T | native | quick | 1 | | 1 | 1 | none | a cell too many |\n",
	} {
		if rows, err := parseLedger(line); err == nil {
			t.Errorf("%q is read as %+v", line, rows)
		}
	}
}

func TestPresentCodecs(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var before map[string]string
	changed := func() (out []string) {
		t.Helper()
		after, err := presentCodecs(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{all, "ka", "ubi"} {
			if name, id, _ := strings.Cut(after[f], " "); name != f || len(id) != 10 {
				t.Errorf("codec %q of %s", after[f], f)
			}
			if after[f] != before[f] {
				out = append(out, f)
			}
		}
		before = after
		return out
	}
	for _, f := range []string{"wire", "ka", "ubi"} {
		put("codec/"+f+"/a.go", "package a")
		put("model/"+f+"/a.go", "package a")
	}
	if err := os.RemoveAll(filepath.Join(root, "model/wire")); err != nil {
		t.Fatal(err)
	}
	changed()
	for _, c := range []struct {
		file string
		want []string
	}{
		{"codec/ka/a_test.go", nil},
		{"codec/ka/README.md", nil},
		{"codec/ka/internal/fast/b.go", []string{all, "ka"}},
		{"model/ubi/a.go", []string{all, "ubi"}},
		{"codec/wire/a.go", []string{all, "ka", "ubi"}},
	} {
		put(c.file, "package changed")
		if got := changed(); !slices.Equal(got, c.want) {
			t.Errorf("a change of %s changes %v, want %v", c.file, got, c.want)
		}
	}
}

// TestLedger: the ledger has its form, and its sums are those of the present codecs.
func TestLedger(t *testing.T) {
	codecs, err := presentCodecs("../..")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../LEDGER.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parseLedger(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if render(rows, codecs) != string(b) {
		t.Error("fuzz/LEDGER.md is outdated: go generate ./...")
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		engine   string
		patterns []string
		want     string
	}{
		{libFuzzer, []string{"small", "u*_package"}, "[{uasset_package uasset} {upkg_package upkg} {small all}]"},
		{native, []string{"FuzzKaVector[23]"}, "[{FuzzKaVector2 ka} {FuzzKaVector3 ka}]"},
		{native, []string{"FuzzKaInt8", "small"}, "no target matches small"},
		{native, []string{"["}, "syntax error"},
		{"afl", nil, "expected native or libfuzzer"},
	} {
		got, err := (&campaign{engine: c.engine}).targets(c.patterns)
		if text := fmt.Sprint(got, err); !strings.Contains(text, c.want) {
			t.Errorf("%s %v: %s, want %s", c.engine, c.patterns, text, c.want)
		}
	}
	for text, want := range map[string]string{
		"90s": "1m30s 0 <nil>", "1000x": "0s 1000 <nil>", "0x": "0s 0 -time", "ten": "0s 0 -time", "1ms": "0s 0 -time", "5": "0s 0 -time",
	} {
		if d, n, err := (&campaign{time: text}).limit(); !strings.HasPrefix(fmt.Sprint(d, n, err), want) {
			t.Errorf("%s: %v %v %v, want %s", text, d, n, err, want)
		}
	}
	for text, want := range map[string]string{
		"go test fuzz v1\n[]byte(\"a\\x00\\n\\\")\")\n": "a\x00\n\")",
		"go test fuzz v1\n[]byte(\"\")\n":               "",
	} {
		if b, err := goInput([]byte(text)); err != nil || string(b) != want {
			t.Errorf("%q: %q, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "go test fuzz v1\nint(1)\n", "go test fuzz v1\n[]byte(\"a)\n"} {
		if b, err := goInput([]byte(text)); err == nil {
			t.Errorf("%q is read as %q", text, b)
		}
	}
}

// engineVariable is the environment variable that makes the test program an engine
// with this behaviour.
const engineVariable = "FORMATGAUGE_TEST_ENGINE"

func TestMain(m *testing.M) {
	switch os.Getenv(engineVariable) {
	case "":
		os.Exit(m.Run())
	case "finds":
		must(os.MkdirAll("testdata/fuzz/FuzzKaInt8", 0o777))
		must(os.WriteFile("testdata/fuzz/FuzzKaInt8/5838", []byte("go test fuzz v1\n[]byte(\"\\xff\")\n"), 0o666))
		fmt.Println("fuzz: elapsed: 3s, execs: 12 (4/sec), new interesting: 1 (total: 2)\n    Failing input written to testdata/fuzz/FuzzKaInt8/5838")
		os.Exit(1)
	case "waits":
		interrupt := make(chan os.Signal, 1)
		signal.Notify(interrupt, os.Interrupt)
		fmt.Println("fuzz: elapsed: 3s, execs: 100 (33/sec), new interesting: 1 (total: 2)")
		must(os.WriteFile("waits", nil, 0o666))
		<-interrupt
		fmt.Println("fuzz: elapsed: 4s, execs: 140 (33/sec), new interesting: 1 (total: 2)")
		os.Exit(1)
	case "libfuzzer":
		folder := os.Args[slices.IndexFunc(os.Args[1:], filepath.IsAbs)+1]
		if slices.Contains(os.Args, "-merge=1") {
			must(os.WriteFile(filepath.Join(folder, "kept"), nil, 0o666))
		} else {
			files, err := os.ReadDir(folder)
			must(err)
			must(os.WriteFile(filepath.Join(folder, "found"), nil, 0o666))
			fmt.Println("#5\tDONE   cov: 3 ft: 4 corp: 1/1b", "\n", os.Args, len(files), "files")
		}
	case "exits":
		fmt.Print("fuzz: elapsed: 3s, execs: 60 (20/sec), new interesting: 1 (total: 2)")
		os.Exit(3)
	case "fails":
		fmt.Println("no such flag")
		os.Exit(2)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func engine(behaviour string) func(*target) *exec.Cmd {
	return func(*target) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), engineVariable+"="+behaviour)
		return cmd
	}
}

// TestRun runs programs that behave as the native engine.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	c := campaign{dir: t.TempDir(), engine: native, check: "quick", time: "60s", jobs: 2, codecs: map[string]string{"ka": "ka 1"}, out: &out}
	c.ledger = filepath.Join(c.dir, "LEDGER.md")
	rows := func() (texts []string) {
		t.Helper()
		b, err := os.ReadFile(c.ledger)
		if err != nil {
			t.Fatal(err)
		}
		all, err := parseLedger(string(b))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			texts = append(texts, fmt.Sprint(r.Target, " ", r.Executions, " ", r.Findings))
		}
		return texts
	}
	int8 := target{"FuzzKaInt8", "ka"}

	// A finding is entered, and kept in both forms outside of the folder of the run.
	c.command = engine("finds")
	for i := 1; i <= 2; i++ {
		if err := c.run(t.Context(), []target{int8}, "r"); err != nil {
			t.Fatal(err)
		}
		if got := rows(); len(got) != i || got[0] != "FuzzKaInt8 12 crash-5838 open" || c.findings != i {
			t.Errorf("rows %q, %d findings", got, c.findings)
		}
	}
	kept := filepath.Join(c.dir, "findings", "FuzzKaInt8")
	if b, err := os.ReadFile(filepath.Join(kept, "crash-5838")); err != nil || string(b) != "\xff" {
		t.Errorf("the finding is %x, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(kept, "testdata", "fuzz", "FuzzKaInt8", "5838")); err != nil {
		t.Error(err)
	}
	if text := out.String(); !strings.Contains(text, kept) || !strings.Contains(text, "-check=quick -test.run='^FuzzKaInt8$/^5838$'") {
		t.Error(text)
	}

	// So is a failure without an input.
	c.command = engine("exits")
	if err := c.run(t.Context(), []target{int8}, "r"); err != nil {
		t.Fatal(err)
	}
	if got := rows(); len(got) != 3 || got[0] != "FuzzKaInt8 60 exit status 3 open" || c.findings != 3 {
		t.Errorf("rows %q, %d findings", got, c.findings)
	}

	// An interrupt ends the targets that run. They are entered; the others do not start.
	c.command = engine("waits")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(filepath.Join(c.dir, "run", "FuzzKaInt8", "waits")); err == nil {
				stop()
			}
		}
	}()
	c.jobs = 1
	if err := c.run(ctx, []target{int8, {"FuzzKaInt16", "ka"}}, "r"); err != nil {
		t.Fatal(err)
	}
	if got := rows(); len(got) != 4 || got[0] != "FuzzKaInt8 140 none" {
		t.Errorf("rows %q after an interrupt", got)
	}

	// The next campaign enters the log of one that was killed.
	log := fmt.Sprintf(logHeader, "2026-01-01T00:00:00Z", "r", "ka 1", native, "full", "FuzzKaInt32") + "fuzz: elapsed: 3s, execs: 77 (4/sec)\nfuzz: ela"
	if err := os.WriteFile(filepath.Join(c.dir, "logs", "FuzzKaInt32.log"), []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	c.command = engine("fails")
	err := c.run(t.Context(), []target{int8}, "r")
	if err == nil || !strings.Contains(err.Error(), "no number of executions") {
		t.Errorf("a target that does not start: %v", err)
	}
	for range 2 {
		if got := rows(); len(got) != 5 || got[0] != "FuzzKaInt32 77 none" {
			t.Errorf("rows %q after a killed campaign", got)
		}
		if err := c.run(t.Context(), nil, "r"); err != nil {
			t.Error(err)
		}
	}
}

// TestLibFuzzer runs a program that behaves as libFuzzer: its flags, and what happens
// to the corpus.
func TestLibFuzzer(t *testing.T) {
	dir := t.TempDir()
	c := campaign{dir: dir, ledger: filepath.Join(dir, "LEDGER.md"), engine: libFuzzer, check: "quick", time: "5x", jobs: 1, codecs: map[string]string{all: "all 1"}, out: io.Discard}
	c.command = c.engineCommand
	bin := filepath.Join(dir, "bin")
	must(os.MkdirAll(bin, 0o777))
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "small")); err != nil {
		t.Skip(err)
	}
	must(os.WriteFile(filepath.Join(bin, "small.options"), []byte("[libfuzzer]\nmax_len = 9\n"), 0o666))
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	_, err := z.Create("seed")
	must(err)
	must(z.Close())
	must(os.WriteFile(filepath.Join(bin, "small_seed_corpus.zip"), archive.Bytes(), 0o666))
	files := func() (out []string) {
		found, err := filepath.Glob(filepath.Join(dir, "[cs]*", "*", "*"))
		must(err)
		for _, f := range found {
			out = append(out, strings.TrimPrefix(filepath.ToSlash(f), filepath.ToSlash(dir)+"/"))
		}
		return out
	}
	t.Setenv(engineVariable, "libfuzzer")
	run := func() error { return c.run(t.Context(), []target{{"small", all}}, "r") }

	must(os.MkdirAll(filepath.Join(dir, "seeds", "small"), 0o777))
	must(os.WriteFile(filepath.Join(dir, "seeds", "small", "of-an-earlier-build"), nil, 0o666))
	if err := run(); err != nil {
		t.Fatal(err)
	}
	if got := files(); !slices.Equal(got, []string{"corpus/small/kept", "seeds/small/seed"}) {
		t.Errorf("files %q", got)
	}
	logged := func() string {
		b, err := os.ReadFile(filepath.Join(dir, "logs", "small.log.entered"))
		must(err)
		return string(b)
	}
	log := logged()
	for _, want := range []string{" -max_len=9 ", " -runs=5 ", " -dict=" + filepath.Join(bin, "small.dict") + " ", " -artifact_prefix=" + filepath.Join(dir, "findings", "small") + "/ "} {
		if !strings.Contains(log, want) {
			t.Errorf("the program does not get %q: %s", want, log)
		}
	}

	// A program that was killed when it replaced the corpus.
	must(os.Rename(filepath.Join(dir, "corpus", "small"), filepath.Join(dir, "corpus", "small.new")))
	if err := c.one(t.Context(), &target{"small", all}, "r"); err != nil {
		t.Fatal(err)
	}
	if log := logged(); !strings.Contains(log, "] 1 files") {
		t.Errorf("a campaign after one that was killed does not have its corpus: %s", log)
	}

	// A corpus that cannot be minimised remains.
	t.Setenv(engineVariable, "fails")
	must(os.WriteFile(filepath.Join(dir, "corpus", "small", "other"), nil, 0o666))
	if err := c.minimise(t.Context(), &target{"small", all}); err == nil || !strings.Contains(err.Error(), "exit status 2") {
		t.Errorf("error %v", err)
	}
	if got := files(); !slices.Contains(got, "corpus/small/other") || !slices.Contains(got, "corpus/small/kept") {
		t.Errorf("files %q after a merge that failed", got)
	}
}
