package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/site"
	"github.com/formatgauge/formatgauge/internal/outfile"
)

// siteRun is formatgauge site.
type siteRun struct {
	Module string
}

func (r *siteRun) run(cmd *cobra.Command, args []string) error {
	if err := outfile.Absent(args[0]); err != nil {
		return failed(err)
	}
	m, err := readOrBuild(cmd, r.Module)
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
}

// readOrBuild returns the module for the playground, or nil after a message that the
// site has none.
func readOrBuild(cmd *cobra.Command, name string) (*site.Module, error) {
	if name == "" {
		name = site.FindModule()
	}
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
