package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// didYouMean returns a question with the names that are most similar to a word, or
// "" if none is similar. Case does not count, and of a name like upkg.Name or
// upkg/Name/empty the last part is enough. Without such a name, it takes those that begin
// with the word, and the structures that people search for by it.
func didYouMean(word string, names []string) string {
	const (
		most      = 5
		perLetter = 3 // of so many letters, one can be missing
		shortest  = 3 // letters of the start of a name
	)
	nearest, limit := []string(nil), max(1, len(word)/perLetter)
	for _, name := range names {
		d := min(distance(word, name), distance(word, name[strings.LastIndexAny(name, "./")+1:]))
		switch {
		case d > limit || d >= len(word) || slices.Contains(nearest, name):
		case d < limit:
			nearest, limit = []string{name}, d
		default:
			nearest = append(nearest, name)
		}
	}
	if nearest == nil {
		starts := func(name string) bool {
			return len(word) >= shortest && strings.HasPrefix(strings.ToLower(name), strings.ToLower(word))
		}
		for _, name := range names {
			if (starts(name) || alsoKnownAs(name, word)) && !slices.Contains(nearest, name) {
				nearest = append(nearest, name)
			}
		}
	}
	if len(nearest) == 0 || len(nearest) > most {
		return ""
	}
	return "; did you mean " + strings.Join(nearest, ", ") + "?"
}

// oneOf returns an error if what, a flag or an argument, is none of its words.
func oneOf(what, found string, words ...string) error {
	if slices.Contains(words, found) {
		return nil
	}
	return fmt.Errorf("%s: expected one of %s, found %q%s", what, strings.Join(words, ", "), found, didYouMean(found, words))
}

// notNegative returns an error if the value of a flag is less than 0.
func notNegative[T int | time.Duration](flag string, v T) error {
	if v >= 0 {
		return nil
	}
	return fmt.Errorf("%s: expected 0 or greater, found %v", flag, v)
}

// alsoKnownAs reports whether people search for a structure by a word.
func alsoKnownAs(structure, word string) bool {
	s, ok := spec.FindStructure(structure)
	return ok && slices.ContainsFunc(strings.Split(s.Also, ", "),
		func(other string) bool { return strings.EqualFold(other, word) })
}

// distance is the least number of letters to insert, delete, or swap with the next one, to
// turn one word into the other. So a letter in place of another counts twice: of a short
// word it makes another one, nope of none.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	var before, last []int // of the two previous letters of a
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1], row[j]) + 1
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// addHelp adds the commands help and completion. Those of cobra succeed whatever they are
// asked for.
func addHelp(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			showsHelp(c)
		case "help":
			c.RunE = func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err == nil {
					err = onlyCommands(topic, rest)
				}
				if err != nil {
					return err
				}
				return topic.Help()
			}
		}
	}
}

// onlyCommands is for a command that contains others and takes no arguments.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names, nested []string
	for _, c := range partsOf(cmd) {
		names = append(names, c.Name())
		for _, sub := range c.Commands() {
			if sub.Name() == args[0] {
				nested = append(nested, sub.CommandPath())
			}
		}
	}
	const few = 8
	expected := ""
	if len(names) <= few {
		expected = "; expected one of " + strings.Join(names, ", ")
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	question := cmp.Or(didYouMean(args[0], names), expected)
	if nested != nil {
		question = "; did you mean " + strings.Join(nested, ", ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), question)
}

// valueForms describes the values of flags by their type.
var valueForms = map[string]string{
	"duration":       "a time with its unit, such as 10s or 5m",
	"int":            "a whole number",
	"stringToString": "KEY=VALUE, such as order=big or version=63",
	"uint64":         "a whole number of 0 or above",
}

// flagError says what is expected in place of an unknown flag, or of a missing or
// invalid value.
func flagError(cmd *cobra.Command, err error) error {
	switch err := err.(type) {
	case *pflag.NotExistError:
		return unknownFlag(cmd, err)
	case *pflag.ValueRequiredError:
		_, usage := pflag.UnquoteUsage(err.GetFlag())
		return fmt.Errorf("--%s: expected a value after it: %s", err.GetFlag().Name, usage)
	case *pflag.InvalidValueError:
		f := err.GetFlag()
		if form, ok := valueForms[f.Value.Type()]; ok {
			return fmt.Errorf("--%s: expected %s, found %q", f.Name, form, err.GetValue())
		}
	}
	return err
}

// unknownFlag adds similar flags, and the way to write to a file without a flag.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name, flag := err.GetSpecifiedName(), "--"+err.GetSpecifiedName()
	letters := err.GetSpecifiedShortnames() // of -help, those from the first that is no flag
	if letters != "" {
		name, flag = letters, "-"+letters
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, "--"+f.Name)
		if len(letters) > 1 && strings.HasSuffix(f.Name, letters) {
			name, flag = f.Name, "-"+f.Name
		}
	})
	if name == "o" || name == "output" {
		name = "out"
	}
	hint := didYouMean("--"+name, names)
	if hint == "" && name == "out" && strings.Contains(cmd.Use, "[FILE]") {
		hint = fmt.Sprintf("; %s prints to standard output: > OUT after the command writes to the file OUT", cmd.Name())
	}
	return fmt.Errorf("unknown flag: %s%s", flag, hint)
}

// profileError adds similar profiles, flags and sides to an error of a profile or
// of sides, given as text.
func profileError(err error, texts ...string) error {
	if err == nil {
		return nil
	}
	for _, part := range strings.Split(strings.Join(texts, ","), ",") {
		flag, side, isSide := strings.Cut(strings.TrimSpace(part), "=")
		names := []string{ids.SideDocumented, ids.SideObserved}
		f, known := spec.FindFlag(ids.Flag(flag))
		switch {
		case isSide && known:
			flag, names = side, nil
			for _, s := range f.Sides {
				names = append(names, s.Name)
			}
		case isSide:
			names = listedIDs("flags")
		}
		if question := didYouMean(flag, names); !slices.Contains(names, flag) && question != "" {
			return fmt.Errorf("%w%s", err, question)
		}
	}
	return err
}

func typeNames() []string { return listedIDs("types") }

// vectorNames lists what --run and --skip can name.
func vectorNames() (out []string) {
	vectors, err := corpus.All()
	if err != nil {
		return nil
	}
	for _, v := range vectors {
		out = append(out, v.ID, v.Structure(), v.Type, v.Family())
	}
	return out
}
