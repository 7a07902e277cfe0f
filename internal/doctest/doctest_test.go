// Package doctest tests the documentation: the example of docs/add-a-structure.md, the
// program of README.md, the words, and that docs/packages.md lists the imports.
package doctest

import (
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

const (
	repo  = "../.."
	power = "docs/power.md"
	guide = "docs/add-a-structure.md" // its example is executed
)

var (
	sections = []string{"The example", "Retire an id"}

	// instruction is the end of the line before a block that belongs into a file.
	instruction = regexp.MustCompile("(?i)\\b(append|create|insert)\\b[^`]* `([^`]+)`(?: after `([^`]+)`)?:$")

	// survive is the number of mutants in docs/power.md that no vector kills.
	survive = regexp.MustCompile(`\d+ survive`)

	// decided is the line of a vector that only the records can explain, after the
	// change of the example.
	decided = regexp.MustCompile("(?m)^decided: .*\n")

	// folder is a package, or another folder, in a command.
	folder = regexp.MustCompile(`\./[a-z/]+`)

	// source is a file of the repository in a text.
	source = regexp.MustCompile("`[a-z]+(/[a-z0-9_.-]+)+\\.[a-z]+`")
)

// examples returns the files that the examples of the guide change, as they are
// after the change, and the commands.
func examples(t *testing.T) (files map[string]string, commands string) {
	t.Helper()
	page := read(t, guide)
	files = map[string]string{}
	for _, name := range sections {
		_, section, found := strings.Cut(page, "\n## "+name+"\n")
		if !found {
			t.Fatalf("%s has no section %q", guide, name)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		parts := strings.Split(section, "\n```")
		for i := 1; i < len(parts); i += 2 {
			language, block, _ := strings.Cut(parts[i]+"\n", "\n")
			if language == "sh" {
				commands += block
				continue
			}
			where := instruction.FindStringSubmatch(strings.TrimSpace(parts[i-1]))
			if where == nil {
				t.Fatalf("no instruction before this block of %q:\n%s", name, block)
			}
			text, err := change(files, where[2], strings.ToLower(where[1]), where[3], block)
			if err != nil {
				t.Fatal(err)
			}
			files[where[2]] = text
		}
	}
	return files, commands
}

// change returns the text of a file after one change, which follows those in files.
func change(files map[string]string, name, verb, anchor, block string) (string, error) {
	text, exists := files[name]
	if !exists {
		b, err := os.ReadFile(filepath.Join(repo, name))
		text, exists = string(b), err == nil
	}
	switch {
	case exists == (verb == "create"):
		return "", fmt.Errorf("%s %s: the file exists: %v", verb, name, exists)
	case verb == "create":
		return block, nil
	case verb == "append":
		return text + "\n" + block, nil
	case strings.Count(text, anchor+"\n") != 1:
		return "", fmt.Errorf("%s does not contain %q once", name, anchor)
	}
	return strings.Replace(text, anchor+"\n", anchor+"\n"+block, 1), nil
}

// TestExamples checks what the examples of the guide say, without running them:
// files and anchors exist, the changed files have their form, and the folders of all commands exist.
func TestExamples(t *testing.T) {
	files, _ := examples(t)
	for name, text := range files {
		var err error
		switch path.Ext(name) {
		case ".go":
			var formatted []byte
			if formatted, err = format.Source([]byte(text)); err == nil && string(formatted) != text {
				err = fmt.Errorf("not formatted")
			}
		case ".toml":
			_, err = toml.Decode(text, new(map[string]any))
		case ".txtar":
			id := strings.TrimSuffix(strings.TrimPrefix(name, "corpus/"), ".txtar")
			_, err = corpus.Parse(id, decided.ReplaceAll([]byte(text), nil))
		case ".txt": // layouts, whose clauses are those of the changed records
		default:
			err = fmt.Errorf("expected a file of Go, of records or of the corpus")
		}
		if err != nil {
			t.Errorf("%s after the change of %s: %v", name, guide, err)
		}
	}
	pages := read(t, "CONTRIBUTING.md") + read(t, "ARCHITECTURE.md") + read(t, guide)
	for _, name := range append(folder.FindAllString(pages, -1), source.FindAllString(pages, -1)...) {
		name = strings.Trim(name, "`")
		if _, err := os.Stat(filepath.Join(repo, name)); err != nil && files[name] == "" {
			t.Error(err)
		}
	}
}

// TestExamplesRun changes a copy of the repository as the guide says, and runs
// the commands. No vector is missing then.
func TestExamplesRun(t *testing.T) {
	if !testrun.Exhaustive {
		t.Skip("exhaustive: builds a copy of the module")
	}
	files, commands := examples(t)
	dir := t.TempDir()
	run(t, "sh", "-ec", `tar --exclude=./.git -cf - . | tar -xf - -C "$0"; chmod -R u+w "$0"`, dir)
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	// Without the paths of the copy, the build cache serves the next run.
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -trimpath -buildvcs=false")
	run(t, "sh", "-euxc", `cd "$0"`+"\n"+commands, dir)
	after := run(t, "cat", filepath.Join(dir, power))
	if before, after := survive.FindString(read(t, power)), survive.FindString(after); before == "" || after != before {
		t.Errorf("before the example %q, after it %q", before, after)
	}
}

// TestProgram vets the program of README.md.
func TestProgram(t *testing.T) {
	_, program, _ := strings.Cut(read(t, "README.md"), "\n```go\n")
	program, _, _ = strings.Cut(program, "\n```")
	file := filepath.Join(t.TempDir(), "main.go")
	write(t, file, program)
	run(t, "go", "vet", file)
}

// TestReadme: the first page stays short.
func TestReadme(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > 120 {
		t.Errorf("README.md has %d lines, more than 120", n)
	}
}

// TestLinks: links between pages lead to files and headings that exist.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^():# ]*)(#[^() ]*)?\)`)
	code := regexp.MustCompile("(?s)```.*?```")
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	drop := regexp.MustCompile(`[^a-z0-9 _-]`)
	pages, err := fs.Glob(os.DirFS(repo), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CONFORMANCE.md",
		"conformance/PROTOCOL.md", "corpus/README.md", "bench/README.md", "CHANGELOG.md",
		"examples/adapters/README.md", "fuzz/README.md", "fuzz/cluster/README.md", "fuzz/LEDGER.md",
		"implementations/README.md") {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(read(t, page), ""), -1) {
			target := page
			if m[1] != "" {
				target = path.Join(path.Dir(page), m[1])
			}
			if _, err := os.Stat(filepath.Join(repo, target)); err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if m[2] == "" || path.Ext(target) != ".md" {
				continue
			}
			if !slices.ContainsFunc(heading.FindAllStringSubmatch(read(t, target), -1), func(h []string) bool {
				return "#"+strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == m[2]
			}) {
				t.Errorf("%s: no heading for %s%s", page, m[1], m[2])
			}
		}
	}
}

// TestVector: the vector in corpus/README.md is the real one, with remarks.
func TestVector(t *testing.T) {
	_, after, _ := strings.Cut(read(t, "corpus/README.md"), "\nThis is `")
	id, after, _ := strings.Cut(after, "`:\n\n```\n")
	shown, _, _ := strings.Cut(after, "```\n")
	shown = regexp.MustCompile(`(?m) *<- .*$`).ReplaceAllString(shown, "")
	if real := read(t, "corpus/"+id+".txtar"); shown != real {
		t.Errorf("corpus/README.md shows another %s:\n%s\nThe file is:\n%s", id, shown, real)
	}
}

// reflecting lists the packages that import reflect, with the reason. Everything else
// about models is asked of conformance/tree.
var reflecting = map[string]string{
	"conformance/tree":    "converts models to trees and back, and gives forms",
	"codec":               "has the models of the types and of the variants of interfaces, as types",
	"codec/ka":            "names structures after the types of models",
	"codec/upkg":          "names structures after integers, which have a size",
	"model/uasset":        "names the variants of interfaces",
	"cmd/formatgauge":     "makes flags of the fields of commands",
	"props":               "makes an empty model of the type of a value",
	"conformance/adapter": "reads the fields of messages of the protocol",
	"conformance/export":  "compares answers",
	"conformance/judge":   "compares answers, and the types of implementations",
	"conformance/power":   "compares answers",
	"conformance/report":  "counts lists of any type in templates",
	"internal/gogen":      "names Go types",
}

// TestPackages compares the table of packages, and the list of those that import
// reflect, with what they import.
func TestPackages(t *testing.T) {
	const module = "github.com/formatgauge/formatgauge/"
	table := map[string]string{} // cell of imports by package
	for line := range strings.Lines(read(t, "docs/packages.md")) {
		if cells := strings.Split(line, "|"); len(cells) == 6 && strings.HasPrefix(cells[1], " `") {
			table[strings.Trim(cells[1], " `")] = cells[4]
		}
	}
	out := run(t, "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	family := regexp.MustCompile(`^(model|codec)/(ubi|upkg|ka|uasset)$`)
	listed := map[string]bool{}
	for line := range strings.Lines(out) {
		names := strings.Fields(line)
		name := strings.TrimPrefix(names[0], module)
		if strings.HasPrefix(name, "examples/") {
			continue // written as by users
		}
		row := family.ReplaceAllString(name, "$1/F")
		imports, found := table[row]
		if !found {
			t.Errorf("docs/packages.md does not list %s", row)
			continue
		}
		listed[row] = true
		if reason := reflecting[name]; slices.Contains(names[1:], "reflect") != (reason != "") {
			t.Errorf("%s imports reflect: %t, but the reason is %q", name, reason == "", reason)
		}
		for _, i := range names[1:] {
			i, own := strings.CutPrefix(i, module)
			other := row != name && family.MatchString(i) && path.Base(i) != path.Base(name)
			if own && (other || !strings.Contains(imports, "`"+family.ReplaceAllString(i, "$1/F")+"`")) {
				t.Errorf("%s imports %s, which docs/packages.md does not allow", name, i)
			}
		}
	}
	for name := range table {
		if !listed[name] {
			t.Errorf("docs/packages.md lists %s, which does not exist", name)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(repo, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// run runs a command in the folder of the module, and returns what it prints.
func run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	var errOut strings.Builder
	cmd.Dir, cmd.Stderr = repo, &errOut
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, &errOut)
	}
	return string(out)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
