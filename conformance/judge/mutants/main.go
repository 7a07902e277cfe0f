// Command mutants measures how much the corpus notices. It changes the
// reference's codec of a family in one small place at a time, builds it, and
// judges it by the vectors of the family under every side of every flag. A
// change that no vector notices is printed: it makes no difference, or costs
// only time or the text of an error, or a vector is missing.
//
//	go run ./conformance/judge/mutants -n 100 upkg
//
// It needs some two seconds for each mutant.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience is what a mutant may take; the unchanged codec takes about a second.
const patience = 60 * time.Second

func main() {
	n := flag.Int("n", 100, "how many mutants are tried, chosen by -seed; 0 for all")
	seed := flag.Uint64("seed", 1, "chooses among the mutants")
	only := flag.String("in", "", "only those whose FILE:LINE begins so, such as index.go:30")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./conformance/judge/mutants [flags] FAMILY, in the repository's root")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *n, *seed, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(family string, n int, seed uint64, only string) error {
	files, err := filepath.Glob(filepath.Join("codec", family, "*.go"))
	if err != nil {
		return err
	}
	var all []mutant
	for _, name := range files {
		if left(name) {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		ms, err := mutantsOf(name, src)
		if err != nil {
			return err
		}
		for _, m := range ms {
			if at := fmt.Sprintf("%s:%d:", filepath.Base(m.file), m.line); strings.HasPrefix(at, only) {
				all = append(all, m)
			}
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("no mutants: is %q a family, and this the repository's root?", family)
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tried := all
	if n > 0 && n < len(all) {
		tried = all[:n]
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	// The first file as it is: if that is noticed, everything is.
	if o, err := try(work, family, mutant{file: tried[0].file}); err != nil || o != survives {
		return fmt.Errorf("the codec as it is: %s (%v)", o, err)
	}
	count := map[outcome]int{}
	for _, m := range tried {
		o, err := try(work, family, m)
		if err != nil {
			return err
		}
		if count[o]++; o == survives || o == endless {
			fmt.Printf("%s: %s\n", o, m)
		}
	}
	fmt.Printf("%s: %d of %d mutants: %d noticed, %d survive, %d do not end, %d do not build\n",
		family, len(tried), len(all), count[noticed], count[survives], count[endless], count[unbuilt])
	return nil
}

// left reports whether a file is left as it is: tests, names of clauses, and
// what only some builds have.
func left(name string) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, "_test.go") || base == "clauses.go" || strings.HasPrefix(base, "box_")
}

// outcome is what became of a mutant.
type outcome string

const (
	noticed  outcome = "noticed"
	survives outcome = "survives"
	endless  outcome = "does not end"
	unbuilt  outcome = "does not build"
)

// try builds a mutant and has it judged.
func try(work, family string, m mutant) (outcome, error) {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	changed, overlay, program := filepath.Join(work, "changed.go"), filepath.Join(work, "overlay.json"), filepath.Join(work, "judged")
	if err := os.WriteFile(changed, m.apply(src), 0o666); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{m.file: changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, b, 0o666); err != nil {
		return "", err
	}
	if err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./conformance/judge/mutants/judged").Run(); err != nil {
		return unbuilt, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err = exec.CommandContext(ctx, program, family).Run()
	switch {
	case ctx.Err() != nil:
		return endless, nil
	case err != nil:
		return noticed, nil
	}
	return survives, nil
}
