package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// allocatedVariable makes a process print the number of bytes it has allocated.
const allocatedVariable = "FORMATGAUGE_ALLOCATED"

func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == rootName {
		if os.Getenv(allocatedVariable) == "" {
			main()
		}
		code := runAsProcess(os.Args[1:])
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprint(os.Stderr, m.TotalAlloc)
		os.Exit(code)
	}
	os.Exit(withPrograms(m))
}

// runIn runs a command line without input.
func runIn(args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &errOut)
	return code, out.String(), errOut.String()
}

// patience is the time after which a test gives up. No test judges by it: it is longer
// than a busy machine needs.
const patience = 20 * time.Second

// process returns a process that runs a command line, and what it prints to standard error.
// It is killed if the test fails, and if it does not end.
func process(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	t.Cleanup(cancel)
	cmd, errOut := exec.CommandContext(ctx, rootName, args...), &bytes.Buffer{}
	cmd.Env, cmd.Stderr, cmd.WaitDelay = os.Environ(), errOut, time.Second
	return cmd, errOut
}

// withPrograms runs the tests with this test binary in PATH as the programs that
// [TestMain] and judgetest know.
func withPrograms(m *testing.M) int {
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	for _, name := range []string{rootName, judgetest.Program} {
		if err == nil {
			err = os.Symlink(self, filepath.Join(dir, name))
		}
	}
	if err != nil {
		panic(err)
	}
	// The tests share the vectors: collecting rarely saves a fifth of the time.
	debug.SetGCPercent(400)
	newChild = inThisProcess
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return m.Run()
}

// inThisProcess returns the adapter of the command wrong MODE or formatgauge serve without a
// process, if a process would show nothing else. Any other command is started.
func inThisProcess(command []string, opts adapter.Options) (adapter.Implementation, error) {
	name, args := command[0], command[1:]
	if len(args) == 0 || len(opts.Views) > 0 || opts.Memory > 0 {
		return adapter.NewChild(command, opts)
	}
	if name == judgetest.Program && len(args) == 1 && (args[0] == "right" || judgetest.OfAnswers(args[0])) {
		return judgetest.Adapter(args[0]), nil
	}
	if name == rootName && args[0] == "serve" {
		_, usages := readCommands()
		var serve serveRun
		var cmd cobra.Command
		addFlags(cmd.Flags(), reflect.ValueOf(&serve).Elem(), usages)
		if err := cmd.ParseFlags(args[1:]); err == nil {
			return serve.reference(&cmd)
		}
	}
	return adapter.NewChild(command, opts)
}

// theProcess is locked while a script has set folder and environment of this process.
var theProcess sync.Mutex

// formatgauge is a command of scripts. It runs a command line in this process, which
// has parsed the vectors before. What needs a process of its own is run with exec:
// standard input, and what waits for long.
func formatgauge(ts *testscript.TestScript, neg bool, args []string) {
	inScript(ts, func() {
		if code := run(args, strings.NewReader(""), ts.Stdout(), ts.Stderr()); (code != exitOK) != neg {
			ts.Fatalf("unexpected exit code %d", code)
		}
	})
}

// calls is a command of scripts. Each line of a file is a call and what it gives: the exit
// code and all that is printed, without line breaks. It can end with ... in place of the rest.
func calls(ts *testscript.TestScript, _ bool, args []string) {
	ends := regexp.MustCompile(`\nsee formatgauge.* --help\n$`)
	words := regexp.MustCompile(`'[^']*'|\S+`)
	inScript(ts, func() {
		wrong := ""
		for line := range strings.Lines(ts.ReadFile(args[0])) {
			call, want, isCall := strings.Cut(strings.TrimSpace(line), " | ")
			if !isCall {
				continue
			}
			var argv []string
			for _, w := range words.FindAllString(call, -1) {
				argv = append(argv, strings.Trim(w, "'"))
			}
			var out bytes.Buffer
			code := run(argv, strings.NewReader(""), &out, &out)
			text := strings.TrimPrefix(ends.ReplaceAllString(out.String(), ""), "formatgauge: ")
			got := fmt.Sprintf("%d %s", code, strings.Join(strings.Fields(text), " "))
			if start, cut := strings.CutSuffix(want, "..."); got != want && !(cut && strings.HasPrefix(got, start)) {
				wrong += call + " | " + got + "\n"
			}
		}
		if wrong != "" {
			ts.Fatalf("unexpected answers:\n%s", wrong)
		}
	})
}

// inScript calls do in the folder and the environment of a script.
func inScript(ts *testscript.TestScript, do func()) {
	theProcess.Lock()
	defer theProcess.Unlock()
	old, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(old)) }()
	ts.Check(os.Setenv(judgetest.TypesEnv, ts.Getenv(judgetest.TypesEnv)))
	defer os.Unsetenv(judgetest.TypesEnv)
	do()
}

// runScripts runs the scripts of a folder of testdata. Lines after [exhaustive] run only in an
// exhaustive run.
func runScripts(t *testing.T, dir string, setup func(*testscript.Env) error) {
	t.Helper()
	// The scripts change the folder of this process.
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(root, "cmd", "formatgauge", "testdata", dir),
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			e.Setenv("HOME", e.WorkDir)
			if setup == nil {
				return nil
			}
			return setup(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"formatgauge": formatgauge, "calls": calls},
		Condition: func(cond string) (bool, error) {
			if cond != "exhaustive" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return testrun.Exhaustive, nil
		},
	})
}

// TestScripts runs the scripts of testdata/script, one per subject.
func TestScripts(t *testing.T) { runScripts(t, "script", nil) }

// TestRealFiles runs the scripts that need files outside the repository.
func TestRealFiles(t *testing.T) {
	data := filepath.Dir(filepath.Dir(realfile.Path(t, "upkg/TestUC1.u")))
	runScripts(t, "real", func(e *testscript.Env) error {
		e.Setenv("DATA", data)
		return nil
	})
}

// TestCommandsReadWhatTheyNeed: a command that needs one record or one type does not
// parse the whole corpus, which allocates 60 MB.
func TestCommandsReadWhatTheyNeed(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"explain UPKG-CI-5", "explain upkg.ci-range", "explain upkg.Name", "explain truncated", "schema upkg.Name",
		"decode upkg.CompactIndex testdata/no-such-file", "test --run ubi.Box --no-derived",
		"test --run ubi/Box/* --no-derived",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			cmd, errOut := process(t, strings.Fields(args)...)
			cmd.Env = append(cmd.Env, allocatedVariable+"=1")
			_ = cmd.Run() // that a file is missing is read after all
			last := errOut.String()[strings.LastIndexByte(errOut.String(), '\n')+1:]
			if n, err := strconv.Atoi(last); err != nil || n > 20<<20 {
				t.Errorf("allocates %s bytes, expected at most 20 MiB", last)
			}
		})
	}
}

// TestScope: the part of the corpus that patterns select.
func TestScope(t *testing.T) {
	for patterns, want := range map[string]string{
		"": "", "upkg": "upkg", "upkg.Name": "upkg.Name", "upkg/Name/*": "upkg.Name", "upkg/Name/padded-zero": "upkg.Name",
		"upkg/*": "upkg", "upkg/Na*": "upkg", "up*": "", "*": "", "ubi.Array<Vector3>": "ubi.Array", "ubi.Array*": "ubi",
		"upkg.Name upkg.CompactIndex": "upkg", "upkg upkg.Name": "upkg", "upkg.Name ka": "", "[u]pkg": "",
		"ubi/Array/* ubi/Array/x": "ubi.Array",
	} {
		c := choiceFlags{Run: strings.Fields(patterns)}
		if got := c.scope(); got != want {
			t.Errorf("%s: %q, want %q", patterns, got, want)
		}
	}
}
