package play_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/conformance/site/play"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec/ids"
)

type object = map[string]any

// do sends a request, in which missing fields have their zero values.
func do(s *play.Session, op string, fields object, src []byte) (string, []byte, error) {
	r := object{
		"op": op, "input": object{"type": "", "profile": "", "context": []string{}}, "node": []string{}, "path": "",
		"from": "0", "count": "0", "text": "", "row": "0", "mip": "0", "channel": "", "name": "",
	}
	maps.Copy(r, fields)
	text, _ := json.Marshal(r) // texts only
	return s.Do(string(text), src)
}

// ask sends a request that must succeed, and returns the answer.
func ask[T any](t *testing.T, s *play.Session, op string, fields object, src []byte) (answer T, out []byte) {
	t.Helper()
	text, out, err := do(s, op, fields, src)
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v in %s", op, err, text)
	}
	return answer, out
}

type opened struct {
	Size, Spans string
	Limited     bool
	Error       *struct {
		Class, Offset, Path, Clause, Message string
		Sides                                []string
	}
	Root    *struct{ Kind, Count string }
	Encoded *struct {
		Same                bool
		Offset, Size, Error string
	}
}

func input(typ, profile string, context ...string) object {
	if context == nil {
		context = []string{}
	}
	return object{"input": object{"type": typ, "profile": profile, "context": context}}
}

// TestVectors opens every vector: it is accepted, noncanonical or rejected as the vector
// says, every span leads to a node of the value, and the bytes of the node contain those
// of the span.
func TestVectors(t *testing.T) {
	var s play.Session
	nodes := 0
	for i, v := range corpustest.All(t) {
		if v.EncodeOnly() {
			continue
		}
		var context []string
		for k, value := range v.Context {
			context = append(context, k+"="+value)
		}
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			e, profile := v.Select(p), p.String()
			if e == nil {
				continue
			}
			a, offsets := ask[opened](t, &s, "open", input(v.Type, profile, context...), append([]byte{}, v.Bytes...))
			switch {
			case e.Outcome == corpus.Reject:
				if a.Error == nil || !corpus.Admits(e.Class, a.Error.Class) {
					t.Errorf("%s under %s: %+v, want %s", v.ID, profile, a.Error, e.Short())
				}
			case a.Error != nil || a.Encoded.Same != (e.Outcome == corpus.Accept):
				t.Errorf("%s under %s: error %+v, written again %+v, want %s", v.ID, profile, a.Error, a.Encoded, e.Short())
			}
			if a.Error != nil || len(offsets) == 0 || i%8 != 0 {
				continue
			}
			n := len(offsets) / 8
			k := i / 8 % n
			start, end := int(binary.LittleEndian.Uint32(offsets[4*k:])), int(binary.LittleEndian.Uint32(offsets[4*(n+k):]))
			spans, _ := ask[[]struct{ Path, Value, Clause string }](t, &s, "spans", object{"from": fmt.Sprint(k), "count": "1"},
				nil)
			node, _ := ask[[]string](t, &s, "locate", object{"path": spans[0].Path}, nil)
			p, _ := ask[part](t, &s, "part", object{"node": node}, nil)
			within := func(r [2]json.Number) bool { return number(r[0]) <= start && end <= number(r[1]) }
			if !slices.ContainsFunc(p.Ranges, within) || !strings.HasPrefix(spans[0].Path, p.Path) {
				t.Errorf("%s: %s at bytes %d to %d leads to node %v: %+v", v.ID, spans[0].Path, start, end, node, p)
			}
			nodes++
		}
	}
	if nodes < 100 {
		t.Errorf("only %d nodes", nodes)
	}
}

type part struct {
	Path    string
	Clauses []string
	Ranges  [][2]json.Number
	Tree    string
}

func number(n json.Number) int { i, _ := n.Int64(); return int(i) }

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestEdit: a changed value changes its bytes and no others.
func TestEdit(t *testing.T) {
	for _, c := range []struct{ typ, src, node, text, want string }{ // the bytes, what changed and how many, or an error
		{"ubi.Vector2", "0000803f 00000040", "1", "3", "0000803f00004040 [[6 7]] 1"},
		{"ubi.Vector2", "0000803f 00000040", "", `{"x": "0", "y": "0"}`, "0000000000000000 [[2 4] [7 8]] 3"},
		{"ubi.Vector2", "0000803f 00000040", "1", "x", `"x" is not a number`},
		{"ubi.Vector2", "0000803f 00000040", "2", "3", "no such node"},
		{"ubi.BasicString", "02000000 6162", "", `"abc"`, "03000000616263 [[0 1] [6 7]] 2"},
		{"ubi.Array<uint16>", "02000000 0100 0200", "1", "513", "0200000001000102 [[6 8]] 2"},
		{"ubi.Array<uint16>", "02000000 0100 0200", "", `["1"]`, "010000000100 [[0 1]] 1"},
		{"ka.Value", "03 0000803f", "", "2", "0300000040 [[3 5]] 2"},
		{"ka.Value", "03 0000803f", "", `{"type": "INT32", "value": "7"}`, "0207000000 [[0 1] [1 5]] 4"},
		{"upkg.CompactIndex", "01", "", "4294967296", "cannot be encoded"},
	} {
		var s play.Session
		src := unhex(t, c.src)
		ask[opened](t, &s, "open", input(c.typ, "observed"), src)
		text, b, err := do(&s, "edit", object{"node": strings.Fields(c.node), "text": c.text}, nil)
		got, a := fmt.Sprint(err), edited{}
		if err == nil {
			if err := json.Unmarshal([]byte(text), &a); err != nil {
				t.Error(err)
			}
			got = fmt.Sprintf("%x %v %s", b, a.Changed, a.Count)
		}
		if !strings.Contains(got, c.want) || a.Rebuilt {
			t.Errorf("%s %s: %s, want %s", c.typ, c.text, got, c.want)
		}
		if a, _ := ask[opened](t, &s, "open", input(c.typ, "observed"), nil); a.Size != fmt.Sprint(len(src)) {
			t.Error("the input has changed")
		}
	}
}

type edited struct {
	Rebuilt bool
	Changed [][2]json.Number
	Count   json.Number
}

// TestEditPackage: a longer name moves what follows it, and the package is still valid.
func TestEditPackage(t *testing.T) {
	src, err := texturesample.File(texturesample.Texture{Name: "T_Disc", Format: model.B8G8R8A8, Width: 16, Height: 8})
	if err != nil {
		t.Fatal(err)
	}
	var s play.Session
	ask[opened](t, &s, "open", input("uasset.Package", "observed"), src)
	at, _ := ask[string](t, &s, "search", object{"text": "t_disc"}, nil)
	spans, _ := ask[[]struct{ Path string }](t, &s, "spans", object{"from": at, "count": "1"}, nil)
	node, _ := ask[[]string](t, &s, "locate", object{"path": spans[0].Path}, nil)
	a, out := ask[edited](t, &s, "edit", object{"node": node, "text": `"T_LongerDisc"`}, nil)
	// The name has six more bytes, another length and two hashes; offsets and sizes change
	// in one byte or two. Nothing else does, although all of the rest moves.
	if n := number(a.Count); n < 6+1+4+4 || n > 40 {
		t.Errorf("%d bytes changed", n)
	}
	f, err := uasset.New(uasset.Settings{}).Package().Decode(out)
	if err != nil || !a.Rebuilt || len(out) != len(src)+6 {
		t.Fatalf("%d bytes, want %d: rebuilt %v, %v", len(out), len(src)+6, a.Rebuilt, err)
	}
	if got := f.Names[f.Exports[0].ObjectName.Index].Name.Text; got != "T_LongerDisc" {
		t.Errorf("the name is %s", got)
	}
	// The picture: blue to the right, green downwards; the corner is red.
	ask[opened](t, &s, "open", input("uasset.Package", "observed"), out)
	list, _ := ask[[]struct {
		Row, Name, Format string
		Mips              []struct{ Width, Height string }
	}](t, &s, "textures", nil, nil)
	if len(list) != 1 || list[0].Name != "T_LongerDisc" || list[0].Mips[0].Width != "16" {
		t.Fatalf("textures %+v", list)
	}
	for channel, want := range map[string]color.NRGBA{"": {0xFF, 0, 0, 0xFF}, "g": {0, 0, 0, 0xFF}} {
		size, text := ask[struct{ Width, Height string }](t, &s, "picture",
			object{"row": list[0].Row, "mip": "0", "channel": channel}, nil)
		img, err := png.Decode(bytes.NewReader(text))
		if err != nil || img.Bounds() != image.Rect(0, 0, 16, 8) || size.Width != "16" || size.Height != "8" {
			t.Fatalf("picture %v: %v", size, err)
		}
		if got := color.NRGBAModel.Convert(img.At(0, 0)); got != want {
			t.Errorf("channel %q begins with %v, want %v", channel, got, want)
		}
	}
	row := list[0].Row
	for _, fields := range []object{{"row": "9"}, {"row": "-1"}, {"row": row, "mip": "99"}, {"row": row, "mip": "-1"}} {
		if _, _, err := do(&s, "picture", fields, nil); err == nil {
			t.Errorf("picture %v succeeds", fields)
		}
	}
}

// TestEditRejects: a longer name would move an object whose data are not known.
// The message names the object and its class, and says why.
func TestEditRejects(t *testing.T) {
	f, err := texturesample.Package(texturesample.Texture{Name: "T_Disc", Format: model.B8G8R8A8, Width: 16, Height: 8})
	if err != nil {
		t.Fatal(err)
	}
	f.Imports = append(f.Imports, model.Import{ObjectName: uasset.AddName(&f, "StaticMesh")})
	f.Exports = append(f.Exports, model.Export{
		ClassIndex: model.ImportIndex(len(f.Imports) - 1), ObjectName: uasset.AddName(&f, "SM_Rock"),
		FirstExportDependency: -1,
	})
	f.Objects = append(f.Objects, model.Object{Properties: &model.PropertyList{}, Data: []byte("vertices")})
	c := uasset.New(uasset.Settings{})
	if f, _, err = c.Rebuild(f); err != nil {
		t.Fatal(err)
	}
	rock := len(f.Exports) - 1 // its data contain a number that may be an offset in it
	f.Objects[rock].Data = binary.LittleEndian.AppendUint64(nil, uint64(f.Exports[rock].SerialOffset)+1)
	src, err := c.Package().Append(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	var s play.Session
	ask[opened](t, &s, "open", input("uasset.Package", "observed"), src)
	node, _ := ask[[]string](t, &s, "locate", object{"path": "names[0].name.text"}, nil)
	_, _, err = do(&s, "edit", object{"node": node, "text": `"T_LongerDisc"`}, nil)
	const want = `"SM_Rock" of class "StaticMesh": expected data whose offsets are all known, found 8 bytes that move from`
	if !strings.Contains(fmt.Sprint(err), `object `+want) {
		t.Error(err)
	}
}

func TestRecognise(t *testing.T) {
	for _, c := range []struct{ src, first, more, hint string }{
		{src: string(corpustest.Find(t, "ka/Archive/canonical-plain").Bytes), first: "ka.Archive"},
		{src: string(corpustest.Find(t, "upkg/Package/version-69").Bytes), first: "upkg.Package"},
		{src: string(corpustest.Find(t, "uasset/Package/bgra-inline").Bytes), first: "uasset.Package"},
		{src: string(corpustest.Find(t, "ubi/Box/plain").Bytes), first: "ubi.Box"},
		{src: "KA\x01\x00\x09", first: "ka.Archive"},
		{src: "\xc1\x83\x2a\x9e\x45\x00\x00\x00", first: "upkg.Package"},
		{src: "\xc1\x83\x2a\x9e\xf9\xff\xff\xff", first: "uasset.Package"},
		// A type that takes any two bytes says less than one that does not.
		{src: "\x40\x01", first: "upkg.CompactIndex", more: "upkg.Integer<uint16>"},
		{src: "\x07" + strings.Repeat("\x00", 11) + "\x02\x00\x00\x00DVPL", hint: "compressed"},
		{src: ""},
	} {
		a, _ := ask[struct {
			Types []string
			Hint  string
		}](t, new(play.Session), "recognise", nil, []byte(c.src))
		if first := strings.Join(a.Types[:min(1, len(a.Types))], ""); c.hint == "" && first != c.first ||
			!strings.Contains(strings.Join(a.Types, " "), c.more) || !strings.Contains(a.Hint, c.hint) {
			t.Errorf("%.40q is recognised as %+v, want %+v", c.src, a, c)
		}
	}
}

// TestSides: other sides are named with what they make of the bytes; where the input
// is rejected, those that accept it.
func TestSides(t *testing.T) {
	var s play.Session
	ask[opened](t, &s, "open", input("upkg.CompactIndex", "observed"), unhex(t, "FFFFFFFFFF"))
	sides, _ := ask[[]struct{ Name, Result string }](t, &s, "sides", nil, nil)
	if !strings.Contains(fmt.Sprint(sides), "{upkg.ci-fifth-high-bits=strict rejected (value at byte 4") {
		t.Errorf("sides %v", sides)
	}
	a, _ := ask[opened](t, &s, "open", input("upkg.CompactIndex", "observed,upkg.ci-fifth-high-bits=strict"), nil)
	if a.Error == nil || a.Error.Class != "value" || a.Error.Offset != "4" || len(a.Error.Sides) == 0 ||
		!strings.HasPrefix(a.Error.Message, "expected ") {
		t.Errorf("error %+v", a.Error)
	}
}

// TestDraft: the draft of a vector becomes a vector with the same bytes once it has a
// verdict.
func TestDraft(t *testing.T) {
	v := corpustest.Find(t, "upkg/Package/version-69")
	var s play.Session
	ask[opened](t, &s, "open", input(v.Type, "observed,upkg.ci-minus-zero=strict"), v.Bytes)
	_, text := ask[object](t, &s, "draft", object{"name": "mine"}, nil)
	if _, err := corpus.Parse("upkg/Package/mine", text); err == nil {
		t.Errorf("without a verdict it is a vector:\n%s", text)
	}
	complete := strings.NewReplacer("WHAT IS SHOWN, AND WHY IT MATTERS", "A package.",
		"WHO WORKED OUT BYTES AND VERDICT, AND HOW", "by hand", "-- bytes --", "-- bytes --",
		" --\n", " --\nreject value @0\n").Replace(string(text))
	got, err := corpus.Parse("upkg/Package/mine", []byte(complete))
	if err != nil || !bytes.Equal(got.Bytes, v.Bytes) || got.Type != v.Type ||
		!slices.Contains(got.Flags, "upkg.ci-minus-zero") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestChildren: the rows of all nodes are those of the tree.
func TestChildren(t *testing.T) {
	v := corpustest.Find(t, "ka/Archive/canonical-scene")
	var s play.Session
	ask[opened](t, &s, "open", input(v.Type, "observed"), v.Bytes)
	_, whole := ask[object](t, &s, "json", nil, nil)
	leaves := 0
	var visit func(node []string)
	visit = func(node []string) {
		rows, _ := ask[[]struct{ Name, Kind, Type, Text, Count string }](t, &s, "children",
			object{"node": node, "count": "1000"}, nil)
		for i, r := range rows {
			if r.Count != "0" {
				visit(append(slices.Clone(node), fmt.Sprint(i)))
				continue
			}
			leaves++
			text := r.Text
			if r.Kind != "text" && text != "" {
				text = `"` + text + `"`
			}
			if !strings.Contains(string(whole), text) {
				t.Errorf("%v %s: %s is not in the tree", node, r.Name, text)
			}
		}
	}
	visit([]string{})
	if leaves < 8 {
		t.Errorf("only %d leaves in %s", leaves, whole)
	}
}

// TestHostile: requests that no page sends are errors.
func TestHostile(t *testing.T) {
	var s play.Session
	fails := func(op string, fields object) {
		t.Helper()
		if _, _, err := do(&s, op, fields, []byte{1}); err == nil {
			t.Errorf("%q %v succeeds", op, fields)
		}
	}
	for _, op := range []string{"children", "spans", "edit", "draft", "json", "part", "search", "sides", "textures", ""} {
		fails(op, nil) // without an input
	}
	for _, in := range []object{
		input("no.Type", ""), input("ubi.Box", "wrong"), input("ubi.Box", "", "order=middle"),
		input("ubi.Box", "", "x=y"), input("ubi.Box", "ubi.x=y"),
	} {
		fails("open", in)
	}
	if _, _, err := s.Do("{", nil); err == nil {
		t.Error("an incomplete request succeeds")
	}
	ask[opened](t, &s, "open", input("ubi.Array<uint32>", ""), unhex(t, "01000000 07000000"))
	for _, fields := range []object{{"node": []string{"-1"}}, {"node": []string{"1"}}, {"node": []string{"0", "0"}}} {
		fails("children", fields)
	}
	if rows, _ := ask[[]object](t, &s, "children", object{"from": "-5", "count": "99999999"}, nil); len(rows) != 1 {
		t.Errorf("%d rows, want 1", len(rows))
	}
	if got, _ := ask[string](t, &s, "search", object{"text": "nowhere", "from": "99"}, nil); got != "-1" {
		t.Errorf("found at %s", got)
	}
}

// TestManySpans: beyond the limit the value is complete and the bytes have no spans.
func TestManySpans(t *testing.T) {
	const limit = 2000
	defer func(old int) { *play.MaxSpans = old }(*play.MaxSpans)
	*play.MaxSpans = limit
	for numbers, limited := range map[int]bool{limit: true, limit - 1: false} { // and a span of the count
		src := append(binary.LittleEndian.AppendUint32(nil, uint32(numbers)), make([]byte, 2*numbers)...)
		spans := numbers + 1
		if limited {
			spans = 0
		}
		a, offsets := ask[opened](t, new(play.Session), "open", input("ubi.Array<uint16>", ""), src)
		if a.Limited != limited || a.Error != nil || len(offsets) != 8*spans || a.Root.Count != fmt.Sprint(numbers) ||
			!a.Encoded.Same {
			t.Errorf("%d numbers: %+v with %d bytes of offsets", numbers, a, len(offsets))
		}
	}
}
