package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// flagWords complete the values of flags, which mean the same in each command.
var flagWords = map[string]cobra.CompletionFunc{
	"color":       fixed("auto", "always", "never"),
	"corpus":      folderName,
	"flag":        inList(sides),
	"lang":        fixed(languages...),
	"profile":     inList(func() []string { return append(sides(), ids.SideDocumented, ids.SideObserved) }),
	"report":      lazily(reportPrefixes, cobra.ShellCompDirectiveNoSpace),
	"run":         completeChoice,
	"schema":      fixed(protocolSchemas...),
	"skip":        completeChoice,
	"to":          fixed("1", "2"),
	"type":        completeTypes,
	"types":       inList(typeNames),
	"view":        lazily(spec.ViewIDs, cobra.ShellCompDirectiveNoFileComp),
	"with-corpus": folderName,
}

func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

func folderName(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// lazily completes words that are computed when they are asked for.
func lazily(words func() []string, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { return words(), directive }
}

var (
	completeTypes  = lazily(typeNames, cobra.ShellCompDirectiveNoFileComp)
	completeFolder = lazily(folders, cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp)
)

// inList completes the last word of the values of a flag, which are separated by commas.
func inList(words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
		out := words()
		for i := range out {
			out[i] = text[:strings.LastIndexByte(text, ',')+1] + out[i]
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeChoice completes patterns of vectors: types, and ids after a slash.
func completeChoice(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
	kind := "types"
	if strings.Contains(text, "/") {
		kind = "vectors"
	}
	return listedIDs(kind), cobra.ShellCompDirectiveNoFileComp
}

// reportPrefixes lists the beginnings of the values of --report.
func reportPrefixes() (out []string) {
	names, _ := report.Formats()
	for _, n := range names {
		out = append(out, n+"=")
	}
	return out
}

// completeType completes a type before a file.
func completeType(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return typeNames(), cobra.ShellCompDirectiveNoFileComp
}

func completeID(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out := slices.Concat(listedIDs("clauses"), listedIDs("flags"), listedIDs("views"), listedIDs("words"))
	for _, f := range spec.Families() {
		for _, s := range f.Structures {
			out = append(out, s.Name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func completeResults(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
}

func completeFormat(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		names, _ := report.Formats()
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return completeResults(nil, nil, "")
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
