// Package doctest tests the documentation: it executes the examples of
// CONTRIBUTING.md and compares ARCHITECTURE.md with the imports.
package doctest

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const repo = "../.."

var (
	sections = []string{"Retire an id", "Add a structure"}

	// instruction is the end of the line before a block that belongs into a file.
	instruction = regexp.MustCompile("(?i)\\b(append|create|insert)\\b[^`]* `([^`]+)`(?: after `([^`]+)`)?:$")
)

// TestExamples puts the blocks of CONTRIBUTING.md into a copy of the repository,
// where the text says, and runs the commands. It also vets the program of README.md.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a copy of the module")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	page := read(t, "CONTRIBUTING.md")
	dir := t.TempDir()
	copyTree(t, dir)
	script := "set -eux\n"
	for _, name := range sections {
		_, section, found := strings.Cut(page, "\n## "+name+"\n")
		if !found {
			t.Fatalf("CONTRIBUTING.md has no section %q", name)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		parts := strings.Split(section, "\n```")
		for i := 1; i < len(parts); i += 2 {
			language, block, _ := strings.Cut(parts[i]+"\n", "\n")
			if language == "sh" {
				script += block
				continue
			}
			where := instruction.FindStringSubmatch(strings.TrimSpace(parts[i-1]))
			if where == nil {
				t.Fatalf("no instruction before this block of %q:\n%s", name, block)
			}
			put(t, filepath.Join(dir, where[2]), strings.ToLower(where[1]), where[3], block)
		}
	}
	_, program, _ := strings.Cut(read(t, "README.md"), "\n```go\n")
	program, _, _ = strings.Cut(program, "\n```")
	put(t, filepath.Join(dir, "internal/readme/main.go"), "create", "", program)
	script += "go vet ./internal/readme\n"
	cmd := exec.Command(shell, "-c", script)
	cmd.Dir = dir
	// Without the paths of the copy, the build cache serves the next run.
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath -buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestArchitecture compares the table of packages with what they import.
func TestArchitecture(t *testing.T) {
	const module = "github.com/formatgauge/formatgauge/"
	table := map[string]string{} // cell of imports by package
	for line := range strings.Lines(read(t, "ARCHITECTURE.md")) {
		if cells := strings.Split(line, "|"); len(cells) == 6 && strings.HasPrefix(cells[1], " `") {
			table[strings.Trim(cells[1], " `")] = cells[4]
		}
	}
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	cmd.Dir = repo
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	family := regexp.MustCompile(`^(model|codec)/(ubi|upkg|ka|uasset)$`)
	listed := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		name := strings.TrimPrefix(names[0], module)
		if strings.HasPrefix(name, "examples/") {
			continue // written as by users
		}
		row := family.ReplaceAllString(name, "$1/F")
		imports, found := table[row]
		if !found {
			t.Errorf("ARCHITECTURE.md does not list %s", row)
			continue
		}
		listed[row] = true
		for _, i := range names[1:] {
			i, own := strings.CutPrefix(i, module)
			other := row != name && family.MatchString(i) && path.Base(i) != path.Base(name)
			if own && (other || !strings.Contains(imports, "`"+family.ReplaceAllString(i, "$1/F")+"`")) {
				t.Errorf("%s imports %s, which ARCHITECTURE.md does not allow", name, i)
			}
		}
	}
	for name := range table {
		if !listed[name] {
			t.Errorf("ARCHITECTURE.md lists %s, which does not exist", name)
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

func put(t *testing.T, file, verb, anchor, block string) {
	t.Helper()
	old, err := os.ReadFile(file)
	if exists := err == nil; exists == (verb == "create") {
		t.Fatalf("%s %s: the file exists: %v", verb, file, exists)
	}
	text := string(old)
	switch {
	case verb == "create":
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		text = block
	case verb == "append":
		text += "\n" + block
	case strings.Count(text, anchor+"\n") != 1:
		t.Fatalf("%s does not contain %q once", file, anchor)
	default:
		text = strings.Replace(text, anchor+"\n", anchor+"\n"+block, 1)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// copyTree copies the repository without its history.
func copyTree(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(repo, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(filepath.Clean(name), filepath.Clean(repo)))
		switch {
		case e.Name() == ".git" && e.IsDir():
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(to, 0o777)
		case !e.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}
