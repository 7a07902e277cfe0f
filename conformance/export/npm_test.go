package export_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/infile"
	"github.com/formatgauge/formatgauge/internal/schematest"
)

// dataOf returns the data of vectors.
func dataOf(t *testing.T, vectors []*corpus.Vector) []export.File {
	t.Helper()
	files, err := export.JSON(vectors, "sha256:"+strings.Repeat("0", 64))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSchemas: each file of the data matches its schema, which rejects another field.
func TestSchemas(t *testing.T) {
	files := dataOf(t, sample(t))
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".json") || strings.HasPrefix(f.Name, "schema/") {
			continue
		}
		name, list := "schema/type.json", "vectors"
		if f.Name == "index.json" {
			name, list = "schema/index.json", "types"
		}
		schema := schematest.Compile(t, content(t, files, name))
		v := schematest.Check(t, schema, f.Content, f.Name)
		if v == nil {
			continue
		}
		v.(map[string]any)[list].([]any)[0].(map[string]any)["surplus"] = true
		if schema.Validate(v) == nil {
			t.Errorf("%s: the schema admits any field", f.Name)
		}
	}
}

// TestData checks results that are known from the text of vectors.
func TestData(t *testing.T) {
	for id, want := range map[string]string{
		"upkg/CompactIndex/minus-zero": `{"profiles":["documented","observed"],"basis":"document","tree":"0","decode":[{"result":"pass","like":"tree"}],` +
			`"roundtrip":[{"result":"pass","hex":"00"}],"encode":[{"result":"pass","hex":"00"}]}`,
		"ubi/BasicString/write-65537-bytes":                       `"tree":{"repeat":"65537","text":"R"},"encode":[{"result":"pass","hex":"01000100(52*65537)"}]`,
		"ka/Archive/levels-65":                                    `{"result":"acceptable","reason":"limit","like":"any"}`,
		"ka/Archive/levels-64":                                    `"decode":[{"result":"pass","like":"tree"},{"result":"acceptable","reason":"choice","reject":[]}]`,
		"ubi/CompressedQuaternionU32.Quaternion/no-root-one-flag": `"y":"nan"`,
	} {
		v := corpustest.Find(t, id)
		text := content(t, dataOf(t, []*corpus.Vector{v}), corpus.FolderOf(v.Type)+".json")
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s: %s lacks %s", id, text[bytes.Index(text, []byte(`"vectors"`)):], want)
		}
	}
}

// opened opens an edition.
func opened(t *testing.T, dir string) *export.Edition {
	t.Helper()
	e, err := export.Open(dir, infile.Max)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestDiff: a vector that came, went, or has another result or input is named, and
// nothing else.
func TestDiff(t *testing.T) {
	vectors := sample(t)[:8]
	write := func(vectors []*corpus.Vector, change func(*corpus.Vector)) *export.Edition {
		changed := *vectors[2]
		change(&changed)
		files := dataOf(t, append(append(append([]*corpus.Vector{}, vectors[:2]...), &changed), vectors[3:]...))
		return opened(t, folderOf(t, files))
	}
	older := write(vectors[:7], func(*corpus.Vector) {})
	newer := write(vectors[1:], func(v *corpus.Vector) { v.Comment = "Another text." })
	third := write(vectors[:7], func(v *corpus.Vector) { v.Expect = v.Expect[:0:0] })
	for _, c := range []struct {
		to   *export.Edition
		want []string
	}{
		{older, nil},
		{newer, []string{"removed " + vectors[0].ID, "added " + vectors[7].ID}},
		{third, []string{"result " + vectors[2].ID}},
	} {
		changes, err := export.Diff(older, c.to, func(string, string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, change := range changes {
			got = append(got, change.Change+" "+change.Vector)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	none, err := export.Diff(older, newer, func(typ, _ string) bool { return typ == "none" })
	if err != nil || len(none) > 0 {
		t.Errorf("%v, %v", none, err)
	}
}

// TestDiffCopy: a copy needs only the files of selected types, and another default of a
// parameter is another input.
func TestDiffCopy(t *testing.T) {
	const name = "upkg.Name"
	vectors := corpustest.Of(t, "upkg")
	header := vectors[slices.IndexFunc(vectors, func(v *corpus.Vector) bool { return v.Type == "upkg.Header" })].ID
	whole, part := fstest.MapFS{}, fstest.MapFS{}
	for _, f := range dataOf(t, vectors) {
		whole[f.Name] = &fstest.MapFile{Data: f.Content}
		if slices.Contains([]string{"index.json", name + ".json", "upkg.CompactIndex.json"}, f.Name) {
			part[f.Name] = &fstest.MapFile{Data: f.Content}
		}
	}
	old := whole[name+".json"].Data
	other := bytes.Replace(old, []byte(`"context":{"version":"69"}`), []byte(`"context":{"version":"63"}`), 1)
	part[name+".json"] = &fstest.MapFile{Data: other}
	if bytes.Equal(old, other) {
		t.Fatal("the default of version is not 69")
	}
	var editions [2]*export.Edition
	for i, files := range []fstest.MapFS{part, whole} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, files); err != nil {
			t.Fatal(err)
		}
		editions[i] = opened(t, dir)
	}
	selected := func(names ...string) func(typ, id string) bool {
		return func(typ, id string) bool { return slices.Contains(names, typ) || slices.Contains(names, id) }
	}
	for _, c := range []struct {
		selects func(typ, id string) bool
		changed bool
		fault   string
	}{
		{selected("upkg.CompactIndex"), false, ""},
		{selected("upkg.CompactIndex", name), true, ""},
		{selected("upkg.Header"), false, "upkg.Header.json"},
		{selected(header), false, "upkg.Header.json"},
	} {
		changes, err := export.Diff(editions[0], editions[1], c.selects)
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("the error is %v, want %q", err, c.fault)
		}
		if len(changes) > 0 != c.changed || c.changed && changes[0].Change != "input" {
			t.Errorf("%d changes: %.200v", len(changes), changes)
		}
	}
}

// TestOpenFaults: another number of the format is refused, and a folder without data.
func TestOpenFaults(t *testing.T) {
	for name, text := range map[string]string{"index.json": `{"format": 2}`, "other.json": "{}"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := export.Open(dir, infile.Max); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
}

// TestZipBounds: a ZIP file is bounded by what it unpacks to, and one that holds a file
// twice is named so.
func TestZipBounds(t *testing.T) {
	const limit = 1 << 20
	write := func(names ...string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(bytes.Repeat([]byte(" "), 2*limit)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "edition.zip")
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if _, err := export.Open(write("json/index.json"), limit); !errors.Is(err, infile.ErrTooLong) {
		t.Errorf("a file that unpacks to 2 MiB: %v", err)
	}
	if _, err := export.Open(write("json/index.json", "json/index.json"), 8*limit); err == nil ||
		!strings.HasSuffix(err.Error(), "edition.zip contains the file json/index.json twice") {
		t.Errorf("a file twice: %v", err)
	}
}

// TestNPM packs the npm package, installs it from its file and reads a vector.
func TestNPM(t *testing.T) {
	npm, node := program(t, "npm"), program(t, "node")
	const id = "upkg/CompactIndex/minus-zero"
	edition, err := export.Files(sample(t, id), "sha256:"+strings.Repeat("0", 64))
	if err != nil {
		t.Fatal(err)
	}
	pkg := folderOf(t, export.NPM(edition))
	dir := filepath.Dir(pkg)
	user := filepath.Join(dir, "a user")
	in := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(filepath.Dir(pkg), "cache"),
			"npm_config_update_notifier=false")
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
	use := `import { load, compare, type Vector } from 'formatgauge-corpus';
const [v]: Vector[] = [...load('node_modules/formatgauge-corpus/json', ['` + id + `'])];
console.log(v.id, v.input.length, compare(v, '0'), compare(v, '1'));
`
	if err := os.Mkdir(user, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json": `{"name": "user", "private": true, "type": "module"}`,
		"use.ts":       use,
		"use.js":       strings.NewReplacer(", type Vector", "", ": Vector[]", "").Replace(use),
	} {
		if err := os.WriteFile(filepath.Join(user, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in(user, npm, "install", "--offline", "--no-audit", "--no-fund", packed[0])
	if out, want := in(user, node, "use.js"), id+" 1 true false\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	adapter, err := filepath.Abs("../../examples/adapters/python/upkg.py")
	if err != nil {
		t.Fatal(err)
	}
	out := in(user, filepath.Join("node_modules", ".bin", "formatgauge-vectors"), "--run", id, "--",
		program(t, "python3"), adapter)
	if want := "observed: 1 pass, 0 fail, 0 acceptable, 0 skip, 0 not applicable\n"; out != want {
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
	text := string(content(t, export.NPM(nil), "index.d.ts"))
	for name, model := range map[string]any{
		"Permitted": export.Answer{}, "Result": export.Result{}, "Data": export.Vector{},
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
	files := dataOf(t, vectors)
	var packed [2][]byte
	for i := range packed {
		name := filepath.Join(t.TempDir(), "x.zip")
		err := export.Zip(name, "folder", files)
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
		if err != nil || f.Name != "folder/"+files[i].Name || !bytes.Equal(text, files[i].Content) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
