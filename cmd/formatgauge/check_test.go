package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/check"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

// TestCheckPage: docs/check.md shows what the command prints, and its commands run.
func TestCheckPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	vector := func(id string) string {
		v := corpustest.Find(t, id)
		return string(v.Bytes)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "assets"), 0o777); err != nil {
		t.Fatal(err)
	}
	old := vector("upkg/Package/import-count-needs-two-bytes")
	for name, content := range map[string]string{
		"Core.u": old, "Odd.u": vector("upkg/Package/class-beyond-the-imports"), "half.u": old[:len(old)/2], "T_Rock.uasset": vector("uasset/Package/split"),
		"options.ka":   "KA\x01\x00\x00\x00\x00\x00",
		"tank.sc2":     "SFV2\x16\x00\x00\x00\x01\x00\x00\x00KA\x01\x00\x01\x00\x00\x00\x04\x01\x00\x00\x00a\x02\x01\x00\x00\x00",
		"map.sc2.dvpl": "\x50abcde\x06\x00\x00\x00\x06\x00\x00\x00\x2c\x86\xe9\xfe\x02\x00\x00\x00DVPL",
		"hero.tga":     "version https://git-lfs.github.com/spec/v1\n",
		"icon.png":     "\x89PNG\r\n\x1a\n", "hero.bin": "ubi/b0-l\x00", "game.ini": "[Core.System]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "assets", name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	call := func(line string, want int) string {
		args, _, _ := strings.Cut(line, "#")
		code, stdout, stderr := runIn(strings.Fields(args)[1:]...)
		if code != want {
			t.Errorf("%s: exit code %d; %s", line, code, stderr)
		}
		return stdout
	}
	if shown := "$ formatgauge check assets\n" +
		call("formatgauge check assets", exitFailed) + "```"; !strings.Contains(string(page), shown) {
		t.Errorf("docs/check.md does not show:\n%s", shown)
	}
	help := call("formatgauge check --help", exitOK)
	for _, o := range check.Outcomes() {
		if !strings.Contains(string(page), "\n| `"+string(o)+"` | ") || !strings.Contains(help, string(o)) {
			t.Errorf("docs/check.md or the help does not explain %s", o)
		}
	}
	n := 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "- run: ")
		if strings.HasPrefix(line, "formatgauge check --baseline") {
			call(line, exitOK)
			n++
		}
	}
	if n != 3 {
		t.Errorf("docs/check.md has %d commands with a baseline, want 3", n)
	}
}
