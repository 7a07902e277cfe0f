package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// options are the flags of the command.
type options struct {
	n                     int
	seed, only, operator  string
	state                 string
	again, list, declared bool
	jobs                  int
}

// An outcome says how a mutant ended.
type outcome string

const (
	detected outcome = "detected"
	survives outcome = "survives"
)

// A result is a line of the state file.
type result struct {
	Target string `json:"target"`
	key
	Line    int     `json:"line"`
	Outcome outcome `json:"outcome"`
	By      string  `json:"by,omitempty"` // the vector, or why the program ended
}

func run(t target, o options) error {
	declared, err := loadSurvivors(survivorsFile)
	if err != nil {
		return err
	}
	s, err := openState(o.state, t.name)
	if err != nil {
		return err
	}
	defer s.close()
	if o.list {
		for _, r := range s.survivors() {
			fmt.Printf("%s:%d %s\n", r.File, r.Line, declared.verdict(r.key))
			fmt.Printf("\t%s\n", r.key)
		}
		return nil
	}
	pkgs, err := load(t.tags, t.packages)
	if err != nil {
		return err
	}
	all := enumerate(pkgs)
	problems := declared.missing(t, all)
	var chosen []*mutant
	for _, m := range inOrder(all, o.seed) {
		if strings.HasPrefix(fmt.Sprintf("%s:%d:", m.File, m.line), o.only) && (o.operator == "" || o.operator == m.Operator) &&
			(!o.declared || declared[m.key] != nil) {
			chosen = append(chosen, m)
		}
	}
	chosen = firstCompiling(chosen, o.n)
	if len(chosen) == 0 {
		return fmt.Errorf("%s", strings.Join(append(problems, "no mutants are chosen"), "\n"))
	}
	var open []*mutant
	for _, m := range chosen {
		if r, ok := s.results[m.key]; !ok || (o.again || o.declared) && r.Outcome == survives {
			open = append(open, m)
		}
	}
	fmt.Printf("%s: %d mutants, %d of them not judged yet\n", t.name, len(chosen), len(open))
	if err := judgeAll(t, open, s, declared, max(o.jobs, 1)); err != nil {
		return err
	}
	problems = append(problems, summarize(t, chosen, s, declared)...)
	if len(problems) > 0 {
		return fmt.Errorf("%s", strings.Join(problems, "\n"))
	}
	return nil
}

// firstCompiling returns the first n mutants that compile; n = 0 means all.
func firstCompiling(ms []*mutant, n int) []*mutant {
	if n == 0 {
		return compiling(ms)
	}
	var out []*mutant
	for len(out) < n && len(ms) > 0 {
		batch := ms[:min(len(ms), n)]
		ms = ms[len(batch):]
		out = append(out, compiling(batch)...)
	}
	return out[:min(n, len(out))]
}

// summarize prints the figures, and returns what is wrong with the file of survivors.
func summarize(t target, chosen []*mutant, s *state, declared survivors) (problems []string) {
	noticed, equivalent := 0, 0
	perOperator := map[string][2]int{}
	for _, m := range chosen {
		r, ok := s.results[m.key]
		if !ok {
			continue
		}
		v := declared[m.key]
		count := perOperator[m.Operator]
		count[1]++
		switch {
		case r.Outcome == detected:
			noticed++
			count[0]++
			if v != nil {
				problems = append(problems, fmt.Sprintf("%s is detected, by %s: remove it from %s", m, r.By, survivorsFile))
			}
		case v == nil:
			problems = append(problems, fmt.Sprintf("%s survives and is not in %s", m, survivorsFile))
		case v.Equivalent != "":
			equivalent++
			count[0]++
		}
		perOperator[m.Operator] = count
	}
	for _, op := range operators {
		if c := perOperator[op.name]; c[1] > 0 {
			fmt.Printf("%s: %-10s %d of %d detected or equivalent\n", t.name, op.name, c[0], c[1])
		}
	}
	judged := len(chosen) - equivalent
	fmt.Printf("%s: %d mutants, %d equivalent; %d of the %d others detected (%.1f %%)\n",
		t.name, len(chosen), equivalent, noticed, judged, 100*float64(noticed)/float64(max(judged, 1)))
	return problems
}

// judgeAll judges mutants and adds the results to the state.
func judgeAll(t target, ms []*mutant, s *state, declared survivors, jobs int) error {
	if len(ms) == 0 {
		return nil
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var inside, outside []*mutant
	for _, m := range ms {
		if m.function != nil {
			inside = append(inside, m)
		} else {
			outside = append(outside, m)
		}
	}
	j := &judging{target: t, limit: time.Hour, killers: map[string][]string{}}
	start := time.Now()
	if j.program, err = build(filepath.Join(work, "all"), t.tags, inside); err != nil {
		return err
	}
	built := time.Since(start)
	// The unchanged codec must survive: otherwise all mutants would be detected.
	start = time.Now()
	if o, by := j.judge(j.program, nil); o != survives {
		return fmt.Errorf("the unchanged codec is detected, by %s", by)
	}
	if err := j.findReach(work, inside); err != nil {
		return err
	}
	j.limit = 30*time.Second + 10*time.Since(start)
	fmt.Printf("%s: built in %.1f s; the unchanged codec takes %.1f s\n", t.name, built.Seconds(), time.Since(start).Seconds())
	start = time.Now()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	queue := make(chan *mutant)
	for range jobs {
		wg.Go(func() {
			for m := range queue {
				program := j.program
				var err error
				if m.function == nil {
					program, err = build(filepath.Join(work, fmt.Sprint(m.id)), t.tags, []*mutant{m})
				}
				var r result
				if err == nil {
					o, by := j.judge(program, m)
					r = result{t.name, m.key, m.line, o, by}
				}
				mu.Lock()
				if err == nil {
					err = s.add(r)
				}
				if err != nil && failed == nil {
					failed = err
				}
				if r.Outcome == survives {
					fmt.Printf("%s %s\n", declared.verdict(m.key), m)
				}
				mu.Unlock()
				if program != j.program {
					os.Remove(program)
				}
			}
		})
	}
	for _, m := range slices.Concat(inside, outside) {
		mu.Lock()
		stop := failed != nil
		mu.Unlock()
		if stop {
			break
		}
		queue <- m
	}
	close(queue)
	wg.Wait()
	fmt.Printf("%s: %.2f s per mutant, and the build\n", t.name, time.Since(start).Seconds()/float64(len(ms)))
	return failed
}

// selection is a file of each changed package. The number of the mutant is in the
// environment.
var selection = `package %s

import (
	"os"
	"strconv"

	"github.com/formatgauge/formatgauge/conformance/judge/mutants/reached"
)

var mutantReached = reached.Add
` + strings.Replace(pick, "var mutantSelected int", `var mutantSelected, _ = strconv.Atoi(os.Getenv("FORMATGAUGE_MUTANT"))`, 1)

// Structures with a quick function use their reader only after a fault. So the
// program can switch these functions off.
const (
	quickFile   = "codec/wire/wire.go"
	quickSwitch = `package wire

import "os"

var mutantQuick = os.Getenv("FORMATGAUGE_QUICK") != "off"
`
)

var quickAssignments = []string{"d.quick = quick\n", "d.quickAppend = quick\n"}

// build builds the judge with mutants of functions, or with one mutant outside of
// functions, and returns the program.
func build(work, tags string, ms []*mutant) (program string, err error) {
	if err := os.MkdirAll(work, 0o777); err != nil {
		return "", err
	}
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	replaced := map[string]string{}
	write := func(name, text string) error {
		if name == quickFile {
			for _, set := range quickAssignments {
				if !strings.Contains(text, set) {
					return fmt.Errorf("%s does not contain %q", name, set)
				}
				text = strings.Replace(text, set, "if mutantQuick {\n"+set+"}\n", 1)
			}
		}
		to := filepath.Join(work, fmt.Sprintf("%d.go", len(replaced)))
		replaced[filepath.Join(root, filepath.FromSlash(name))] = to
		return os.WriteFile(to, []byte(text), 0o666)
	}
	bySource := map[*source][]*mutant{}
	var order []*source
	for _, m := range ms {
		if bySource[m.source] == nil {
			order = append(order, m.source)
		}
		bySource[m.source] = append(bySource[m.source], m)
	}
	selected := map[*pkg]bool{}
	for _, s := range order {
		list := bySource[s]
		var text string
		if list[0].function == nil {
			text = apply(s.text, 0, len(s.text), list[0].edits)
		} else {
			text, _ = s.compose(list, true)
			if !selected[s.pkg] {
				selected[s.pkg] = true
				if err := write(s.pkg.dir+"/mutant_selected.go", fmt.Sprintf(selection, s.pkg.name)); err != nil {
					return "", err
				}
			}
		}
		if err := write(s.name, text); err != nil {
			return "", err
		}
	}
	if replaced[filepath.Join(root, filepath.FromSlash(quickFile))] == "" {
		text, err := os.ReadFile(filepath.FromSlash(quickFile))
		if err != nil {
			return "", err
		}
		if err := write(quickFile, string(text)); err != nil {
			return "", err
		}
	}
	if err := write(filepath.ToSlash(filepath.Dir(quickFile))+"/mutant_quick.go", quickSwitch); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlay, b, 0o666); err != nil {
		return "", err
	}
	program = filepath.Join(work, "judged")
	out, err := exec.Command("go", "build", "-tags", tags, "-overlay", overlay, "-ldflags=-s -w", "-o", program, "./conformance/judge/mutants/judged").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// judging is the state of a run that helps to detect mutants early.
type judging struct {
	target  target
	program string
	limit   time.Duration
	// reach is, for quick functions on and off, a file per function with the vectors
	// that run it, in parts of the run; empty if there are none.
	reach   map[string]map[*function]string
	mu      sync.Mutex
	killers map[string][]string // by function: vectors that detected others, the last one first
}

const maxKillers = 12

// everything replaces the file of a function that only one vector runs: the function
// may compute, once, what all vectors use.
const everything = "everything"

// findReach runs the unchanged codec and records which vectors run each function.
func (j *judging) findReach(work string, ms []*mutant) error {
	byID := map[string]*function{}
	for _, m := range ms {
		byID[fmt.Sprint(m.id)] = m.function
	}
	j.reach = map[string]map[*function]string{}
	for _, quick := range []string{"on", "off"} {
		c := exec.Command(j.program, append([]string{"-reach"}, j.target.families...)...)
		c.Env = environment(recording, quick)
		out, err := c.Output()
		if err != nil {
			return fmt.Errorf("recording: %w: %.200s", err, out)
		}
		items := map[*function]*strings.Builder{}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			for _, id := range fields[1:] {
				f := byID[id]
				if items[f] == nil {
					items[f] = &strings.Builder{}
				}
				items[f].WriteString(fields[0] + "\n")
			}
		}
		j.reach[quick] = map[*function]string{}
		for f, text := range items {
			if strings.Count(text.String(), "\n") == 1 {
				j.reach[quick][f] = everything
				continue
			}
			name := filepath.Join(work, fmt.Sprintf("reach-%s-%d", quick, len(j.reach[quick])))
			if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
				return err
			}
			j.reach[quick][f] = name
		}
	}
	return nil
}

func environment(id int, quick string) []string {
	return append(os.Environ(), fmt.Sprintf("FORMATGAUGE_MUTANT=%d", id), "FORMATGAUGE_QUICK="+quick, "GOGC=400")
}

// judge judges a mutant, or the unchanged codec if m is nil, with and without quick
// functions.
func (j *judging) judge(program string, m *mutant) (o outcome, by string) {
	if o, by = j.judgeWith(program, m, "on"); o == survives {
		o, by = j.judgeWith(program, m, "off")
	}
	return o, by
}

func (j *judging) judgeWith(program string, m *mutant, quick string) (o outcome, by string) {
	args := slices.Clone(j.target.families)
	id, where := 0, ""
	if m != nil {
		id, where = m.id, m.File+m.Function
		j.mu.Lock()
		args = append([]string{"-first", strings.Join(j.killers[where], ",")}, args...)
		j.mu.Unlock()
		if f := m.function; f != nil && f.decl != nil {
			switch only := j.reach[quick][f]; only {
			case "":
				return survives, ""
			case everything:
			default:
				args = append([]string{"-only", only}, args...)
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), j.limit)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Env = environment(id, quick)
	out, err := c.Output()
	switch {
	case err == nil:
		return survives, ""
	case ctx.Err() != nil:
		return detected, "the time limit"
	}
	by, _, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	if by == "" {
		by = "the end of the program"
	}
	if strings.Count(by, "/") == 2 && m != nil {
		vector, _, _ := strings.Cut(by, "#")
		j.mu.Lock()
		list := slices.DeleteFunc(slices.Clone(j.killers[where]), func(s string) bool { return s == vector })
		j.killers[where] = append([]string{vector}, list[:min(len(list), maxKillers)]...)
		j.mu.Unlock()
	}
	return detected, by
}
