// Command mutants measures which faults the corpus detects. It makes one small change
// in the code of a target at a time, and judges the changed codec by the vectors of
// the families that use the target, under every side of every flag.
//
//	go run ./conformance/judge/mutants -n 100 -state upkg.jsonl upkg
//
// A target is a family, the fast path of the keyed archives, or the primitives. Each
// operator of the table in operators.go makes one kind of change, and gets the same
// share of the mutants while it has any left. The choice depends only on the seed and
// on the texts that change. Changes that do not compile do not count.
//
// The command prints each change that no vector detects. The file survivors.toml
// classifies them: equivalent, with the reason, or a gap, with what a vector would
// need. A survivor that the file does not contain is an error, and so is an entry
// that is detected or whose code does not exist.
//
// With -state, results are appended to a file as they occur, and a later run skips
// what the file contains. -list prints the survivors in such a file.
//
// All changes of functions and variables are built into one program: each is a copy
// of its function, selected when the program starts. A change of a constant needs a
// program of its own. A mutant that survives is judged again without the quick
// functions of structures, which otherwise hide how the reader gets the value.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	var o options
	flag.IntVar(&o.n, "n", 100, "number of mutants, chosen by -seed; 0 means all")
	flag.StringVar(&o.seed, "seed", "1", "seed of the choice")
	flag.StringVar(&o.only, "in", "", "only mutants whose `FILE:LINE` begins with this, such as codec/upkg/index.go:30")
	flag.StringVar(&o.operator, "operator", "", "only mutants of this operator")
	flag.StringVar(&o.state, "state", "", "`file` to which results are appended, and which says what to skip")
	flag.BoolVar(&o.again, "again", false, "judge the survivors in the state file again")
	flag.BoolVar(&o.declared, "declared", false, "only mutants in survivors.toml: shows which of them vectors detect now")
	flag.BoolVar(&o.list, "list", false, "print the survivors in the state file, and judge nothing")
	flag.IntVar(&o.jobs, "j", 1, "number of mutants that are judged in parallel")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./conformance/judge/mutants [flags] TARGET, in the root of the repository")
		fmt.Fprintf(flag.CommandLine.Output(), "targets: %s\n", strings.Join(targetNames(), ", "))
		flag.PrintDefaults()
	}
	flag.Parse()
	t, ok := findTarget(flag.Arg(0))
	if flag.NArg() != 1 || !ok {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(t, o); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}
