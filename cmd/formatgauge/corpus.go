package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/corpus"
)

func newCorpus() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "Check, export, extend or name the vectors",
		Example: `  formatgauge corpus lint
  formatgauge corpus export vectors/
  formatgauge corpus new upkg/CompactIndex/what-it-shows
  formatgauge corpus hash`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCorpusLint(), newCorpusExport(), newCorpusNew(), newCorpusHash())
	return cmd
}

func newCorpusLint() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [DIR]",
		Short: "Check every vector, and what they prove together",
		Long: `Lint checks the embedded vectors, or those in a folder: their form, that each
must clause has one, that each switchable flag has one that tells its sides
apart, and that each structure has accepting, noncanonical and rejecting ones.`,
		Example: `  formatgauge corpus lint
  formatgauge corpus lint corpus/`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			fsys := corpus.FS()
			if len(args) > 0 {
				fsys = os.DirFS(args[0])
			}
			vectors, err := corpus.Load(fsys)
			if err != nil {
				return failed(err)
			}
			if len(vectors) == 0 {
				return failed(errors.New("there are no vectors here: they stand at FAMILY/Structure/name.txtar"))
			}
			findings := corpus.Lint(vectors)
			for _, f := range findings {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d vectors, %d findings\n", len(vectors), len(findings))
			if len(findings) > 0 {
				return errFailed
			}
			return nil
		},
	}
}

func newCorpusExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export DIR",
		Short: "Write the corpus as plain files and one JSON index",
		Long: `Export writes, into a folder that does not exist yet:
  index.json   every vector with its bytes in hex and its verdicts
  bytes/       each input as a raw file, FAMILY/Structure/name
  seeds/       the same inputs flat, one folder for each type, for libFuzzer and AFL++
  gofuzz/      the same inputs as files of Go's fuzzing, one folder for each type`,
		Example: `  formatgauge corpus export vectors/`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			vectors, err := corpus.All()
			if err != nil {
				return failed(err)
			}
			if _, err := os.Stat(args[0]); !errors.Is(err, fs.ErrNotExist) {
				return failed(fmt.Errorf("%s is there already", args[0]))
			}
			if err := corpus.Export(args[0], vectors); err != nil {
				return failed(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d vectors in %s\n", len(vectors), args[0])
			return nil
		},
	}
}

func newCorpusNew() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "new FAMILY/Structure/name",
		Short: "Write an empty vector to fill in",
		Long: `New writes a vector with everything but its content. Work bytes and verdict
out by hand or by a computation of your own; never run a codec and keep what
it says.`,
		Example: `  formatgauge corpus new upkg/CompactIndex/padded-to-three-bytes`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := corpus.Blank(args[0])
			if err != nil {
				return err
			}
			name := filepath.Join(dir, filepath.FromSlash(corpus.PathOf(args[0])))
			if _, err := os.Stat(name); err == nil {
				return failed(fmt.Errorf("%s is there already", name))
			}
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return failed(err)
			}
			if err := os.WriteFile(name, text, 0o666); err != nil {
				return failed(err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), name)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "corpus", "folder of the vectors")
	return cmd
}

func newCorpusHash() *cobra.Command {
	return &cobra.Command{
		Use:   "hash [DIR]",
		Short: "Print the digest that names a corpus",
		Long: `Hash prints the digest of the embedded vectors, or of those in a folder. Results
and claims name the corpus by it. In the folder, the same digest comes from
  find * -name '*.txtar' | LC_ALL=C sort | xargs sha256sum | sha256sum`,
		Example: `  formatgauge corpus hash
  formatgauge corpus hash corpus/`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			fsys := corpus.FS()
			if len(args) > 0 {
				fsys = os.DirFS(args[0])
			}
			hash, err := corpus.Hash(fsys)
			if err != nil {
				return failed(err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), hash)
			return failed(err)
		},
	}
}
