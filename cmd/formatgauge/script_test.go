package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/internal/realfile"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"formatgauge": main})
}

// TestScripts runs the command as its users do; each script is one subject.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, Setup: setup})
}

// TestRealFiles runs scripts over files that are not in the repository.
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

// TestEveryCommandIsExplained: what --help shows of each command begins with
// what it does and has an example.
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

func TestUnwritableOutput(t *testing.T) {
	if code := run([]string{"encode", "upkg.CompactIndex", "-o", filepath.Join(t.TempDir(), "no", "file")}, mustOpen(t, `"1"`), os.Stdout, os.Stderr); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
}

func mustOpen(t *testing.T, content string) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
