package export_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

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
	files, err := export.JSON(vectors, noHash)
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
		vectors = slices.Clone(vectors)
		vectors[2] = &changed
		return opened(t, folderOf(t, dataOf(t, vectors)))
	}
	older := write(vectors[:7], func(*corpus.Vector) {})
	newer := write(vectors[1:], func(v *corpus.Vector) { v.Comment = "Another text." })
	third := write(vectors[:7], func(v *corpus.Vector) { v.Expect = v.Expect[:0:0] })
	for _, c := range []struct {
		to      *export.Edition
		selects bool
		want    []string
	}{
		{older, true, nil},
		{newer, true, []string{"removed " + vectors[0].ID, "added " + vectors[7].ID}},
		{newer, false, nil},
		{third, true, []string{"result " + vectors[2].ID}},
	} {
		changes, err := export.Diff(older, c.to, func(string, string) bool { return c.selects })
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
}

// TestDiffCopy: a copy needs only the files of selected types, and another default of a
// parameter is another input.
func TestDiffCopy(t *testing.T) {
	const name = "upkg.Name"
	vectors := corpustest.Of(t, "upkg")
	header := vectors[slices.IndexFunc(vectors, func(v *corpus.Vector) bool { return v.Type == "upkg.Header" })].ID
	whole := dataOf(t, vectors)
	old := content(t, whole, name+".json")
	other := bytes.Replace(old, []byte(`"context":{"version":"69"}`), []byte(`"context":{"version":"63"}`), 1)
	if bytes.Equal(old, other) {
		t.Fatal("the default of version is not 69")
	}
	part := []export.File{{Name: name + ".json", Content: other}}
	for _, name := range []string{"index.json", "upkg.CompactIndex.json"} {
		part = append(part, export.File{Name: name, Content: content(t, whole, name)})
	}
	from, to := opened(t, folderOf(t, part)), opened(t, folderOf(t, whole))
	for _, c := range []struct {
		selected []string
		changed  bool
		fault    string
	}{
		{[]string{"upkg.CompactIndex"}, false, ""},
		{[]string{"upkg.CompactIndex", name}, true, ""},
		{[]string{"upkg.Header"}, false, "upkg.Header.json"},
		{[]string{header}, false, "upkg.Header.json"},
	} {
		changes, err := export.Diff(from, to, func(typ, id string) bool {
			return slices.Contains(c.selected, typ) || slices.Contains(c.selected, id)
		})
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
		if _, err := export.Open(folderOf(t, []export.File{{Name: name, Content: []byte(text)}}), infile.Max); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
}

// TestZipBounds: a ZIP file is bounded by what it unpacks to, and one that holds a file
// twice is named so.
func TestZipBounds(t *testing.T) {
	const limit = 1 << 20
	index := export.File{Name: "index.json", Content: bytes.Repeat([]byte(" "), 2*limit)}
	file := filepath.Join(t.TempDir(), "edition.zip")
	for _, c := range []struct {
		files []export.File
		limit int64
		want  string
	}{
		{[]export.File{index}, limit, "index.json: too long: it has more than 1048576 bytes"},
		{[]export.File{index, index}, 8 * limit, "edition.zip contains the file json/index.json twice"},
	} {
		if err := export.Zip(file, "json", c.files); err != nil {
			t.Fatal(err)
		}
		if _, err := export.Open(file, c.limit); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%d files: %v, want %s", len(c.files), err, c.want)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNPM packs the npm package, installs it from its file and reads a vector.
func TestNPM(t *testing.T) {
	npm, node := program(t, "npm"), program(t, "node")
	const id = "upkg/CompactIndex/minus-zero"
	edition, err := export.Files(sample(t, id), noHash)
	if err != nil {
		t.Fatal(err)
	}
	pkg := folderOf(t, export.NPM(edition))
	dir := filepath.Dir(pkg)
	user := filepath.Join(dir, "a user")
	in := func(dir string, args ...string) string {
		t.Helper()
		out, err := runIn(t, dir, []string{
			"npm_config_cache=" + filepath.Join(filepath.Dir(pkg), "cache"),
			"npm_config_update_notifier=false",
		}, args...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
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
	script := strings.NewReplacer(", type Vector", "", ": Vector[]", "").Replace(use)
	if err := export.Dir(user, []export.File{
		{Name: "package.json", Content: []byte(`{"name": "user", "private": true, "type": "module"}`)},
		{Name: "use.ts", Content: []byte(use)},
		{Name: "use.js", Content: []byte(script)},
	}); err != nil {
		t.Fatal(err)
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
	files := dataOf(t, sample(t)[:5])
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
	for _, f := range files {
		if text, err := fs.ReadFile(z, "folder/"+f.Name); err != nil || !bytes.Equal(text, f.Content) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
