package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// sample returns every 40th vector, and those of which the tests speak. An exhaustive
// run takes all.
func sample(t *testing.T, also ...string) (out []*corpus.Vector) {
	t.Helper()
	all, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range all {
		if i%40 == 0 || testrun.Exhaustive || slices.Contains(also, v.ID) {
			out = append(out, v)
		}
	}
	return out
}

func filesOf(t *testing.T, vectors []*corpus.Vector) []export.File {
	t.Helper()
	files, err := export.Files(vectors, "sha256:"+strings.Repeat("0", 64))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func content(t *testing.T, files []export.File, name string) []byte {
	t.Helper()
	for _, f := range files {
		if f.Name == name {
			return f.Content
		}
	}
	t.Fatalf("no file %s", name)
	return nil
}

// parse parses a JSON file of the export. A field that the model lacks is an error.
func parse[T any](t *testing.T, files []export.File, name string) T {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(content(t, files, name)))
	d.DisallowUnknownFields()
	var v T
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

type vectorsFile struct {
	Format  string
	Vectors []export.Vector
}

type derivedFile struct {
	Format  string
	Derived []export.Derived
}

// TestSchemas: each JSON file matches its schema, and the schema rejects it after a
// change of each part.
func TestSchemas(t *testing.T) {
	files := filesOf(t, sample(t))
	entries := parse[export.Manifest](t, files, "corpus.json").Files
	entries = append(entries, export.FileEntry{Name: "corpus.json", Schema: "schema/corpus.json"})
	if len(entries) != 6 {
		t.Fatalf("%d JSON files", len(entries))
	}
	for _, e := range entries {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(content(t, files, e.Schema)))
		if err != nil {
			t.Fatalf("%s: %v", e.Schema, err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(e.Schema, doc); err != nil {
			t.Fatal(err)
		}
		schema, err := c.Compile(e.Schema)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(content(t, files, e.Name)))
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		object := v.(map[string]any)
		list, _ := object[strings.TrimSuffix(e.Name, ".json")].([]any)
		if list == nil {
			list = []any{object}
		}
		first := list[0].(map[string]any)
		first["surplus"] = true
		if schema.Validate(v) == nil {
			t.Errorf("%s: the schema admits any field", e.Name)
		}
	}
}

// TestVectors checks verdicts that are known from the text of vectors.
func TestVectors(t *testing.T) {
	const (
		minus    = "upkg/CompactIndex/minus-zero"
		repeated = "ubi/BasicString/write-65537-bytes"
		chosen   = "ka/Archive/levels-64"
		wider    = "uasset/Mip/flags-bit-window"
		written  = "ka/Archive/write-levels-65"
		open     = "ka/Archive/write-headerless"
		anyNaN   = "ubi/CompressedQuaternionU32.Quaternion/no-root-one-flag"
	)
	byID := map[string]export.Vector{}
	for _, v := range parse[vectorsFile](t, filesOf(t, sample(t, minus, repeated, chosen, wider, written, open, anyNaN)), "vectors.json").Vectors {
		byID[v.ID] = v
	}
	v := byID[minus]
	if got := v.Sections[v.Verdicts["observed"].Section]; *v.Hex != "80" || string(got.Decode.Tree) != `"0"` || *got.Encode.Hex != "00" || *got.Canonical {
		t.Errorf("%s: %+v", minus, v)
	}
	if want := map[ids.Flag]string{"upkg.ci-minus-zero": "strict"}; !maps.Equal(v.Sections[1].Sides, want) || v.Sections[1].Decode.Reject.Classes[0] != "noncanonical" {
		t.Errorf("%s: %+v", minus, v.Sections[1])
	}
	if v := byID[repeated]; strings.Contains(string(v.Tree), "repeat") || len(v.Tree) < 65537 || v.Hex != nil || v.Sections[0].Decode != nil {
		t.Errorf("%s: the tree has %d bytes", repeated, len(v.Tree))
	}
	if v := byID[chosen]; len(v.Verdicts["observed"].Choices) == 0 {
		t.Errorf("%s: no choices", chosen)
	}
	if v := byID[wider]; v.Sections[v.Verdicts["observed"].Section].Decode.Reject.Acceptable != judge.Unsupported {
		t.Errorf("%s: acceptance is not acceptable", wider)
	}
	if _, ok := byID[open].Verdicts["observed"]; ok || len(byID[open].Sections) == 0 {
		t.Errorf("%s is applicable", open)
	}
	if v := byID[anyNaN]; !strings.Contains(string(v.Sections[v.Verdicts["documented"].Section].Decode.Tree), `"nan"`) {
		t.Errorf("%s: a NaN without digits has digits", anyNaN)
	}
	if v := byID[written]; v.Tree == nil || v.Sections[0].Encode.Reject == nil || v.Sections[0].Encode.Reject.From != nil {
		t.Errorf("%s: %+v", written, v.Sections[0])
	}
}

// TestDerived makes the inputs of the derived cases from the export, and compares
// them with those of the judge.
func TestDerived(t *testing.T) {
	vectors := sample(t)
	files := filesOf(t, vectors)
	type key struct{ profile, id string }
	got := map[key]string{}
	byID := map[string]export.Vector{}
	for _, v := range parse[vectorsFile](t, files, "vectors.json").Vectors {
		byID[v.ID] = v
	}
	for _, d := range parse[derivedFile](t, files, "derived.json").Derived {
		v := byID[d.Vector]
		for _, r := range d.Cases {
			for id, input := range inputs(t, *v.Hex, r) {
				for _, p := range d.Profiles {
					context := v.Context
					if r.Context != nil {
						context = r.Context
					}
					got[key{p, d.Vector + "#" + id}] = fmt.Sprint(input, context["order"], wantText(r, len(input)/2))
				}
			}
		}
	}
	counts := parse[export.Manifest](t, files, "corpus.json").Derived
	for _, p := range []ids.Profile{ids.Documented(), ids.Observed()} {
		n := 0
		for _, v := range vectors {
			for _, c := range judge.Derive(v, p) {
				n++
				e := c.Expect
				text := fmt.Sprint(e.Class, e.From, e.To)
				switch {
				case e.Outcome == corpus.Accept:
					text = "same"
				case e.Outcome != corpus.Reject:
					text = "other"
				case e.From < 0:
					text = "anywhere"
				}
				want := fmt.Sprint(hex.EncodeToString(c.Input), c.Context["order"], text)
				k := key{p.String(), c.ID}
				if got[k] != want {
					t.Fatalf("%s under %s: got %q, want %q", c.ID, p, got[k], want)
				}
				delete(got, k)
			}
		}
		if counts[p.String()] != n || n == 0 {
			t.Errorf("%s: %d cases, corpus.json has %d", p, n, counts[p.String()])
		}
	}
	if len(got) > 0 {
		t.Errorf("%d cases are none of the judge's", len(got))
	}
}

// inputs returns the inputs of a recipe in hex by the end of the id.
func inputs(t *testing.T, whole string, r export.Recipe) map[string]string {
	t.Helper()
	if r.Cut == nil {
		if r.At != nil {
			whole = whole[:2**r.At] + r.Hex + whole[2**r.At+len(r.Hex):]
		}
		return map[string]string{r.Case: whole + r.Append}
	}
	out := map[string]string{}
	for _, c := range r.Cut {
		for n := c[0]; n <= c[1]; n++ {
			out[fmt.Sprintf("%s-%d", r.Case, n)] = whole[:2*n]
		}
	}
	return out
}

func wantText(r export.Recipe, size int) string {
	switch {
	case r.Reject == nil:
		return r.Value
	case r.Reject.From == nil:
		return "anywhere"
	case r.Reject.To != nil:
		size = *r.Reject.To
	}
	return fmt.Sprint(strings.Join(r.Reject.Classes, "|"), *r.Reject.From, size)
}

// program returns the path of a program, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is missing", name)
	}
	return path
}

// faults are those of testdata/plant.py. An exhaustive run plants each fault alone.
func faults() []string {
	if !testrun.Exhaustive {
		return []string{"mixed", "accept"}
	}
	return []string{
		"none", "mixed", "typed", "number", "spelling", "null", "omit", "field", "list", "hex", "upper", "consumed", "bytes", "class", "offset",
		"no-offset", "refuse", "accept", "skip", "error", "crash",
	}
}

// TestRunners: both runners give the results of the judge, for each vector and for
// right, wrong and crashing readers.
func TestRunners(t *testing.T) {
	runners := map[string][]string{"run.py": {program(t, "python3")}, "run.mjs": {program(t, "node")}}
	vectors := sample(t, "ubi/CompressedQuaternionU32.Quaternion/no-root-one-flag", // any NaN
		"ka/Archive/levels-65", "ka/Archive/levels-65-archive-and-arrays", "ka/Archive/nested-fault-of-class-limit", // wider
		"ka/Array/archive-inside-level-64", "ka/Array/levels-65", "uasset/Mip/flags-bit-window")
	dir := filepath.Join(t.TempDir(), "export")
	if err := export.Dir(dir, filesOf(t, vectors)); err != nil {
		t.Fatal(err)
	}
	for name, command := range runners {
		runners[name] = append(command, filepath.Join(dir, name))
	}
	python, node := runners["run.py"][0], runners["run.mjs"][0]
	run := func(family, fault, profile string, reader ...string) {
		name := strings.Join([]string{family, fault, profile, filepath.Ext(reader[len(reader)-1])[1:]}, "-")
		if !testrun.Exhaustive && family != "ubi" && fault != "mixed" {
			return
		}
		t.Run(name, func(t *testing.T) { compare(t, vectors, family, profile, fault, runners, reader) })
	}
	for _, family := range []string{"ubi", "upkg", "ka", "uasset"} {
		script := "../../examples/adapters/python/" + family + ".py"
		run(family, "none", "documented", python, "testdata/plant.py", "none", script)
		for _, fault := range faults() {
			run(family, fault, "observed", python, "testdata/plant.py", fault, script)
		}
		module := "../../examples/adapters/javascript/" + family + ".mjs"
		if _, err := os.Stat(module); err == nil {
			run(family, "none", "observed", node, module)
		} else {
			run(family, "none", "observed", python, script)
		}
	}
}

func compare(t *testing.T, vectors []*corpus.Vector, family, profile, fault string, runners map[string][]string, reader []string) {
	want := judged(t, vectors, family, profile, withDerived(fault), reader)
	failed := 0
	for _, result := range want {
		if result == "fail" {
			failed++
		}
	}
	if harmless := fault == "none" || fault == "omit" || fault == "skip"; harmless && profile == "observed" && failed > 0 || !harmless && failed == 0 {
		t.Errorf("%d failures", failed)
	}
	for name, command := range runners {
		args := append(slices.Clip(command), "--all", "--profile", profile, "--run", family+"/")
		if withDerived(fault) {
			args = append(args, "--derived")
		}
		args = append(append(args, "--"), reader...)
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		var errOut bytes.Buffer
		cmd.Stderr = &errOut
		out, _ := cmd.Output() // the exit code follows
		got := map[string]string{}
		for line := range strings.Lines(string(out)) {
			if words := strings.Fields(line); len(words) >= 2 && strings.Contains(words[1], "/") {
				got[words[1]] = words[0]
			}
		}
		for id, result := range got {
			// Where a choice leaves open more than the acceptance, the runners permit any value.
			if v, ok := corpus.Find(id); ok && result == "acceptable" && want[id] == "fail" && opensMore(v, profile) {
				got[id] = "fail"
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-judge +runner):\n%.3000s\n%s", name, d, &errOut)
		}
		if code := cmd.ProcessState.ExitCode(); code != min(failed, 1) {
			t.Errorf("%s: exit code %d after %d failures: %s", name, code, failed, &errOut)
		}
	}
}

// opensMore reports whether a choice decides a vector and leaves open more than whether
// it is accepted.
func opensMore(v *corpus.Vector, profile string) bool {
	p, err := ids.ParseProfile(profile)
	return err == nil && slices.ContainsFunc(v.Choices(p), func(d corpus.Decider) bool {
		_, open := v.Reason(d)
		return open != spec.OpenAcceptance
	})
}

// withDerived reports whether derived cases are judged too, which takes long. Where
// any other value is right, the runners do not check that a tree is one of the type.
func withDerived(fault string) bool {
	return testrun.Exhaustive && (fault == "none" || fault == "typed")
}

// judged returns the results of the judge.
func judged(t *testing.T, vectors []*corpus.Vector, family, profile string, derived bool, reader []string) map[string]string {
	t.Helper()
	child, err := adapter.NewChild(reader, adapter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	p, err := ids.ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	report, err := judge.Run(context.Background(), child, vectors, judge.Options{
		Profile: &p, NoDerived: !derived, Filter: func(v *corpus.Vector) bool { return v.Family() == family },
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range report.Results {
		out[r.ID] = string(r.Status)
		if r.Status.Failed() {
			out[r.ID] = "fail"
		}
	}
	return out
}

// TestNPM packs the npm package, installs it from its file and reads a vector.
func TestNPM(t *testing.T) {
	npm, node := program(t, "npm"), program(t, "node")
	const id = "upkg/CompactIndex/minus-zero"
	files, err := export.NPM(filesOf(t, sample(t, id)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pkg, user := filepath.Join(dir, "package"), filepath.Join(dir, "user")
	if err := export.Dir(pkg, files); err != nil {
		t.Fatal(err)
	}
	in := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(filepath.Dir(pkg), "cache"), "npm_config_update_notifier=false")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	in(pkg, npm, "pack", "--offline", "--pack-destination", dir)
	packed, err := filepath.Glob(filepath.Join(dir, "formatgauge-corpus-*.tgz"))
	if err != nil || len(packed) != 1 {
		t.Fatal(packed, err)
	}
	use := `import { corpus, vectors, derived, types, flags, clauses, type Vector } from 'formatgauge-corpus';
const v: Vector | undefined = vectors.find((v) => v.id === '` + id + `');
const verdict = v?.verdicts.observed;
const section = v?.sections[verdict?.section ?? -1];
console.log(corpus.number, v?.hex, section?.decode?.tree, section?.encode?.hex, [derived, types, flags, clauses].every((list) => list.length > 0));
`
	if err := os.Mkdir(user, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json": `{"name": "user", "private": true, "type": "module"}`,
		"use.ts":       use,
		"use.js":       strings.NewReplacer(", type Vector", "", ": Vector | undefined", "").Replace(use),
	} {
		if err := os.WriteFile(filepath.Join(user, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in(user, npm, "install", "--offline", "--no-audit", "--no-fund", packed[0])
	if out, want := in(user, node, "use.js"), fmt.Sprintln(corpus.Number, "80 0 00 true"); out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if tsc, err := exec.LookPath("tsc"); err == nil {
		in(user, tsc, "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "use.ts")
	} else {
		t.Log("tsc is missing: the types are not checked")
	}
}

// TestTypeScript: the types for TypeScript have the fields of the JSON files.
func TestTypeScript(t *testing.T) {
	files, err := export.NPM(nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content(t, files, "index.d.ts"))
	for name, model := range map[string]any{
		"Corpus": export.Manifest{}, "Reject": export.Reject{}, "Want": export.Want{}, "Section": export.Section{}, "Vector": export.Vector{},
		"Case": export.Recipe{}, "Derived": export.Derived{}, "Part": schema.Part{}, "Type": schema.Type{}, "Flag": export.Flag{}, "Clause": export.Clause{},
	} {
		_, body, ok := strings.Cut(text, "interface "+name+" {\n")
		body, _, _ = strings.Cut(body, "\n}")
		got := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^  (\w+)(\??):`).FindAllStringSubmatch(body, -1) {
			got[m[1]] = m[2] != ""
		}
		want := map[string]bool{}
		for f := range reflect.TypeOf(model).NumField() {
			field, rest, _ := strings.Cut(reflect.TypeOf(model).Field(f).Tag.Get("json"), ",")
			want[field] = rest == "omitempty"
		}
		if d := cmp.Diff(want, got); d != "" || !ok {
			t.Errorf("%s (-Go +TypeScript):\n%s", name, d)
		}
	}
}

// TestZip: the ZIP file has the files, and the same bytes each time.
func TestZip(t *testing.T) {
	vectors := sample(t)[:5]
	files := append(filesOf(t, vectors), export.Inputs(vectors)...)
	var packed [2][]byte
	for i := range packed {
		name := filepath.Join(t.TempDir(), "x.zip")
		err := export.Zip(name, files)
		if err == nil {
			packed[i], err = os.ReadFile(name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(packed[0], packed[1]) {
		t.Error("the bytes differ")
	}
	z, err := zip.NewReader(bytes.NewReader(packed[0]), int64(len(packed[0])))
	if err != nil || len(z.File) != len(files) {
		t.Fatalf("%v, want %d files", err, len(files))
	}
	for i, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || f.Name != files[i].Name || !bytes.Equal(text, files[i].Content) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// TestInputs: the raw files are the inputs.
func TestInputs(t *testing.T) {
	if got := content(t, export.Inputs(sample(t, "upkg/CompactIndex/minus-zero")), "bytes/upkg/CompactIndex/minus-zero"); string(got) != "\x80" {
		t.Errorf("%x, want 80", got)
	}
}

// TestLimits: each runner has at most 100 lines, and the license of the program is
// the one in the export.
func TestLimits(t *testing.T) {
	files := filesOf(t, nil)
	for _, name := range []string{"run.py", "run.mjs"} {
		if n := bytes.Count(content(t, files, name), []byte("\n")); n > 100 {
			t.Errorf("%s has %d lines", name, n)
		}
	}
	license, err := os.ReadFile("../../LICENSE")
	if err != nil || !bytes.Equal(license, content(t, files, "LICENSE-APACHE")) {
		t.Errorf("LICENSE-APACHE is not that of the repository: %v", err)
	}
}
