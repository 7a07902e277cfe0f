package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/check"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

// TestPages: pages show what commands print, up to ... or whole, and the commands with a
// baseline run. The page on check explains each outcome, and so does the help.
func TestPages(t *testing.T) {
	pages := ""
	for _, name := range []string{"../../README.md", "../../docs/check.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages += string(text)
	}
	old := string(corpustest.Find(t, "upkg/Package/import-count-needs-two-bytes").Bytes)
	t.Chdir(t.TempDir())
	writeFiles(t, "assets", map[string]string{
		"Core.u": old, "half.u": old[:len(old)/2],
		"Odd.u":         string(corpustest.Find(t, "upkg/Package/class-beyond-the-imports").Bytes),
		"T_Rock.uasset": string(corpustest.Find(t, "uasset/Package/split").Bytes),
		"options.ka":    "KA\x01\x00\x00\x00\x00\x00",
		"tank.sc2":      "SFV2\x16\x00\x00\x00\x01\x00\x00\x00KA\x01\x00\x01\x00\x00\x00\x04\x01\x00\x00\x00a\x02\x01\x00\x00\x00",
		"map.sc2.dvpl":  "\x50abcde\x06\x00\x00\x00\x06\x00\x00\x00\x2c\x86\xe9\xfe\x02\x00\x00\x00DVPL",
		"hero.tga":      "version https://git-lfs.github.com/spec/v1\n",
		"icon.png":      "\x89PNG\r\n\x1a\n", "hero.bin": "ubi/b0-l\x00", "game.ini": "[Core.System]\n",
	})
	shown := regexp.MustCompile("(?ms)^\\$ formatgauge (.*?)\n(.*?)^(```|\\.\\.\\.)$").FindAllStringSubmatch(pages, -1)
	for _, m := range shown {
		code, stdout, stderr := runIn(strings.Fields(m[1])...)
		rest, ok := strings.CutPrefix(stdout, m[2])
		if !ok || rest != "" && m[3] == "```" || code != map[bool]int{true: exitFailed}[m[1] == "check assets"] {
			t.Errorf("formatgauge %s: exit code %d; it prints, other than a page says:\n%s%s", m[1], code, stdout, stderr)
		}
	}
	called := regexp.MustCompile(`(?m)^ *(?:- run: )?formatgauge (check --baseline [^#\n]*)`).FindAllStringSubmatch(pages, -1)
	for _, m := range called {
		if code, stdout, stderr := runIn(strings.Fields(m[1])...); code != exitOK {
			t.Errorf("formatgauge %s: exit code %d\n%s%s", m[1], code, stdout, stderr)
		}
	}
	if len(shown) != 2 || len(called) != 3 {
		t.Errorf("%d commands with their output and %d with a baseline, want 2 and 3", len(shown), len(called))
	}
	_, help, _ := runIn("check", "--help")
	for _, o := range check.Outcomes() {
		if !strings.Contains(pages, "\n| `"+string(o)+"` | ") || !strings.Contains(help, string(o)) {
			t.Errorf("docs/check.md or the help does not explain %s", o)
		}
	}
}

// writeFiles writes files into a new folder.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
