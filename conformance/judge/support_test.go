package judge_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// unsupportedIf returns a reader that rejects the inputs for which lacks is true.
func unsupportedIf(lacks func(input []byte) bool) alteration {
	return func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Hex != nil {
			if input, err := hex.DecodeString(*q.Hex); err == nil && lacks(input) {
				return adapter.Response{ID: a.ID, Reject: &adapter.Reject{Class: "unsupported"}}
			}
		}
		return a
	}
}

// TestSupport: readers that lack a version, kinds of values, or all that the corpus has of a
// type. What they answer is decided by bytes. Nothing that they lack fails; what they have
// is judged as before.
func TestSupport(t *testing.T) {
	t.Parallel()
	version := func(b []byte) int {
		if len(b) < 8 || string(b[1:4]) != "\x83\x2a\x9e" || b[0] != 0xc1 && b[0] != 0xc2 {
			return 69
		}
		return int(binary.LittleEndian.Uint16(b[4:]))
	}
	for _, c := range []struct {
		name, typ string
		lacks     func(input []byte) bool
		planted   func(input []byte) bool // is rejected too, although the reader has it
		excused   []string                // some of the vectors that become acceptable
		fails     string                  // one that fails with planted
		features  string                  // of which the report says that each valid input was rejected
	}{
		{
			"versions 61 to 69", "upkg.Package",
			func(b []byte) bool { return version(b) < 61 || version(b) > 69 },
			func(b []byte) bool { return len(b) == 0 },
			[]string{
				"upkg/Package/no-licensee-128-31", "upkg/Package/no-licensee-102-82", "upkg/Package/no-licensee-160-1",
				"upkg/Package/one-export-missing-below-50",
			},
			"upkg/Package/nothing",
			"upkg.Package with version=128 licensee=29",
		},
		{
			"without 17 type ids", "ka.Value", // none of them is in an array of the corpus
			func(b []byte) bool {
				return len(b) > 0 && b[0] >= 9 && b[0] <= 30 && b[0] != 16 && b[0] != 23 && b[0] != 27
			},
			func(b []byte) bool { return len(b) == 1 && b[0] == 1 },
			[]string{
				"ka/Value/aabbox2-without-body", "ka/Value/vector2-without-body", "ka/Value/rect-without-body",
				"ka/Value/float64-without-body",
			},
			"ka/Value/boolean-without-body",
			"ka.Value with type=AABBOX2",
		},
		{
			"no UTF-16", "uasset.FString",
			func(b []byte) bool { return len(b) >= 4 && b[3] >= 0x80 },
			func(b []byte) bool { return len(b) == 3 },
			[]string{"uasset/FString/length-least", "uasset/FString/utf16-length-past-end", "uasset/FString/utf16-terminator-missing"},
			"uasset/FString/cut-in-length",
			"uasset.FString with length<0",
		},
		{
			"only versioned packages", "uasset.Summary",
			func(b []byte) bool {
				return len(b) < 24 || !slices.ContainsFunc(b[8:24], func(c byte) bool { return c != 0 })
			},
			func([]byte) bool { return false },
			[]string{
				"uasset/Summary/cut-at-189", "uasset/Summary/cut-in-tag", "uasset/Summary/nothing",
				"uasset/Summary/trailing-byte", "uasset/Summary/tag-one-bit-off",
			},
			"",
			"uasset.Summary",
		},
		{
			"only unversioned packages", "uasset.Summary",
			func(b []byte) bool {
				return len(b) >= 24 && slices.ContainsFunc(b[8:24], func(c byte) bool { return c != 0 })
			},
			func(b []byte) bool { return len(b) == 189 },
			nil,
			"uasset/Summary/cut-at-189",
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			vectors := only(corpustest.Of(t, c.typ), isSmall)
			r := judgeAltered(t, vectors, judge.Options{}, unsupportedIf(c.lacks))
			if n := r.Count(judge.Fail); n > 0 {
				t.Errorf("%d failures: %q", n, listFailed(r))
			}
			for i := range r.Results {
				res := &r.Results[i]
				if slices.Contains(c.excused, res.ID) && resultOf(res) != string(judge.Unsupported) {
					t.Errorf("%s: %s", res.ID, resultOf(res))
				}
				// Nothing else is acceptable because of support.
				if res.Reason == judge.Unsupported && res.Class == judge.WrongClass && !c.lacks(res.Input) {
					t.Errorf("%s is acceptable", res.ID)
				}
			}
			if n := countReason(r, judge.Unsupported); n < len(c.excused) {
				t.Errorf("%d are acceptable", n)
			}
			features := fmt.Sprint(r.Unsupported())
			if c.features == "" && features != "[]" || !strings.Contains(features, c.features) {
				t.Errorf("each valid input rejected as unsupported: %s", features)
			}
			r = judgeAltered(t, vectors, judge.Options{NoDerived: true},
				unsupportedIf(func(b []byte) bool { return c.lacks(b) || c.planted(b) }))
			failed := slices.ContainsFunc(r.Results, func(res judge.Result) bool { return res.ID == c.fails && res.Status == judge.Fail })
			if failed != (c.fails != "") {
				t.Errorf("%s fails: %v; %q", c.fails, failed, listFailed(r))
			}
		})
	}
}

// TestUnsupportedForTruncated: a reader that accepts everything valid, and rejects as
// unsupported what ends early, is noticed in every type, by almost every case.
func TestUnsupportedForTruncated(t *testing.T) {
	t.Parallel()
	p := ids.Observed()
	perType := map[string]int{}
	few := only(smallVectors(t), func(v *corpus.Vector) bool {
		perType[v.Type]++
		return perType[v.Type] <= 3 && len(v.Bytes) <= 256
	})
	planted, noticed := map[string]int{}, map[string]int{}
	for derived, vectors := range map[bool][]*corpus.Vector{false: smallVectors(t), true: few} {
		r := judgedBy(t, judgetest.Adapter("unsupported"), vectors,
			judge.Options{Profile: &p, NoDerived: !derived})
		all, failed := 0, 0
		for i := range r.Results {
			res := &r.Results[i]
			if res.Got == nil || res.Got.Reject == nil || res.Got.Reject.Class != "unsupported" ||
				corpus.Admits(res.Expected.Reject.Class, "unsupported") || res.Derived != derived {
				continue
			}
			all++
			planted[res.Vector.Type]++
			if res.Status == judge.Fail {
				failed++
				noticed[res.Vector.Type]++
			}
		}
		if all < 400 || failed < all*98/100 {
			t.Errorf("derived %v: %d of %d are noticed", derived, failed, all)
		}
	}
	for typ, n := range planted {
		if noticed[typ] == 0 {
			t.Errorf("%s: none of %d is noticed", typ, n)
		}
	}
	// Four types cannot end early.
	if n := len(codec.Types()) - 4; len(planted) != n {
		t.Errorf("%d types, want %d", len(planted), n)
	}
}
