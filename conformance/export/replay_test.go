package export_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// TestTables: the loaders of tables give the results of the judge, for the answers of
// right and wrong readers. They get these answers from a file.
func TestTables(t *testing.T) {
	python := program(t, "python3")
	vectors := sample(t, special...)
	edition := sampleFolder(t, vectors)
	commands := replays(t, edition)
	for _, family := range []string{"ubi", "upkg", "ka", "uasset"} {
		for _, fault := range faults() {
			if fault == "crash" || !testrun.Exhaustive && family != "ubi" && (family != "ka" || fault != "late") {
				continue
			}
			t.Run(family+"-"+fault, func(t *testing.T) {
				reader := []string{python, "testdata/plant.py", fault, "../../examples/adapters/python/" + family + ".py"}
				want := judged(t, vectors, family, "observed", reader)
				answers := filepath.Join(t.TempDir(), "answers.tsv")
				if err := os.WriteFile(answers, answersOf(t, vectors, family, reader), 0o666); err != nil {
					t.Fatal(err)
				}
				tables, err := filepath.Glob(edition + "/tables/observed/" + family + ".*.tsv")
				if err != nil {
					t.Fatal(err)
				}
				for name, command := range commands {
					// A table has no lines for what is not applicable.
					applicable := maps.Clone(want)
					maps.DeleteFunc(applicable, func(_, result string) bool { return result == "not applicable" })
					compareReplay(t, name, applicable, command, answers, tables)
				}
			})
		}
	}
}

// replays returns commands that replay answers in each language that is at hand.
func replays(t *testing.T, edition string) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	out := map[string][]string{}
	for _, c := range []struct{ language, loader, replay, build, run string }{
		{"c", "formatgauge_vectors.h", "replay.c", "gcc -O1 -Wall -Wextra -Werror -o c.exe replay.c", "DIR/c.exe"},
		{
			"rust", "formatgauge_vectors.rs", "replay.rs",
			"rustc -Adead_code -O --edition 2021 -o rust.exe replay.rs", "DIR/rust.exe",
		},
		{
			"java", "FormatgaugeVectors.java", "Replay.java",
			"javac -Xlint:all -Werror Replay.java FormatgaugeVectors.java", "java -cp DIR Replay",
		},
		{
			"go", "formatgauge_vectors.go.txt", "replay_test.go.txt",
			"go test -c -o go.exe formatgauge_vectors.go replay_test.go", "DIR/go.exe -test.v",
		},
	} {
		build, run := strings.Fields(c.build), strings.Fields(c.run)
		if _, err := exec.LookPath(build[0]); err != nil {
			t.Logf("%s is missing", build[0])
			continue
		}
		if !testrun.Exhaustive && c.language != "c" {
			continue // its compiler takes long; .ci/languages runs an example
		}
		for _, from := range []string{filepath.Join(edition, "loaders", c.language, c.loader), "testdata/replay/" + c.replay} {
			text, err := os.ReadFile(from)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, strings.TrimSuffix(filepath.Base(from), ".txt")), text, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if text, err := runIn(t, dir, []string{"GO111MODULE=off"}, build...); err != nil {
			t.Fatalf("%s: %v\n%s", c.build, err, text)
		}
		for _, word := range run {
			out[c.language] = append(out[c.language], strings.Replace(word, "DIR", dir, 1))
		}
	}
	return out
}

// answersOf asks a reader about the lines of the tables of a family.
func answersOf(t *testing.T, vectors []*corpus.Vector, family string, reader []string) []byte {
	t.Helper()
	child := childOf(t, reader)
	var out []byte
	types, err := export.TypeFiles(vectors)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range types {
		if !strings.HasPrefix(file.Type, family+".") {
			continue
		}
		typ, _ := codec.Find(file.Type)
		for _, v := range file.Vectors {
			original, _ := corpus.Find(v.ID)
			input := hex.EncodeToString(original.Bytes)
			for _, r := range v.Results {
				if !slices.Contains(r.Profiles, "observed") {
					continue
				}
				for i, permitted := range [][]export.Answer{r.Decode, r.Roundtrip, r.Encode} {
					if permitted == nil {
						continue
					}
					op := []adapter.Op{adapter.OpDecode, adapter.OpRoundtrip, adapter.OpEncode}[i]
					q := adapter.Request{Op: op, Type: file.Type, Profile: "observed", Context: original.Context}
					if q.Hex = &input; op == adapter.OpEncode {
						n, err := tree.ParseVector(r.Tree.String())
						if err != nil {
							t.Fatal(err)
						}
						q.Hex, q.Tree = nil, &n
					}
					a, err := child.Do(t.Context(), q)
					if err != nil { // it crashed on purpose
						a = adapter.Response{}
					}
					out = fmt.Appendf(out, "%s\t%s\t%s\n", v.ID, op, answerLine(file, typ, &a, len(original.Bytes)))
				}
			}
		}
	}
	return out
}

// float matches a float in a line of a table.
var float = regexp.MustCompile("[\x05\x06][^\"]*")

// respelled returns a float without its mark, as a reader may spell it that prints all
// digits.
func respelled(marked string) string {
	size, verb := 32, "%.8e"
	if marked[0] == 6 {
		size, verb = 64, "%.16e"
	}
	f, err := strconv.ParseFloat(marked[1:], size)
	if err != nil || math.IsInf(f, 0) {
		return `"` + marked[1:]
	}
	return `"` + fmt.Sprintf(verb, f)
}

// answerLine returns the kind of an answer, a text, bytes, and an offset.
func answerLine(file *export.TypeFile, typ *codec.Type, a *adapter.Response, size int) string {
	switch {
	case a.Reject != nil && a.Reject.Offset != nil:
		return fmt.Sprintf("reject\t%s\t\t%d", a.Reject.Class, *a.Reject.Offset)
	case a.Reject != nil:
		return fmt.Sprintf("reject\t%s\t\t-1", a.Reject.Class)
	case a.Skip != nil:
		return "skip\tplanted\t\t"
	case a.OK != nil && a.OK.Tree != nil && (a.OK.Consumed == nil || *a.OK.Consumed == size):
		n, err := tree.Normalize(typ, *a.OK.Tree)
		if err != nil {
			n = tree.Node{Kind: tree.Text, Text: "not a tree of the type"}
		}
		return "tree\t" + float.ReplaceAllStringFunc(file.Line(n), respelled) + "\t\t"
	case a.OK != nil && a.OK.Hex != nil:
		return "hex\t\t" + strings.ToLower(*a.OK.Hex) + "\t"
	}
	return "error\tplanted\t\t"
}

// compareReplay runs a command that replays answers.
func compareReplay(t *testing.T, name string, want map[string]string, command []string, answers string,
	tables []string,
) {
	t.Helper()
	if name != "go" {
		compareResults(t, name, want, append(append(slices.Clip(command), answers), tables...))
		return
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "ANSWERS="+answers, "TABLES="+strings.Join(tables, " "))
	out, err := cmd.Output() // failures are expected
	got := map[string]string{}
	for _, line := range bytes.Split(out, []byte("\n")) {
		var word, id string
		if n, _ := fmt.Sscanf(string(line), "    --- %s TestReplay/%s", &word, &id); n == 2 {
			got[id] = strings.ToLower(strings.TrimSuffix(word, ":"))
		}
	}
	for id, result := range want {
		v, _ := corpus.Find(id)
		if result == "acceptable" || result == "not applicable" || opensValue(v) { // that passes in Go
			delete(want, id)
			delete(got, id)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("go: %v (-judge +loader):\n%.3000s", err, d)
	}
}
