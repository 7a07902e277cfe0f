package report_test

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/model/upkg"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// ask asks a reader.
type ask func(adapter.Request) adapter.Response

// A mistake is an error of a reader.
type mistake struct {
	family, text string
	named        string // what the first cause has to name
	plant
}

// A plant makes a reader with a mistake of one without it.
type plant struct {
	in      func(ask) ask
	derived bool // only derived cases show the mistake
}

// mistakes are typical ones. Neighbours are in one family, so that pairs of them are hard to
// keep apart.
var mistakes = []mistake{
	{"ubi", "bytes of texts are read as latin-1", "ubi.BasicString.s", both(
		inValues(func(s *ubi.BasicString) { *s = ubi.BasicString(latin1(string(*s))) }),
		inValues(func(s *ubi.EncryptedString) { *s = ubi.EncryptedString(latin1(string(*s))) }))},
	{"ubi", "x and y are swapped", "ubi.Vector3.x", inValues(func(v *ubi.Vector3) { v.X, v.Y = v.Y, v.X })},
	{"ubi", "red and blue are swapped", "ubi.Color.r", inValues(func(c *ubi.Color) { c.R, c.B = c.B, c.R })},
	{"ubi", "the payload of a NaN is lost", "float", inValues(func(f *float32) {
		if *f != *f {
			*f = math.Float32frombits(0x7FC00000)
		}
	})},
	{"ubi", "-0 is read as 0", "float32", inValues(func(f *float32) { *f += 0 })},
	{"ubi", "the byte order is ignored", "order=big", mode("ignores-order", "", false)},
	{"ubi", "wide texts end at the first surrogate", "ubi.BasicWString.s", inValues(func(s *ubi.BasicWString) {
		if i := strings.IndexFunc(string(*s), func(r rune) bool { return r > 0xFFFF }); i >= 0 {
			*s = (*s)[:i]
		}
	})},
	{"ubi", "the byte order of the preceding request is kept", "earlier requests", mode("keeps-context", "", false)},
	{"ubi", "counts of arrays are read as one byte", "ubi.Array", mode("narrow-counts", "^ubi.Array", true)},

	{"upkg", "the sign of an index is ignored", "upkg.CompactIndex", inValues(func(i *upkg.CompactIndex) {
		*i = max(*i, -*i)
	})},
	{"upkg", "int64 is read as unsigned", "upkg.Integer<int64>", inText("upkg.Integer<int64>", func(n *tree.Node) {
		v, _ := strconv.ParseInt(n.Text, 10, 64)
		n.Text = strconv.FormatUint(uint64(v), 10)
	})},
	{"upkg", "integers of 64 bits pass through a double", "upkg.Integer<", both(
		inValues(func(v *uint64) { *v = uint64(float64(*v)) }),
		inValues(func(v *int64) { *v = int64(float64(*v)) }))},
	{"upkg", "flags are masked to 16 bits", "upkg.Header.flags", inValues(func(h *upkg.Header) { h.Flags &= 0xFFFF })},
	{"upkg", "one field has another byte order", "upkg.Header.licensee", inValues(func(h *upkg.Header) {
		h.Licensee = h.Licensee<<8 | h.Licensee>>8
	})},
	{"upkg", "the GUID has the byte order of Windows", "upkg.Header.identity.guid", inValues(func(i *upkg.Identity) {
		slices.Reverse(i.Guid[:4])
		slices.Reverse(i.Guid[4:6])
		slices.Reverse(i.Guid[6:8])
	})},
	{"upkg", "names are lower-cased", "upkg.Name.text", inValues(func(n *upkg.Name) {
		n.Text = strings.Map(unicode.ToLower, n.Text)
	})},
	{"upkg", "later generations are lost", "upkg.Header.identity.generations", inValues(func(i *upkg.Identity) {
		i.Generations = i.Generations[:min(1, len(i.Generations))]
	})},
	{"upkg", "trailing bytes are ignored", "trailing", mode("ignores-trailing", "", true)},
	{"upkg", "uint32 is cut off at 2^31-1", "uint32", inValues(func(v *uint32) { *v = min(*v, math.MaxInt32) })},

	{"ka", "float64 is read as float32", "ka.Float64", inValues(func(f *ka.Float64) { *f = ka.Float64(float32(*f)) })},
	{"ka", "the last of equal keys is kept", "children", inValues(func(pairs *[]ka.Pair) {
		for i := len(*pairs) - 1; i >= 0; i-- {
			sameKey := func(p ka.Pair) bool { return reflect.DeepEqual(p.Key, (*pairs)[i].Key) }
			if slices.ContainsFunc((*pairs)[i+1:], sameKey) {
				*pairs = slices.Delete(*pairs, i, i+1)
			}
		}
	})},
	{"ka", "numbers that are cut are filled with zeros", "truncated", mode("pads",
		`^ka\.(Int|Uint|Float|Vector|Matrix|Color|Rect|AABBox|Quaternion|Transform)`, true)},
	{"ka", "no bytes are null", "ka.ByteArray.bytes", inText("ka.ByteArray", func(n *tree.Node) {
		if n.Text == "" {
			*n = tree.Node{}
		}
	})},
	{"ka", "type ids from 26 on are off by one", "ka.ValueHeader.type", inValues(func(h *ka.ValueHeader) {
		if h.Type >= 26 {
			h.Type--
		}
	})},

	{"uasset", "wide texts lose their last character", "uasset.FString.text", inValues(func(s *uasset.FString) {
		if r := []rune(s.Text); s.Form == uasset.UTF16 && len(r) > 0 {
			s.Text = string(r[:len(r)-1])
		}
	})},
	{"uasset", "a hash is not kept", "uasset.NameEntry.nonCasePreservingHash", inValues(func(n *uasset.NameEntry) {
		n.NonCasePreservingHash = 0
	})},
	{"uasset", "the numbers of names are off by one", "uasset.FName", inValues(func(n *uasset.FName) { n.Number++ })},
	{"uasset", "an offset is relative", "uasset.Summary.bulkDataStartOffset", inValues(func(s *uasset.Summary) {
		s.BulkDataStartOffset -= int64(s.TotalHeaderSize)
	})},
	{"uasset", "elements after the first are lost", "elements", inValues(func(p *uasset.ArrayProperty) {
		if v := reflect.ValueOf(p.Elements); v.IsValid() && v.Kind() == reflect.Slice && v.Len() > 1 {
			p.Elements = v.Slice(0, 1).Interface().(uasset.Elements)
		}
	})},
	{"uasset", "the NUL of a text is not looked at", "uasset.FString.text", onDecode(skipNUL)},
}

// skipNUL replaces the byte with a fault at the end of a text.
func skipNUL(next ask, q adapter.Request, a *adapter.Response) {
	if r := a.Reject; r != nil && r.Class == "value" && r.Offset != nil && strings.HasSuffix(r.Path, "text") {
		before, after := (*q.Hex)[:2**r.Offset], (*q.Hex)[2**r.Offset+2:]
		q.Hex = new(before + "00" + after)
		*a = next(q)
	}
}

func both(a, b plant) plant {
	return plant{func(next ask) ask { return b.in(a.in(next)) }, a.derived || b.derived}
}

// mode plants the mistake of a faulty adapter in the types that match.
func mode(name, types string, derived bool) plant {
	matching := regexp.MustCompile(types)
	return plant{func(next ask) ask {
		wrong := asking(judgetest.Over(name, altered{Reference: adapter.NewReference(), asked: next}))
		return func(q adapter.Request) adapter.Response {
			if matching.MatchString(q.Type) {
				return wrong(q)
			}
			return next(q)
		}
	}, derived}
}

// onDecode changes the answers to decode.
func onDecode(change func(ask, adapter.Request, *adapter.Response)) plant {
	return plant{in: func(next ask) ask {
		return func(q adapter.Request) adapter.Response {
			a := next(q)
			if q.Op == adapter.OpDecode {
				change(next, q, &a)
			}
			return a
		}
	}}
}

// inText changes the text that is the value of a type.
func inText(typ string, change func(*tree.Node)) plant {
	return onDecode(func(_ ask, q adapter.Request, a *adapter.Response) {
		if q.Type == typ && a.OK != nil && a.OK.Tree.Kind == tree.Text {
			change(a.OK.Tree)
		}
	})
}

// inValues changes each T in decoded values.
func inValues[T any](change func(*T)) plant {
	return onDecode(func(_ ask, q adapter.Request, a *adapter.Response) {
		t, _ := codec.Find(q.Type)
		if a.OK == nil || t.Operation() {
			return
		}
		into := t.New()
		if tree.ToModel(*a.OK.Tree, into) != nil { // another mistake is planted in it
			return
		}
		each(reflect.ValueOf(into).Elem(), change)
		n, err := tree.FromModel(codec.Deref(into))
		if err != nil {
			panic(err)
		}
		a.OK.Tree = &n
	})
}

func each[T any](v reflect.Value, change func(*T)) {
	if p, ok := v.Addr().Interface().(*T); ok {
		change(p)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			each(v.Field(i), change)
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len() && v.Type().Elem().Kind() != reflect.Uint8; i++ {
			each(v.Index(i), change)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			each(v.Elem(), change)
		}
	case reflect.Interface:
		if !v.IsNil() {
			inner := reflect.New(v.Elem().Type()).Elem()
			inner.Set(v.Elem())
			each(inner, change)
			v.Set(inner)
		}
	}
}

func latin1(s string) string {
	var out []rune
	for _, b := range []byte(s) {
		out = append(out, rune(b))
	}
	return string(out)
}

// planted is the reference with mistakes.
type planted struct {
	altered
	mistakes []mistake
}

func plantAll(mistakes ...mistake) *planted {
	reference := adapter.NewReference()
	asked := asking(reference)
	for _, m := range mistakes {
		asked = m.in(asked)
	}
	return &planted{altered{Reference: reference, asked: asked, hello: func(h *adapter.Hello) {
		h.AnyProfile, h.Profile, h.Operations = false, "observed", []adapter.Op{adapter.OpDecode}
	}}, mistakes}
}

// Fork returns one whose mistakes remember nothing.
func (p *planted) Fork() adapter.Implementation { return plantAll(p.mistakes...) }

// headsOf returns the names of the causes of a reader with mistakes.
func headsOf(t *testing.T, mistakes ...mistake) []string {
	t.Helper()
	concerned := func(v *corpus.Vector) bool {
		return slices.ContainsFunc(mistakes, func(m mistake) bool { return m.family == v.Family() })
	}
	run := report.NewRun(&judge.Report{})
	shown := slices.ContainsFunc(mistakes, func(m mistake) bool { return m.derived }) // by derived cases
	for _, derived := range []bool{false, true} {
		const long, short = 512, 64 // derived cases of short vectors are enough
		one := judgeWith(t, plantAll(mistakes...), corpustest.All(t), judge.Options{
			NoDerived: !derived, Profile: new(ids.Observed()),
			Filter: func(v *corpus.Vector) bool {
				return concerned(v) && len(v.Bytes) < long && derived == (shown && len(v.Bytes) < short)
			},
		})
		run.Hello = one.Hello
		run.Results = append(run.Results, one.Results...)
	}
	return submatches(`(?m)^cause \d+  (.*)  \d+ vectors?(?:, \d+ cases?)?$`, write(t, "text", run))
}

// TestMistakes: of 30 typical mistakes at least 27 give at most two causes, of which the
// first names the field; of 30 pairs in one reader at least 27 have a cause for each.
func TestMistakes(t *testing.T) {
	var unnamed, mixed []string
	for i, m := range mistakes {
		heads := headsOf(t, m)
		if len(heads) == 0 || len(heads) > 2 || !strings.Contains(heads[0], m.named) {
			unnamed = append(unnamed, fmt.Sprintf("%s: %q", m.text, heads))
		}
		other := mistakes[(i+1)%len(mistakes)]
		if heads := headsOf(t, m, other); !apart(heads, m.named, other.named) {
			mixed = append(mixed, fmt.Sprintf("%s, and %s: %q", m.text, other.text, heads))
		}
	}
	if len(unnamed) > 3 || len(mixed) > 3 || len(mistakes) != 30 {
		t.Errorf("want 27 of 30 mistakes with at most two causes of which the first names the field, and 27 of 30 pairs "+
			"with a cause for each; found %d mistakes; without:\n%q\n%q", len(mistakes), unnamed, mixed)
	}
}

// apart reports whether two texts are in different heads.
func apart(heads []string, a, b string) bool {
	for i, one := range heads {
		for k, other := range heads {
			if i != k && strings.Contains(one, a) && strings.Contains(other, b) {
				return true
			}
		}
	}
	return false
}
