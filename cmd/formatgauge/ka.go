package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/filekind"
)

func newKa() *cobra.Command {
	return group(&cobra.Command{
		Use:   "ka",
		Short: "Find keyed archives in other files and convert their version",
		Long:  "Ka contains further commands for DAVA's keyed archives.",
		Example: `  formatgauge ka scan level.sc2
  formatgauge ka convert --to 1 table.ka -o plain.ka`,
	}, newKaScan(), newKaConvert())
}

// kaCodec returns the codec for the selected profile.
func (d *dialectFlags) kaCodec() (*ka.Codec, error) {
	p, err := d.parse()
	if err != nil {
		return nil, err
	}
	return ka.New(ka.Settings{Profile: p}), nil
}

func newKaScan() *cobra.Command {
	var d dialectFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE]",
		Short: "List the archives in a file",
		Long: `Scan finds the offsets of a file at which a whole archive can be decoded. A scene
container, for example, is a sequence of archives. For each archive it prints
offset and length in bytes, version, the numbers of keys and fast names, and
whether it is in canonical form. Nested archives are not listed. The 8 bytes of
an empty archive also occur by chance, so the file must contain a longer archive
or consist of an empty one. The exit code is 1 if there is no archive, or if the
file is compressed (DVPL).`,
		Example: `  formatgauge ka scan level.sc2`,
		Args:    arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := d.kaCodec()
			if err != nil {
				return err
			}
			src, err := readInput(cmd, args)
			if err != nil {
				return err
			}
			wrong, _ := filekind.FooterInconsistencies(bytes.NewReader(src), int64(len(src))) // nothing fails in memory
			for _, f := range wrong {
				fmt.Fprintln(cmd.ErrOrStderr(), "formatgauge:", f)
			}
			if k, ok := filekind.Packed(src); ok && k.Group == filekind.Unsupported {
				return rejected(errors.New("the file is " + k.Name))
			}
			found, scanErr := filekind.Archives(c, src)
			if len(found) == 0 && scanErr == nil {
				k, err := filekind.Of(bytes.NewReader(src), int64(len(src)))
				if err != nil {
					return rejected(err)
				}
				text := "archive: it is " + k.Name
				if k.Type == "ka.Archive" {
					text = "whole archive: it begins like one, and formatgauge inspect ka.Archive shows where it is rejected"
				}
				return rejected(errors.New("the input contains no " + text))
			}
			return cmp.Or(printFacts(cmd, scanned(found)), rejected(scanErr))
		},
	}
	d.registerProfile(cmd)
	bytesFlags(cmd)
	jsonFlag(cmd, nil)
	return cmd
}

// scanned are the archives in a file.
type scanned []filekind.Archive

func (all scanned) text(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "offset\tlength\tversion\tkeys\tnames\tcanonical")
	for _, f := range all {
		fmt.Fprintf(w, "%d\t%d\t%s\t%d\t%d\t%s\n", f.Offset, f.Length, f.Version, f.Keys, f.Names, f.Canonical)
	}
	w.Flush()
}

// hint says what a file is that was rejected, and how to read it. It is empty for most
// files, and for types that are no files.
func hint(src []byte, e *wire.Error) string {
	if !slices.Contains([]string{"ka.Archive", "upkg.Package", "uasset.Package"}, e.Type) {
		return ""
	}
	text := filekind.Hint(src)
	k, err := filekind.Of(bytes.NewReader(src), int64(len(src)))
	if err == nil && k.Group == filekind.Whole && k.Type != e.Type && len(src) >= 8 { // the tag and the version
		text = fmt.Sprintf("the file is %s: formatgauge inspect %s reads it", k.Name, k.Type)
	}
	if _, packed := filekind.Packed(src); packed || e.Type != "ka.Archive" || e.Class != wire.Magic ||
		e.Offset != 0 {
		return text
	}
	// If the scan stops early, the archives found so far are enough.
	if found, _ := ka.New(ka.Settings{}).Scan(src); len(found) > 0 {
		return fmt.Sprintf("the file contains archives, the first at byte %d: list them with formatgauge ka scan",
			found[0].Offset)
	}
	return text
}

func newKaConvert() *cobra.Command {
	var d dialectFlags
	var to int
	var name string
	cmd := &cobra.Command{
		Use:   "convert --to 1|2 [FILE]",
		Short: "Convert an archive to version 0x0001 or 0x0002",
		Long: `Convert decodes an archive of any version and encodes it in canonical form. Keys
are sorted. With --to 1 each text is stored directly. With --to 2 a sorted
table contains exactly the names that are used, with ids computed from them.`,
		Example: `  formatgauge ka convert --to 1 table.ka -o plain.ka
  formatgauge ka convert --to 2 < plain.ka > table.ka`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, ok := map[int]ka.Version{1: ka.V0x0001, 2: ka.V0x0002}[to]
			if !ok {
				return fmt.Errorf("--to: expected 1 (version 0x0001) or 2 (version 0x0002), found %d", to)
			}
			a, _, err := decodeAs[ka.Archive](cmd, &d, "ka.Archive", args)
			if err != nil {
				return err
			}
			c, err := d.kaCodec()
			if err != nil {
				return err
			}
			out, err := c.Canonical(a, version)
			if err != nil {
				return printRejection(cmd, nil, err)
			}
			b, err := c.Archive().Append(nil, out)
			if err != nil {
				return printRejection(cmd, nil, err)
			}
			return writeBinary(cmd, name, b)
		},
	}
	d.registerProfile(cmd)
	bytesFlags(cmd)
	cmd.Flags().IntVar(&to, "to", 0, "`VERSION` to write: 1 for 0x0001, 2 for 0x0002")
	completeWith(cmd, "to", "1", "2")
	outputFlag(cmd, &name, outputUsage)
	return cmd
}
