package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	codec "github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

func newKa() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ka",
		Short: "Find keyed archives in larger files, and convert their versions",
		Long:  "Ka works on DAVA's keyed archives beyond decode, encode and inspect.",
		Example: `  formatgauge ka scan level.sc2
  formatgauge ka convert --to 1 table.ka -o plain.ka`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKaScan(), newKaConvert())
	return cmd
}

// kaCodec makes the codec that the profile asks for.
func (d *dialectFlags) kaCodec() (*codec.Codec, error) {
	p, err := d.parse()
	if err != nil {
		return nil, err
	}
	return codec.New(wire.Settings{Profile: p}), nil
}

func newKaScan() *cobra.Command {
	var d dialectFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE]",
		Short: "List the archives inside a file",
		Long: `Scan finds every place in a file from which a whole archive reads, such as the
archives that scene containers concatenate, and lists offset, length, version
and number of keys. Archives inside archives are not listed. It exits with 1
if there are none.`,
		Example: `  formatgauge ka scan level.sc2`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := d.kaCodec()
			if err != nil {
				return err
			}
			src, err := input(cmd, args)
			if err != nil {
				return err
			}
			found, scanErr := c.Scan(src)
			if len(found) == 0 && scanErr == nil {
				return failed(errors.New("no archive begins in this file"))
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "offset\tlength\tversion\tkeys\tnames\tcanonical")
			for _, f := range found {
				canonical, err := isCanonical(c, f.Archive, src[f.Offset:f.Offset+f.Length])
				if err != nil {
					return failed(err)
				}
				fmt.Fprintf(w, "%d\t%d\t%s\t%d\t%d\t%s\n", f.Offset, f.Length, f.Archive.Version,
					len(f.Archive.Children), len(f.Archive.FastNames), canonical)
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

// isCanonical tells whether an archive is spelled as canonical writers do.
func isCanonical(c *codec.Codec, a model.Archive, src []byte) (string, error) {
	if a.Version != model.V0x0001 && a.Version != model.V0x0002 {
		return "-", nil
	}
	var refused *wire.Error
	canonical, err := c.Canonical(a, a.Version)
	if errors.As(err, &refused) {
		return "no", nil
	}
	if err != nil {
		return "", err
	}
	b, err := c.Archive().Append(nil, canonical)
	if err != nil || string(b) != string(src) {
		return "no", nil
	}
	return "yes", nil
}

func newKaConvert() *cobra.Command {
	var d dialectFlags
	var to int
	var name string
	cmd := &cobra.Command{
		Use:   "convert --to 1|2 [FILE]",
		Short: "Write an archive anew, in version 0x0001 or 0x0002",
		Long: `Convert reads an archive of any version and writes it as canonical writers do:
keys sorted; with fast names (2), a table of exactly the names used, sorted,
under ids computed from them; or with every text in its place (1).`,
		Example: `  formatgauge ka convert --to 1 table.ka -o plain.ka
  formatgauge ka convert --to 2 < plain.ka > table.ka`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, ok := map[int]model.Version{1: model.V0x0001, 2: model.V0x0002}[to]
			if !ok {
				return fmt.Errorf("--to is 1 or 2, for version 0x0001 or 0x0002, not %d", to)
			}
			c, err := d.kaCodec()
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
			out, err := c.Canonical(a, version)
			if err != nil {
				return reject(cmd, nil, err)
			}
			b, err := c.Archive().Append(nil, out)
			if err != nil {
				return reject(cmd, nil, err)
			}
			return output(cmd, name, b)
		},
	}
	d.registerProfile(cmd)
	cmd.Flags().IntVar(&to, "to", 0, "version to write: 1 for 0x0001, 2 for 0x0002")
	cmd.Flags().StringVarP(&name, "output", "o", "", "file to write; standard output if left out")
	return cmd
}
