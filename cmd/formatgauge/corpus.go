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

func newCorpus() *cobra.Command {
	return group(&cobra.Command{
		Use:   "corpus",
		Short: "Check, export, create or identify vectors",
		Example: `  formatgauge corpus lint
  formatgauge corpus export vectors/
  formatgauge corpus new upkg/CompactIndex/what-it-shows
  formatgauge corpus promote crash-1f2e --type upkg.Name
  formatgauge corpus hash
  formatgauge corpus diff old.zip new.zip`,
	}, newCorpusLint(), newCorpusExport(), newCorpusNew(), newCorpusPromote(), newCorpusHash(), newCorpusDiff())
}

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

func newCorpusLint() *cobra.Command {
	var coverage bool
	cmd := &cobra.Command{
		Use:   "lint [DIR]",
		Short: "Check vectors: their form, the reference's answers, the coverage of a corpus",
		Long: `Lint checks the form of each vector in DIR. It rejects a form that corpus new
wrote and that is not complete.

If no form has a fault, lint judges the built-in reference on the vectors, without
derived cases. Each vector for which the reference gives another answer than the
expected one is a finding, also if only a choice of the reference demands this
answer: the vector is wrong, or the reference is.

With --coverage, or without DIR for the embedded corpus, lint also checks the
coverage: that each must clause has a vector; that vectors distinguish the sides
of each switchable flag; and that each structure has accepting, noncanonical and
rejecting vectors. A DIR with vectors of your own does not need coverage.`,
		Example: `  formatgauge corpus lint
  formatgauge corpus lint my-vectors/
  formatgauge corpus lint --coverage corpus/`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
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
			if coverage || len(args) == 0 {
				findings = append(findings, corpus.LintCoverage(vectors)...)
			}
			for _, f := range findings {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s, %s\n", count(len(vectors), "vector"), count(len(findings), "finding"))
			if len(findings) > 0 {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&coverage, "coverage", false, "check the coverage of the vectors in DIR")
	return cmd
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

func newCorpusExport() *cobra.Command {
	var x corpusExport
	cmd := &cobra.Command{
		Use:   "export [DIR] [--npm DIR] [--zip FILE] [--fuzz DIR]",
		Short: "Write an edition of the corpus as files that need no Go",
		Long: `Export writes an edition of the corpus to DIR, which must not exist. README.md
there describes the files:
  json/         a file for each type: vectors, and the answers that are permitted
  tables/       the vectors as tab-separated lines, a file for each profile
  loaders/      code that makes tests of json/ or tables/: Python, JavaScript, Go,
                Java, Rust, C
  vectors/      the vectors as text, which formatgauge test --edition can read
  records/      the clauses, flags and views to which they refer

--zip writes the same files as a ZIP file. --npm writes an npm package to another
folder, which must not exist: json/ with its loader and with types for TypeScript.

--fuzz writes what is needed to fuzz a reader to another folder, which must not
exist. README.md there describes it:
  seeds/        one folder per type: raw inputs of vectors and of derived cases
  dict/         a dictionary per family
  c/            a harness for libFuzzer and AFL++
  go/           a harness for Go's own fuzzing`,
		Example: `  formatgauge corpus export vectors/
  formatgauge corpus export --zip vectors.zip
  formatgauge corpus export --npm package/
  formatgauge corpus export --fuzz kit/`,
		Args: arguments(0, 1),
		RunE: x.run,
	}
	cmd.Flags().StringVar(&x.npm, "npm", "", "write an npm package to `DIR`")
	cmd.Flags().StringVar(&x.zipped, "zip", "", "write a ZIP file to `FILE`")
	cmd.Flags().StringVar(&x.fuzz, "fuzz", "", "write what is needed to fuzz a reader to `DIR`")
	return cmd
}

// corpusExport is one run of formatgauge corpus export: its flags.
type corpusExport struct{ npm, zipped, fuzz string }

func (x *corpusExport) run(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && x.npm == "" && x.zipped == "" && x.fuzz == "" {
		return errors.New("expected DIR, --npm DIR, --zip FILE or --fuzz DIR")
	}
	vectors, err := corpus.All()
	if err != nil {
		return failed(err)
	}
	for _, dir := range append([]string{x.fuzz, x.npm}, args...) {
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
	if x.fuzz != "" {
		kit, err := export.Kit(hash)
		if err == nil {
			err = export.Dir(x.fuzz, kit)
		}
		if err := wrote(count(len(kit), "file"), x.fuzz, err); err != nil {
			return err
		}
	}
	if len(args) == 0 && x.npm == "" && x.zipped == "" {
		return nil
	}
	files, err := export.Files(vectors, hash)
	if err != nil {
		return failed(err)
	}
	what := count(len(vectors), "vector")
	if len(args) > 0 {
		err = wrote(what, args[0], export.Dir(args[0], files))
	}
	if err == nil && x.zipped != "" {
		err = wrote(what, x.zipped, export.Zip(x.zipped, fmt.Sprintf("formatgauge-corpus-%d", corpus.Number), files))
	}
	if err == nil && x.npm != "" {
		var pkg []export.File
		if pkg, err = export.NPM(files); err == nil {
			err = export.Dir(x.npm, pkg)
		}
		err = wrote(what, x.npm, err)
	}
	return err
}

func newCorpusNew() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "new FAMILY/Structure/name",
		Short: "Write a template for a new vector",
		Long: `New writes a template for a vector. Determine the bytes and the verdict by hand
or by an independent computation. Never copy the output of a codec. Until every
placeholder is replaced, lint and test reject the vector.`,
		Example: `  formatgauge corpus new upkg/CompactIndex/padded-to-three-bytes`,
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := corpus.Blank(args[0])
			if err != nil {
				return fmt.Errorf("%w%s", err, didYouMean(path.Dir(args[0])+"/", folders()))
			}
			if _, ok := corpus.Find(args[0]); ok {
				return failed(fmt.Errorf("vector %s already exists: formatgauge explain %[1]s shows it", args[0]))
			}
			name := filepath.Join(dir, filepath.FromSlash(corpus.PathOf(args[0])))
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
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "corpus", "`DIR` that contains the corpus")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return folders(), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
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

func newCorpusHash() *cobra.Command {
	return &cobra.Command{
		Use:   "hash [DIR]",
		Short: "Print the hash that identifies a corpus",
		Long: `Hash prints the hash of the embedded vectors, or of those in DIR. Results and
claims identify the corpus by this hash. In DIR, this command prints the same
hash:
  find * -name '*.txtar' | LC_ALL=C sort | xargs sha256sum | sha256sum`,
		Example: `  formatgauge corpus hash
  formatgauge corpus hash corpus/`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
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
		},
	}
}

func newCorpusDiff() *cobra.Command {
	var run []string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show which vectors differ between two editions",
		Long: `Diff lists the vectors that edition B has and A has not, those that are gone, and
those whose expected result or whose input changed, by type. Comments, sources and
annotations are not compared. --json adds the results before and after. The exit code is 1
if there are any.

An edition is a folder or a ZIP file that corpus export wrote, a checkout of the
repository, or a copy of its folder corpus/json.`,
		Example: `  formatgauge corpus diff formatgauge-corpus-1.zip formatgauge-corpus-2.zip
  formatgauge corpus diff --run 'upkg.*' --json pinned/ formatgauge/`,
		Args: arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			choice := choiceFlags{run: run}
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
			out := cmd.OutOrStdout()
			if asJSON(cmd) {
				err = printJSON(out, struct {
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
			} else {
				for i, c := range changes {
					if i == 0 || changes[i-1].Type != c.Type {
						fmt.Fprintln(out, c.Type)
					}
					fmt.Fprintf(out, "  %-8s %s\n", c.Change, c.Vector)
				}
				_, err = fmt.Fprintf(out, "%s between edition %d (%.19s) and edition %d (%.19s)\n",
					count(len(changes), "change"), a.Index.Edition, a.Index.Hash, b.Index.Edition, b.Index.Hash)
			}
			if err == nil && len(changes) > 0 {
				return errFailed
			}
			return failed(err)
		},
	}
	cmd.Flags().StringArrayVar(&run, "run", nil, "only vectors whose id, type or family matches `PATTERN` (repeatable)")
	jsonFlag(cmd, nil)
	return cmd
}
