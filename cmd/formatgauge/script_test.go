package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/internal/realfile"
)

// argsVariable is the environment variable that makes the test binary run as the
// command. Its value contains the arguments, separated by 1F.
const argsVariable = "FORMATGAUGE_ARGS"

// allocatedVariable makes such a process print the number of bytes it has allocated.
const allocatedVariable = "FORMATGAUGE_ALLOCATED"

func TestMain(m *testing.M) {
	judgetest.RunIfRequested()
	if args, ok := os.LookupEnv(argsVariable); ok {
		code := runAsProcess(strings.Split(args, "\x1f"))
		if os.Getenv(allocatedVariable) != "" {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Fprint(os.Stderr, m.TotalAlloc)
		}
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){"formatgauge": main, "wrong": wrongAdapter})
}

// wrongAdapter runs a deliberately wrong adapter; its argument selects the
// error. "oneshot" runs a command for one case.
func wrongAdapter() {
	if os.Args[1] == "oneshot" {
		oneshot(os.Args[2:])
	}
	if err := judgetest.Main(os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// oneshot decodes standard input, or fails as args[0] says.
func oneshot(args []string) {
	src, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	hexed := hex.EncodeToString(src)
	q := adapter.Request{Op: adapter.OpDecode, Type: args[1], Hex: &hexed}
	if len(args) > 2 {
		q.Profile = args[2]
	}
	a, err := adapter.NewReference().Do(context.Background(), q)
	switch {
	case err != nil:
		panic(err)
	case args[0] == "throws" && len(src) == 0:
		fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\n  File ...\nIndexError: index out of range")
		os.Exit(1)
	case args[0] == "hangs" && len(src) == 0:
		time.Sleep(time.Hour)
	case a.OK != nil:
		fmt.Println(a.OK.Tree)
		os.Exit(0)
	case args[0] == "classes":
		fmt.Fprintln(os.Stderr, a.Reject.Class+":", a.Reject.Message)
	}
	os.Exit(1)
}

// TestScripts runs the scripts of testdata/script, one per subject.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, Setup: setup})
}

// TestRealFiles runs the scripts that need files outside the repository.
func TestRealFiles(t *testing.T) {
	data := filepath.Dir(filepath.Dir(realfile.Path(t, "upkg/TestUC1.u")))
	testscript.Run(t, testscript.Params{
		Dir: "testdata/real", RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", data)
			return setup(e)
		},
	})
}

func setup(e *testscript.Env) error {
	root, err := filepath.Abs("../..")
	e.Setenv("ROOT", root)
	e.Setenv("HOME", e.WorkDir)
	return err
}

// TestCommandsReadWhatTheyNeed: a command that needs one record or one type does not
// parse the whole corpus, which allocates 60 MB.
func TestCommandsReadWhatTheyNeed(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"explain UPKG-CI-5", "explain upkg.ci-range", "explain upkg.Name", "explain truncated", "schema upkg.Name",
		"decode upkg.CompactIndex testdata/no-such-file", "test --run ubi.Box --no-derived", "test --run ubi/Box/* --no-derived",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), argsVariable+"="+strings.ReplaceAll(args, " ", "\x1f"), allocatedVariable+"=1")
			var errOut strings.Builder
			cmd.Stderr = &errOut
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
		"upkg.Name upkg.CompactIndex": "upkg", "upkg upkg.Name": "upkg", "upkg.Name ka": "", "[u]pkg": "", "ubi/Array/* ubi/Array/x": "ubi.Array",
	} {
		c := choiceFlags{run: strings.Fields(patterns)}
		if got := c.scope(); got != want {
			t.Errorf("%s: %q, want %q", patterns, got, want)
		}
	}
}

// TestEveryCommandIsExplained: the help of each command has a short description
// and an example.
func TestEveryCommandIsExplained(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Example == "" || !strings.Contains(cmd.Example, "formatgauge") {
			t.Errorf("%s has no short description or no example", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
}
