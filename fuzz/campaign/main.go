// Command campaign runs fuzz targets of the checkout in the current folder for a given
// time or number of executions, keeps their corpora in a folder, and enters each target
// in the ledger. fuzz/campaign.sh starts it.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/fuzz"
	"github.com/formatgauge/formatgauge/internal/outfile"
)

var (
	engine   = flag.String("engine", "libfuzzer", "`native` or libfuzzer, which needs clang and unzip")
	check    = flag.String("check", "quick", "what an execution checks: `quick` or full")
	limit    = flag.String("time", "60s", "`time` for each target, such as 10m, or executions, such as 100000x")
	jobs     = flag.Int("jobs", runtime.NumCPU(), "how many targets run at the same time")
	dir      = flag.String("dir", "out/campaign", "`folder` of one campaign: programs, corpora, logs and findings")
	ledger   = flag.String("ledger", "fuzz/LEDGER.md", "the `file` to enter rows in")
	revision = flag.String("revision", "?", "`revision` for the rows; campaign.sh gives it")
	sums     = flag.Bool("sums", false, "only compute the sums of the ledger for the present codecs")
)

// engines are commands of bash. The arguments of build are the folder for programs and
// the names of targets. Those of run and merge are the name of a target, the check, the
// limit, and the limit as a flag of libFuzzer; they run in the folder of the target. Each
// target has one worker. If Go's engine shortened each new input for as long as by
// default, that would take much of the time.
var engines = map[string]struct{ build, run, merge, reproduce string }{
	"native": {
		build:     `mkdir -p "$1"; exec go test -c -fuzz=. -o "$1/fuzz.test" ./fuzz`,
		run:       `exec ../bin/fuzz.test -check=$2 -test.run=^$ -test.fuzz=^$1$ -test.fuzztime=$3 -test.fuzzminimizetime=200x -test.parallel=1 -test.fuzzcachedir=corpus >log 2>&1`,
		reproduce: `../bin/fuzz.test -check=%[4]s -test.run='^%[3]s$/^%[1]s$'`,
	},
	"libfuzzer": {
		build: `export OUT="$1" WORK="$1/work"; shift; bash .clusterfuzzlite/build.sh "$@"; for t; do unzip -qo "$OUT/${t}_seed_corpus.zip" -d "$OUT/$t.seeds"; done`,
		run: `FORMATGAUGE_CHECK=$2 exec ../bin/$1 ` +
			fuzz.Options + ` -dict=../bin/$1.dict -print_final_stats=1 $4 corpus ../bin/$1.seeds >log 2>&1`,
		merge: `rm -rf merged; mkdir merged; exec ../bin/$1 ` +
			fuzz.Options + ` -merge=1 merged corpus ../bin/$1.seeds >log.merge 2>&1`,
		reproduce: `FORMATGAUGE_CHECK=%[4]s ../bin/%[3]s %[1]s`,
	},
}

func main() {
	flag.Parse()
	codecs, err := presentCodecs(os.DirFS("."))
	must(err)
	if *sums {
		must(enter("", codecs))
		return
	}
	families, err := targets(*engine, flag.Args())
	must(err)
	names := slices.Sorted(maps.Keys(families))
	if *check != "quick" && *check != "full" {
		log.Fatalf("-check: expected quick or full, found %q", *check)
	}
	_, err = libFuzzerLimit(*limit)
	must(err)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	must(bash(ctx, ".", engines[*engine].build, append([]string{*dir + "/bin"}, names...)...))
	must(run(ctx, names, families, codecs))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// bash runs a script in a folder. After an interrupt it has a minute to end.
func bash(ctx context.Context, folder, script string, args ...string) error {
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-ec", script, "campaign"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, os.Stderr, os.Stderr
	return cmd.Run()
}

// targets returns the family of each target of an engine that matches a pattern.
func targets(engine string, patterns []string) (map[string]string, error) {
	out := map[string]string{}
	switch engine {
	case "native":
		for _, t := range codec.Types() {
			out[corpus.FuzzTargetOf(t.Name)] = t.Family()
		}
	case "libfuzzer":
		for _, t := range fuzz.Targets() {
			out[t.Name] = t.Types[0].Family()
		}
		out["small"] = "all"
	}
	maps.DeleteFunc(out, func(name, _ string) bool {
		return len(patterns) > 0 &&
			!slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
	})
	if len(out) == 0 {
		return nil, fmt.Errorf("no target of the engine %s matches %q", engine, patterns)
	}
	return out, nil
}

// libFuzzerLimit returns the flag of libFuzzer for a time or a number of executions.
func libFuzzerLimit(text string) (string, error) {
	if n, ok := strings.CutSuffix(text, "x"); ok {
		_, err := strconv.ParseUint(n, 10, 31)
		return "-runs=" + n, err
	}
	d, err := time.ParseDuration(text)
	return fmt.Sprintf("-max_total_time=%d", max(int(d.Seconds()), 1)), err
}

// run runs targets, some of them at the same time. After an interrupt, no further
// target starts.
func run(ctx context.Context, names []string, families, codecs map[string]string) error {
	errs := make([]error, len(names))
	slots := make(chan bool, max(*jobs, 1))
	var wg sync.WaitGroup
	for i, name := range names {
		if slots <- true; ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			errs[i] = fuzzTarget(ctx, name, families[name], codecs)
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// fuzzTarget runs a target, enters it, and minimises its corpus. Findings are errors.
func fuzzTarget(ctx context.Context, name, family string, codecs map[string]string) error {
	e, home := engines[*engine], *dir+"/"+name
	flag, _ := libFuzzerLimit(*limit)
	err := errors.Join(os.RemoveAll(home+"/log"), os.MkdirAll(home+"/corpus", 0o777))
	start := time.Now()
	failure := bash(ctx, home, e.run, name, *check, *limit, flag)
	seconds := max(int64(time.Since(start).Seconds()), 1)
	output, _ := os.ReadFile(home + "/log")
	executions, coverage, findings := parseLog(string(output))
	if executions == 0 && findings == nil {
		return errors.Join(err, failure, fmt.Errorf("%s/log contains no number of executions", home))
	}
	for i, f := range findings {
		err = errors.Join(err, fmt.Errorf("finding %s: cd %s && "+e.reproduce, f, home, name, *check))
		findings[i] += open
	}
	// Another failure, such as a lack of memory, is a finding without an input. Go's engine
	// can report its limit as a failure (golang/go#75804).
	if failure != nil && findings == nil && ctx.Err() == nil &&
		!strings.Contains(string(output), "context deadline exceeded") {
		findings = []string{failure.Error() + open}
		err = fmt.Errorf("finding in %s/log: %w", home, failure)
	}
	err = errors.Join(err, enter(fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
		start.UTC().Format(time.DateOnly), *revision, codecs[family], name, *engine, *check,
		grouped(executions), coverage, grouped(seconds), grouped(executions/seconds),
		cmp.Or(strings.Join(findings, ", "), "none")), codecs))
	if e.merge == "" || ctx.Err() != nil {
		return err
	}
	if failure := bash(ctx, home, e.merge, name); failure != nil {
		return errors.Join(err, fmt.Errorf("%s/log.merge: %w", home, failure))
	}
	return errors.Join(err, os.RemoveAll(home+"/corpus"), os.Rename(home+"/merged", home+"/corpus"))
}

// Lines of libFuzzer and of Go's engine. A leading .* finds the last one; without one,
// the groups are empty.
var (
	executionsLine = regexp.MustCompile(`(?s).*\n(?:#|stat::number_of_executed_units: +|fuzz: elapsed: \w+, (?:execs|gathering baseline coverage): )(\d+)[\s/]|^`)
	coverageLine   = regexp.MustCompile(`(?s).* (cov|new)(?: interesting)?: (\d+) \(?(ft|total): (\d+)|^`)
	findingLine    = regexp.MustCompile(`(?m)(?:Test unit written to \./|Failing input written to \S+/|^failure while testing seed corpus entry: \w+/)((?:crash-|leak-|oom-|timeout-|seed#)?[0-9a-f]+)$`)
)

// parseLog returns the number of executions in the output of an engine, its coverage,
// and its findings: names of files, or of seeds.
func parseLog(output string) (executions int64, coverage string, findings []string) {
	executions, _ = strconv.ParseInt(executionsLine.FindStringSubmatch("\n" + output)[1], 10, 64)
	coverage = strings.TrimSpace(strings.Join(coverageLine.FindStringSubmatch(output)[1:], " "))
	for _, m := range findingLine.FindAllStringSubmatch(output, -1) {
		findings = append(findings, m[1])
	}
	return executions, coverage, findings
}

const (
	open   = " open" // follows each finding in a new row; who closes the finding replaces it
	header = `# Ledger of fuzz campaigns

<!-- Written by fuzz/campaign.sh, and explained in fuzz/README.md. Only the column "findings" is edited by hand. -->

The goal is 1,000,000,000 executions over all targets of the present codecs without an open finding. The sum is %s (%.1f%%). Open findings: %d.

| present codec | executions |
| --- | ---: |
%s
| date | revision | codec | target | engine | check | executions | coverage | seconds | per second | findings |
| --- | --- | --- | --- | --- | --- | ---: | --- | ---: | ---: | --- |
%s`
)

// rowLine is a row: one target of one campaign. Its groups are the codec and
// the executions.
var rowLine = regexp.MustCompile(`(?m)^\| \d\S+ \| \S+ \| (\S+ \S+)(?: \| \S+){3} \| ([\d,]+) \| [^|\n]* \| [\d,]+ \| [\d,]+ \| [^|\n]+ \|\n`)

var ledgerLock sync.Mutex

// enter writes the ledger with a new row before those that it has.
func enter(row string, codecs map[string]string) error {
	ledgerLock.Lock()
	defer ledgerLock.Unlock()
	fmt.Print(row)
	b, err := os.ReadFile(*ledger)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := render(row+string(b), codecs)
	if err != nil {
		return fmt.Errorf("%s: %w", *ledger, err)
	}
	return outfile.Write(*ledger, []byte(text))
}

// render returns a ledger with the rows of a text, and their sums for the present codecs.
func render(text string, codecs map[string]string) (string, error) {
	rows := rowLine.FindAllStringSubmatch(text, -1)
	if n := strings.Count("\n"+text, "\n| 2"); n != len(rows) {
		return "", fmt.Errorf("of %d rows, %d do not have the form of a row", n, n-len(rows))
	}
	lines, present, total, executions := "", "", int64(0), map[string]int64{}
	for _, m := range rows {
		n, _ := strconv.ParseInt(strings.ReplaceAll(m[2], ",", ""), 10, 64)
		executions[m[1]] += n
		lines += m[0]
	}
	for _, family := range slices.Sorted(maps.Keys(codecs)) {
		n := executions[codecs[family]]
		total += n
		present += fmt.Sprintf("| %s | %s |\n", codecs[family], grouped(n))
	}
	return fmt.Sprintf(header, grouped(total), float64(total)/1e7, strings.Count(lines, open), present, lines), nil
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// presentCodecs returns the cell of the ledger for each family and for all: its name and
// a hash of the sources of its codec.
func presentCodecs(root fs.FS) (map[string]string, error) {
	out := map[string]string{}
	models, err := fs.Glob(root, "model/*")
	for _, model := range models {
		family, h := path.Base(model), sha256.New()
		for _, folder := range []string{"codec/wire", "codec/" + family, model} {
			err = errors.Join(err, fs.WalkDir(root, folder, func(name string, _ fs.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
					return err
				}
				b, err := fs.ReadFile(root, name)
				fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
				return err
			}))
		}
		out[family] = fmt.Sprintf("%s %.5x", family, h.Sum(nil))
	}
	out["all"] = fmt.Sprintf("all %.5x", sha256.Sum256(fmt.Append(nil, out)))
	return out, err
}
