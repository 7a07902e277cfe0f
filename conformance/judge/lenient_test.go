package judge_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// judgeReader judges a reader that decodes bytes itself, to the answer of a text: see answerOf.
func judgeReader(t *testing.T, vectors []*corpus.Vector, views []string, derived bool, read func(b []byte) string,
) *judge.Report {
	t.Helper()
	impl := observing(func(q adapter.Request, _ adapter.Response) adapter.Response {
		if q.Op != adapter.OpDecode {
			return answerOf(t, "skip only decode")
		}
		b, err := hex.DecodeString(*q.Hex)
		if err != nil {
			t.Fatal(err)
		}
		return answerOf(t, read(b))
	})
	impl.views = views
	return judgedBy(t, impl, vectors, judge.Options{Profile: new(ids.Observed()), NoDerived: !derived})
}

func resultIn(t *testing.T, r *judge.Report, id string) *judge.Result {
	t.Helper()
	i := slices.IndexFunc(r.Results, func(res judge.Result) bool { return res.ID == id })
	if i < 0 {
		t.Fatalf("no case %s", id)
	}
	return &r.Results[i]
}

// headerReader reads the first 36 bytes of a header of an old package, and stops there. If
// swapped is set it reads headers in the other byte order too.
func headerReader(swapped bool) func([]byte) string {
	return func(b []byte) string {
		var order binary.ByteOrder = binary.LittleEndian
		if swapped && bytes.HasPrefix(b, []byte{0x9E}) {
			order = binary.BigEndian
		}
		var n [9]uint32
		for i := range min(len(b)/4, len(n)) {
			n[i] = order.Uint32(b[4*i:])
		}
		switch tag, version := n[0], n[1]&0xFFFF; {
		case len(b) >= 4 && tag != 0x9E2A83C1 && tag != 0x9E2A83C2:
			return "magic @"
		case len(b) >= 8 && version > 178:
			return "version @"
		case len(b) < 36:
			return "truncated @"
		}
		return fmt.Sprintf(`{"signature": "%d", "version": "%d", "licensee": "%d", "flags": "%d", "nameCount": "%d", `+
			`"nameOffset": "%d", "exportCount": "%d", "exportOffset": "%d", "importCount": "%d", "importOffset": "%d"}`,
			n[0], n[1]&0xFFFF, n[1]>>16, n[2], n[3], n[4], n[5], n[6], n[7], n[8])
	}
}

// TestShortHeader: a reader that stops after ImportOffset does not know where the header
// ends.
func TestShortHeader(t *testing.T) {
	t.Parallel()
	vectors := corpustest.Of(t, "upkg.Header")
	r := judgeReader(t, vectors, []string{"upkg.short-header"}, true, headerReader(false))
	if r.Count(judge.Fail) > 0 || r.Count(judge.Pass) < 300 {
		t.Errorf("%d pass, failures: %q", r.Count(judge.Pass), listFailed(r))
	}
	trailing := 0
	for i := range r.Results {
		if res := &r.Results[i]; res.Rule == judge.Trailing {
			trailing++
			if res.Status != judge.NotApplicable || res.Reason != judge.LostFault {
				t.Errorf("%s: %s", res.ID, resultOf(res))
			}
		}
	}
	if trailing < 9 {
		t.Errorf("%d derived cases", trailing)
	}
	for id, want := range map[string]judge.Status{
		"upkg/Header/with-a-trailing-byte":        judge.NotApplicable,
		"upkg/Header/heritage-after-the-identity": judge.NotApplicable,
		"upkg/Header/cut-in-the-flags":            judge.Pass,
		"upkg/Header/version-179":                 judge.Pass,
	} {
		if res := resultIn(t, r, id); res.Status != want {
			t.Errorf("%s: %s", id, resultOf(res))
		}
	}
	// Without the view all of them fail, and other views do not help.
	for _, views := range [][]string{nil, {"upkg.tables"}} {
		r := judgeReader(t, vectors, views, false, headerReader(false))
		if res := resultIn(t, r, "upkg/Header/with-a-trailing-byte"); res.Status != judge.Fail {
			t.Errorf("in the views %q: %s", views, resultOf(res))
		}
	}
	// Other structures have an end in this view.
	r = judgeReader(t, only(corpustest.Of(t, "upkg.ImportEntry"), isSmall), []string{"upkg.short-header"}, false,
		func([]byte) string { return "{}" })
	if res := resultIn(t, r, "upkg/ImportEntry/with-a-trailing-byte"); res.Status != judge.Fail {
		t.Error(resultOf(res))
	}
}

// TestByteSwapped: a package in the other byte order may be read.
func TestByteSwapped(t *testing.T) {
	t.Parallel()
	v := corpustest.Find(t, "upkg/Header/signature-high-byte-first")
	whole := func(b []byte) string { // one number of 32 bits gives the same as two of 16 bits
		return strings.TrimSuffix(headerReader(true)(b), "}") + `, "heritage": null, "identity": ` +
			`{"guid": "11111111222222223333333344444444", "generations": []}}`
	}
	for _, views := range [][]string{nil, {"upkg.short-header"}} {
		r := judgeReader(t, []*corpus.Vector{v}, views, true, whole)
		if res := resultIn(t, r, v.ID); len(r.Results) != 1 || resultOf(res) != unsupported {
			t.Errorf("in the views %q: %s", views, resultOf(res))
		}
	}
	r := judgeReader(t, []*corpus.Vector{v}, nil, true, func([]byte) string { return "truncated @" })
	if res := resultIn(t, r, v.ID); res.Status != judge.Fail {
		t.Error(resultOf(res))
	}
}

// TestCharacterSets: nobody demands what bytes above 7F mean in texts of uasset.
func TestCharacterSets(t *testing.T) {
	t.Parallel()
	high := []string{
		"uasset/FString/above-ffff-in-bytes", "uasset/FString/byte-order-mark-alone", "uasset/FString/decomposed",
		"uasset/FString/high-bytes", "uasset/FString/not-utf8", "uasset/FString/utf8-in-bytes",
		"uasset/FString/utf8-surrogate-bytes", "uasset/NameEntry/not-utf8", "uasset/StrProperty/decomposed",
		"uasset/StrProperty/stray-continuation-byte",
	}
	vectors := only(corpustest.Of(t, "uasset"), func(v *corpus.Vector) bool {
		return slices.Contains([]string{"uasset.FString", "uasset.NameEntry", "uasset.StrProperty"}, v.Type) && isSmall(v)
	})
	latin1 := func(b []byte) string {
		var out []rune
		for _, c := range b {
			out = append(out, rune(c))
		}
		return string(out)
	}
	for name, convert := range map[string]func([]byte) string{
		"Latin-1":      latin1,
		"strict UTF-8": func(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") },
		"seven bits": func(b []byte) string {
			return string(slices.DeleteFunc(b, func(c byte) bool { return c > 0x7F }))
		},
		"one text too many": func(b []byte) string { return latin1(b) + "x" },
	} {
		wrong := name == "one text too many" || name == "seven bits" // which loses what it does not show
		replaced := inTrees(func(n tree.Node) tree.Node {
			if i := slices.Index(n.Names, "text"); i >= 0 && n.Field("form").Text == "bytes" {
				text, err := tree.TextOf(n.Items[i])
				if err != nil {
					t.Fatal(err)
				}
				n.Items[i] = tree.FromText(convert([]byte(text)))
			}
			return n
		})
		r := judgeAltered(t, vectors, judge.Options{NoDerived: true}, replaced)
		for _, id := range high {
			if res := resultIn(t, r, id); !wrong && res.Status != judge.Pass && res.Status != judge.Acceptable {
				t.Errorf("%s: %s: %s", name, id, resultOf(res))
			}
		}
		if failed := r.Count(judge.Fail) > 0; failed != wrong {
			t.Errorf("%s: %q", name, listFailed(r))
		}
	}
}
