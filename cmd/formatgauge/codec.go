package main

import (
	"bytes"
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
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/filekind"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// dialectFlags are the flags that select the profile and the context of a type.
type dialectFlags struct {
	profile string
	sides   []string
	context map[string]string
}

func (d *dialectFlags) register(cmd *cobra.Command) {
	d.registerProfile(cmd)
	cmd.Flags().StringToStringVar(&d.context, "context", nil, "`KEY=VALUE` pairs that the type needs, such as "+
		"order=big or version=63")
}

func (d *dialectFlags) registerProfile(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.profile, "profile", ids.SideObserved, "follow `PROFILE`: documented or observed, with "+
		"FLAG=SIDE exceptions after commas")
	cmd.Flags().StringArrayVar(&d.sides, "flag", nil, "follow `FLAG=SIDE` in addition to the profile (repeatable)")
	completeProfile(cmd)
}

// completeProfile completes the values of --profile and --flag.
func completeProfile(cmd *cobra.Command) {
	completeList(cmd, "profile", func() []string { return append(sides(), ids.SideDocumented, ids.SideObserved) })
	completeList(cmd, "flag", sides)
}

// completeWith completes the values of a flag with words.
func completeWith(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func (d *dialectFlags) parse() (ids.Profile, error) {
	p, err := ids.ParseProfile(strings.Join(append([]string{d.profile}, d.sides...), ","))
	return p, profileError(err, append([]string{d.profile}, d.sides...)...)
}

// chosen returns the profile that the flags select, or nil if they are not given.
func (d *dialectFlags) chosen(cmd *cobra.Command) (*ids.Profile, error) {
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
		return nil, nil, nil, arguments(1, 2)(cmd, args)
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
		return nil, nil, nil, rejected(fmt.Errorf("no type reads these %s: %s", count(len(src), "byte"),
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
	for _, k := range slices.Sorted(maps.Keys(d.context)) {
		if _, ok := t.Context[k]; !ok {
			return nil, nil, fmt.Errorf("--context: %s has %s, found %q%s", t.Name, cmp.Or(corpus.ContextText(t.Context),
				"no context"), k, didYouMean(k, slices.Collect(maps.Keys(t.Context))))
		}
	}
	c, err := t.Bind(wire.Settings{Profile: p}, d.context)
	return t, c, err
}

// decodeAs decodes the input args as a type without a context. If it is rejected, it prints
// why.
func decodeAs[T any](cmd *cobra.Command, d *dialectFlags, typ string, args []string) (v T, src []byte, err error) {
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

// newInfo completes a command that decodes a file as a type and describes the value.
func newInfo[T any](cmd *cobra.Command, typ string, schema []byte, describe func(v *T, size int) facts) *cobra.Command {
	var d dialectFlags
	cmd.Use, cmd.Args = "info [FILE]", arguments(0, 1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, src, err := decodeAs[T](cmd, &d, typ, args)
		if err != nil {
			return err
		}
		return printFacts(cmd, describe(&v, len(src)))
	}
	d.registerProfile(cmd)
	bytesFlags(cmd)
	jsonFlag(cmd, schema)
	return cmd
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

// completeList completes the last word of the values of a flag, which are separated by commas.
func completeList(cmd *cobra.Command, flag string, words func() []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, text string) (
		[]string, cobra.ShellCompDirective,
	) {
		out := words()
		for i := range out {
			out[i] = text[:strings.LastIndexByte(text, ',')+1] + out[i]
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
}

// completeChoice completes patterns of vectors: types, and ids after a slash.
func completeChoice(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, text string) (
			[]string, cobra.ShellCompDirective,
		) {
			kind := "types"
			if strings.Contains(text, "/") {
				kind = "vectors"
			}
			return listedIDs(kind), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// sides lists the sides of all flags, each as flag=side.
func sides() (out []string) {
	for _, f := range spec.Flags() {
		for _, s := range f.Sides {
			out = append(out, string(f.ID)+"="+s.Name)
		}
	}
	return out
}

func completeType(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return typeNames(), cobra.ShellCompDirectiveNoFileComp
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
		var b bytes.Buffer
		wrap(&b, "  ", string(c.ID)+": "+c.Text, textWidth)
		fmt.Fprintf(w, "  %s", &b)
	}
	if text := hint(src, e); text != "" {
		fmt.Fprintf(w, "  %s\n", text)
	}
	return errFailed
}

func newDecode() *cobra.Command {
	var d dialectFlags
	var prefix bool
	cmd := &cobra.Command{
		Use:   "decode [TYPE] [FILE]",
		Short: "Decode a file and print its tree",
		Long: `Decode reads a file or standard input as one value of TYPE and prints its tree
as JSON. Without TYPE it takes the type that the bytes seem to have, says so, and names
the other types that accept them.`,
		Example: `  formatgauge decode Core.u
  formatgauge decode upkg.CompactIndex --hex '40 80 01'
  formatgauge decode upkg.Name --context version=63 name.bin`,
		Args:              arguments(0, 2),
		ValidArgsFunction: completeType,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, c, src, err := d.openAny(cmd, args)
			if err != nil {
				return err
			}
			var v any
			if prefix {
				var n int
				if v, n, err = c.DecodePrefix(src); err == nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "the value has %d of %d bytes\n", n, len(src))
				}
			} else {
				v, err = c.Decode(src)
			}
			if err != nil {
				return printRejection(cmd, src, err)
			}
			n, err := tree.FromModel(v)
			if err != nil {
				return failed(err)
			}
			return writeOutput(cmd, "", []byte(n.Indent()))
		},
	}
	d.register(cmd)
	bytesFlags(cmd)
	cmd.Flags().BoolVar(&prefix, "prefix", false, "accept bytes after the value; print the length of the value to "+
		"standard error")
	return cmd
}

func newEncode() *cobra.Command {
	var d dialectFlags
	var to string
	var asHex bool
	cmd := &cobra.Command{
		Use:   "encode TYPE [FILE]",
		Short: "Encode a tree as bytes",
		Long: "Encode reads the tree of a value of TYPE, as JSON, from a file or standard input\nand writes the bytes " +
			"of the value.",
		Example: `  echo '"64"' | formatgauge encode upkg.CompactIndex --hex
  formatgauge decode upkg.Package Core.u | formatgauge encode upkg.Package -o same.u`,
		Args:              arguments(1, 2),
		ValidArgsFunction: completeType,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, c, text, err := d.open(cmd, args)
			if err != nil {
				return err
			}
			n, err := tree.Parse(text)
			if err != nil {
				return rejected(err)
			}
			v := t.New()
			if err := tree.ToModel(n, v); err != nil {
				return rejected(err)
			}
			b, err := c.Append(nil, codec.Deref(v))
			if err != nil {
				return printRejection(cmd, nil, err)
			}
			if asHex {
				return writeOutput(cmd, to, fmt.Appendf(nil, "% x\n", b))
			}
			return writeBinary(cmd, to, b)
		},
	}
	cmd.Flags().BoolVar(&asHex, hexFlag, false, "write the bytes in hex")
	d.register(cmd)
	inputFlag(cmd)
	outputFlag(cmd, &to, outputUsage)
	return cmd
}

func newInspect() *cobra.Command {
	var d dialectFlags
	var color string
	cmd := &cobra.Command{
		Use:   "inspect [TYPE] [FILE]",
		Short: "Show the meaning of every byte",
		Long: `Inspect prints a hex dump with the path, the value and the clause of each run of
bytes. A rejected file is shown up to the error. Without TYPE it takes the type that the
bytes seem to have, as formatgauge decode does.`,
		Example: `  formatgauge inspect Core.u | less -R
  formatgauge inspect upkg.CompactIndex --hex '40 80 01'
  formatgauge inspect ubi.Box --context order=big box.bin`,
		Args:              arguments(0, 2),
		ValidArgsFunction: completeType,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, c, src, err := d.openAny(cmd, args)
			if err != nil {
				return err
			}
			st := styleOf(cmd.OutOrStdout())
			if err := oneOf("--color", color, "auto", "always", "never"); err != nil {
				return err
			}
			if color != "auto" {
				st.Color = color == "always"
			}
			_, spans, fault := c.Trace(src)
			if asJSON(cmd) {
				return printInspection(cmd, &inspection{Type: t.Name, Bytes: len(src), Spans: spans}, fault)
			}
			if err := hexdump.Spans(cmd.OutOrStdout(), src, spans, st); err != nil {
				return failed(err)
			}
			if fault != nil {
				return printRejection(cmd, src, fault)
			}
			return nil
		},
	}
	d.register(cmd)
	bytesFlags(cmd)
	cmd.Flags().StringVar(&color, "color", "auto", "`WHEN` to use colours: auto, always or never")
	completeWith(cmd, "color", "auto", "always", "never")
	jsonFlag(cmd, inspectSchema)
	return cmd
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
