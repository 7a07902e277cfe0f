package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/check"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/version"
)

// commandTexts has the help of each command, and the flags that its struct must have.
//
//go:embed commands.txt
var commandTexts string

// A runner is a command. Its exported fields, also those of structs in it, are its flags:
// AsIs is --as-is.
type runner interface {
	run(cmd *cobra.Command, args []string) error
}

// A row is a command with what its text does not say.
type row struct {
	new      func() runner
	least    int // number of arguments
	most     int
	complete cobra.CompletionFunc // of arguments
	schema   []byte               // what --schema prints
}

// rows has the commands by name. One that has only a text contains others.
var rows = map[string]row{
	rootName:         {of[rootRun], 0, 0, nil, nil},
	"adapter new":    {of[adapterRun], 0, 0, nil, nil},
	"check":          {of[checkRun], 0, math.MaxInt, nil, check.Schema},
	"claim":          {of[claimRun], 0, math.MaxInt, nil, report.ResultsSchema},
	"claim verify":   {of[claimVerifyRun], 1, math.MaxInt, nil, nil},
	"corpus diff":    {of[corpusDiffRun], 2, 2, nil, nil},
	"corpus export":  {of[exportRun], 0, 1, nil, nil},
	"corpus hash":    {of[hashRun], 0, 1, nil, nil},
	"corpus lint":    {of[lintRun], 0, 1, nil, nil},
	"corpus new":     {of[corpusNewRun], 1, 1, completeFolder, nil},
	"corpus promote": {of[promoteRun], 1, 1, nil, nil},
	"decode":         {of[decodeRun], 0, 2, completeType, nil},
	"diff":           {of[diffRun], 0, math.MaxInt, completeTypes, diffSchema},
	"encode":         {of[encodeRun], 1, 2, completeType, nil},
	"explain":        {of[explainRun], 1, maxWords, completeID, explainSchema},
	"fingerprint":    {of[fingerprintRun], 0, math.MaxInt, nil, fingerprintSchema},
	"inspect":        {of[inspectRun], 0, 2, completeType, inspectSchema},
	"ka convert":     {of[convertRun], 0, 1, nil, nil},
	"ka scan":        {of[scanRun], 0, 1, nil, nil},
	"list":           {of[listRun], 1, 2, fixed(kinds...), nil},
	"man":            {of[manRun], 1, 1, nil, nil},
	"report":         {of[reportRun], 0, math.MaxInt, completeFormat, report.ResultsSchema},
	"report badge":   {of[badgeRun], 1, 1, completeResults, nil},
	"report diff":    {of[reportDiffRun], 2, 2, completeResults, reportDiffSchema},
	"report keep":    {of[keepRun], 1, 1, completeResults, nil},
	"schema":         {of[schemaRun], 1, 1, completeType, nil},
	"serve":          {of[serveRun], 0, 0, nil, nil},
	"site":           {of[siteRun], 1, 1, nil, nil},
	"smoke":          {of[smokeRun], 0, math.MaxInt, nil, nil},
	"test":           {of[testRun], 0, math.MaxInt, nil, report.ResultsSchema},
	"uasset info": {func() runner {
		return &infoRun[uasset.Package]{typ: "uasset.Package", form: "uasset info", describe: describeUasset}
	}, 0, 1, nil, uassetInfoSchema},
	"uasset texture": {of[textureRun], 1, 1, nil, nil},
	"upkg info": {func() runner {
		return &infoRun[upkg.Package]{typ: "upkg.Package", form: "upkg info", describe: describeUpkg}
	}, 0, 1, nil, upkgInfoSchema},
}

func of[T any, P interface {
	*T
	runner
}]() runner {
	return P(new(T))
}

// Flags of several commands. Functions that read input find theirs by name.
type (
	inputFlag  struct{ MaxInput string }
	bytesFlags struct {
		inputFlag
		Hex string
	}
	jsonFlag   struct{ JSON bool }
	outputFlag struct{ Output string }
)

// rootRun is formatgauge without a command.
type rootRun struct{ Version bool }

func (r *rootRun) run(cmd *cobra.Command, _ []string) error {
	if !r.Version {
		return cmd.Help()
	}
	return writeOutput(cmd, "", fmt.Appendf(nil, "formatgauge %s\ncorpus %d (%s)\nprotocol %s\n", version.String(),
		corpus.Number, corpus.RecordedDigest(), adapter.Version))
}

// A commandText is what commands.txt says about a command.
type commandText struct {
	name   string // with that of its group
	cmd    cobra.Command
	listed string // the lines of its flags
	flags  map[string]flagUsage
}

// commandName matches the words of a command in the line of its usage: the others are
// arguments and flags.
var commandName = regexp.MustCompile(`^[a-z]+( [a-z]+)?( |$)`)

// readCommands returns the texts of all commands, each after its group, and those of flags
// of several commands.
var readCommands = sync.OnceValues(func() (all []commandText, shared map[string]flagUsage) {
	names, about := report.Formats()
	formats := ""
	for i := range names {
		formats += fmt.Sprintf("\n  %-9s %s", names[i], about[i])
	}
	filled := strings.ReplaceAll(commandTexts, "<formats>", strings.Join(names, ", "))
	head, texts, _ := strings.Cut(strings.ReplaceAll(filled, "\n<each format>", formats), "\n## ")
	for text := range strings.SplitSeq(texts, "\n## ") {
		text, flags, _ := strings.Cut(text, "\nFlags:\n")
		text, example, _ := strings.Cut(text, "\nExamples:\n")
		use, text, _ := strings.Cut(text, "\n")
		short, long, _ := strings.Cut(text, "\n")
		name := strings.TrimSpace(commandName.FindString(use))
		all = append(all, commandText{name, cobra.Command{
			Use: use[strings.LastIndexByte(name, ' ')+1:], Short: short, Long: strings.Trim(long, "\n"),
			Example: strings.Trim(example, "\n"),
		}, "\n" + flags, flagUsages(flags)})
	}
	return all, flagUsages(head)
})

// newRoot returns the command formatgauge with those in it.
func newRoot() *cobra.Command {
	texts, shared := readCommands()
	all := map[string]*cobra.Command{}
	for i, text := range texts {
		name, cmd := text.name, &text.cmd // a copy: commands are built for each run
		if all[name] = cmd; i > 0 {
			group := name[:max(0, strings.LastIndexByte(name, ' '))]
			all[cmp.Or(group, rootName)].AddCommand(cmd)
		}
		if r, ok := rows[name]; ok {
			usages := maps.Clone(shared)
			maps.Copy(usages, text.flags)
			r.fill(cmd, usages)
		} else {
			showsHelp(cmd)
		}
	}
	root := all[rootName]
	root.Args, root.SilenceErrors, root.SilenceUsage = onlyCommands, true, true
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(root.UsageTemplate() + exitCodes)
	all["report diff"].MarkFlagsMutuallyExclusive("json", "markdown")
	all["test"].MarkFlagsMutuallyExclusive("corpus", "edition")
	for _, name := range []string{"name", "revision", "licence", "url"} {
		_ = all["report keep"].MarkFlagRequired(name)
	}
	_ = all["uasset texture"].MarkFlagRequired("output")
	return root
}

// showsHelp completes a command that only contains others.
func showsHelp(cmd *cobra.Command) {
	cmd.Args, cmd.RunE = onlyCommands, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

const rootName = "formatgauge"

// fill completes a command by its row and the texts of its flags.
func (r *row) fill(cmd *cobra.Command, usages map[string]flagUsage) {
	run, schema, f := r.new(), new(bool), cmd.Flags()
	addFlags(f, reflect.ValueOf(run).Elem(), usages)
	if r.schema != nil {
		schema = f.Bool("schema", false, usages["schema"].usage)
	}
	cmd.ValidArgsFunction = r.complete
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if *schema {
			return nil
		}
		return r.arguments(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *schema {
			return writeSchema(cmd, args, r.schema)
		}
		if name := f.Lookup("output"); name != nil && name.Value.String() != "" && name.Value.String() != "-" {
			if err := outfile.Check(name.Value.String()); err != nil {
				return err
			}
		}
		return run.run(cmd, args)
	}
	f.VisitAll(func(f *pflag.Flag) {
		if complete, ok := flagWords[f.Name]; ok && f.Value.Type() != "bool" {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
}

// A flagUsage is what the text of a command says about a flag.
type flagUsage struct{ short, value, usage string }

var flagLine = regexp.MustCompile(`(?m)^  (?:-(\w), )?--([a-z-]+)(?:=(\S+))?  (.*(?:\n      .*)*)`)

func flagUsages(text string) map[string]flagUsage {
	out := map[string]flagUsage{}
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		out[m[2]] = flagUsage{m[1], m[3], strings.ReplaceAll(m[4], "\n     ", "")}
	}
	return out
}

// addFlags adds the exported fields of a struct, and of the structs in it, as flags.
func addFlags(set *pflag.FlagSet, v reflect.Value, usages map[string]flagUsage) {
	for field, v := range v.Fields() {
		if field.Anonymous {
			addFlags(set, v, usages)
		}
		if field.Anonymous || !field.IsExported() {
			continue
		}
		name := strings.ToLower(wordStart.ReplaceAllString(field.Name, "$1-$2"))
		t, ok := usages[name]
		if !ok {
			panic("commands.txt has no --" + name)
		}
		switch to := v.Addr().Interface().(type) {
		case *bool:
			set.BoolVarP(to, name, t.short, false, t.usage)
		case *string:
			set.StringVarP(to, name, t.short, "", t.usage)
		case *[]string:
			set.StringArrayVarP(to, name, t.short, nil, t.usage)
		case *map[string]string:
			set.StringToStringVarP(to, name, t.short, nil, t.usage)
		case *int:
			set.IntVarP(to, name, t.short, 0, t.usage)
		case *uint64:
			set.Uint64VarP(to, name, t.short, 0, t.usage)
		case *time.Duration:
			set.DurationVarP(to, name, t.short, 0, t.usage)
		default:
			panic(field.Type.String() + " is no type of flags")
		}
		if f := set.Lookup(name); t.value != "" {
			if err := f.Value.Set(t.value); err != nil {
				panic(err)
			}
			f.DefValue = f.Value.String()
		}
	}
}

var wordStart = regexp.MustCompile("([a-z])([A-Z])")

func wrongCount(cmd *cobra.Command, args []string) error {
	return fmt.Errorf("expected %s, found %s", cmd.UseLine(), report.Plural(len(args), "argument"))
}

// arguments checks that there are as many arguments as a row says, and all required flags.
func (r *row) arguments(cmd *cobra.Command, args []string) (err error) {
	if len(args) < r.least || len(args) > r.most {
		return wrongCount(cmd, args)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err == nil && !f.Changed && f.Annotations[cobra.BashCompOneRequiredFlag] != nil {
			err = fmt.Errorf("expected %s, found no --%s", cmd.UseLine(), f.Name)
		}
	})
	return err
}
