package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A job is one operation on one input.
type job struct {
	op string
	in input
}

func (j job) String() string { return j.op + "\t" + strings.Join(j.in.files, "\t") }

// A result is the fastest pass of a program over an input.
type result struct {
	speed     float64 // bytes per second; 0 if there is no result
	allocs    int     // of one pass; -1 if the program does not count them
	allocated float64 // bytes, in one pass
}

// seconds returns how long a pass over in takes.
func (r result) seconds(in input) float64 { return float64(in.size) / r.speed }

// A program runs jobs in a process of its own: command measure of one
// revision, or the driver of a peer.
type program struct {
	name    string
	command []string
	jobs    []job
	results map[string]result // by job
	failed  map[string]error  // by job
}

func newProgram(name string, command ...string) *program {
	return &program{name: name, command: command, results: map[string]result{}, failed: map[string]error{}}
}

// want adds a job, if p does not have it yet.
func (p *program) want(j job) {
	if !slices.ContainsFunc(p.jobs, func(old job) bool { return old.String() == j.String() }) {
		p.jobs = append(p.jobs, j)
	}
}

// result returns the fastest result of a job.
func (p *program) result(j job) (result, error) {
	r, ok := p.results[j.String()]
	if !ok {
		return r, p.failed[j.String()]
	}
	return r, nil
}

// run runs all jobs once. Of several runs the fastest counts.
func (p *program) run(ctx context.Context) error {
	if len(p.jobs) == 0 {
		return nil
	}
	var lines, stderr bytes.Buffer
	for _, j := range p.jobs {
		fmt.Fprintln(&lines, j)
	}
	c := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	c.Stdin, c.Stderr = &lines, &stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", p.name, err, stderr.String())
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(answers) != len(p.jobs) {
		return fmt.Errorf("%s: %d answers to %d jobs", p.name, len(answers), len(p.jobs))
	}
	for i, j := range p.jobs {
		if reason, failed := strings.CutPrefix(answers[i], "error: "); failed {
			p.failed[j.String()] = errors.New(reason)
			continue
		}
		r, err := parseResult(answers[i])
		if err != nil {
			return fmt.Errorf("%s: %q: %w", p.name, answers[i], err)
		}
		if old, ok := p.results[j.String()]; !ok || r.speed > old.speed {
			p.results[j.String()] = r
		}
	}
	return nil
}

// parseResult reads bytes per second, allocations, bytes allocated. Peers give
// only the first.
func parseResult(s string) (result, error) {
	fields := append(strings.Fields(s), "-1", "0")
	speed, err := strconv.ParseFloat(fields[0], 64)
	allocs, err2 := strconv.Atoi(fields[1])
	allocated, err3 := strconv.ParseFloat(fields[2], 64)
	return result{speed, allocs, allocated}, errors.Join(err, err2, err3)
}

// build builds command measure. It runs in the folder of module bench.
func build(ctx context.Context, path string, args ...string) error {
	args = append([]string{"build", "-o", path}, args...)
	return command(ctx, "go", append(args, "./measure")...)
}

func command(ctx context.Context, name string, args ...string) error {
	if text, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, text)
	}
	return nil
}

// buildBefore builds command measure against another revision of the module:
// a worktree of it replaces the current tree.
func buildBefore(ctx context.Context, path, revision, temporary string) error {
	tree := filepath.Join(temporary, "tree")
	if err := command(ctx, "git", "worktree", "add", "--detach", tree, revision); err != nil {
		return err
	}
	defer command(context.Background(), "git", "worktree", "remove", "--force", tree)
	mod := filepath.Join(temporary, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(temporary, name), b, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if err := command(ctx, "go", "mod", "edit", "-replace=github.com/formatgauge/formatgauge="+tree, mod); err != nil {
		return err
	}
	return build(ctx, path, "-mod=mod", "-modfile="+mod)
}

// findPeer returns the program that runs a peer's driver, or the reason why it
// cannot run.
func findPeer(folder, name, interpreter, driver string) (*program, error) {
	path, err := exec.LookPath(interpreter)
	if err != nil {
		return nil, err
	}
	files := filepath.Join(folder, name)
	if _, err := os.Stat(files); err != nil {
		return nil, err
	}
	return newProgram(name, path, filepath.Join("peers", driver), files), nil
}
