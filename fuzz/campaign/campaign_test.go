package main

import (
	"context"
	"fmt"
	"maps"
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
	for _, c := range []struct{ name, log, want string }{
		{"libFuzzer", `INFO: Seed: 1234
#2	INITED cov: 34 ft: 35 corp: 1/1b exec/s: 0 rss: 28Mb
#1024	NEW    cov: 40 ft: 51 corp: 7/9b lim: 4 exec/s: 0 rss: 30Mb L: 3/4 MS: 1 Custom-
#50000	DONE   cov: 41 ft: 52 corp: 8/12b lim: 4 exec/s: 25000 rss: 31Mb
Done 50001 runs in 2 second(s)
stat::number_of_executed_units: 50001
stat::average_exec_per_sec:     25000
`, "50001 cov 41 ft 52 []"},
		{"libFuzzer, killed in a line", `#2	INITED cov: 34 ft: 35 corp: 1/1b exec/s: 0 rss: 28Mb
#1048576	pulse  cov: 40 ft: 51 corp: 7/9b lim: 4 exec/s: 34952 rss: 30Mb
#10485`, "1048576 cov 40 ft 51 []"},
		{"libFuzzer, a finding", `#7	REDUCE cov: 3 ft: 4 corp: 1/1b exec/s: 0 rss: 28Mb
artifact_prefix='./'; Test unit written to ./slow-unit-ff
    #0 0x55d0c0 in LLVMFuzzerTestOneInput
artifact_prefix='./'; Test unit written to ./crash-a1b2
stat::number_of_executed_units: 9
`, "9 cov 3 ft 4 [crash-a1b2]"},
		{"libFuzzer, its first execution", "artifact_prefix='./'; Test unit written to ./timeout-a1\n", "0  [timeout-a1]"},
		{"Go", `fuzz: elapsed: 0s, gathering baseline coverage: 0/192 completed
fuzz: elapsed: 3s, execs: 325017 (108336/sec), new interesting: 11 (total: 202)
fuzz: elapsed: 1m6s, execs: 680218 (118402/sec), new interesting: 12 (total: 203)
PASS
`, "680218 new 12 total 203 []"},
		{"Go, a finding", `fuzz: elapsed: 3s, execs: 12 (4/sec)
--- FAIL: FuzzT (3.00s)
    Failing input written to testdata/fuzz/FuzzT/5838cdfae7b16cde
    To re-run:
    go test -run=FuzzT/5838cdfae7b16cde
`, "12  [5838cdfae7b16cde]"},
		{"Go, a finding in a seed", `fuzz: elapsed: 0s, gathering baseline coverage: 0/283 completed
failure while testing seed corpus entry: FuzzT/seed#9
fuzz: elapsed: 1s, gathering baseline coverage: 9/283 completed
`, "9  [seed#9]"},
		{"a target that does not start", "testing: no such flag\n", "0  []"},
		{"empty", "", "0  []"},
	} {
		executions, coverage, findings := parseLog(c.log)
		if got := fmt.Sprint(executions, " ", coverage, " ", findings); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSums(t *testing.T) {
	codecs := map[string]string{"ka": "ka 1", "ubi": "ubi 1", "all": "all 1"}
	rows := `| 2026-01-02 | b+ | ka 1 | ka_value | libfuzzer | quick | 299,000,000 | cov 1 ft 2 | 1,000 | 299,000 | none |
| 2026-01-02 | b | all 1 | small | libfuzzer | quick | 1,000,000 |  | 10 | 100,000 | crash-1 open, crash-2 ka/Value/x |
| 2026-01-01 | a | ka 1 | FuzzKaValue | native | full | 500 | new 1 total 2 | 7 | 71 | none |
| 2025-01-01 | 0 | ka 0 | ka_value | libfuzzer | quick | 4,000 | inputs 1 of 2 | 1 | 4,000 | crash-3 open |
`
	text, err := render(rows, codecs)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"The sum is 300,000,500 (30.0%). Open findings: 2.\n", "| all 1 | 1,000,000 |\n| ka 1 | 299,000,500 |\n| ubi 1 | " +
			"0 |\n\n", "---: | --- |\n" + rows,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the ledger does not contain %q:\n%s", want, text)
		}
	}
	if again, err := render(text, codecs); err != nil || again != text {
		t.Errorf("the ledger is read as %s, %v", again, err)
	}

	// A changed codec starts anew, and only this one.
	codecs["ka"] = "ka 2"
	if text, err = render(text, codecs); err != nil || !strings.Contains(text, "The sum is 1,000,000 (0.1%)") ||
		!strings.Contains(text, "| ka 2 | 0 |\n") || !strings.HasSuffix(text, rows) {
		t.Errorf("after a change: %v\n%s", err, text)
	}
	for _, line := range []string{
		"| 2026-01-02 | b | ka 1 | T | native | quick | many | | 1 | 1 | none |\n",
		"| 2026-01-02 | b | ka 1 | T | native | quick | 1 | | 1 | 1 | none | a cell too many |\n",
	} {
		if text, err := render(line, codecs); err == nil {
			t.Errorf("%q is read as %s", line, text)
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
		after, err := presentCodecs(os.DirFS(root))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{"all", "ka", "ubi"} {
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
		{"codec/ka/internal/fast/b.go", []string{"all", "ka"}},
		{"model/ubi/a.go", []string{"all", "ubi"}},
		{"codec/wire/a.go", []string{"all", "ka", "ubi"}},
	} {
		put(c.file, "package changed")
		if got := changed(); !slices.Equal(got, c.want) {
			t.Errorf("a change of %s changes %v, want %v", c.file, got, c.want)
		}
	}
}

// TestLedger: the ledger has its form, and its sums are those of the present codecs.
func TestLedger(t *testing.T) {
	codecs, err := presentCodecs(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../LEDGER.md")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := render(string(b), codecs); err != nil {
		t.Error(err)
	} else if text != string(b) {
		t.Error("fuzz/LEDGER.md is outdated: go generate ./...")
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		engine   string
		patterns []string
		want     string
	}{
		{"libfuzzer", []string{"small", "u*_package"}, "map[small:all uasset_package:uasset upkg_package:upkg]"},
		{"native", []string{"FuzzKaVector[23]"}, "map[FuzzKaVector2:ka FuzzKaVector3:ka]"},
		{"native", []string{"small"}, `no target of the engine native matches ["small"]`},
		{"native", []string{"["}, "no target"},
		{"afl", nil, "no target of the engine afl"},
	} {
		got, err := targets(c.engine, c.patterns)
		if text := fmt.Sprint(got, err); !strings.Contains(text, c.want) {
			t.Errorf("%s %v: %s, want %s", c.engine, c.patterns, text, c.want)
		}
	}
	for text, want := range map[string]string{
		"90s": "-max_total_time=90 <nil>", "1ms": "-max_total_time=1 <nil>", "1000x": "-runs=1000 <nil>", "tenx": "invalid",
		"ten": "invalid", "5": "missing unit",
	} {
		if flag, err := libFuzzerLimit(text); !strings.Contains(fmt.Sprint(flag, " ", err), want) {
			t.Errorf("%s: %s %v, want %s", text, flag, err, want)
		}
	}
}

// engineVariable is the environment variable that makes the test program an engine
// with this behaviour.
const engineVariable = "FORMATGAUGE_TEST_ENGINE"

func TestMain(m *testing.M) {
	const line = "fuzz: elapsed: 3s, execs: %d (33/sec), new interesting: 1 (total: 2)\n"
	switch os.Getenv(engineVariable) {
	case "":
		os.Exit(m.Run())
	case "passes":
		fmt.Printf(line+"PASS\n", 5000)
	case "finds":
		fmt.Printf(line+"    Failing input written to testdata/fuzz/FuzzKaInt8/5838\n", 12)
		os.Exit(1)
	case "exits":
		fmt.Printf(line, 60)
		os.Exit(3)
	case "late":
		fmt.Printf(line+"--- FAIL: FuzzKaInt8 (3.00s)\n    context deadline exceeded\n", 70)
		os.Exit(1)
	case "waits":
		interrupt := make(chan os.Signal, 1)
		signal.Notify(interrupt, os.Interrupt)
		must(os.WriteFile("waits", nil, 0o666))
		<-interrupt
		fmt.Printf(line, 140)
		os.Exit(1)
	case "libfuzzer":
		if slices.Contains(os.Args, "-merge=1") {
			must(os.WriteFile("merged/kept", nil, 0o666))
		} else {
			must(os.WriteFile("corpus/found", nil, 0o666))
			fmt.Println("#5\tDONE   cov: 3 ft: 4 corp: 1/1b\n", os.Args, os.Getenv("FORMATGAUGE_CHECK"))
		}
	case "fails":
		fmt.Println("no such flag")
		os.Exit(2)
	}
}

// home makes the test program the program of an engine, and returns the folder of a
// target.
func home(t *testing.T, program, target string) string {
	t.Helper()
	*dir = t.TempDir()
	*ledger = filepath.Join(*dir, "LEDGER.md")
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	must(os.Mkdir(filepath.Join(*dir, "bin"), 0o777))
	if err := os.Symlink(os.Args[0], filepath.Join(*dir, "bin", program)); err != nil {
		t.Skip(err)
	}
	return filepath.Join(*dir, target)
}

// runAll runs targets of the family ka, and returns the error and the newest row.
func runAll(t *testing.T, ctx context.Context, behaviour string, names ...string) (report, row string) {
	t.Helper()
	t.Setenv(engineVariable, behaviour)
	families := map[string]string{}
	for _, n := range names {
		families[n] = "ka"
	}
	err := run(ctx, slices.Sorted(maps.Keys(families)), families, map[string]string{"ka": "ka 1"})
	b, _ := os.ReadFile(*ledger)
	if m := rowLine.FindString(string(b)); m != "" {
		row = m[strings.Index(m, "ka 1"):]
	}
	return fmt.Sprint(err), row
}

// TestNative runs programs that behave as Go's engine.
func TestNative(t *testing.T) {
	*engine, *jobs = "native", 1
	home := home(t, "fuzz.test", "FuzzKaInt8")
	for _, c := range []struct{ behaviour, report, row string }{
		{"passes", "<nil>", "ka 1 | FuzzKaInt8 | native | quick | 5,000 | new 1 total 2 | 1 | 5,000 | none |\n"},
		{
			"finds", "finding 5838: cd " + home + " && ../bin/fuzz.test -check=quick -test.run='^FuzzKaInt8$/^5838$'",
			"ka 1 | FuzzKaInt8 | native | quick | 12 | new 1 total 2 | 1 | 12 | 5838 open |\n",
		},
		{"exits", "finding in " + home + "/log: exit status 3", "ka 1 | FuzzKaInt8 | native | quick | 60 | new 1 total 2 " +
			"| 1 | 60 | exit status 3 open |\n"},
		{"late", "<nil>", "ka 1 | FuzzKaInt8 | native | quick | 70 | new 1 total 2 | 1 | 70 | none |\n"},
		{"fails", "exit status 2\n" + home + "/log contains no number of executions", "ka 1 | FuzzKaInt8 | native | " +
			"quick | 70 | new 1 total 2 | 1 | 70 | none |\n"},
	} {
		if report, row := runAll(t, t.Context(), c.behaviour, "FuzzKaInt8"); report != c.report || row != c.row {
			t.Errorf("%s: %s\n%s", c.behaviour, report, row)
		}
	}

	// An interrupt ends the targets that run. They are entered; the others do not start.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(filepath.Join(home, "waits")); err == nil {
				stop()
			}
		}
	}()
	report, row := runAll(t, ctx, "waits", "FuzzKaInt8", "FuzzKaUint8")
	if report != "<nil>" || !strings.HasPrefix(row, "ka 1 | FuzzKaInt8 | native | quick | 140 |") ||
		!strings.HasSuffix(row, "| none |\n") {
		t.Errorf("after an interrupt: %s\n%s", report, row)
	}
}

// TestLibFuzzer runs a program that behaves as libFuzzer: its flags, and what happens
// to the corpus.
func TestLibFuzzer(t *testing.T) {
	*engine, *limit = "libfuzzer", "5x"
	home := home(t, "ka_value", "ka_value")
	corpus := func() []string {
		files, err := filepath.Glob(filepath.Join(home, "corpus", "*"))
		must(err)
		for i := range files {
			files[i] = filepath.Base(files[i])
		}
		return files
	}
	report, row := runAll(t, t.Context(), "libfuzzer", "ka_value")
	if report != "<nil>" || row != "ka 1 | ka_value | libfuzzer | quick | 5 | cov 3 ft 4 | 1 | 5 | none |\n" ||
		!slices.Equal(corpus(), []string{"kept"}) {
		t.Errorf("%s\n%s, corpus %q", report, row, corpus())
	}
	log, err := os.ReadFile(filepath.Join(home, "log"))
	if want := "[../bin/ka_value -max_len=16384 -timeout=25 -dict=../bin/ka_value.dict -print_final_stats=1 -runs=5 " +
		"corpus ../bin/ka_value.seeds] quick"; err != nil || !strings.Contains(string(log), want) {
		t.Errorf("%s, %v, want %s", log, err, want)
	}

	// A corpus that cannot be minimised remains.
	must(os.WriteFile(filepath.Join(*dir, "bin", "fail"), []byte("#!/bin/sh\necho '#5 DONE cov: 3 ft: 4 '\ncase $* in "+
		"*-merge*) exit 1; esac\n"), 0o777))
	must(os.Rename(filepath.Join(*dir, "bin", "fail"), filepath.Join(*dir, "bin", "ka_value")))
	report, _ = runAll(t, t.Context(), "", "ka_value")
	if report != home+"/log.merge: exit status 1" || !slices.Equal(corpus(), []string{"kept"}) {
		t.Errorf("%s, corpus %q", report, corpus())
	}
}
