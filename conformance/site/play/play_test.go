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
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
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
	for k, v := range fields {
		r[k] = v
	}
	text, err := json.Marshal(r)
	if err != nil {
		return "", nil, err
	}
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

func contextOf(v *corpus.Vector) (out []string) {
	for k, value := range v.Context {
		out = append(out, k+"="+value)
	}
	return out
}

// TestVectors opens every vector: it is accepted, noncanonical or rejected as the vector
// says, every span leads to a node of the value, and the bytes of the node contain those
// of the span.
func TestVectors(t *testing.T) {
	vectors := corpustest.All(t)
	var s play.Session
	nodes := 0
	for i, v := range vectors {
		if v.EncodeOnly() {
			continue
		}
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			e, profile := v.Select(p), p.String()
			if e == nil {
				continue
			}
			a, offsets := ask[opened](t, &s, "open", input(v.Type, profile, contextOf(v)...), nonNil(v.Bytes))
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
			if !slices.ContainsFunc(p.Ranges, func(r [2]json.Number) bool {
				return number(r[0]) <= start &&
					end <= number(r[1])
			}) {
				t.Errorf("%s: bytes %d to %d (%s) are not in those of node %v: %v", v.ID, start, end, spans[0].Path,
					node, p.Ranges)
			}
			if !strings.HasPrefix(spans[0].Path, p.Path) {
				t.Errorf("%s: %s leads to %s", v.ID, spans[0].Path, p.Path)
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

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

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
	type edited struct {
		Rebuilt bool
		Changed [][2]json.Number
		Count   json.Number
	}
	for _, c := range []struct {
		typ, src  string
		node      []string
		text      string
		want      string
		changed   string
		wantError string
	}{
		{"ubi.Vector2", "0000803F 00000040", []string{"1"}, "3", "0000803F 00004040", "[[6 8]]", ""},
		{"ubi.Vector2", "0000803F 00000040", []string{}, `{"x": "0", "y": "0"}`, "00000000 00000000", "[[2 4] [7 8]]", ""},
		{"ubi.Vector2", "0000803F 00000040", []string{"1"}, "x", "", "", `"x" is not a number`},
		{"ubi.Vector2", "0000803F 00000040", []string{"2"}, "3", "", "", "no such node"},
		{"ubi.BasicString", "02000000 6162", []string{}, `"abc"`, "03000000 616263", "[[0 1] [6 7]]", ""},
		{"ubi.Array<uint16>", "02000000 0100 0200", []string{"1"}, "513", "02000000 0100 0102", "[[6 8]]", ""},
		{"ubi.Array<uint16>", "02000000 0100 0200", []string{}, `["1"]`, "01000000 0100", "[[0 1]]", ""},
		{"ka.Value", "03 0000803F", []string{}, "2", "03 00000040", "[[3 5]]", ""},
		{"ka.Value", "03 0000803F", []string{}, `{"type": "INT32", "value": "7"}`, "02 07000000", "[[0 1] [1 5]]", ""},
		{"upkg.CompactIndex", "01", []string{}, "4294967296", "", "", "cannot be encoded"},
	} {
		var s play.Session
		src := unhex(t, c.src)
		if a, _ := ask[opened](t, &s, "open", input(c.typ, "observed"), src); a.Error != nil {
			t.Fatalf("%s %s: %+v", c.typ, c.src, a.Error)
		}
		text, got, err := do(&s, "edit", object{"node": c.node, "text": c.text}, nil)
		if c.wantError != "" {
			if err == nil || !strings.Contains(err.Error(), c.wantError) {
				t.Errorf("%s %s: error %v, want %s", c.typ, c.text, err, c.wantError)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.typ, c.text, err)
			continue
		}
		var a edited
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range a.Changed {
			n += number(r[1]) - number(r[0])
		}
		if len(src) == len(got) {
			n = 0
			for i := range src {
				if src[i] != got[i] {
					n++
				}
			}
		}
		if number(a.Count) != n {
			t.Errorf("%s %s: %s bytes changed, want %d", c.typ, c.text, a.Count, n)
		}
		if !bytes.Equal(got, unhex(t, c.want)) || c.typ != "ubi.Vector2" && fmt.Sprint(a.Changed) != c.changed || a.Rebuilt {
			t.Errorf("%s %s: % x, changed %v; want %s, changed %s", c.typ, c.text, got, a.Changed, c.want, c.changed)
		}
		if a, _ := ask[opened](t, &s, "open", input(c.typ, "observed"), nil); a.Size != fmt.Sprint(len(src)) {
			t.Errorf("the input has changed")
		}
	}
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
	a, out := ask[struct {
		Rebuilt bool
		Count   json.Number
	}](t, &s, "edit", object{"node": node, "text": `"T_LongerDisc"`}, nil)
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
	pixel := func(channel string) color.NRGBA {
		size, text := ask[struct{ Width, Height string }](t, &s, "picture",
			object{"row": list[0].Row, "mip": "0", "channel": channel}, nil)
		img, err := png.Decode(bytes.NewReader(text))
		if err != nil || img.Bounds() != image.Rect(0, 0, 16, 8) || size.Width != "16" || size.Height != "8" {
			t.Fatalf("picture %v: %v", size, err)
		}
		return color.NRGBAModel.Convert(img.At(0, 0)).(color.NRGBA)
	}
	if got := pixel(""); got.R < 250 || got.G > 5 || got.A != 255 {
		t.Errorf("the first pixel is %v", got)
	}
	if got := pixel("g"); got.R > 5 || got.R != got.B || got.A != 255 {
		t.Errorf("the green channel begins with %v", got)
	}
	for _, fields := range []object{
		{"row": "9"},
		{"row": "-1"},
		{"row": list[0].Row, "mip": "99"},
		{"row": list[0].Row, "mip": "-1"},
	} {
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
	f.Exports = append(f.Exports,
		model.Export{
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
	if err == nil ||
		!strings.Contains(err.Error(),
			`object "SM_Rock" of class "StaticMesh": expected data whose offsets are all known, found 8 bytes that move from`) {
		t.Error(err)
	}
}

func TestRecognise(t *testing.T) {
	type recognised struct {
		Types []string
		Hint  string
	}
	recognise := func(src []byte) recognised {
		a, _ := ask[recognised](t, new(play.Session), "recognise", nil, src)
		return a
	}
	for _, id := range []string{"ka/Archive/", "upkg/Package/", "uasset/Package/", "upkg/CompactIndex/", "ubi/Box/"} {
		vectors := corpustest.All(t)
		i := slices.IndexFunc(vectors, func(v *corpus.Vector) bool {
			e := v.Select(ids.Observed())
			return strings.HasPrefix(v.ID, id) && e != nil && e.Outcome == corpus.Accept && len(v.Context) == 0
		})
		v := vectors[i]
		a := recognise(v.Bytes)
		if !slices.Contains(a.Types, v.Type) || (v.Type == "ka.Archive" || strings.HasSuffix(v.Type, ".Package")) &&
			a.Types[0] != v.Type {
			t.Errorf("%s is recognised as %v", v.ID, a.Types)
		}
	}
	for src, want := range map[string]string{
		"KA\x01\x00\x09":                   "ka.Archive",
		"\xc1\x83\x2a\x9e\x45\x00\x00\x00": "upkg.Package", "\xc1\x83\x2a\x9e\xf9\xff\xff\xff": "uasset.Package",
	} {
		if a := recognise([]byte(src)); len(a.Types) == 0 || a.Types[0] != want {
			t.Errorf("%q is recognised as %v, want %s", src, a.Types, want)
		}
	}
	// A type that takes any four bytes says less than one that does not.
	a := recognise(unhex(t, "4001"))
	if a.Types[0] != "upkg.CompactIndex" || !slices.Contains(a.Types, "upkg.Integer<uint16>") {
		t.Errorf("4001 is recognised as %v", a.Types)
	}
	footer := append([]byte{7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}, "DVPL"...)
	if a := recognise(footer); !strings.Contains(a.Hint, "compressed") {
		t.Errorf("a packed file: %+v", a)
	}
	if a := recognise([]byte{}); len(a.Types) != 0 {
		t.Errorf("no bytes are recognised as %v", a.Types)
	}
}

// TestSides: other sides are named with what they make of the bytes; where the input
// is rejected, those that accept it.
func TestSides(t *testing.T) {
	var s play.Session
	ask[opened](t, &s, "open", input("upkg.CompactIndex", "observed"), unhex(t, "FFFFFFFFFF"))
	sides, _ := ask[[]struct{ Name, Result string }](t, &s, "sides", nil, nil)
	found := map[string]string{}
	for _, x := range sides {
		found[x.Name] = x.Result
	}
	if got := found["upkg.ci-fifth-high-bits=strict"]; !strings.HasPrefix(got, "rejected (value at byte 4") {
		t.Errorf("sides %v", found)
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
	vectors := corpustest.All(t)
	v := vectors[slices.IndexFunc(vectors, func(v *corpus.Vector) bool {
		e := v.Select(ids.Observed())
		return v.Type == "ka.Archive" && e != nil && e.Outcome == corpus.Accept &&
			strings.Contains(e.Tree, "KEYED_ARCHIVE") && len(v.Bytes) > 60
	})]
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
	for _, op := range []string{"children", "spans", "edit", "draft", "json", "part", "search", "sides", "textures", ""} {
		if _, _, err := do(&s, op, nil, nil); err == nil {
			t.Errorf("%q succeeds without an input", op)
		}
	}
	for _, in := range []object{
		input("no.Type", ""), input("ubi.Box", "wrong"), input("ubi.Box", "", "order=middle"),
		input("ubi.Box", "", "x=y"), input("ubi.Box", "ubi.x=y"),
	} {
		if _, _, err := do(&s, "open", in, []byte{1}); err == nil {
			t.Errorf("%v succeeds", in)
		}
	}
	if _, _, err := s.Do("{", nil); err == nil {
		t.Error("an incomplete request succeeds")
	}
	ask[opened](t, &s, "open", input("ubi.Array<uint32>", ""), unhex(t, "01000000 07000000"))
	for _, fields := range []object{{"node": []string{"-1"}}, {"node": []string{"1"}}, {"node": []string{"0", "0"}}} {
		if _, _, err := do(&s, "children", fields, nil); err == nil {
			t.Errorf("children of %v", fields)
		}
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
	src := binary.LittleEndian.AppendUint32(nil, limit)
	src = append(src, make([]byte, limit*2)...)
	var s play.Session
	a, offsets := ask[opened](t, &s, "open", input("ubi.Array<uint16>", ""), src)
	if !a.Limited || a.Error != nil || len(offsets) != 0 || a.Root.Count != fmt.Sprint(limit) || !a.Encoded.Same {
		t.Errorf("%+v", a)
	}
	src = binary.LittleEndian.AppendUint32(nil, limit-1)
	src = append(src, make([]byte, (limit-1)*2)...)
	a, offsets = ask[opened](t, &s, "open", input("ubi.Array<uint16>", ""), src)
	if a.Limited || len(offsets) != 8*limit {
		t.Errorf("%+v with %d bytes of offsets", a, len(offsets))
	}
	if c, _ := codec.Find("ubi.Array<uint16>"); c != nil {
		b, _ := c.Bind(wire.Settings{Limits: wire.Limits{MaxSpans: 3}}, nil)
		if _, spans, err := b.Trace(src); len(spans) != 3 || err == nil ||
			!strings.Contains(err.Error(), "at most 3 spans") {
			t.Errorf("%d spans, %v", len(spans), err)
		}
	}
}
