package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/spec"
)

// corpusFS returns the files of the folder args[0], or of the embedded corpus.
func corpusFS(args []string) (fs.FS, error) {
	if len(args) > 0 {
		return folder(args[0])
	}
	return corpus.FS(), nil
}

// folder returns the files of an existing folder.
func folder(dir string) (fs.FS, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, failed(err)
	} else if !info.IsDir() {
		return nil, failed(fmt.Errorf("%s is not a folder", dir))
	}
	return os.DirFS(dir), nil
}

var errNoVectors = errors.New("no vectors found: expected files FAMILY/Structure/name.txtar")

// lintRun is formatgauge corpus lint.
type lintRun struct {
	Coverage bool
}

func (r *lintRun) run(cmd *cobra.Command, args []string) error {
	files, err := corpusFS(args)
	if err != nil {
		return err
	}
	vectors, findings, err := loadForm(files)
	if err != nil {
		return err
	}
	if len(findings) == 0 {
		if findings, err = judgeReference(cmd.Context(), vectors); err != nil {
			return err
		}
	}
	if r.Coverage || len(args) == 0 {
		findings = append(findings, corpus.LintCoverage(vectors)...)
	}
	for _, f := range findings {
		fmt.Fprintln(cmd.OutOrStdout(), f)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s, %s\n", report.Plural(len(vectors), "vector"), report.Plural(len(findings), "finding"))
	if len(findings) > 0 {
		return errFailed
	}
	return nil
}

// loadForm loads vectors and returns the faults of their form, also of those that
// cannot be parsed.
func loadForm(files fs.FS) ([]*corpus.Vector, []corpus.Finding, error) {
	vectors, err := corpus.Load(files)
	broken, ok := errors.AsType[*corpus.FormError](err)
	switch {
	case ok:
		return vectors, append(broken.Findings, corpus.LintForm(vectors)...), nil
	case err != nil:
		return nil, nil, failed(err)
	case len(vectors) == 0:
		return nil, nil, failed(errNoVectors)
	}
	return vectors, corpus.LintForm(vectors), nil
}

// judgeReference returns a finding for each vector for which the built-in reference
// gives another answer than the expected one, under the first such profile.
func judgeReference(ctx context.Context, vectors []*corpus.Vector) ([]corpus.Finding, error) {
	var out []corpus.Finding
	var judged []*corpus.Vector
	for _, v := range vectors {
		if _, ok := codec.Find(v.Type); ok {
			judged = append(judged, v)
		} else {
			out = append(out, corpus.Finding{Where: v.ID, What: fmt.Sprintf("the reference has no type %s", v.Type)})
		}
	}
	opts := judge.Options{NoDerived: true, Jobs: runtime.GOMAXPROCS(0)}
	r, err := judge.Run(ctx, adapter.NewReference(), judged, opts)
	if err != nil {
		return nil, failed(err)
	}
	found := map[string]bool{}
	for i := range r.Results {
		if res := &r.Results[i]; res.Status.Disagrees() && !found[res.ID] {
			found[res.ID] = true
			what := fmt.Sprintf("the reference gives another answer under %s: %s: %s", res.Profile, res.Op,
				report.What(res.Outcome))
			out = append(out, corpus.Finding{Where: res.ID, What: what})
		}
	}
	return out, nil
}

// exportRun is formatgauge corpus export.
type exportRun struct{ NPM, Zip, Fuzz string }

func (x *exportRun) run(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && x.NPM == "" && x.Zip == "" && x.Fuzz == "" {
		return errors.New("expected DIR, --npm DIR, --zip FILE or --fuzz DIR")
	}
	vectors, err := corpus.All()
	if err != nil {
		return failed(err)
	}
	for _, dir := range append([]string{x.Fuzz, x.NPM}, args...) {
		if err := outfile.Absent(dir); err != nil {
			return failed(err)
		}
	}
	hash, err := corpus.Digest()
	if err != nil {
		return failed(err)
	}
	wrote := func(what, name string, err error) error {
		if err == nil {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s in %s\n", what, name)
		}
		return failed(err)
	}
	if x.Fuzz != "" {
		kit, err := export.Kit(hash)
		if err == nil {
			err = export.Dir(x.Fuzz, kit)
		}
		if err := wrote(report.Plural(len(kit), "file"), x.Fuzz, err); err != nil {
			return err
		}
	}
	if len(args) == 0 && x.NPM == "" && x.Zip == "" {
		return nil
	}
	files, err := export.Files(vectors, hash)
	if err != nil {
		return failed(err)
	}
	what := report.Plural(len(vectors), "vector")
	if len(args) > 0 {
		err = wrote(what, args[0], export.Dir(args[0], files))
	}
	if err == nil && x.Zip != "" {
		err = wrote(what, x.Zip, export.Zip(x.Zip, fmt.Sprintf("formatgauge-corpus-%d", corpus.Number), files))
	}
	if err == nil && x.NPM != "" {
		err = wrote(what, x.NPM, export.Dir(x.NPM, export.NPM(files)))
	}
	return err
}

// corpusNewRun is formatgauge corpus new.
type corpusNewRun struct {
	Dir string
}

func (r *corpusNewRun) run(cmd *cobra.Command, args []string) error {
	text, err := corpus.Blank(args[0])
	if err != nil {
		return fmt.Errorf("%w%s", err, didYouMean(path.Dir(args[0])+"/", folders()))
	}
	if _, ok := corpus.Find(args[0]); ok {
		return failed(fmt.Errorf("vector %s already exists: formatgauge explain %[1]s shows it", args[0]))
	}
	name := filepath.Join(r.Dir, filepath.FromSlash(corpus.PathOf(args[0])))
	if _, err := os.Stat(name); err == nil {
		return failed(fmt.Errorf("%s already exists", name))
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return failed(err)
	}
	if err := outfile.Write(name, text); err != nil {
		return failed(err)
	}
	fmt.Fprintln(cmd.OutOrStdout(), name)
	return nil
}

// folders lists the folders of vectors, one for each structure.
func folders() (out []string) {
	for _, name := range typeNames() {
		folder := strings.Replace(spec.StructureOf(name), ".", "/", 1) + "/"
		if !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// hashRun is formatgauge corpus hash.
type hashRun struct{}

func (*hashRun) run(cmd *cobra.Command, args []string) error {
	files, err := corpusFS(args)
	if err != nil {
		return err
	}
	hash, err := corpus.Hash(files)
	if err != nil {
		return failed(err)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), hash)
	return failed(err)
}

// corpusDiffRun is formatgauge corpus diff.
type corpusDiffRun struct {
	jsonFlag
	Run []string
}

func (r *corpusDiffRun) run(cmd *cobra.Command, args []string) error {
	choice := choiceFlags{Run: r.Run}
	if err := choice.check(); err != nil {
		return err
	}
	var editions [2]*export.Edition
	for i := range editions {
		var err error
		if editions[i], err = readBounded(cmd, args[i], func(limit int64) (*export.Edition, error) {
			return export.Open(args[i], limit)
		}); err != nil {
			return err
		}
	}
	a, b := editions[0], editions[1]
	selects := func(typ, id string) bool { return choice.selects(&corpus.Vector{ID: id, Type: typ}) }
	changes, err := export.Diff(a, b, selects)
	if err != nil {
		return failed(err)
	}
	err = r.print(cmd, "corpus diff", struct {
		Format   int             `json:"format"`
		Editions [2]int          `json:"editions"`
		Hashes   [2]string       `json:"hashes"`
		Changes  []export.Change `json:"changes"`
	}{
		export.Format,
		[2]int{a.Index.Edition, b.Index.Edition},
		[2]string{a.Index.Hash, b.Index.Hash},
		append([]export.Change{}, changes...),
	})
	if err == nil && len(changes) > 0 {
		return errFailed
	}
	return err
}
