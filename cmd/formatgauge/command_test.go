package main

import (
	"os"
	"strings"
	"testing"
)

// TestCommandTexts: each row has a text, and each text of a flag has a flag.
func TestCommandTexts(t *testing.T) {
	named, used := map[string]bool{}, map[string]int{}
	texts, shared := readCommands()
	all := commands(newRoot())
	for i := range texts {
		c := &texts[i]
		named[c.name] = true
		for _, cmd := range all {
			if cmd.CommandPath() != rootName+" "+c.name {
				continue
			}
			if n := strings.Count(c.listed, "\n  -"); n != len(c.flags) {
				t.Errorf("%s: %d lines of flags, of which %d are understood", c.name, n, len(c.flags))
			}
			for name := range c.flags {
				if cmd.Flags().Lookup(name) == nil {
					t.Errorf("%s has a text of --%s, which is none of its flags", c.name, name)
				}
			}
			for name := range shared {
				if _, own := c.flags[name]; !own && cmd.Flags().Lookup(name) != nil {
					used[name]++
				}
			}
		}
	}
	for name := range rows {
		if !named[name] {
			t.Errorf("%s has no text", name)
		}
	}
	for name := range shared {
		if used[name] < 2 {
			t.Errorf("--%s is in %d commands, expected several", name, used[name])
		}
	}
}

// TestEveryCommand: each command has a short description, an example, help that lists the exit
// codes, and a line in the script of exit codes.
func TestEveryCommand(t *testing.T) {
	text, err := os.ReadFile("testdata/script/exit.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range commands(newRoot()) {
		if cmd.Short == "" || !strings.Contains(cmd.Example, "formatgauge") {
			t.Errorf("%s has no short description or no example", cmd.CommandPath())
		}
		words := strings.Fields(cmd.CommandPath())[1:]
		if !strings.Contains(string(text), "\n"+strings.Join(words, " ")) {
			t.Errorf("no exit code of %s is tested", cmd.CommandPath())
		}
		if code, stdout, _ := runIn(append(words, "--help")...); code != exitOK ||
			!strings.Contains(stdout, "\nExamples:\n") || !strings.HasSuffix(stdout, exitCodes) {
			t.Errorf("%s --help: exit code %d\n%s", cmd.CommandPath(), code, stdout)
		}
	}
}
