package main

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/check"
	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/schematest"
)

// The output of --json matches its schema, also for wrong adapters.
func TestAdapterSchemas(t *testing.T) {
	for _, c := range []struct {
		schema         []byte
		command, modes string
	}{
		{
			diffSchema, "diff upkg.CompactIndex ubi.Vector3 --count 100 --json --out",
			"right schema crashes-on crashes-nth garbage-on undeclared-flag errors skips crashes-always",
		},
		{
			fingerprintSchema, "fingerprint --run upkg.CompactIndex --json",
			"right schema rejects crashes-nth garbage undeclared-flag off-by-one errors skips",
		},
	} {
		schema := schematest.Compile(t, c.schema)
		command := strings.Fields(c.command)
		if command[0] == "diff" {
			command = append(command, t.TempDir())
		}
		for mode := range strings.FieldsSeq(c.modes) {
			_, stdout, stderr := runIn(slices.Concat(command, []string{"--", judgetest.Program, mode})...)
			schematest.Check(t, schema, stdout, mode, stderr)
		}
	}
}

// The output of report diff --json matches its schema in both directions.
func TestReportDiffSchema(t *testing.T) {
	schema := schematest.Compile(t, reportDiffSchema)
	dir := t.TempDir()
	var files []string
	for _, mode := range []string{"right", "skips-some", "crashes-on"} {
		file := filepath.Join(dir, mode+".jsonl")
		runIn("test", "--run", "upkg.CompactIndex", "--run", "ubi.Vector2", "--no-derived", "--report", "jsonl="+file,
			"--", judgetest.Program, mode)
		files = append(files, file)
	}
	for _, pair := range [][2]int{{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}} {
		_, stdout, stderr := runIn("report", "diff", "--json", files[pair[0]], files[pair[1]])
		schematest.Check(t, schema, stdout, pair, stderr)
	}
}

// The output of explain --json matches its schema, for each kind of entries.
func TestExplainSchema(t *testing.T) {
	schema := schematest.Compile(t, explainSchema)
	kinds := map[string]bool{}
	for _, query := range []string{
		"upkg", "upkg.Name", "test a reader", "m4b", "truncated", "acceptable", "crash", "side", "mutant", "UPKG-CI-5",
		"upkg.ci-range", "ka.map", "libxmp", "fifth byte wrong", "upkg/Name/empty", "40 80 01", "qaternion", "qqqq",
		"quaternion licensee",
	} {
		_, stdout, stderr := runIn("explain", "--json", query)
		v := schematest.Check(t, schema, stdout, query, stderr)
		if v == nil {
			continue
		}
		for _, r := range v.(map[string]any)["results"].([]any) {
			kinds[r.(map[string]any)["kind"].(string)] = true
		}
	}
	for _, k := range find.Kinds {
		if !kinds[k.Name] {
			t.Errorf("no result is a %s", k.Name)
		}
	}
}

// validLines compares each line with the schema and returns their number.
func validLines(t *testing.T, schema *jsonschema.Schema, of, lines string) (n int) {
	t.Helper()
	for line := range strings.Lines(lines) {
		n++
		schematest.Check(t, schema, line, of)
	}
	return n
}

// Each line of check --json and of a baseline matches the schema.
func TestCheckSchema(t *testing.T) {
	schema := schematest.Compile(t, check.Schema)
	dir := t.TempDir()
	for name, content := range map[string]string{
		"empty.ka": "KA\x01\x00\x00\x00\x00\x00", "cut.ka": "KA\x01",
		"text": "abc", "none.sc2": "SFV2",
		"one.sc2":   "SFV2KA\x01\x00\x00\x00\x00\x00KA\x01\x00\x01\x00\x00\x00\x04\x01\x00\x00\x00a\x02\x01\x00\x00\x00",
		"odd.dvpl":  "\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00DVPL",
		"pointer":   "version https://git-lfs.github.com/spec/v1\n",
		"pakkage.u": "\xc1\x83\x2a\x9e\x75\x00\x1c\x00", "\x1b\n": "\x01", "ubi": "ubi/b0-b\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	baseline := filepath.Join(t.TempDir(), "baseline")
	for i, args := range [][]string{
		{"check", "--json", "--baseline", baseline, "--accept", dir},
		{"check", "--json", dir},
		{"check", "--json", dir, "--", judgetest.Program, "right"},
		{"check", "--json", dir, "--", judgetest.Program, "rejects"},
		{"check", "--json", "--baseline", baseline, dir},
		{"check", "--json", "--baseline", baseline, filepath.Dir(baseline)},
	} {
		_, stdout, stderr := runIn(args...)
		if i == 0 {
			b, err := os.ReadFile(baseline)
			if err != nil {
				t.Fatal(err)
			}
			stdout += string(b)
		}
		n := validLines(t, schema, strings.Join(args, " "), stdout)
		if want := 11; n < want || stderr != "" {
			t.Errorf("%q: %d lines, want at least %d; %s", args, n, want, stderr)
		}
	}
}

// The outputs of info --json and inspect --json match their schemas, for all vectors of
// packages and for some of other types. Those that are rejected print no info.
func TestFileSchemas(t *testing.T) {
	for _, c := range []struct {
		schema  []byte
		typ     string
		command []string
		least   int
	}{
		{upkgInfoSchema, "upkg.Package", []string{"upkg", "info"}, 50},
		{uassetInfoSchema, "uasset.Package", []string{"uasset", "info"}, 50},
		{inspectSchema, "upkg.Package", []string{"inspect", "upkg.Package"}, 100},
		{inspectSchema, "ubi.BasicString", []string{"inspect", "ubi.BasicString"}, 10},
		{inspectSchema, "ka.Archive", []string{"inspect", "ka.Archive"}, 50},
	} {
		schema := schematest.Compile(t, c.schema)
		vectors := corpustest.Of(t, c.typ)
		outputs := 0
		for _, v := range vectors {
			if v.Type != c.typ || len(v.Bytes) > 16<<10 {
				continue
			}
			args := append(slices.Clip(c.command), "--json", "--hex", hex.EncodeToString(v.Bytes))
			code, stdout, stderr := runIn(args...)
			if code != exitOK && stdout == "" && c.command[0] != "inspect" {
				continue
			}
			outputs++
			schematest.Check(t, schema, stdout, c.command, v.ID, stderr)
		}
		if outputs < c.least {
			t.Errorf("%q: %d outputs, want at least %d", c.command, outputs, c.least)
		}
	}
}

// Each line of test --json matches the schema that test --schema prints, also for wrong adapters.
func TestTestSchema(t *testing.T) {
	_, text, _ := runIn("test", "--schema")
	schema := schematest.Compile(t, []byte(text))
	const other = "of another profile"
	for _, mode := range []string{"right", other, "schema", "crashes-on", "off-by-one", "skips-some"} {
		args := []string{"test", "--run", "ubi.Vector2", "--json", "--", judgetest.Program, mode}
		if mode == other {
			args = strings.Fields("test --run upkg.Name --no-derived --profile observed --json -- formatgauge serve --profile documented")
		}
		_, stdout, stderr := runIn(args...)
		n := validLines(t, schema, mode, stdout)
		if n < 10 || mode == other && !strings.Contains(stdout, `"fit":{"profile":"documented","failed":0}`) {
			t.Errorf("%s: %d lines; %s", mode, n, stderr)
		}
	}
}
