package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

func newKA() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ka",
		Short: "Find keyed archives in larger files, and convert them",
		Long:  "Ka does to keyed archives what goes beyond one structure of their document.",
		Example: `  formatgauge ka scan scene.sc2
  formatgauge ka convert --to 2 archive.dat -o smaller.dat`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKAScan(), newKAConvert())
	return cmd
}

const (
	shownKeys = 6
	shownKey  = 24 // characters
)

func newKAScan() *cobra.Command {
	var d dialectFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE]",
		Short: "List the archives inside a file",
		Long: `Scan lists where archives of version 0x0001 and 0x0002 stand in a file, or in
standard input, with their length in bytes, their version and their first keys.
Archives inside others are part of these.`,
		Example: `  formatgauge ka scan scene.sc2
  cat scene.sc2 | formatgauge ka scan`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := d.archives()
			if err != nil {
				return err
			}
			src, err := input(cmd, args)
			if err != nil {
				return err
			}
			found, scanErr := c.Scan(src)
			if scanErr != nil && !errors.Is(scanErr, ka.ErrFalseStarts) {
				return scanErr
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "offset\tlength\tversion\tkeys\tfirst keys")
			for _, f := range found {
				fmt.Fprintf(w, "%d\t%d\t%s\t%d\t%s\n", f.Offset, f.Length, f.Archive.Version, len(f.Archive.Children), firstKeys(f.Archive))
			}
			if err := w.Flush(); err != nil {
				return failed(err)
			}
			return failed(scanErr)
		},
	}
	d.registerProfile(cmd)
	return cmd
}

// archives makes a codec under the chosen profile.
func (d *dialectFlags) archives() (*ka.Codec, error) {
	p, err := d.parse()
	if err != nil {
		return nil, err
	}
	return ka.New(wire.Settings{Profile: p}), nil
}

// firstKeys lists some keys of an archive.
func firstKeys(a model.Archive) string {
	var keys []string
	for i, p := range a.Children {
		if i == shownKeys {
			keys = append(keys, "...")
			break
		}
		key := ""
		switch k := p.Key.(type) {
		case model.String:
			key = k.Text
		case model.WideString:
			key = k.Text
		}
		if len(key) > shownKey {
			key = key[:shownKey] + "..."
		}
		if q := strconv.Quote(key); q != `"`+key+`"` || key == "" || strings.ContainsAny(key, " ,") {
			key = q
		}
		keys = append(keys, key)
	}
	return strings.Join(keys, ", ")
}

func newKAConvert() *cobra.Command {
	var d dialectFlags
	var version, to string
	cmd := &cobra.Command{
		Use:   "convert --to 1|2 [FILE]",
		Short: "Write an archive in canonical form as version 0x0001 or 0x0002",
		Long: `Convert reads an archive of any version from a file or standard input, and
writes it in canonical form: with texts in place (1), or with a table of fast
names for the archive and all inside it (2). Keys are sorted. Ids are computed
anew; what a table holds that nothing refers to is left out.`,
		Example: `  formatgauge ka convert --to 2 archive.dat -o smaller.dat
  formatgauge ka convert --to 1 < smaller.dat | cmp - archive.dat`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, ok := map[string]model.Version{"1": model.V0x0001, "2": model.V0x0002}[version]
			if !ok {
				return fmt.Errorf("--to is 1 or 2, not %q", version)
			}
			c, err := d.archives()
			if err != nil {
				return err
			}
			src, err := input(cmd, args)
			if err != nil {
				return err
			}
			a, err := c.Archive().Decode(src)
			if err != nil {
				return reject(cmd, src, err)
			}
			if a, err = c.Canonical(a, v); err != nil {
				return reject(cmd, nil, err)
			}
			b, err := c.Archive().Append(nil, a)
			if err != nil {
				return reject(cmd, nil, err)
			}
			return output(cmd, to, b)
		},
	}
	d.registerProfile(cmd)
	cmd.Flags().StringVar(&version, "to", "", "version to write: 1 or 2")
	cmd.Flags().StringVarP(&to, "output", "o", "", "file to write; standard output if left out")
	if err := cmd.MarkFlagRequired("to"); err != nil {
		panic(err)
	}
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"1", "2"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
