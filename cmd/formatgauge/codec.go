package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/filekind"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// profileFlags are the flags that select a profile.
type profileFlags struct {
	Profile string
	Flag    []string
}

// dialectFlags are the flags that select the profile and the context of a type.
type dialectFlags struct {
	profileFlags
	Context map[string]string
}

func (d *profileFlags) parse() (ids.Profile, error) {
	texts := append([]string{d.Profile}, d.Flag...)
	p, err := ids.ParseProfile(strings.Join(texts, ","))
	return p, profileError(err, texts...)
}

// chosen returns the profile that the flags select, or nil if they are not given.
func (d *profileFlags) chosen(cmd *cobra.Command) (*ids.Profile, error) {
	if !cmd.Flags().Changed("profile") && !cmd.Flags().Changed("flag") {
		return nil, nil
	}
	p, err := d.parse()
	return &p, err
}

// openAny is open, or returns the type that the input args[0] or --hex seems to have, if no
// type is given.
func (d *dialectFlags) openAny(cmd *cobra.Command, args []string) (*codec.Type, codec.Codec, []byte, error) {
	switch {
	case len(args) == 0 && !cmd.Flags().Changed(hexFlag):
		return nil, nil, nil, wrongCount(cmd, args)
	case len(args) == 1 && !isInput(args[0]):
		if _, err := findType(args[0]); err != nil {
			return nil, nil, nil, fmt.Errorf("%w; there is no such file either", err)
		}
		return d.open(cmd, args)
	case len(args) > 1:
		return d.open(cmd, args)
	}
	src, err := readInput(cmd, args)
	if err != nil {
		return nil, nil, nil, err
	}
	g := filekind.GuessTypes(src)
	if len(g.Types) == 0 {
		return nil, nil, nil, rejected(fmt.Errorf("no type reads these %s: %s", report.Plural(len(src), "byte"),
			cmp.Or(hint(src, &wire.Error{Type: "ka.Archive", Class: wire.Magic}), "see formatgauge list types")))
	}
	why, others := "the type is a guess", "no other type accepts these bytes"
	if g.Tag {
		why, others = "the type is a guess from the first bytes", "no type accepts the whole"
	}
	if len(g.Types) > 1 {
		others = "these bytes are also accepted by " + strings.Join(g.Types[1:], ", ")
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: %s: %s; %s\n", why, g.Types[0], others)
	t, c, err := d.bind(g.Types[0])
	return t, c, src, err
}

// isInput reports whether an argument is an input, and not a type.
func isInput(arg string) bool {
	if _, ok := codec.Find(arg); ok {
		return false
	}
	_, err := os.Stat(arg)
	return arg == "-" || err == nil
}

// open returns the type args[0], its codec and the input args[1:].
func (d *dialectFlags) open(cmd *cobra.Command, args []string) (*codec.Type, codec.Codec, []byte, error) {
	t, c, err := d.bind(args[0])
	if err != nil {
		return nil, nil, nil, err
	}
	src, err := readInput(cmd, args[1:])
	return t, c, src, err
}

// bind returns a type and its codec.
func (d *dialectFlags) bind(name string) (*codec.Type, codec.Codec, error) {
	t, err := findType(name)
	if err != nil {
		return nil, nil, err
	}
	p, err := d.parse()
	if err != nil {
		return nil, nil, err
	}
	known := "no keys"
	if len(t.Context) > 0 {
		known = "the keys " + corpus.ContextText(t.Context) + " (here with their defaults)"
	}
	for _, k := range slices.Sorted(maps.Keys(d.Context)) {
		key := strings.TrimSpace(k) // after a comma
		if _, ok := t.Context[key]; !ok {
			return nil, nil, fmt.Errorf("--context: %s takes %s, found %q%s", t.Name, known, k,
				didYouMean(k, slices.Collect(maps.Keys(t.Context))))
		}
		d.Context[key] = d.Context[k]
		if key != k {
			delete(d.Context, k)
		}
	}
	c, err := t.Bind(wire.Settings{Profile: p}, d.Context)
	return t, c, err
}

// decodeAs decodes the input args as a type without a context. If it is rejected, it prints
// why.
func decodeAs[T any](cmd *cobra.Command, p profileFlags, typ string, args []string) (v T, src []byte, err error) {
	d := dialectFlags{profileFlags: p}
	_, c, src, err := d.open(cmd, append([]string{typ}, args...))
	if err != nil {
		return v, nil, err
	}
	a, err := c.Decode(src)
	if err != nil {
		return v, nil, printRejection(cmd, src, err)
	}
	return a.(T), src, nil
}

// infoRun is a command info, which decodes a file as a type and describes the value.
type infoRun[T any] struct {
	profileFlags
	bytesFlags
	jsonFlag

	typ      string
	form     string
	describe func(v *T, size int) any
}

func (r *infoRun[T]) run(cmd *cobra.Command, args []string) error {
	v, src, err := decodeAs[T](cmd, r.profileFlags, r.typ, args)
	if err != nil {
		return err
	}
	return r.print(cmd, r.form, r.describe(&v, len(src)))
}

// findType finds a type by its full name. The error suggests similar names.
func findType(name string) (*codec.Type, error) {
	if t, ok := codec.Find(name); ok {
		return t, nil
	}
	if isInput(name) {
		return nil, fmt.Errorf("expected a type before the file %q: formatgauge list types lists all", name)
	}
	for _, t := range typeNames() {
		if strings.HasPrefix(t, name+".") || strings.HasPrefix(t, name+"<") {
			return nil, fmt.Errorf("%q is only the start of a type such as %s: see formatgauge list types %s", name, t, name)
		}
	}
	return nil, fmt.Errorf("unknown type %q: see formatgauge list types%s", name, didYouMean(name, typeNames()))
}

// printRejection prints err with the bytes around its offset, the text of its clause, and
// what the file is instead.
// It returns an error for exitFailed.
func printRejection(cmd *cobra.Command, src []byte, err error) error {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		return rejected(err)
	}
	w := cmd.ErrOrStderr()
	if err := hexdump.Fault(w, src, e, styleOf(w)); err != nil {
		return failed(err)
	}
	if c, ok := spec.FindClause(e.Clause); ok && e.Class == wire.Unsupported {
		fmt.Fprintf(w, "  details: formatgauge explain %s\n", c.ID)
	} else if ok {
		fmt.Fprintf(w, "  %s", wrapped("  ", string(c.ID)+": "+c.Text, textWidth))
	}
	if text := hint(src, e); text != "" {
		fmt.Fprintf(w, "  %s\n", text)
	}
	return errFailed
}

// decodeRun is formatgauge decode.
type decodeRun struct {
	dialectFlags
	bytesFlags
	Prefix bool
}

func (r *decodeRun) run(cmd *cobra.Command, args []string) error {
	t, c, src, err := r.openAny(cmd, args)
	if err != nil {
		return err
	}
	var v any
	if r.Prefix {
		var n int
		if v, n, err = c.DecodePrefix(src); err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "the value has %d of %d bytes\n", n, len(src))
		}
	} else {
		v, err = c.Decode(src)
	}
	if err != nil {
		err = printRejection(cmd, src, err)
		_, spans, _ := c.Trace(src)
		cmd.PrintErr(styleOf(cmd.ErrOrStderr()).Guarded().Printable(readBefore(spans)), r.accepting(t, src))
		return err
	}
	n, err := tree.FromModel(v)
	if err != nil {
		return failed(err)
	}
	return writeOutput(cmd, "", []byte(n.Indent()))
}

// readBefore names the last fields before a fault, which can say why the reader expected what
// it did not find.
func readBefore(spans []wire.Span) string {
	var fields []string
	for _, s := range spans[max(0, len(spans)-3):] {
		fields = append(fields, strings.TrimSpace(s.Path+" "+page.Cut(s.Value, 40)))
	}
	if fields == nil {
		return ""
	}
	return "read before the fault: " + strings.Join(fields, "; ") + "\n"
}

// accepting names the other base profile if it accepts rejected bytes, and each of its sides
// that is enough alone, with the reading of the side that applies here. It is empty if there is
// neither.
func (r *decodeRun) accepting(t *codec.Type, src []byte) string {
	accepts := func(p ids.Profile) bool {
		c, err := t.Bind(wire.Settings{Profile: p}, r.Context)
		if err == nil {
			_, err = c.Decode(src)
		}
		return err == nil
	}
	p, _ := r.parse()
	other := ids.Documented()
	if p.Base() == other.Base() {
		other = ids.Observed()
	}
	var by []string
	var readings string
	if accepts(other) {
		by = append(by, "--profile "+other.Base())
	}
	family, _ := spec.FindFamily(spec.FamilyOf(t.Name))
	for _, f := range family.Flags {
		side, applied := other.Side(f.ID), p.Side(f.ID)
		if q, err := p.With(f.ID, side); side != applied && err == nil && accepts(q) {
			by = append(by, "--flag "+string(f.ID)+"="+side)
			s, _ := f.Side(applied)
			readings += "  " + wrapped("  ", string(f.ID)+"="+applied+" applies here: "+s.Reading, textWidth)
		}
	}
	if by == nil {
		return ""
	}
	return "hint: these bytes are accepted with " + strings.Join(by, ", or with ") + "\n" + readings
}

// encodeRun is formatgauge encode.
type encodeRun struct {
	dialectFlags
	inputFlag
	outputFlag
	Hex bool
}

func (r *encodeRun) run(cmd *cobra.Command, args []string) error {
	t, c, text, err := r.open(cmd, args)
	if err != nil {
		return err
	}
	n, err := tree.Parse(text)
	if err != nil {
		return rejected(err)
	}
	v, err := tree.Value(t, n)
	if err != nil {
		return rejected(err)
	}
	b, err := c.Append(nil, v)
	if err != nil {
		return printRejection(cmd, nil, err)
	}
	if r.Hex {
		return writeOutput(cmd, r.Output, fmt.Appendf(nil, "% x\n", b))
	}
	return writeBinary(cmd, r.Output, b)
}

// inspectRun is formatgauge inspect.
type inspectRun struct {
	dialectFlags
	bytesFlags
	jsonFlag
	Color string
}

func (r *inspectRun) run(cmd *cobra.Command, args []string) error {
	t, c, src, err := r.openAny(cmd, args)
	if err != nil {
		return err
	}
	st := styleOf(cmd.OutOrStdout())
	if err := oneOf("--color", r.Color, "auto", "always", "never"); err != nil {
		return err
	}
	if r.Color != "auto" {
		st.Color = r.Color == "always"
	}
	_, spans, fault := c.Trace(src)
	if r.JSON {
		return printInspection(cmd, &inspection{Type: t.Name, Bytes: len(src), Spans: spans}, fault)
	}
	if err := hexdump.Spans(cmd.OutOrStdout(), src, spans, st); err != nil {
		return failed(err)
	}
	if fault != nil {
		return printRejection(cmd, src, fault)
	}
	return nil
}

//go:embed schema/inspect.json
var inspectSchema []byte

// inspection is the JSON form; schema/inspect.json describes it.
type inspection struct {
	Type     string      `json:"type"`
	Bytes    int         `json:"bytes"`
	Spans    []wire.Span `json:"spans"`
	Rejected *rejection  `json:"rejected,omitempty"`
}

type rejection struct {
	Class   wire.Class `json:"class"`
	Offset  int        `json:"offset"`
	Path    string     `json:"path"`
	Clause  ids.Clause `json:"clause,omitempty"`
	Message string     `json:"message"`
}

func printInspection(cmd *cobra.Command, v *inspection, fault error) error {
	v.Spans = append([]wire.Span{}, v.Spans...)
	e, isFault := errors.AsType[*wire.Error](fault)
	if fault != nil && !isFault {
		return rejected(fault)
	}
	verdict := error(nil)
	if isFault {
		v.Rejected, verdict = &rejection{e.Class, e.Offset, e.Path, e.Clause, e.Error()}, errFailed
	}
	return cmp.Or(failed(printJSON(cmd.OutOrStdout(), v)), verdict)
}
