package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
)

// TestNoSkips: the text says if only later operations of a case were skipped.
func TestNoSkips(t *testing.T) {
	outcomes := []judge.Outcome{{Op: adapter.OpDecode, Status: judge.Pass}, {Op: adapter.OpRoundtrip, Status: judge.Skip}}
	r := judge.Report{Hello: adapter.Hello{Types: []string{"upkg.Name"}}, Results: []judge.Result{
		{Vector: &corpus.Vector{Type: "upkg.Name"}, Outcomes: outcomes, Outcome: &outcomes[0]},
	}}
	var b bytes.Buffer
	err := (&testRun{NoSkips: true}).checkComplete(&b, &r)
	const want = "formatgauge: --no-skips: the adapter skipped 1 case, or only their roundtrip, of listed types: upkg.Name\n"
	if err == nil || b.String() != want {
		t.Errorf("%v, %s", err, &b)
	}
}

// TestFullStandardOutput: if standard output cannot be written, the exit code is
// 2, whatever the result is.
func TestFullStandardOutput(t *testing.T) {
	own := t.TempDir()
	for _, folder := range []string{"ubi/Box", "bad/ubi/Vector2"} { // a box is no vector: lint has findings
		if err := os.CopyFS(filepath.Join(own, folder), os.DirFS("../../corpus/ubi/Box")); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(own)
	for _, args := range []string{
		"", "--help", "--version", "completion bash", "list types", "explain UPKG-CI-5", "corpus hash", "corpus lint .",
		"corpus lint bad", "decode upkg.CompactIndex", "encode upkg.CompactIndex", "inspect upkg.CompactIndex", "upkg info --help",
		"report --schema", "claim --schema",
		"test --run upkg/CompactIndex", "test --run upkg/CompactIndex -- wrong off-by-one",
		"fingerprint --run upkg/CompactIndex", "smoke -- wrong hello-dies", "serve",
	} {
		in := map[string]string{"encode": `"1"`, "serve": `{"id":1,"op":"hello"}`}[strings.SplitN(args, " ", 2)[0]]
		if in == "" {
			in = "\x01"
		}
		var errOut bytes.Buffer
		if got := run(strings.Fields(args), strings.NewReader(in), fullDisk{}, &errOut); got != exitTrouble {
			t.Errorf("formatgauge %s: exit code %d, want %d\n%s", args, got, exitTrouble, errOut.String())
		}
		if n := strings.Count(errOut.String(), syscall.ENOSPC.Error()); n != 1 {
			t.Errorf("formatgauge %s: the error is named %d times:\n%s", args, n, errOut.String())
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
