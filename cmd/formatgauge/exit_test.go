package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus"
)

// TestExitCodes: 0 conformant or accepted, 1 not conformant or rejected, 2 called
// wrongly or trouble.
func TestExitCodes(t *testing.T) {
	t.Setenv(judgetest.TypesEnv, "ubi.Array<Vector3>,upkg.CompactIndex,upkg.Name")
	// The lines below are divided at blanks, which the path of a temporary folder can contain.
	vectors, err := filepath.Abs("../../corpus")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(vectors, "corpus"); err != nil {
		t.Fatal(err)
	}
	const dir, claimed, results, missing, garbage = ".", "claim.jsonl", "results.jsonl", "missing", "garbage"
	unwritable := filepath.Join("no", "file")
	if err := os.WriteFile(garbage, []byte("garbage"), 0o666); err != nil {
		t.Fatal(err)
	}
	const origin = " --name x --revision 0123abc --licence MIT --url https://example.org"
	adapterOf := func(name string) string { return " -- wrong " + name }
	for _, c := range []struct {
		args string
		want int
	}{
		{"", exitOK},
		{"nonsense", exitTrouble},
		{"--nonsense", exitTrouble},
		{"--version", exitOK},
		{"test --run upkg/CompactIndex --report jsonl=" + results, exitOK},
		{"test --run upkg/CompactIndex" + adapterOf("off-by-one"), exitFailed},
		{"test --run upkg/CompactIndex --report jsonl=" + unwritable, exitTrouble},
		{"test --run upkg/CompactIndex --report jsonl=" + unwritable + adapterOf("off-by-one"), exitTrouble},
		{"test --run none/*", exitTrouble},
		{"test --report pdf=x", exitTrouble},
		{"test --known " + missing, exitTrouble},
		{"test --known " + garbage, exitTrouble},
		{"test --corpus " + missing, exitTrouble},
		{"test -- " + missing, exitTrouble},
		{"test" + adapterOf("hello-dies"), exitTrouble},
		{"report text " + results, exitOK},
		{"report text " + missing, exitTrouble},
		{"report text " + garbage, exitTrouble},
		{"report text " + results + " -o " + unwritable, exitTrouble},
		{"report pdf " + results, exitTrouble},
		{"report", exitTrouble},
		{"report diff " + results + " " + results, exitOK},
		{"report diff " + results + " " + missing, exitTrouble},
		{"report diff " + results + " " + garbage, exitTrouble},
		{"report badge " + results, exitOK},
		{"report badge " + missing, exitTrouble},
		{"report keep " + results, exitTrouble}, // flags are missing
		{"report keep " + missing + origin, exitTrouble},
		{"report keep " + garbage + origin, exitTrouble},
		{"report keep " + results + origin + " --name X", exitTrouble},
		{"claim -o " + claimed + adapterOf("right"), exitOK},
		{"claim --flag upkg.ci-range=strict", exitTrouble},
		{"claim --view upkg.nothing", exitTrouble},
		{"claim" + adapterOf("hello-dies"), exitTrouble},
		{"claim verify " + claimed + adapterOf("right"), exitOK},
		{"claim verify " + results, exitFailed},
		{"claim verify " + missing, exitTrouble},
		{"claim verify", exitTrouble},
		{"claim verify a b", exitTrouble},
		{"check " + garbage, exitOK}, // a text
		{"check " + missing, exitTrouble},
		{"check", exitTrouble},
		{"check --jobs -1 " + dir, exitTrouble},
		{"check --baseline " + missing + " " + dir, exitTrouble},
		{"check --baseline " + garbage + " " + dir, exitTrouble},
		{"check --baseline " + unwritable + " --accept " + dir, exitTrouble},
		{"check " + dir + adapterOf("hello-dies"), exitTrouble},
		{"corpus hash", exitOK},
		{"corpus hash " + missing, exitTrouble},
		{"corpus diff corpus corpus --run upkg.CompactIndex", exitOK},
		{"corpus diff corpus " + missing, exitTrouble},
		{"corpus lint " + missing, exitTrouble},
		{"corpus lint " + dir, exitTrouble}, // no vectors
		{"corpus export " + dir, exitTrouble},
		{"corpus new upkg/CompactIndex/x --dir " + garbage, exitTrouble},
		{"corpus new nonsense", exitTrouble},
		{"corpus promote --type upkg.CompactIndex " + garbage, exitOK},
		{"corpus promote --type upkg.CompactIndex " + missing, exitTrouble},
		{"corpus promote --type upkg.CompactIndex --out " + garbage + " " + garbage, exitTrouble},
		{"corpus promote " + garbage, exitTrouble},
		{"decode upkg.CompactIndex " + garbage, exitFailed},
		{"decode upkg.CompactIndex " + missing, exitTrouble},
		{"decode upkg.None " + garbage, exitTrouble},
		{"encode upkg.CompactIndex " + garbage, exitFailed},
		{"encode upkg.CompactIndex " + missing, exitTrouble},
		{"inspect upkg.CompactIndex " + garbage, exitFailed},
		{"inspect upkg.CompactIndex " + missing, exitTrouble},
		{"explain UPKG-CI-5", exitOK},
		{"explain nonsense", exitTrouble},
		{"list types", exitOK},
		{"list nonsense", exitTrouble},
		{"list types nosuch", exitTrouble},
		{"list vectors upkg/nosuch", exitTrouble},
		{"list types nosuch --json", exitTrouble},
		{"list words", exitOK},
		{"schema upkg.Name", exitOK},
		{"schema upkg.None", exitTrouble},
		{"adapter", exitOK},
		{"adapter nonsense", exitTrouble},
		{"adapter new --lang python --types upkg.Name -o " + filepath.Join(dir, "adapter.py"), exitOK},
		{"adapter new --lang cobol --types upkg.Name", exitTrouble},
		{"adapter new --lang python --types upkg.None", exitTrouble},
		{"adapter new --lang python --types upkg.Name -o " + unwritable, exitTrouble},
		{"man " + filepath.Join(dir, "man"), exitOK},
		{"site " + dir, exitTrouble}, // it exists
		{"man " + garbage, exitTrouble},
		{"ka", exitOK},
		{"ka nonsense", exitTrouble},
		{"uasset nonsense", exitTrouble},
		{"upkg nonsense", exitTrouble},
		{"corpus", exitOK},
		{"corpus nonsense", exitTrouble},
		{"corpus export " + filepath.Join(garbage, "inside"), exitTrouble},
		{"corpus new upkg/CompactIndex/x --dir " + dir, exitOK},
		{"test --jobs -1", exitTrouble},
		{"test --run upkg/CompactIndex --min-passed 100000", exitFailed},
		{"test --run upkg/CompactIndex --no-skips" + adapterOf("skips-some"), exitFailed},
		{"ka scan " + garbage, exitFailed},
		{"ka scan " + missing, exitTrouble},
		{"ka convert --to 1 " + garbage, exitFailed},
		{"ka convert --to 1 " + missing, exitTrouble},
		{"ka convert --to 3 " + garbage, exitTrouble},
		{"uasset info " + garbage, exitFailed},
		{"uasset info " + missing, exitTrouble},
		{"uasset texture -o x.png " + garbage, exitFailed},
		{"uasset texture -o x.png " + missing, exitTrouble},
		{"uasset texture -o x.gif " + garbage, exitTrouble},
		{"upkg info " + garbage, exitFailed},
		{"upkg info " + missing, exitTrouble},
		{"serve", exitOK},
		{"serve nonsense", exitTrouble},
		{"smoke" + adapterOf("right"), exitOK},
		{"smoke" + adapterOf("hello-dies"), exitFailed},
		{"smoke -- " + missing, exitTrouble},
		{"smoke", exitTrouble},
		{"fingerprint --run upkg/CompactIndex", exitOK},
		{"fingerprint --run none/*", exitTrouble},
		{"fingerprint" + adapterOf("hello-dies"), exitTrouble},
		{"diff upkg.Name --count 10" + adapterOf("right"), exitOK},
		{"diff upkg.Name --count 10" + adapterOf("rejects"), exitFailed},
		{"diff upkg.Name --count 10" + adapterOf("hello-dies"), exitTrouble},
		{"diff upkg.Name --count 10" + adapterOf("hello-silent") + " ---", exitTrouble},
		{"diff upkg.Name --count 10" + adapterOf("skips"), exitTrouble}, // nothing was compared
		{"diff ubi.Array<Vector3> --count 10" + adapterOf("right-by-structure"), exitOK},
		{"diff upkg.None --count 10" + adapterOf("right"), exitTrouble},
		{"diff upkg.Name --count 10 --seeds " + missing + adapterOf("right"), exitTrouble},
		{"diff upkg.Name --count 10 --inputs " + filepath.Join(dir, "found") + adapterOf("right"), exitOK},
		{"diff upkg.Name --count 10 --inputs " + garbage + adapterOf("right"), exitTrouble},
		{"diff upkg.Name --count 10 --resume" + adapterOf("right"), exitTrouble},
		{"diff upkg.Name", exitTrouble},
		{"test --report html=" + unwritable, exitTrouble},
		{"test --report html=" + dir, exitTrouble},
		{"test --accept --known " + unwritable, exitTrouble},
		{"test --accept --known " + os.DevNull, exitTrouble},
		{"claim -o " + unwritable, exitTrouble},
		{"report text none.jsonl -o " + unwritable, exitTrouble},
		{"encode upkg.CompactIndex -o " + unwritable, exitTrouble},
		{"ka convert --to 1 -o " + unwritable, exitTrouble},
		{"uasset texture none.uasset -o " + unwritable + ".png", exitTrouble},
		{"diff upkg.Name --count 10 --out " + results + adapterOf("right"), exitTrouble},
	} {
		if got, _, stderr := runIn(strings.Fields(c.args)...); got != c.want {
			t.Errorf("formatgauge %s: exit code %d, want %d\n%s", c.args, got, c.want, stderr)
		}
	}
	text, err := os.ReadFile(claimed)
	if err != nil {
		t.Fatal(err)
	}
	forged := bytes.Replace(text, []byte(`"conformant":true`), []byte(`"conformant":false`), 1)
	if err := os.WriteFile(claimed, forged, 0o666); err != nil {
		t.Fatal(err)
	}
	got, stdout, stderr := runIn(strings.Fields("claim verify " + claimed + adapterOf("right"))...)
	if got != exitFailed {
		t.Errorf("a forged claim: exit code %d\n%s%s", got, stdout, stderr)
	}
}

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
	const vector = "ubi/Box/plain.txtar"
	own := t.TempDir()
	text, err := os.ReadFile("../../corpus/" + vector)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(own, vector)), 0o777),
			os.WriteFile(filepath.Join(own, vector), text, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(own)
	for _, args := range []string{
		"", "--help", "--version", "completion bash", "list types", "explain UPKG-CI-5", "corpus hash", "corpus lint .",
		"decode upkg.CompactIndex", "encode upkg.CompactIndex", "inspect upkg.CompactIndex", "upkg info --help",
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
