package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/site"
	"github.com/formatgauge/formatgauge/internal/outfile"
)

func newSite() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "site DIR",
		Short: "Write the reference as a web site",
		Long: `Site writes a static web site to DIR, which must not exist: a page for each family,
structure and flag, all vectors with annotated bytes, the results of implementations,
the words and the protocol. It needs no network, works from a plain folder and under
any address. Only its search and filters need scripts.

The same program writes the same files.

The playground is a page that reads files in the browser. It needs a web server and a
module: the codecs, compiled to WebAssembly. Release archives contain one in the
folder playground. Without --module, site compiles it if Go is installed and the
working directory is the source of Formatgauge; otherwise the site has no playground.`,
		Example: `  formatgauge site out/site
  formatgauge site --module playground/module.wasm out/site`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := outfile.Absent(args[0]); err != nil {
				return failed(err)
			}
			m, err := readOrBuild(cmd, name)
			if err != nil {
				return failed(err)
			}
			files, err := site.Files(m)
			if err != nil {
				return failed(err)
			}
			if err := export.Dir(args[0], files); err != nil {
				return failed(err)
			}
			size := 0
			for _, f := range files {
				size += len(f.Content)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d files, %.1f MB in %s\n", len(files), float64(size)/1e6, args[0])
			return failed(err)
		},
	}
	cmd.Flags().StringVar(&name, "module", "", "use the module in `FILE` for the playground; \"none\" for a site "+
		"without playground")
	return cmd
}

// readOrBuild returns the module for the playground, or nil after a message that the
// site has none.
func readOrBuild(cmd *cobra.Command, name string) (*site.Module, error) {
	switch name {
	case "none":
		return nil, nil
	case "":
		m, err := site.BuildModule()
		if err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "the site has no playground, because its module cannot be compiled here (%v); "+
				"--module names a file\n", err)
			return nil, nil
		}
		return m, nil
	}
	return site.ReadModule(name)
}
