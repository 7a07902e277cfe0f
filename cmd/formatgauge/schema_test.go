package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/schematest"
)

// TestJSON: what a command prints with --json matches its schema, also for wrong adapters. A
// row has a call, the words for WORD in it, and the least number of values.
func TestJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, "files", map[string]string{
		"empty.ka": "KA\x01\x00\x00\x00\x00\x00", "cut.ka": "KA\x01",
		"text": "abc", "none.sc2": "SFV2",
		"one.sc2":   "SFV2KA\x01\x00\x00\x00\x00\x00KA\x01\x00\x01\x00\x00\x00\x04\x01\x00\x00\x00a\x02\x01\x00\x00\x00",
		"odd.dvpl":  "\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00DVPL",
		"pointer":   "version https://git-lfs.github.com/spec/v1\n",
		"pakkage.u": "\xc1\x83\x2a\x9e\x75\x00\x1c\x00", "\x1b\n": "\x01", "ubi": "ubi/b0-b\x00",
	})
	writeFiles(t, "empty", nil)
	if err := os.Symlink(".", "files/link"); err != nil {
		t.Skip(err)
	}
	for _, mode := range []string{"right", "skips-some", "crashes-on"} {
		runIn("test", "--run", "upkg.CompactIndex", "--run", "ubi.Vector2", "--no-derived", "--report", "jsonl="+mode,
			"--", "wrong", mode)
	}
	for _, c := range []struct {
		call, words string
		least       int
	}{
		{
			"diff upkg.CompactIndex ubi.Vector3 --count 100 --json --out drafts -- wrong WORD",
			"right schema crashes-on crashes-nth garbage-on undeclared-flag errors skips crashes-always", 1,
		},
		{
			"fingerprint --run upkg.CompactIndex --json -- wrong WORD",
			"right schema rejects crashes-nth garbage undeclared-flag off-by-one errors skips", 1,
		},
		{"test --run ubi.Vector2 --json -- wrong WORD", "right schema crashes-on off-by-one skips-some", 10},
		{"test --run upkg.Name --no-derived --profile observed --json -- formatgauge serve --profile WORD", "documented", 10},
		{"report diff --json right WORD", "skips-some crashes-on", 1},
		{"report diff --json WORD right", "skips-some crashes-on", 1},
		{"report diff --json skips-some WORD", "crashes-on", 1},
		{"check --json --baseline baseline --accept WORD", "files", 11},
		{"check --json files -- wrong WORD", "right rejects", 11},
		{"check --json WORD", "files", 11},
		{"check --json --baseline baseline WORD", "files empty", 11},
	} {
		schema := schemaOf(t, c.call)
		for word := range strings.FieldsSeq(c.words) {
			call := strings.ReplaceAll(c.call, "WORD", word)
			_, stdout, stderr := runIn(strings.Fields(call)...)
			if n := len(valid(t, schema, call+": "+stderr, stdout)); n < c.least {
				t.Errorf("%s: %d values, want at least %d; %s", call, n, c.least, stderr)
			}
			if stderr != "" && strings.HasPrefix(call, "check") {
				t.Errorf("%s: %s", call, stderr)
			}
		}
	}
	baseline, err := os.ReadFile("baseline")
	if n := len(valid(t, schemaOf(t, "check"), "the baseline", string(baseline))); n < 11 {
		t.Errorf("%d lines in the baseline: %v", n, err)
	}
}

// TestJSONOfExplain: it also has each kind of entries.
func TestJSONOfExplain(t *testing.T) {
	schema := schemaOf(t, "explain")
	kinds := map[string]bool{}
	for _, query := range []string{
		"upkg", "upkg.Name", "test a reader", "m4b", "truncated", "acceptable", "crash", "side", "mutant", "UPKG-CI-5",
		"upkg.ci-range", "ka.map", "libxmp", "fifth byte wrong", "upkg/Name/empty", "40 80 01", "qaternion", "qqqq",
		"quaternion licensee",
	} {
		_, stdout, stderr := runIn("explain", "--json", query)
		for _, v := range valid(t, schema, query+": "+stderr, stdout) {
			for _, r := range v.(map[string]any)["results"].([]any) {
				kinds[r.(map[string]any)["kind"].(string)] = true
			}
		}
	}
	for _, k := range find.Kinds {
		if !kinds[k.Name] {
			t.Errorf("no result is a %s", k.Name)
		}
	}
}

// TestJSONOfFiles: so do info and inspect for all vectors of packages, and for some of other
// types. Those that are rejected print no info.
func TestJSONOfFiles(t *testing.T) {
	for _, c := range []struct {
		command, typ string
		least        int
	}{
		{"upkg info", "upkg.Package", 50},
		{"uasset info", "uasset.Package", 50},
		{"inspect upkg.Package", "upkg.Package", 100},
		{"inspect ubi.BasicString", "ubi.BasicString", 10},
		{"inspect ka.Archive", "ka.Archive", 50},
	} {
		schema := schemaOf(t, c.command)
		outputs := 0
		for _, v := range corpustest.Of(t, c.typ) {
			if v.Type != c.typ || len(v.Bytes) > 16<<10 {
				continue
			}
			code, stdout, stderr := runIn(append(strings.Fields(c.command), "--json", "--hex", hex.EncodeToString(v.Bytes))...)
			if code == exitOK || stdout != "" || strings.HasPrefix(c.command, "inspect") {
				outputs += len(valid(t, schema, c.command+" "+v.ID+": "+stderr, stdout))
			}
		}
		if outputs < c.least {
			t.Errorf("%s: %d outputs, want at least %d", c.command, outputs, c.least)
		}
	}
}

// schemaOf returns the schema of the command with which a call begins.
func schemaOf(t *testing.T, call string) *jsonschema.Schema {
	t.Helper()
	name, _, _ := strings.Cut(call, " --")
	for rows[name].schema == nil {
		name = name[:strings.LastIndexByte(name, ' ')]
	}
	return schematest.Compile(t, rows[name].schema)
}

// valid compares each value of a text with a schema, and returns those that match.
func valid(t *testing.T, schema *jsonschema.Schema, of, text string) (out []any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) && out != nil {
			return out
		}
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", of, err, text)
			return out
		}
		out = append(out, v)
	}
}
