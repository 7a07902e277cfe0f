package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/filekind"
)

// kaCodec returns the codec for the selected profile.
func (d *profileFlags) kaCodec() (*ka.Codec, error) {
	p, err := d.parse()
	if err != nil {
		return nil, err
	}
	return ka.New(ka.Settings{Profile: p}), nil
}

// scanRun is formatgauge ka scan.
type scanRun struct {
	profileFlags
	bytesFlags
	jsonFlag
}

func (r *scanRun) run(cmd *cobra.Command, args []string) error {
	c, err := r.kaCodec()
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
	if k := filekind.Packed(src); k.Group == filekind.Unsupported {
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
	return cmp.Or(r.print(cmd, "ka scan", found), rejected(scanErr))
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
	packed := filekind.Packed(src) != filekind.Kind{}
	if packed || e.Type != "ka.Archive" || e.Class != wire.Magic || e.Offset != 0 {
		return text
	}
	// If the scan stops early, the archives found so far are enough.
	if found, _ := ka.New(ka.Settings{}).Scan(src); len(found) > 0 {
		return fmt.Sprintf("the file contains archives, the first at byte %d: list them with formatgauge ka scan",
			found[0].Offset)
	}
	return text
}

// convertRun is formatgauge ka convert.
type convertRun struct {
	profileFlags
	bytesFlags
	outputFlag
	To int
}

func (r *convertRun) run(cmd *cobra.Command, args []string) error {
	version, ok := map[int]ka.Version{1: ka.V0x0001, 2: ka.V0x0002}[r.To]
	if !ok {
		return fmt.Errorf("--to: expected 1 (version 0x0001) or 2 (version 0x0002), found %d", r.To)
	}
	a, _, err := decodeAs[ka.Archive](cmd, r.profileFlags, "ka.Archive", args)
	if err != nil {
		return err
	}
	c, err := r.kaCodec()
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
	return writeBinary(cmd, r.Output, b)
}
