package judge_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// judgeReader judges a reader that decodes bytes itself. read returns a tree, as Go values,
// or the class of a rejection.
func judgeReader(t *testing.T, vectors []*corpus.Vector, views []string, derived bool,
	read func(b []byte) (value any, class string),
) *judge.Report {
	t.Helper()
	impl := observing(nil)
	impl.views = views
	impl.alter = func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Op != adapter.OpDecode || q.Hex == nil {
			return adapter.Response{ID: a.ID, Skip: &adapter.Skip{Reason: "only decode"}}
		}
		b, err := hex.DecodeString(*q.Hex)
		if err != nil {
			t.Fatal(err)
		}
		value, class := read(b)
		if class != "" {
			return adapter.Response{ID: a.ID, Reject: &adapter.Reject{Class: class}}
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return answerOf(t, string(text))
	}
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
func headerReader(swapped bool) func([]byte) (any, string) {
	return func(b []byte) (any, string) {
		var order binary.ByteOrder = binary.LittleEndian
		if len(b) < 4 {
			return nil, "truncated"
		}
		if swapped && b[0] == 0x9E {
			order = binary.BigEndian
		}
		tag := order.Uint32(b)
		if tag != 0x9E2A83C1 && tag != 0x9E2A83C2 {
			return nil, "magic"
		}
		if len(b) < 8 {
			return nil, "truncated"
		}
		out := map[string]string{"signature": strconv.FormatUint(uint64(tag), 10)}
		both := order.Uint32(b[4:])
		if both&0xFFFF > 178 {
			return nil, "version"
		}
		out["version"], out["licensee"] = strconv.Itoa(int(both&0xFFFF)), strconv.Itoa(int(both>>16))
		names := []string{"flags", "nameCount", "nameOffset", "exportCount", "exportOffset", "importCount", "importOffset"}
		for i, name := range names {
			if len(b) < 12+4*i {
				return nil, "truncated"
			}
			out[name] = strconv.FormatUint(uint64(order.Uint32(b[8+4*i:])), 10)
		}
		return out, ""
	}
}

// TestShortHeader: a reader that stops after ImportOffset does not know where the header
// ends.
func TestShortHeader(t *testing.T) {
	t.Parallel()
	vectors := vectorsOf(t, "upkg.Header")
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
	r = judgeReader(t, only(vectorsOf(t, "upkg.ImportEntry"), isSmall), []string{"upkg.short-header"}, false,
		func([]byte) (any, string) { return map[string]string{}, "" })
	if res := resultIn(t, r, "upkg/ImportEntry/with-a-trailing-byte"); res.Status != judge.Fail {
		t.Error(resultOf(res))
	}
}

// TestByteSwapped: a package in the other byte order may be read.
func TestByteSwapped(t *testing.T) {
	t.Parallel()
	v := corpustest.Find(t, "upkg/Header/signature-high-byte-first")
	whole := func(b []byte) (any, string) {
		half := headerReader(true)
		value, class := half(b)
		out, ok := value.(map[string]string)
		if !ok || len(b) != 56 || binary.BigEndian.Uint16(b[4:]) != 69 || binary.BigEndian.Uint16(b[6:]) != 69 {
			t.Errorf("%s: %v", class, value)
		}
		if out["version"] != "69" || out["licensee"] != "69" || out["flags"] != "1" {
			t.Error(out) // one number of 32 bits gives the same as two of 16 bits
		}
		all := map[string]any{"heritage": nil, "identity": map[string]any{
			"guid": "11111111222222223333333344444444", "generations": []string{},
		}}
		for name, text := range out {
			all[name] = text
		}
		return all, ""
	}
	for _, views := range [][]string{nil, {"upkg.short-header"}} {
		r := judgeReader(t, []*corpus.Vector{v}, views, true, whole)
		if res := resultIn(t, r, v.ID); len(r.Results) != 1 || resultOf(res) != string(judge.Unsupported) {
			t.Errorf("in the views %q: %s", views, resultOf(res))
		}
	}
	r := judgeReader(t, []*corpus.Vector{v}, nil, true, func([]byte) (any, string) { return nil, "truncated" })
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
			return latin1(slices.DeleteFunc(slices.Clone(b), func(c byte) bool { return c > 0x7F }))
		},
		"one text too many": func(b []byte) string { return latin1(b) + "x" },
	} {
		wrong := name == "one text too many" || name == "seven bits" // which loses what it does not show
		replaced := inTrees(func(n tree.Node) tree.Node {
			if i := slices.Index(n.Names, "text"); i >= 0 && n.Field("form").Text == "bytes" {
				n.Items[i] = tree.Node{Kind: tree.Text, Text: convert(bytesOf(t, n.Items[i]))}
			}
			return n
		})
		r := judgeAltered(t, only(vectorsOf(t, "uasset.FString", "uasset.NameEntry", "uasset.StrProperty"), isSmall),
			judge.Options{NoDerived: true}, replaced)
		for _, id := range high {
			res := resultIn(t, r, id)
			if got := resultOf(res); !wrong && !res.Status.Disagrees() && got != pass || !wrong && res.Status.Failed() {
				t.Errorf("%s: %s: %s", name, id, got)
			}
		}
		if failed := r.Count(judge.Fail) > 0; failed != wrong {
			t.Errorf("%s: %q", name, listFailed(r))
		}
	}
}

// bytesOf returns the bytes of a text.
func bytesOf(t *testing.T, n tree.Node) []byte {
	t.Helper()
	text, err := tree.TextOf(n)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(text)
}
