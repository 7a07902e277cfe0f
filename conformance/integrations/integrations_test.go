// Package integrations tests action.yml, the template for GitLab and
// .goreleaser.yaml: it runs their commands with the program of this revision.
package integrations

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/formatgauge/formatgauge/internal/testrun"
)

const repo = "../.."

type actionFile struct {
	Inputs map[string]struct{ Default string }
	Runs   struct{ Steps []actionStep }
}

type actionStep struct {
	ID  string
	Env map[string]string
	Run string
	Dir string `yaml:"working-directory"`
}

type gitlabFile struct {
	Job struct {
		Variables map[string]string
		Script    []string
		Artifacts struct {
			Paths   []string
			Reports struct{ Junit string }
		}
	} `yaml:".formatgauge"`
}

type releaseFile struct {
	Builds []struct {
		Main                string
		Goos, Goarch, Flags []string
		Ldflags             []string
	}
	Archives []struct {
		Template string `yaml:"name_template"`
		Wrap     bool   `yaml:"wrap_in_directory"`
		Files    []packed
	}
	Nfpms []struct{ Contents []packed }
}

// packed is a file or pattern of an archive or a package.
type packed struct{ Src, Dst, Type string }

func (p *packed) UnmarshalYAML(n *yaml.Node) error {
	type plain packed
	if n.Kind == yaml.ScalarNode {
		p.Src = n.Value
		return nil
	}
	return n.Decode((*plain)(p))
}

func load[T any](t *testing.T, name string) (out T) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(repo, name))), &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestVersion: the newest version of CHANGELOG.md is the one that action and
// template install, and the one that is released.
func TestVersion(t *testing.T) {
	match := regexp.MustCompile(`(?m)^## \[([0-9][^\]]*)\] - \d{4}-\d\d-\d\d$`).FindStringSubmatch(read(t,
		"../../CHANGELOG.md"))
	if match == nil {
		t.Fatal("CHANGELOG.md has no version with a date")
	}
	version := match[1]
	if v := load[actionFile](t, "action.yml").Inputs["version"].Default; v != version {
		t.Errorf("action.yml installs %s, the newest version is %s", v, version)
	}
	if v := load[gitlabFile](t, "conformance/integrations/gitlab.yml").Job.Variables["FORMATGAUGE_VERSION"]; v != version {
		t.Errorf("gitlab.yml installs %s, the newest version is %s", v, version)
	}
	for _, name := range []string{"../../docs/ci.md", "../../docs/install.md", "gitlab.yml"} {
		for _, found := range regexp.MustCompile(`(?:formatgauge|corpus)[:@/_]v?([0-9]+\.[0-9]+\.[0-9]+)`).FindAllStringSubmatch(read(t, name), -1) {
			if found[1] != version {
				t.Errorf("%s: %s, the newest version is %s", name, found[0], version)
			}
		}
	}
	if tag := os.Getenv("RELEASE"); tag != "" && tag != "v"+version {
		t.Errorf("the tag is %s, the newest version is %s", tag, version)
	}
}

// TestPage: the examples of docs/ci.md use inputs and variables that exist.
func TestPage(t *testing.T) {
	action, template := load[actionFile](t, "action.yml"), load[gitlabFile](t, "conformance/integrations/gitlab.yml")
	used := 0
	for _, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(read(t, "../../docs/ci.md"),
		-1) {
		var example yaml.Node
		if err := yaml.Unmarshal([]byte(block[1]), &example); err != nil {
			t.Fatal(err)
		}
		var visit func(n *yaml.Node)
		visit = func(n *yaml.Node) {
			for i, child := range n.Content {
				if key := child.Value; n.Kind == yaml.MappingNode && i%2 == 0 && (key == "with" || key == "variables") {
					for j := 0; j < len(n.Content[i+1].Content); j += 2 {
						name := n.Content[i+1].Content[j].Value
						_, input := action.Inputs[name]
						_, variable := template.Job.Variables[name]
						if used++; key == "with" && !input || key == "variables" && !variable {
							t.Errorf("docs/ci.md: %s has no %s", key, name)
						}
					}
				}
				visit(child)
			}
		}
		visit(&example)
	}
	if used == 0 {
		t.Error("docs/ci.md has no example")
	}
}

// TestSameScripts: the template for GitLab contains the scripts of the action.
func TestSameScripts(t *testing.T) {
	want := []string{read(t, "install.sh"), read(t, "judge.sh")}
	if got := load[gitlabFile](t, "conformance/integrations/gitlab.yml").Job.Script; !slices.Equal(got, want) {
		t.Errorf("the script of gitlab.yml is not install.sh and judge.sh:\n%s", strings.Join(got, "----\n"))
	}
}

// TestTargets: a release has all systems that docs/install.md names.
func TestTargets(t *testing.T) {
	b := load[releaseFile](t, ".goreleaser.yaml").Builds[0]
	if got := fmt.Sprintf("%s %v %v", b.Main, b.Goos,
		b.Goarch); got != "./cmd/formatgauge [linux darwin windows] [amd64 arm64]" {
		t.Errorf("unexpected targets: %s", got)
	}
}

// TestLinksInArchives: archives and packages contain all files that README.md links, at
// the same place.
func TestLinksInArchives(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)#:]+)[)#]`).FindAllStringSubmatch(read(t, "../../README.md"), -1)
	if len(links) == 0 {
		t.Fatal("README.md has no links")
	}
	release := load[releaseFile](t, ".goreleaser.yaml")
	const doc = "/usr/share/doc/formatgauge"
	playground := false
	for _, c := range release.Nfpms[0].Contents {
		playground = playground || c == packed{Src: "out/release/playground/*", Dst: "/usr/share/formatgauge/playground/"}
	}
	if !playground {
		t.Error("packages have no playground where site looks for it")
	}
	for _, link := range links {
		has := func(p packed, dst string) bool {
			if folder, all := strings.CutSuffix(p.Src, "/**"); all || p.Type == "tree" {
				return strings.HasPrefix(link[1], folder+"/") && (dst == folder || p.Dst == "")
			}
			ok, err := path.Match(p.Src, link[1])
			return err == nil && ok && (dst == path.Dir(link[1]) || dst == link[1])
		}
		if !slices.ContainsFunc(release.Archives[0].Files, func(p packed) bool {
			return p.Dst == "" && has(p, path.Dir(link[1]))
		}) {
			t.Errorf("the archives lack %s", link[1])
		}
		if !slices.ContainsFunc(release.Nfpms[0].Contents, func(p packed) bool {
			dst, ok := strings.CutPrefix(p.Dst, doc)
			return ok && has(p, path.Clean("./"+dst))
		}) {
			t.Errorf("the packages lack %s", link[1])
		}
	}
}

// TestPins: each action is pinned by the hash of its commit, and dependabot.yml knows
// each module.
func TestPins(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range append(files, "../../action.yml") {
		for _, use := range regexp.MustCompile(`uses: *(\S+)`).FindAllStringSubmatch(read(t, file), -1) {
			if use[1] != "./" && !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(use[1]) {
				t.Errorf("%s: %s is not pinned", file, use[1])
			}
		}
	}
	type update struct {
		System string `yaml:"package-ecosystem"`
		Folder string `yaml:"directory"`
	}
	updates := load[struct{ Updates []update }](t, ".github/dependabot.yml").Updates
	want := []update{{"github-actions", "/"}}
	modules, err := exec.Command("git", "-C", repo, "ls-files", "go.mod", "*/go.mod").Output()
	if err != nil {
		t.Skipf("git: %v", err)
	}
	for _, file := range strings.Fields(string(modules)) {
		want = append(want, update{"gomod", path.Join("/", path.Dir(file))})
	}
	for _, u := range want {
		if !slices.Contains(updates, u) {
			t.Errorf("dependabot.yml lacks %s of %s", u.System, u.Folder)
		}
	}
}

// program builds the command as .goreleaser.yaml says.
func program(t *testing.T, file, version string) {
	t.Helper()
	b := load[releaseFile](t, ".goreleaser.yaml").Builds[0]
	ldflags := strings.ReplaceAll(b.Ldflags[0], "{{ .Version }}", version)
	args := slices.Concat([]string{"go", "build", "-o", file, "-ldflags", ldflags}, b.Flags, []string{b.Main})
	if out, code := output(t, repo, nil, args...); code != 0 {
		t.Fatal(out)
	}
}

// releases serves a release of this revision for this machine. It returns the
// address, the version, and the number of requests so far.
func releases(t *testing.T) (url, version string, requests *int) {
	t.Helper()
	version = load[actionFile](t, "action.yml").Inputs["version"].Default
	archive := load[releaseFile](t, ".goreleaser.yaml").Archives[0]
	if !archive.Wrap {
		t.Fatal("install.sh expects a folder in the archive")
	}
	name := strings.NewReplacer("{{ .ProjectName }}", "formatgauge", "{{ .Version }}", version, "{{ .Os }}", runtime.GOOS,
		"{{ .Arch }}", runtime.GOARCH).Replace(archive.Template)
	dir, built := filepath.Join(t.TempDir(), "v"+version), t.TempDir()
	if err := errors.Join(os.Mkdir(dir, 0o777), os.Mkdir(filepath.Join(built, name), 0o777)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(built, name, "formatgauge")
	program(t, file, version)
	if out, err := exec.Command(file, "--version").Output(); err != nil || !strings.HasPrefix(string(out), "formatgauge v"+version+"\n") {
		t.Errorf("%v: %s", err, out)
	}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.NoCompression) // the level exists; each run unpacks it
	w := tar.NewWriter(z)
	if err := errors.Join(w.AddFS(os.DirFS(built)), w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	sums := fmt.Appendf(nil, "%064d  other.zip\n%x  %s.tar.gz\n", 7, sha256.Sum256(packed.Bytes()), name)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, name+".tar.gz"), packed.Bytes(), 0o666),
		os.WriteFile(filepath.Join(dir, "checksums.txt"), sums, 0o666)); err != nil {
		t.Fatal(err)
	}
	requests = new(int)
	files := http.FileServer(http.Dir(filepath.Dir(dir)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, version, requests
}

// A run is what a user's job shows.
type run struct {
	code                 int
	log, summary, output string
	reports              string
	path                 string // of the program that the action has installed
}

var expression = regexp.MustCompile(`\$\{\{ *([\w.-]+) *\}\}`)

// runAction runs the steps of action.yml that are commands, as GitHub does; all but the first one
// if the program is installed in a path.
func runAction(t *testing.T, url, work, temp, installed string, inputs map[string]string) run {
	t.Helper()
	action := load[actionFile](t, "action.yml")
	values := map[string]string{"runner.temp": temp}
	for name, in := range action.Inputs {
		values["inputs."+name] = in.Default
	}
	for name, value := range inputs {
		if _, ok := action.Inputs[name]; !ok {
			t.Fatalf("action.yml has no input %s", name)
		}
		values["inputs."+name] = value
	}
	expand := func(s string) string {
		return expression.ReplaceAllStringFunc(s, func(e string) string {
			v, ok := values[expression.FindStringSubmatch(e)[1]]
			if !ok {
				t.Fatalf("%s: unknown expression", e)
			}
			return v
		})
	}
	root, err := filepath.Abs(repo)
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	env := append(os.Environ(), "GITHUB_ACTION_PATH="+root, "FORMATGAUGE_URL="+url)
	for _, name := range []string{"PATH", "OUTPUT", "STEP_SUMMARY"} {
		file := filepath.Join(files, name)
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		env = append(env, "GITHUB_"+name+"="+file)
	}
	r := run{path: installed, reports: filepath.Join(temp, "formatgauge-reports", values["inputs.artifact"])}
	for _, step := range action.Runs.Steps {
		if step.Run == "" || r.code != 0 || step.ID == "install" && installed != "" {
			continue
		}
		env := slices.Clip(env)
		for name, value := range step.Env {
			env = append(env, name+"="+expand(value))
		}
		if r.path != "" {
			env = append(env, "PATH="+r.path+":"+os.Getenv("PATH"))
		}
		r.add(t, filepath.Join(work, expand(step.Dir)), env,
			"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", expand(step.Run))
		r.path = cmp.Or(strings.TrimSpace(read(t, filepath.Join(files, "PATH"))), r.path)
	}
	r.summary, r.output = read(t, filepath.Join(files, "STEP_SUMMARY")), read(t, filepath.Join(files, "OUTPUT"))
	return r
}

// runTemplate runs the script of the template for GitLab with the variables that
// correspond to inputs of the action.
func runTemplate(t *testing.T, url, work, temp, _ string, inputs map[string]string) run {
	t.Helper()
	job := load[gitlabFile](t, "conformance/integrations/gitlab.yml").Job
	values := job.Variables
	values["FORMATGAUGE_URL"] = url
	for name, value := range inputs {
		name = "FORMATGAUGE_" + strings.ReplaceAll(strings.ToUpper(name), "-", "_")
		if _, ok := values[name]; !ok {
			t.Fatalf("gitlab.yml has no variable %s", name)
		}
		values[name] = value
	}
	if p := job.Artifacts.Paths; !slices.Equal(p, []string{values["FORMATGAUGE_REPORTS"] + "/"}) ||
		job.Artifacts.Reports.Junit != p[0]+"junit.xml" {
		t.Errorf("gitlab.yml keeps %v, %s", p, job.Artifacts.Reports.Junit)
	}
	env := os.Environ()
	for name, value := range values {
		env = append(env, name+"="+strings.ReplaceAll(value, "$CI_PROJECT_DIR", temp))
	}
	r := run{reports: filepath.Join(work, values["FORMATGAUGE_REPORTS"])}
	r.add(t, work, env, "sh", "-ec", strings.Join(job.Script, "\n"))
	return r
}

func (r *run) add(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	out, code := output(t, dir, env, args...)
	r.code, r.log = code, r.log+out
}

// output runs a command, and returns its output and exit code. It skips the test at the
// deadline.
func output(t *testing.T, dir string, env []string, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Skipf("the tests of this package have run for %v: the rest is skipped", patience)
	}
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// The commands of all tests together, also those that build, have less than five minutes.
const patience = 4 * time.Minute

var deadline = time.Now().Add(patience)

// TestRuns runs action and template for right and wrong adapters.
func TestRuns(t *testing.T) {
	for _, programs := range [][]string{{"bash"}, {"sh"}, {"curl", "wget"}} {
		if !slices.ContainsFunc(programs, func(p string) bool { _, err := exec.LookPath(p); return err == nil }) ||
			runtime.GOOS == "windows" {
			t.Skipf("needs %s", strings.Join(programs, " or "))
		}
	}
	url, version, requests := releases(t)
	commands := map[string]string{
		"right":   "formatgauge serve --profile observed",
		"wrong":   "formatgauge serve --profile documented", // under profile observed
		"wrong 2": "cd . && formatgauge serve --profile documented",
		"skips": `while read -r line; do id=${line#*:}; id=${id%%,*}
			case "$line" in
				*'"hello"'*) echo '{"id":'$id',"hello":{"protocol":"1","name":"skips","types":["upkg.CompactIndex"],"operations":["decode"]}}' ;;
				*'"hex":"00"'*) echo '{"id":'$id',"ok":{"tree":"0"}}' ;;
				*) echo '{"id":'$id',"skip":{"reason":"none"}}' ;;
			esac; done`,
	}
	const skipped = "conformant; cases of listed types were skipped: upkg.CompactIndex"
	for _, form := range []struct {
		name string
		run  func(t *testing.T, url, work, temp, installed string, inputs map[string]string) run
	}{{"action", runAction}, {"template", runTemplate}} {
		t.Run(form.name, func(t *testing.T) {
			work, temp := t.TempDir(), t.TempDir()
			// Patterns of types are not patterns of files.
			for name, text := range map[string]string{"upkg.CompactFile": "", "known.txt": "upkg/CompactIndex/zero  tree\n"} {
				if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			installed := "" // after two runs: the second one shows that the archive is kept
			for i, c := range []struct {
				name, inputs string // as after with: in a workflow
				code         int
				verdict      string // of the reports; "" if nothing is judged
				log          string // of both
				errors       int    // annotations
			}{
				{
					"conformant", "command: right, types: upkg.Compact* upkg.Integer, no-skips: true, min-passed: 10",
					0, "conformant", "conformant", 0,
				},
				{
					"not conformant", "command: wrong 2, types: upkg.CompactIndex, profile: observed",
					1, "not conformant", "not conformant", 10,
				},
				{
					"too few passed", "command: right, types: upkg.CompactIndex, min-passed: 100000",
					1, "conformant", "--min-passed: expected at least 100000", 1,
				},
				{"skips", "command: skips", 0, skipped, "conformant", 0},
				{"skips too much", "command: skips, types: upkg.CompactIndex, no-skips: true", 1, skipped, "--no-skips: ", 1},
				{
					"words of args", `command: right, args: "--run 'upkg/CompactIndex/*'\n--skip \"*/*/[a-y]*\""`,
					0, "conformant", "conformant", 0,
				},
				{
					"known failures that pass", "command: right, types: upkg.CompactIndex, known: known.txt",
					1, "failures differ from the list of known failures", "it passes: remove the entry", 1,
				},
				{
					"accept", "command: wrong, types: upkg.CompactIndex, profile: observed, known: known.txt, args: --accept",
					0, "failures differ from the list of known failures", "(before: 1)", 10,
				},
				{
					"known failures", "command: wrong, types: upkg.CompactIndex, profile: observed, known: known.txt",
					0, "not conformant, the failures match the list of known failures", "match the list", 0,
				},
				{
					"one process per case",
					`oneshot: "formatgauge decode {type}", args: --run upkg/CompactIndex/zero --no-derived --profile observed`,
					0, "conformant", "conformant", 0,
				},
				{"nothing to judge", "types: upkg.CompactIndex", 2, "", "formatgauge: no command is given", 1},
				{"no such flag", "command: right, args: --nonsense", 2, "", "unknown flag: --nonsense", 1},
			} {
				// The action has shown the rest, by the same script: see TestSameScripts.
				ofEachCode := []string{"not conformant", "accept", "nothing to judge"}
				if form.name == "template" && !slices.Contains(ofEachCode, c.name) && !testrun.Exhaustive {
					continue
				}
				var inputs map[string]string
				if err := yaml.Unmarshal([]byte("{"+c.inputs+"}"), &inputs); err != nil {
					t.Fatal(err)
				}
				if inputs["command"] != "" {
					inputs["command"] = commands[inputs["command"]]
				}
				r := form.run(t, url, work, temp, installed, inputs)
				if i > 0 {
					installed = r.path
				}
				fail := func(what string) {
					t.Errorf("%s: %s; exit code %d, expected %d\n%s", c.name, what, r.code, c.code, r.log)
				}
				if r.code != c.code || !strings.Contains(r.log, c.log) {
					fail("unexpected result")
				}
				for _, name := range []string{"results.jsonl", "junit.xml", "report.html", "summary.md", "annotations.txt"} {
					info, err := os.Stat(filepath.Join(r.reports, name))
					if exists := err == nil && info.Size() > 0; exists != (c.verdict != "") {
						fail(name)
					}
				}
				if form.name == "template" {
					continue
				}
				if !strings.Contains(r.summary, ": "+c.verdict+"\n") && c.verdict != "" || (r.summary == "") != (c.verdict == "") {
					fail("the summary is:\n" + r.summary)
				}
				if want := fmt.Sprintf("exit-code=%d\nreports=%s\n", c.code, r.reports); r.output != want {
					fail("outputs: " + r.output)
				}
				if n := strings.Count("\n"+r.log, "\n::error title="); n != c.errors {
					fail(fmt.Sprintf("%d annotations, expected %d", n, c.errors))
				}
			}
			missing := map[string]string{"command": commands["right"], "version": "9.9.9"}
			if r := form.run(t, url, work, temp, "", missing); r.code != 2 ||
				!strings.Contains(r.log, "there is no version 9.9.9") || !strings.Contains(r.log, "All versions") {
				t.Errorf("a missing version: exit code %d\n%s", r.code, r.log)
			}
			*requests--
			if *requests != 2 {
				t.Errorf("%d requests, expected 2: the archive is kept", *requests)
			}
			*requests = 0

			// An archive that is not that of the checksum is never unpacked, and not kept.
			archives, err := filepath.Glob(filepath.Join(temp, "*formatgauge", version, "*.tar.gz"))
			if err != nil || len(archives) != 1 {
				t.Fatalf("expected one archive: %v %v", archives, err)
			}
			if err := os.WriteFile(archives[0], []byte("changed"), 0o666); err != nil {
				t.Fatal(err)
			}
			if r := form.run(t, url, work, temp, "", map[string]string{"command": commands["right"]}); r.code != 2 ||
				!strings.Contains(r.log, "the checksum of formatgauge_") {
				t.Errorf("a changed archive: exit code %d\n%s", r.code, r.log)
			}
			if _, err := os.Stat(archives[0]); err == nil {
				t.Error("the changed archive is kept")
			}
		})
	}
}
