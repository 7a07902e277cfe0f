package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
)

// TestExitCodes: 0 conformant or done, 1 not conformant or rejected, 2 usage or an
// output that cannot be written.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	claimed, results := filepath.Join(dir, "claim.json"), filepath.Join(dir, "results.jsonl")
	nowhere := filepath.Join(dir, "none", "file")
	for _, c := range []struct {
		args string
		want int
	}{
		{"test --run upkg/CompactIndex --report jsonl=" + results, exitOK},
		{"test --run none/*", exitFailed},
		{"test --report pdf=x", exitUsage},
		{"report text " + results, exitOK},
		{"report text " + claimed, exitFailed}, // does not exist yet
		{"report pdf " + results, exitUsage},
		{"report", exitUsage},
		{"claim -o " + claimed, exitOK},
		{"claim --flag upkg.ci-range=strict", exitUsage},
		{"claim --view upkg.nothing", exitUsage},
		{"claim verify " + claimed, exitOK},
		{"claim verify " + results, exitFailed},
		{"claim verify", exitUsage},
		{"claim verify a b", exitUsage},
		{"corpus hash", exitOK},
		{"corpus export " + dir, exitFailed},
		{"test --report html=" + nowhere, exitUsage},
		{"test --report html=" + dir, exitUsage},
		{"test --accept --known " + nowhere, exitUsage},
		{"test --accept --known " + os.DevNull, exitUsage},
		{"claim -o " + nowhere, exitUsage},
		{"report text none.jsonl -o " + nowhere, exitUsage},
		{"encode upkg.CompactIndex -o " + nowhere, exitUsage},
		{"ka convert --to 1 -o " + nowhere, exitUsage},
		{"uasset texture none.uasset -o " + nowhere + ".png", exitUsage},
		{"diff upkg.Name --count 10 --out " + results + " -- " + strings.Join(judgetest.Command("right"), " "), exitUsage},
		{"diff upkg.Name --count 10 -- " + strings.Join(judgetest.Command("right"), " "), exitOK},
		{"diff upkg.Name --count 10 -- " + strings.Join(judgetest.Command("rejects"), " "), exitFailed},
		{"diff upkg.Name --count 10 -- " + strings.Join(judgetest.Command("hello-dies"), " "), exitFailed},
		{"diff upkg.Name --count 10 -- " + strings.Join(judgetest.Command("hello-silent"), " ") + " ---", exitUsage},
		{"diff upkg.None --count 10 -- " + strings.Join(judgetest.Command("right"), " "), exitUsage},
		{"diff upkg.Name", exitUsage},
	} {
		var out, errOut bytes.Buffer
		if got := run(strings.Fields(c.args), strings.NewReader(""), &out, &errOut); got != c.want {
			t.Errorf("formatgauge %s: exit code %d, want %d\n%s", c.args, got, c.want, errOut.String())
		}
	}
	text, err := os.ReadFile(claimed)
	if err != nil {
		t.Fatal(err)
	}
	forged := bytes.Replace(text, []byte(`"conformant": true`), []byte(`"conformant": false`), 1)
	if err := os.WriteFile(claimed, forged, 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	if got := run([]string{"claim", "verify", claimed}, nil, &out, &errOut); got != exitFailed {
		t.Errorf("a forged claim: exit code %d\n%s%s", got, out.String(), errOut.String())
	}
}
