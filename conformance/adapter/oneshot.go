package adapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// Oneshot is an implementation without the protocol: one process per case, with
// the bytes on its standard input and the tree in JSON on its standard output.
// Exit code 0 means accepted, 1 means rejected; then the first word on standard
// error may be the class. [ExitUnsupported] means that the command does not support
// the type: it is not asked about it again. The only operation is decode.
type Oneshot struct {
	words        []string
	opts         Options
	profile      string
	withoutClass atomic.Int64
	timeouts     atomic.Int64
	limit        *patience
	unsupported  sync.Map // types that the command does not support
}

// ExitUnsupported is the exit code of a command that does not support a type, as in
// the test harnesses of Automake and Meson.
const ExitUnsupported = 77

// NewOneshot takes a command in which {type}, {profile} and {context} are
// replaced for each case. Words are separated by spaces; single or double
// quotes keep words together. No shell is involved.
func NewOneshot(command, profile string, opts Options) (*Oneshot, error) {
	words, err := splitWords(command)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("adapter: no command")
	}
	if err := opts.check(words[0]); err != nil {
		return nil, err
	}
	return &Oneshot{words: words, opts: opts, profile: profile, limit: newPatience(&opts)}, nil
}

func splitWords(s string) ([]string, error) {
	word, quoted := regexp.MustCompile(`(?:[^ \t'"]|'[^']*'|"[^"]*")+`), regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
	if strings.ContainsAny(word.ReplaceAllString(s, ""), `'"`) {
		return nil, errors.New("adapter: missing closing quote")
	}
	words := word.FindAllString(s, -1)
	for i, w := range words {
		words[i] = quoted.ReplaceAllString(w, "$1$2")
	}
	return words, nil
}

// Hello describes the command, without running it.
func (o *Oneshot) Hello(context.Context) (Hello, error) {
	h := Hello{
		Protocol: Version, Name: filepath.Base(o.words[0]), Operations: []Op{OpDecode}, Profile: o.profile,
		Views: spec.MergeViews(nil, o.opts.Views),
	}
	for _, t := range codec.Types() {
		h.Types = append(h.Types, t.Name)
	}
	return h, nil
}

// RejectsWithoutClass returns the number of rejections without a class. The class
// and the offset of these are not judged.
func (o *Oneshot) RejectsWithoutClass() int { return int(o.withoutClass.Load()) }

// Fork returns o: each case has a process of its own.
func (o *Oneshot) Fork() Implementation { return o }

// Close does nothing.
func (o *Oneshot) Close() error { return nil }

// Do runs the command once.
func (o *Oneshot) Do(ctx context.Context, q Request) (Response, error) {
	a := Response{ID: q.ID}
	skip := func(reason string) (Response, error) {
		a.Skip = &Skip{Reason: reason}
		return a, nil
	}
	_, unsupported := o.unsupported.Load(q.Type)
	switch {
	case q.Op != OpDecode:
		return skip("a command that runs once per case can only decode")
	case !hasDefaults(q) && !slices.ContainsFunc(o.words, func(w string) bool { return strings.Contains(w, "{context}") }):
		return skip("the command does not contain {context}")
	case unsupported:
		return skip(unsupportedType)
	case o.timeouts.Load() >= maxFaults:
		return a, &Broken{
			Kind: Timeout, NotAsked: true,
			Detail: fmt.Sprintf("the adapter was given up after %d timeouts", maxFaults),
		}
	}
	src, err := q.input()
	if err != nil {
		return a, err
	}
	out := limitedBuffer{limit: answerLimit(max(q.Expected, 2*len(src)))}
	limit, began := o.limit.of(&q, false), time.Now()
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(inTime, o.words[0], o.expand(q)...)
	ownGroup(cmd)
	cmd.Cancel = func() error {
		killGroup(cmd)
		return nil
	}
	tail := newTailWriter(nil)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(src), &out, tail, closeGrace
	if err := o.opts.start(cmd); err != nil {
		return a, &Broken{Kind: Crash, Detail: err.Error()}
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return a, ctx.Err()
	case inTime.Err() != nil:
		o.timeouts.Add(1)
		o.limit.timedOut(&q, limit)
		return a, &Broken{Kind: Timeout, Detail: fmt.Sprintf("the process did not end within %v", limit)}
	}
	o.limit.answered(&q, time.Since(began))
	if out.size > out.limit {
		return a, tooLong(fmt.Sprintf("%d bytes", out.size), out.limit)
	}
	code, stderr := cmd.ProcessState.ExitCode(), tail.String()
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		n, err := tree.Parse(out.kept)
		if err != nil {
			return a, &Broken{Kind: Protocol, Detail: fmt.Sprintf("exit code 0 and output that is not a tree: %v", err)}
		}
		a.OK = &OK{Tree: &n}
		return a, nil
	case code == ExitUnsupported:
		o.unsupported.Store(q.Type, true)
		return skip(unsupportedType)
	case code == 1 && !isUncaughtException(stderr):
		a.Reject = &Reject{Message: strings.TrimSpace(stderr)}
		words := append(strings.Fields(stderr), "")
		if word := strings.TrimRight(words[0], ":,."); slices.Contains(corpus.Classes, word) {
			a.Reject.Class = word
		} else {
			o.withoutClass.Add(1)
		}
		return a, nil
	}
	return a, &Broken{Kind: Crash, Detail: err.Error() + stderrText(stderr)}
}

const unsupportedType = "the command does not support the type (exit code 77)"

// hasDefaults reports whether each value in the context of a request has the
// default value of the type.
func hasDefaults(q Request) bool {
	t, ok := codec.Find(q.Type)
	for k, v := range q.Context {
		if d, has := t.Context[k]; !ok || !has || d != v {
			return false
		}
	}
	return true
}

func (o *Oneshot) expand(q Request) []string {
	var context []string
	for _, k := range slices.Sorted(maps.Keys(q.Context)) {
		context = append(context, k+"="+q.Context[k])
	}
	r := strings.NewReplacer("{type}", q.Type, "{profile}", q.Profile, "{context}", strings.Join(context, ","))
	var out []string
	for _, w := range o.words[1:] {
		out = append(out, r.Replace(w))
	}
	return out
}

// isUncaughtException distinguishes an uncaught exception from a rejection:
// Python and Node also exit with 1.
func isUncaughtException(stderr string) bool {
	return strings.Contains(stderr, "Traceback (most recent call last)") || strings.Contains(stderr, "\nNode.js v") ||
		strings.Contains(stderr, "Exception in thread ")
}

// limitedBuffer keeps what is written to it, up to a limit. The rest is counted.
type limitedBuffer struct {
	kept        []byte
	size, limit int
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.size += len(p); l.size > l.limit {
		l.kept = nil
	} else {
		l.kept = append(l.kept, p...)
	}
	return len(p), nil
}
