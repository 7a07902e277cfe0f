package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/diff"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// promoteRun is formatgauge corpus promote.
type promoteRun struct {
	dialectFlags
	Type, Out string
	AsIs      bool
}

// A found input is one of the files to promote.
type found struct {
	diff.Input
	name string
}

func (p *promoteRun) run(cmd *cobra.Command, args []string) error {
	if p.Type == "" {
		return errors.New("expected --type TYPE, the type of the input, such as --type upkg.Name")
	}
	t, err := findType(p.Type)
	if err != nil {
		return err
	}
	profiles := []ids.Profile{ids.Observed(), ids.Documented()}
	own, err := p.chosen(cmd)
	if err != nil {
		return err
	}
	if own != nil {
		profiles = []ids.Profile{*own}
	}
	if _, err := t.Bind(wire.Settings{Profile: profiles[0]}, p.Context); err != nil {
		return err
	}
	if p.Out != "" {
		if err := outfile.CheckDir(p.Out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	info, err := os.Stat(args[0])
	if err != nil {
		return failed(err)
	}
	vectors, err := corpus.Of(t.Family())
	if err != nil {
		return failed(err)
	}
	inputs, err := p.inputs(cmd, t, args[0], info.IsDir())
	if err != nil {
		return failed(err)
	}
	promoter := diff.NewPromoter(t, profiles, vectors, shown(t, profiles, vectors))
	promoter.AsIs = p.AsIs
	kept := 0
	for _, in := range inputs {
		if info.IsDir() && !promoter.IsNew(in.Input) {
			continue
		}
		kept++
		if err := p.write(cmd, promoter.Promote(in.Input, in.name)); err != nil {
			return failed(err)
		}
	}
	if info.IsDir() {
		fmt.Fprintf(cmd.ErrOrStderr(), "read %s, kept %d that reach what no vector reaches\n",
			report.Plural(len(inputs), "input"), kept)
	}
	return nil
}

// shown returns the inputs of the vectors of a type and of the cases derived from
// them.
func shown(t *codec.Type, profiles []ids.Profile, vectors []*corpus.Vector) (out []diff.Input) {
	vectors = slices.DeleteFunc(slices.Clone(vectors), func(v *corpus.Vector) bool { return v.Type != t.Name })
	for _, v := range vectors {
		for _, b := range v.Inputs() {
			out = append(out, diff.Input{Type: t, Context: v.Context, Bytes: b})
		}
	}
	for _, c := range judge.Cases(vectors, profiles, judge.Derives) {
		if !c.Vector.EncodeOnly() {
			out = append(out, diff.Input{Type: t, Context: c.Context, Bytes: c.Input()})
		}
	}
	return out
}

// inputs reads a file or the files of a folder, the shortest first.
func (p *promoteRun) inputs(cmd *cobra.Command, t *codec.Type, name string, folder bool) ([]found, error) {
	var out []found
	add := func(file string, b []byte) error {
		out = append(out, found{diff.NewInput(t, b, p.Context), filepath.Base(file)})
		return nil
	}
	if !folder {
		b, err := readFile(cmd, name)
		_ = add(name, b)
		return out, err
	}
	store, err := diff.OpenStore(name)
	if err != nil {
		return nil, err
	}
	info, notStored := os.Stat(filepath.Join(name, corpus.FolderOf(t.Name)))
	if store.Runs() > 0 || notStored == nil && info.IsDir() {
		var ins []diff.Input
		ins, _, err = store.Inputs([]*codec.Type{t})
		for _, in := range ins {
			in = diff.NewInput(t, in.Bytes, in.Context, p.Context)
			out = append(out, found{in, "an input of formatgauge diff"})
		}
		if err == nil && len(out) == 0 {
			err = fmt.Errorf("%s contains inputs of formatgauge diff, but none of %s", name, t.Name)
		}
	} else {
		err = diff.ReadFiles(name, add)
	}
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s contains no file of at most %d MiB", name, diff.MaxFile>>20)
	}
	slices.SortStableFunc(out, func(a, b found) int { return len(a.Bytes) - len(b.Bytes) })
	return out, err
}

// write writes a draft to --out, or prints it.
func (p *promoteRun) write(cmd *cobra.Command, m *diff.Promotion) error {
	if m.SameAs != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: %s is not written: the vector %s has the same input\n",
			m.ID(), m.SameAs)
		return nil
	}
	text := m.Draft().Text()
	if p.Out == "" {
		return printDraft(cmd.OutOrStdout(), m.ID(), text)
	}
	file, err := writeDraft(cmd.ErrOrStderr(), p.Out, m.ID(), text)
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d of %d bytes\n", file, len(m.Input.Bytes), m.Size)
	}
	return err
}
