package judge_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	words "github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// answerOf parses the answers of tables: "truncated @4", "truncated @" without an offset,
// "hex 00ff", "skip why", "error why", or a tree.
func answerOf(t *testing.T, text string) adapter.Response {
	t.Helper()
	word, rest, _ := strings.Cut(text, " ")
	at, isReject := strings.CutPrefix(rest, "@")
	switch {
	case word == "hex":
		return adapter.Response{OK: &adapter.OK{Hex: &rest}}
	case word == "skip":
		return adapter.Response{Skip: &adapter.Skip{Reason: rest}}
	case word == "error":
		return adapter.Response{Error: &adapter.Fault{Message: rest}}
	case isReject && at == "":
		return adapter.Response{Reject: &adapter.Reject{Class: word}}
	case isReject:
		offset, err := strconv.Atoi(at)
		if err != nil {
			t.Fatal(err)
		}
		return adapter.Response{Reject: &adapter.Reject{Class: word, Offset: &offset}}
	}
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return adapter.Response{OK: &adapter.OK{Tree: &n}}
}

// TestFair: answers of readers that follow the documents or the files, and that vectors
// have failed. Each reader is the reference except for this answer.
func TestFair(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id      string // of the vector, or of a case that is derived from it
		profile string
		answer  string
		want    string
	}{
		// The tag of a nested archive is compared like that of the outermost one.
		{"ka/Archive/cut-after-archive-length", "observed", "magic @57", pass},
		{"ka/Archive/cut-in-nested-tag", "observed", "magic @57", pass},
		{"ka/Archive/cut-nothing#truncated-57", "observed", "magic @57", pass},
		{"ka/Archive/cut-nothing#truncated-58", "observed", "magic @57", pass},
		{"ka/Archive/cut-nothing#truncated-59", "observed", "magic @57", fail},
		{"ka/KeyedArchive/length-zero", "observed", "magic @4", pass},
		{"ka/KeyedArchive/length-zero", "observed,ka.nested-length-mismatch=ignore", "magic @4", pass},
		{"ka/KeyedArchive/length-zero-before-an-archive", "observed", "magic @4", pass},
		{"ka/KeyedArchive/bare-archive-without-tag", "observed", "magic @4", pass},
		{"ka/KeyedArchive/one-pair#truncated-5", "observed,ka.nested-length-mismatch=ignore", "magic @4", pass},
		{"ka/Header/bare-version-0001", "observed", "truncated @0", pass},
		{"uasset/Package/cut-in-summary", "observed", "magic @37", pass},
		{"uasset/Package/split", "observed", "magic @492", pass},
		// A writer can follow another side, or ignore a field that this version or size does not
		// store. It must not lose any other part of the value.
		{"upkg/ExportEntry/offset-at-size-zero-has-no-encoding", "observed", "hex 0000000000000500000000004001", byChoice},
		{"upkg/ExportEntry/offset-at-size-zero-has-no-encoding", "observed", "hex 000000000000050000000000", byChoice},
		{"upkg/ExportEntry/size-below-zero-with-an-offset-is-written", "observed", "hex 000000000000050000000081", fail},
		{"upkg/ExportEntry/size-of-three-bytes-below-zero-is-written", "observed", "hex 824001010100004001000000ffe88c0183", byChoice},
		// Sides of readers do not bind writers.
		{"upkg/Name/embedded-nul-is-written", "observed,upkg.name-embedded-nul=cut", "hex 0441004200", byChoice},
		{"upkg/Name/nul-at-the-end-is-written", "observed,upkg.name-embedded-nul=cut", "hex 03510000", byChoice},
		{"upkg/Name/nul-first-is-written", "observed,upkg.name-embedded-nul=cut", "hex 0400414200", byChoice},
		{"ka/BodyV0x0002Pair/write", "observed,ka.unknown-id=documented", "hex 040000001601", byChoice},
		{"ka/BodyV0x0102/write-unknown-key", "observed,ka.unknown-id=documented", "hex 01000000040000001601", byChoice},
		// Limits, the other byte order, and sizes that are checked first.
		{"upkg/Name/65537-bytes-below-64", "observed", "limit @0", byChoice},
		{"upkg/Header/signature-high-byte-first", "observed", "unsupported @0", pass},
		{"upkg/Header/signature-high-byte-first", "observed", `{}`, fail},
		// A table that ends early is noticed at its count or later.
		{"upkg/Package/version-61", "observed,upkg.serial-offset=always", "truncated @20", pass},
		{"upkg/Package/version-68", "observed,upkg.serial-offset=always", "truncated @20", pass},
		{"upkg/Package/version-69", "observed,upkg.serial-offset=not-negative", "truncated @20", pass},
		{"upkg/Package/version-128-licensee-29", "observed,upkg.serial-offset=always", "truncated @20", pass},
		{"upkg/Package/padded-length-of-a-name-without-terminator", "documented", "truncated @12", pass},
		// What a reader does not support is no fault of it.
		{"upkg/Name/none", "observed", "unsupported @0", string(judge.Skip)},
		{"upkg/Name/none", "observed", "value @0", fail},
		{"upkg/Name/none#truncated-3", "observed", "unsupported @0", fail},
		// Nothing of the type is accepted here; see TestSupport for readers that accept some.
		{"upkg/Name/nothing", "observed", "unsupported @0", unsupported},
	} {
		id, cut, derived := strings.Cut(c.id, "#truncated-")
		v := corpustest.Find(t, id)
		answer := answerOf(t, c.answer)
		impl := &altered{Reference: adapter.NewReference(), follows: c.profile}
		impl.alter = func(q adapter.Request, a adapter.Response) adapter.Response {
			if derived && (q.Hex == nil || strconv.Itoa(len(*q.Hex)/2) != cut) || !derived && len(impl.requests) > 1 {
				return a
			}
			answer.ID = a.ID
			return answer
		}
		r := judgedBy(t, impl, []*corpus.Vector{v}, judge.Options{NoDerived: !derived})
		if res := resultIn(t, r, c.id); resultOf(res) != c.want {
			t.Errorf("%s under %s, %s: %s %s %s", c.id, c.profile, c.answer, resultOf(res), res.Class, words.What(res.Outcome))
		}
	}
}

// TestUnsupported: a reader that does not support a valid input skips it and what is
// derived from it, and the report counts that.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	v := corpustest.Find(t, "upkg/Name/none")
	r := judgeAltered(t, []*corpus.Vector{v}, judge.Options{}, always(t, "unsupported @"))
	if r.Count(judge.Fail) > 0 || r.Count(judge.Skip) < 3 || r.Conformant() {
		t.Errorf("%d failures, %d skips", r.Count(judge.Fail), r.Count(judge.Skip))
	}
	if types, ops, n := r.SkippedListed(); n != r.Count(judge.Skip) || len(types) != 1 || ops != nil {
		t.Errorf("skipped %d cases of %v", n, types)
	}
	// A later operation does not skip the case, but counts as skipped.
	r = judgeAltered(t, []*corpus.Vector{v}, judge.Options{NoDerived: true},
		answering(t, map[adapter.Op]string{adapter.OpRoundtrip: "skip not yet"}))
	types, ops, n := r.SkippedListed()
	if r.Count(judge.Pass) != 1 || n != 1 || len(types) != 1 || !slices.Equal(ops, []string{"roundtrip"}) {
		t.Errorf("skipped %v of %d cases of %v", ops, n, types)
	}
	const want = "conformant; cases of listed types, or only their roundtrip, were skipped: upkg.Name"
	if got := (&words.Run{Report: r}).Verdict(); got != want {
		t.Error(got)
	}
}

// givenUpAfter returns an implementation that hangs after some answers, and is given up.
func givenUpAfter(n int) func(asked int) error {
	return func(asked int) error {
		if asked <= n {
			return nil
		}
		return &adapter.Broken{Kind: adapter.Timeout, Detail: "given up after 1 timeout", NotAsked: asked > n+1}
	}
}

// TestNotAsked: a hang after which the implementation is given up is the only failure.
// A list of known failures keeps the entries that were not asked for, and does not match.
func TestNotAsked(t *testing.T) {
	t.Parallel()
	vectors := corpustest.Of(t, "upkg.CompactIndex")
	list := ""
	for _, v := range vectors {
		list += v.ID + "  timeout\n"
	}
	known := parseKnown(t, list)
	r := judgedBy(t, &altered{Reference: adapter.NewReference(), fails: givenUpAfter(10)}, vectors,
		judge.Options{NoDerived: true, Profile: new(ids.Observed()), Known: known})
	if r.Count(judge.Timeout) != 1 || r.Count(judge.Fail) > 0 || r.Count(judge.Skip) < len(vectors)/2 || r.Conformant() ||
		r.MatchesKnown() {
		t.Errorf("%d hangs, %d failures, %d skips of %d", r.Count(judge.Timeout), r.Count(judge.Fail), r.Count(judge.Skip),
			len(vectors))
	}
	kept := known.Accept(r).String()
	for _, res := range r.Results {
		if res.Reason == judge.NotAsked && !strings.Contains(kept, res.ID+"  timeout\n") {
			t.Errorf("the entry of %s is gone", res.ID)
		}
	}
}

// TestNotApplicable: a side that an implementation declares leaves a vector without a
// verdict only if it changes the answer.
func TestNotApplicable(t *testing.T) {
	vectors := corpustest.All(t)
	for _, f := range spec.Flags() {
		listing := only(vectors, func(v *corpus.Vector) bool {
			return slices.Contains(v.Flags, f.ID) && v.Select(ids.Observed()) != nil
		})
		for _, side := range f.Sides {
			p := profileOf(t, "observed,"+string(f.ID)+"="+side.Name)
			lost := len(only(listing, func(v *corpus.Vector) bool { return judge.Verdict(v, p) == nil }))
			if side.Name != f.InDocumented && lost > 20 || lost > 150 {
				t.Errorf("%s=%s: %d of %d vectors are not applicable", f.ID, side.Name, lost, len(listing))
			}
		}
	}
}
