package report_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
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

// A mistake is an error of a reader: what it makes of the requests to, or of the answers
// of, a reader without it.
type mistake struct {
	family, text string
	named        string // what the first cause has to name
	plant        func(ask) ask
	derived      bool // only derived cases show it
}

// mistakes are typical ones. Neighbours are in one family, so that pairs of them are hard to
// keep apart.
var mistakes = []mistake{
	{"ubi", "bytes of texts are read as latin-1", "ubi.BasicString.s", both(
		inValues(func(s *ubi.BasicString) { *s = ubi.BasicString(latin1(string(*s))) }),
		inValues(func(s *ubi.EncryptedString) { *s = ubi.EncryptedString(latin1(string(*s))) })), false},
	{"ubi", "x and y are swapped", "ubi.Vector3.x", inValues(func(v *ubi.Vector3) { v.X, v.Y = v.Y, v.X }), false},
	{"ubi", "red and blue are swapped", "ubi.Color.r", inValues(func(c *ubi.Color) { c.R, c.B = c.B, c.R }), false},
	{"ubi", "the payload of a NaN is lost", "float", inValues(func(f *float32) {
		if *f != *f {
			*f = math.Float32frombits(0x7FC00000)
		}
	}), false},
	{"ubi", "-0 is read as 0", "float32", inValues(func(f *float32) {
		if *f == 0 {
			*f = 0
		}
	}), false},
	{"ubi", "the byte order is ignored", "order=big", func(next ask) ask {
		return func(q adapter.Request) adapter.Response {
			q.Context = maps.Clone(q.Context)
			delete(q.Context, "order")
			return next(q)
		}
	}, false},
	{"ubi", "wide texts end at the first surrogate", "ubi.BasicWString.s", inValues(func(s *ubi.BasicWString) {
		if i := strings.IndexFunc(string(*s), func(r rune) bool { return r > 0xFFFF }); i >= 0 {
			*s = (*s)[:i]
		}
	}), false},
	{"ubi", "the byte order of the preceding request is kept", "earlier requests", keepsOrder, false},
	{"ubi", "counts of arrays are read as one byte", "ubi.Array", narrowCounts, true},

	{"upkg", "the sign of an index is ignored", "upkg.CompactIndex", inValues(func(i *upkg.CompactIndex) {
		if *i < 0 {
			*i = -*i
		}
	}), false},
	{"upkg", "int64 is read as unsigned", "upkg.Integer<int64>", inText("upkg.Integer<int64>", func(s string) string {
		v, _ := strconv.ParseInt(s, 10, 64)
		return strconv.FormatUint(uint64(v), 10)
	}), false},
	{"upkg", "integers of 64 bits pass through a double", "upkg.Integer<", both(
		inValues(func(v *uint64) { *v = uint64(float64(*v)) }),
		inValues(func(v *int64) { *v = int64(float64(*v)) })), false},
	{
		"upkg", "flags are masked to 16 bits", "upkg.Header.flags",
		inValues(func(h *upkg.Header) { h.Flags &= 0xFFFF }), false,
	},
	{
		"upkg", "one field has another byte order", "upkg.Header.licensee",
		inValues(func(h *upkg.Header) { h.Licensee = h.Licensee<<8 | h.Licensee>>8 }), false,
	},
	{"upkg", "the GUID has the byte order of Windows", "upkg.Header.identity.guid", inValues(func(i *upkg.Identity) {
		slices.Reverse(i.Guid[:4])
		slices.Reverse(i.Guid[4:6])
		slices.Reverse(i.Guid[6:8])
	}), false},
	{
		"upkg", "names are lower-cased", "upkg.Name.text",
		inValues(func(n *upkg.Name) { n.Text = strings.Map(unicode.ToLower, n.Text) }), false,
	},
	{
		"upkg", "generations after the first are lost", "upkg.Header.identity.generations",
		inValues(func(i *upkg.Identity) { i.Generations = i.Generations[:min(1, len(i.Generations))] }), false,
	},
	{"upkg", "trailing bytes are ignored", "trailing", ignoresTrailing, true},
	{
		"upkg", "uint32 is cut off at 2^31-1", "uint32",
		inValues(func(v *uint32) { *v = min(*v, math.MaxInt32) }), false,
	},

	{
		"ka", "float64 is read as float32", "ka.Float64",
		inValues(func(f *ka.Float64) { *f = ka.Float64(float32(*f)) }), false,
	},
	{"ka", "the last of equal keys is kept", "children", inValues(lastOfEqualKeys), false},
	{"ka", "numbers that are cut are filled with zeros", "truncated", padsNumbers, true},
	{"ka", "no bytes are null", "ka.ByteArray.bytes", inText("ka.ByteArray", func(s string) string {
		if s == "" {
			return null
		}
		return s
	}), false},
	{"ka", "type ids from 26 on are off by one", "ka.ValueHeader.type", inValues(func(h *ka.ValueHeader) {
		if h.Type >= 26 {
			h.Type--
		}
	}), false},

	{"uasset", "wide texts lose their last character", "uasset.FString.text", inValues(func(s *uasset.FString) {
		if r := []rune(s.Text); s.Form == uasset.UTF16 && len(r) > 0 {
			s.Text = string(r[:len(r)-1])
		}
	}), false},
	{
		"uasset", "a hash is not kept", "uasset.NameEntry.nonCasePreservingHash",
		inValues(func(n *uasset.NameEntry) { n.NonCasePreservingHash = 0 }), false,
	},
	{
		"uasset", "the numbers of names are off by one", "uasset.FName",
		inValues(func(n *uasset.FName) { n.Number++ }), false,
	},
	{
		"uasset", "an offset is relative", "uasset.Summary.bulkDataStartOffset",
		inValues(func(s *uasset.Summary) { s.BulkDataStartOffset -= int64(s.TotalHeaderSize) }), false,
	},
	{"uasset", "elements after the first are lost", "elements", inValues(func(p *uasset.ArrayProperty) {
		if v := reflect.ValueOf(p.Elements); v.IsValid() && v.Kind() == reflect.Slice && v.Len() > 1 {
			p.Elements = v.Slice(0, 1).Interface().(uasset.Elements)
		}
	}), false},
	{"uasset", "the NUL of a text is not looked at", "uasset.FString.text", skipsNUL, false},
}

// null is a text that inText replaces by null.
const null = "\x00null"

func both(a, b func(ask) ask) func(ask) ask { return func(next ask) ask { return b(a(next)) } }

// onDecode changes the answers to decode, of types that a prefix selects.
func onDecode(types string, change func(ask, adapter.Request, adapter.Response) adapter.Response) func(ask) ask {
	return func(next ask) ask {
		return func(q adapter.Request) adapter.Response {
			a := next(q)
			if q.Op != adapter.OpDecode || !strings.HasPrefix(q.Type, types) {
				return a
			}
			return change(next, q, a)
		}
	}
}

// inValues changes each T in decoded values.
func inValues[T any](change func(*T)) func(ask) ask {
	return onDecode("", func(_ ask, q adapter.Request, a adapter.Response) adapter.Response {
		t, _ := codec.Find(q.Type)
		if a.OK == nil || t.Operation() {
			return a
		}
		into := t.New()
		if tree.ToModel(*a.OK.Tree, into) != nil { // another mistake is planted in it
			return a
		}
		each(reflect.ValueOf(into).Elem(), change)
		n, err := tree.FromModel(codec.Deref(into))
		if err != nil {
			panic(err)
		}
		return adapter.Response{OK: &adapter.OK{Tree: &n, Consumed: a.OK.Consumed}}
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

// inText changes the text that is the value of a type.
func inText(typ string, change func(string) string) func(ask) ask {
	return onDecode(typ, func(_ ask, _ adapter.Request, a adapter.Response) adapter.Response {
		if a.OK == nil || a.OK.Tree.Kind != tree.Text {
			return a
		}
		n := tree.Node{Kind: tree.Text, Text: change(a.OK.Tree.Text)}
		if n.Text == null {
			n = tree.Node{}
		}
		return adapter.Response{OK: &adapter.OK{Tree: &n}}
	})
}

func latin1(s string) string {
	var out []rune
	for _, b := range []byte(s) {
		out = append(out, rune(b))
	}
	return string(out)
}

func lastOfEqualKeys(pairs *[]ka.Pair) {
	var out []ka.Pair
	for _, p := range *pairs {
		i := slices.IndexFunc(out, func(o ka.Pair) bool { return reflect.DeepEqual(o.Key, p.Key) })
		if i < 0 {
			out = append(out, p)
		} else {
			out[i] = p
		}
	}
	if out != nil {
		*pairs = out
	}
}

func keepsOrder(next ask) ask {
	last := "little"
	return func(q adapter.Request) adapter.Response {
		order, given := q.Context["order"]
		if !given {
			q.Context = map[string]string{"order": last}
		} else {
			last = order
		}
		if t, _ := codec.Find(q.Type); t.Context["order"] == "" {
			q.Context = nil
		}
		return next(q)
	}
}

// asIf asks about other bytes.
func asIf(next ask, q adapter.Request, b []byte) adapter.Response {
	text := hex.EncodeToString(b)
	q.Hex = &text
	return next(q)
}

func bytesOf(q adapter.Request) []byte {
	b, _ := hex.DecodeString(*q.Hex)
	return b
}

var narrowCounts = onDecode("ubi.Array", func(next ask, q adapter.Request, a adapter.Response) adapter.Response {
	b := bytesOf(q)
	if a.OK != nil || len(b) < 4 {
		return a
	}
	if copy(b[1:4], "\x00\x00\x00"); q.Context["order"] == "big" {
		b[0], b[3] = 0, bytesOf(q)[3]
	}
	return asIf(next, q, b)
})

var ignoresTrailing = onDecode("upkg", func(next ask, q adapter.Request, a adapter.Response) adapter.Response {
	if a.Reject == nil || a.Reject.Class != "trailing" {
		return a
	}
	return asIf(next, q, bytesOf(q)[:*a.Reject.Offset])
})

var padsNumbers = onDecode("ka", func(next ask, q adapter.Request, a adapter.Response) adapter.Response {
	number := regexp.MustCompile(`^ka\.(Int|Uint|Float|Vector|Matrix|Color|Rect|AABBox|Quaternion|Transform)`)
	for n := 1; n < 64 && a.Reject != nil && a.Reject.Class == "truncated" && number.MatchString(q.Type); n++ {
		a = asIf(next, q, append(bytesOf(q), make([]byte, n)...))
	}
	return a
})

// skipsNUL replaces the byte with a fault at the end of a text.
var skipsNUL = onDecode("uasset", func(next ask, q adapter.Request, a adapter.Response) adapter.Response {
	if r := a.Reject; r == nil || r.Class != "value" || r.Offset == nil || !strings.HasSuffix(r.Path, "text") {
		return a
	}
	b := bytesOf(q)
	b[*a.Reject.Offset] = 0
	return asIf(next, q, b)
})

// planted is the reference with mistakes.
type planted struct {
	*adapter.Reference
	family string
	plants []func(ask) ask
	ask    ask
}

func plant(all ...mistake) *planted {
	p := &planted{Reference: adapter.NewReference()}
	for _, m := range all {
		if !strings.Contains(p.family, m.family) {
			p.family += " " + m.family
		}
		p.plants = append(p.plants, m.plant)
	}
	p.ask = func(q adapter.Request) adapter.Response {
		a, _ := p.Reference.Do(context.Background(), q)
		return a
	}
	for _, make := range p.plants {
		p.ask = make(p.ask)
	}
	return p
}

// Fork returns one whose mistakes remember nothing.
func (p *planted) Fork() adapter.Implementation {
	var all []mistake
	for _, f := range p.plants {
		all = append(all, mistake{family: p.family, plant: f})
	}
	return plant(all...)
}

func (p *planted) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := p.Reference.Hello(ctx)
	h.Types = slices.DeleteFunc(h.Types, func(t string) bool {
		family, _, _ := strings.Cut(t, ".")
		return !strings.Contains(p.family, family)
	})
	h.AnyProfile, h.Profile, h.Operations = false, "observed", []adapter.Op{adapter.OpDecode}
	return h, err
}

func (p *planted) Do(_ context.Context, q adapter.Request) (adapter.Response, error) {
	return p.ask(q), nil
}

var causeHead = regexp.MustCompile(`(?m)^cause \d+  (.*)  (\d+ vectors?)(?:, \d+ cases?)?$`)

// headsOf returns the heads of the causes of a reader with mistakes.
func headsOf(t *testing.T, all ...mistake) []string {
	t.Helper()
	var vectors []*corpus.Vector
	p := plant(all...)
	for _, family := range strings.Fields(p.family) {
		vectors = append(vectors, corpustest.Of(t, family)...)
	}
	run := report.NewRun(&judge.Report{})
	shown := slices.ContainsFunc(all, func(m mistake) bool { return m.derived }) // by derived cases
	for _, derived := range []bool{false, true} {
		const long, short = 512, 64 // derived cases of short vectors are enough
		one := judgeWith(t, p, vectors, judge.Options{
			NoDerived: !derived, Profile: new(ids.Observed()),
			Filter: func(v *corpus.Vector) bool {
				return len(v.Bytes) < long && derived == (shown && len(v.Bytes) < short)
			},
		})
		run.Hello = one.Hello
		run.Results = append(run.Results, one.Results...)
	}
	var out []string
	for _, m := range causeHead.FindAllStringSubmatch(write(t, "text", run), -1) {
		out = append(out, m[1]+"  "+m[2])
	}
	return out
}

// TestMistakes: of 30 typical mistakes at least 27 give at most two causes, of which the
// first names the field; of 30 pairs in one reader at least 27 have a cause for each.
func TestMistakes(t *testing.T) {
	var table bytes.Buffer
	alone, pairs := 0, 0
	for i, m := range mistakes {
		heads := headsOf(t, m)
		good := len(heads) > 0 && len(heads) <= 2 && strings.Contains(heads[0], m.named)
		alone += count(good)
		fmt.Fprintf(&table, "\n%-5v %d  %s: %s", good, len(heads), m.family, m.text)
		for _, h := range heads[:min(3, len(heads))] {
			fmt.Fprintf(&table, "\n          %s", h)
		}
		other := mistakes[(i+1)%len(mistakes)]
		heads = headsOf(t, m, other)
		a, b := naming(heads, m, -1), naming(heads, other, -1)
		if a == b {
			a, b = naming(heads, m, b), naming(heads, other, a)
			if a < 0 {
				a = naming(heads, m, -1)
			} else {
				b = naming(heads, other, -1)
			}
		}
		good = a >= 0 && b >= 0 && a != b
		pairs += count(good)
		fmt.Fprintf(&table, "\n   pair %-5v %d causes, named by %d and %d", good, len(heads), a+1, b+1)
		if !good {
			for _, h := range heads[:min(4, len(heads))] {
				fmt.Fprintf(&table, "\n          %s", h)
			}
		}
	}
	t.Logf("%d of %d mistakes, %d of %d pairs%s", alone, len(mistakes), pairs, len(mistakes), table.String())
	if alone < 27 || pairs < 27 || len(mistakes) != 30 {
		t.Errorf("%d mistakes have at most two causes of which the first names the field, %d pairs stay apart, want 27 of 30",
			alone, pairs)
	}
}

// naming returns the first head that names a mistake, except one.
func naming(heads []string, m mistake, except int) int {
	for i, h := range heads {
		if i != except && strings.Contains(h, m.named) {
			return i
		}
	}
	return -1
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
