package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/site"
)

func newSite() *cobra.Command {
	return &cobra.Command{
		Use:   "site DIR",
		Short: "Write the reference as a web site",
		Long: `Site writes a static web site to DIR, which must not exist: a page for each family,
structure and flag, all vectors with annotated bytes, the words and the protocol. It
needs no network, works from a plain folder and under any address. Only its search
and filters need scripts.`,
		Example: `  formatgauge site out/site`,
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := site.Files(nil)
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
}
