// Command mutants measures which faults the corpus detects. It makes one small change
// in the codec of a family at a time, builds the codec, and judges it by the vectors of
// the family under every side of every flag. It prints each change that no vector
// detects. Either the change makes no difference, or it affects only time or the text
// of an error, or a vector is missing.
//
//	go run ./conformance/judge/mutants -n 100 upkg
//
// A mutant takes about two seconds.
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

// timeLimit is the time limit for a mutant; the unchanged codec takes about a second.
const timeLimit = 60 * time.Second

func main() {
	n := flag.Int("n", 100, "number of mutants, chosen by -seed; 0 means all")
	seed := flag.Uint64("seed", 1, "seed of the choice")
	only := flag.String("in", "", "only mutants whose FILE:LINE begins with this, such as index.go:30")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./conformance/judge/mutants [flags] FAMILY, in the root of the repository")
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
		if isExcluded(name) {
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
		return fmt.Errorf("no mutants for %q: expected the name of a family, and the root of the repository as the current folder", family)
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
	// The unchanged codec must survive: otherwise all mutants would be detected.
	if o, err := judgeMutant(work, family, mutant{file: tried[0].file}); err != nil || o != survives {
		return fmt.Errorf("the unchanged codec: %s (%v)", o, err)
	}
	count := map[outcome]int{}
	for _, m := range tried {
		o, err := judgeMutant(work, family, m)
		if err != nil {
			return err
		}
		if count[o]++; o == survives || o == timedOut {
			fmt.Printf("%s: %s\n", o, m)
		}
	}
	fmt.Printf("%s: %d of %d mutants: %d detected, %d survive, %d exceed the time limit, %d do not build\n",
		family, len(tried), len(all), count[detected], count[survives], count[timedOut], count[unbuilt])
	return nil
}

// isExcluded reports whether a file is not changed: tests, clause constants, and files
// that only some builds contain.
func isExcluded(name string) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, "_test.go") || base == "clauses.go" || strings.HasPrefix(base, "box_")
}

// outcome is the result of a mutant.
type outcome string

const (
	detected outcome = "detected"
	survives outcome = "survives"
	timedOut outcome = "exceeds the time limit"
	unbuilt  outcome = "does not build"
)

// judgeMutant builds a mutant and judges it.
func judgeMutant(work, family string, m mutant) (outcome, error) {
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
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	err = exec.CommandContext(ctx, program, family).Run()
	switch {
	case ctx.Err() != nil:
		return timedOut, nil
	case err != nil:
		return detected, nil
	}
	return survives, nil
}
