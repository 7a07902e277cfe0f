package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// argsVariable is the environment variable that makes the test binary run as the
// command. Its value contains the arguments, separated by 1F.
const argsVariable = "FORMATGAUGE_ARGS"

func TestMain(m *testing.M) {
	if id := os.Getenv("FORMATGAUGE_CHOICE"); id != "" {
		judgetest.PlantChoice(ids.Clause(id), "Planted by a test.")
	}
	judgetest.RunIfRequested()
	if args, ok := os.LookupEnv(argsVariable); ok {
		os.Exit(runAsProcess(strings.Split(args, "\x1f")))
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
