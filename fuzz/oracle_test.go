package fuzz

import (
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	kacodec "github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// profilesOf returns both base profiles, and for each side of each flag of a
// vector or of its structure the observed profile with this side.
func profilesOf(v *corpus.Vector) []ids.Profile {
	out := []ids.Profile{ids.Observed(), ids.Documented()}
	flags := spec.FlagsOf(v.Structure())
	for _, id := range v.Flags {
		if f, ok := spec.FindFlag(id); ok && !slices.Contains(flags, f) {
			flags = append(flags, f)
		}
	}
	for _, f := range flags {
		for _, side := range f.Sides {
			p, _ := ids.Observed().With(f.ID, side.Name) // the flag has this side
			if p.String() != out[0].String() {
				out = append(out, p)
			}
		}
	}
	return out
}

// TestOracle: no vector and no derived case that the codec accepts contradicts the
// oracle, under any side of any flag of the vector or of its structure. Each line of the layout
// applies to some of them. An ordinary run has long vectors under the two base profiles
// alone, and none with the default context: they are seeds of the targets, which ask the oracle
// too. With another bit in the field, the oracle rejects the spans and the tree; each relation
// rejects it alone, without the tree.
func TestOracle(t *testing.T) {
	type proof struct {
		line      bool
		relations map[string]bool
		tried     int
	}
	const mostTries = 100 // per line: some fields are null in most inputs
	type place struct{ line, path string }
	proofs := map[place]*proof{}
	ask := func(name, typeName string, context map[string]string, p ids.Profile, src []byte) {
		typ, _ := codec.Find(typeName)
		c, err := typ.Bind(wire.Settings{Profile: p}, context)
		if err != nil {
			t.Fatal(err)
		}
		v, spans, err := c.Trace(src)
		if err != nil {
			return
		}
		n, err := tree.FromModel(v)
		if err != nil {
			t.Fatal(err)
		}
		o := NewOracle(typ, p, context)
		if err := o.Check(src, spans, n); err != nil {
			t.Errorf("%s under %s: %v", name, p, err)
			return
		}
		if o.layout == nil || len(src) > 4096 {
			return
		}
		once := map[*line]bool{}
		for _, f := range inspect(t, o, src, spans, n) {
			at := place{f.line.Line, f.line.Path}
			pr := proofs[at]
			if pr == nil {
				pr = &proof{relations: map[string]bool{}}
				proofs[at] = pr
			}
			for _, r := range f.line.Relations {
				if numeric(r) && !pr.relations[r.Name] {
					pr.relations[r.Name] = showsAlone(*f, r)
				}
			}
			if pr.line || once[f.line] || pr.tried == mostTries {
				continue
			}
			once[f.line] = true
			pr.tried++
			wrong := slices.Clone(src)
			wrong[f.start] ^= 1
			pr.line = o.Check(wrong, spans, n) != nil
		}
	}
	for _, v := range corpustest.All(t) {
		long := len(v.Bytes) > 4096 && !testrun.Exhaustive
		if v.EncodeOnly() || long && len(v.Context) == 0 {
			continue
		}
		for i, p := range profilesOf(v) {
			if i < 2 || !long {
				ask(v.ID, v.Type, v.Context, p, v.Bytes)
			}
			if i < 2 && !long {
				for _, c := range judge.Derive(v, p) {
					if testrun.Sampled(c.ID, 16) {
						ask(c.ID, v.Type, c.Context, p, c.Input())
					}
				}
			}
		}
	}
	for _, f := range spec.Families() {
		for _, l := range spec.Layouts(f.Name) {
			for _, f := range l.Fields {
				pr := proofs[place{f.Line, f.Path}]
				switch {
				case f.Kind == "": // its own layout has the fields
				case pr == nil:
					t.Errorf("no vector has a field of the line %s", f.Line)
				case !pr.line && (!f.Loose || slices.ContainsFunc(f.Relations, numeric)):
					t.Errorf("another bit in %s does not show: %s", f.Path, f.Line)
				default:
					for _, r := range f.Relations {
						if numeric(r) && !pr.relations[r.Name] {
							t.Errorf("%s: another bit does not show by %s: %s", f.Path, r.Name, f.Line)
						}
					}
				}
			}
		}
	}
}

// ofTree are the relations that compare with the tree only, or of which one bit of
// the field decides nothing.
var ofTree = map[string]bool{"lookup": true, "variant": true, "chunk": true, "from": true, "below": true}

// numeric reports whether a relation compares a field with the input.
func numeric(r spec.Relation) bool { return relations[r.Name] != nil && !ofTree[r.Name] }

// showsAlone reports whether a relation alone rejects another bit in a field.
func showsAlone(p part, r spec.Relation) bool {
	other := *p.inspection
	other.src = slices.Clone(p.src)
	other.src[p.start] ^= 1
	p.inspection = &other
	v, err := p.number()
	return err == nil && p.relate(r, v) != nil
}

// inspect returns the fields of an input. They are compared without the tree.
func inspect(t *testing.T, o *Oracle, src []byte, spans []wire.Span, n tree.Node) (out []*part) {
	t.Helper()
	blind := *o
	blind.noTree = true
	c := &inspection{Oracle: &blind, src: src}
	c.root = c.newPart(nil, "", &n)
	for _, s := range spans {
		p, err := c.add(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// TestOracleOfRealFiles checks the real files: packages, archives, and the five archives
// in each scene.
func TestOracleOfRealFiles(t *testing.T) {
	for _, file := range []string{
		"upkg/TestUC1.u", "upkg/TestUC2.u", "uasset/hb415_Set.uasset", "uasset/hb415_Array.uasset",
		"uasset/hb415_Map.uasset", "uasset/hb415_Normal.uasset", "ka/newTest.dat", "ka/oldTest.dat", "ka/tanksbox.sc2",
		"ka/shpere.sc2",
	} {
		t.Run(file, func(t *testing.T) {
			src := realfile.Read(t, file)
			name, parts := path.Dir(file)+".Package", [][]byte{src}
			if path.Dir(file) == "ka" {
				found, err := kacodec.New(wire.Settings{}).Scan(src)
				if want := map[string]int{".dat": 1, ".sc2": 5}[path.Ext(file)]; err != nil || len(found) != want {
					t.Fatalf("%d archives, want %d: %v", len(found), want, err)
				}
				name, parts = "ka.Archive", nil
				for _, f := range found {
					parts = append(parts, src[f.Offset:][:f.Length])
				}
			}
			typ, _ := codec.Find(name)
			c, err := typ.Bind(wire.Settings{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range parts {
				if !CheckOracle(t, NewOracle(typ, ids.Observed(), nil), c, part) {
					t.Errorf("%d bytes are rejected", len(part))
				}
			}
		})
	}
}

// TestOracleOfWrongCodecs: spans and trees that a wrong codec could give.
func TestOracleOfWrongCodecs(t *testing.T) {
	const mip = "cooked:4:UA-MIP-1 bulkDataFlags:4:UA-MIP-2 size:4:UA-MIP-1 sizeOnDisk:4:UA-MIP-1 " +
		"offsetInFile:8:UA-MIP-3 sizeX:4:UA-MIP-1 sizeY:4:UA-MIP-1"
	for name, k := range map[string]struct {
		typ   string // with the context, if the default is not used
		input string // hex
		spans string // PATH:LENGTH:CLAUSE
		tree  string
		want  string
	}{
		"a size that wraps": { // 16 bytes times 2^30 times 2^30 blocks is 0 modulo 2^64
			"uasset.Mip format=PF_DXT5", "01000000 48000000 00000000 00000000 1800000000000000 ffffffff ffffffff",
			mip,
			`{"bulkDataFlags": "72", "size": "0", "offsetInFile": "24", "data": "", "sizeX": "4294967295", "sizeY": "4294967295"}`,
			"mip: expected 18446744073709551616, the size of the pixels, found 0",
		},
		"slices that wrap": { // 2^29 blocks of 16 bytes, 2^31 times
			"uasset.Mip format=PF_DXT5 slices=2147483648",
			"01000000 48000000 00000000 00000000 1800000000000000 00000200 00000100",
			mip,
			`{"bulkDataFlags": "72", "size": "0", "offsetInFile": "24", "data": "", "sizeX": "131072", "sizeY": "65536"}`,
			"mip: expected 18446744073709551616, the size of the pixels, found 0",
		},
		"a count above the elements": {
			"ubi.Array<uint32>", "02000000 07000000", "len:4:UBI-ARR-1 [0]:4:", `["7"]`, "count: expected 1",
		},
		"a lost element": {
			"ubi.Array<uint32>", "02000000 07000000 08000000", "len:4:UBI-ARR-1 [0]:4: [1]:4:", `["7"]`,
			"count: expected 1, the number of elements in the tree",
		},
		"the first element twice": {
			"ubi.Array<uint32>", "02000000 07000000 08000000", "len:4:UBI-ARR-1 [0]:4: [1]:4:", `["7", "7"]`,
			"[1] at 8: the tree has another value",
		},
		"elements in another order": {
			"ubi.Array<uint32>", "02000000 07000000 08000000", "len:4:UBI-ARR-1 [1]:4: [0]:4:", `["8", "7"]`,
			"element [1] follows 0 elements",
		},
		"fields in another order": {
			"ubi.Vector2", "00000000 00000000", "y:4:UBI-VEC2-1 x:4:UBI-VEC2-1", `{"x": "0", "y": "0"}`,
			"x at 4: a field that precedes it is listed after it",
		},
		"a length that is too short": {
			"ubi.BasicString", "01000000 6162", "len:4:UBI-STR-1 s:2:UBI-STR-1", `"ab"`, "bytes: expected 2",
		},
		"a number of three bytes": {
			"ubi.BasicString", "020000 6162", "len:3:UBI-STR-1 s:2:UBI-STR-1", `"ab"`, "expected 4 bytes, found 3",
		},
		"a sign that is lost":        {"upkg.CompactIndex", "81", ":1:UPKG-CI-2", `"1"`, `expected "-1", found "1"`},
		"an unsigned number":         {"upkg.Integer<int8>", "ff", ":1:UPKG-INT-1", `"255"`, `expected "-1", found "255"`},
		"an index of too many bytes": {"upkg.CompactIndex", "0100", ":2:UPKG-CI-3", `"1"`, "expected an index of 1 bytes"},
		"an interrupted part": {
			"ubi.Matrix22", "00000000 00000000 00000000 00000000", "x.x:4:UBI-VEC2-1 y.x:4:UBI-VEC2-1 y.y:4:UBI-VEC2-1 " +
				"x.y:4:UBI-VEC2-1",
			`{"x": {"x": "0", "y": "0"}, "y": {"x": "0", "y": "0"}}`, `"x" ends at 4`,
		},
		"a text of another table": {
			"ka.Archive", "4b410200 01000000 0100 61 05000000 01000000 05000000 07 09000000",
			"tag:2:KA-HDR-1 version:2:KA-HDR-2 fastNameCount:4:KA-V2-1 fastNames[0].name.length:2:KA-FNS-1 " +
				"fastNames[0].name.text:1:KA-FNS-1 fastNames[0].id:4:KA-V2-1 count:4:KA-V2-1 children[0].key.id:4:KA-P2-1 " +
				"children[0].value.type:1:KA-VH-1 children[0].value:4:KA-U32-1",
			`{"version": "0x0002", "fastNames": [{"id": "5", "name": "a"}], "children": [{"key": {"type": "STRING", "value": {"text": "b", "id": "5"}}, "value": {"type": "UINT32", "value": "9"}}]}`,
			`expected the text "a", found "b"`,
		},
		"a field without a line": {
			"ubi.Vector2", "00000000 00000000", "x:4:UBI-VEC2-1 z:4:UBI-VEC2-1", `{"x": "0", "y": "0"}`,
			"the layout has no field",
		},
	} {
		t.Run(name, func(t *testing.T) {
			words := strings.Fields(k.typ)
			typ, ok := codec.Find(words[0])
			if !ok {
				t.Fatal("no such type")
			}
			context := maps.Clone(typ.Context)
			for _, w := range words[1:] {
				key, value, _ := strings.Cut(w, "=")
				context[key] = value
			}
			src, err := hex.DecodeString(strings.ReplaceAll(k.input, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			n, err := tree.Parse([]byte(k.tree))
			if err != nil {
				t.Fatal(err)
			}
			var spans []wire.Span
			at := 0
			for _, s := range strings.Fields(k.spans) {
				f := strings.Split(s, ":")
				length, err := strconv.Atoi(f[1])
				if err != nil {
					t.Fatal(err)
				}
				spans = append(spans, wire.Span{Start: at, End: at + length, Path: f[0], Clause: ids.Clause(f[2])})
				at += length
			}
			if err := NewOracle(typ, ids.Observed(), context).Check(src, spans, n); err == nil ||
				!strings.Contains(err.Error(), k.want) {
				t.Errorf("%v, want %q", err, k.want)
			}
		})
	}
}
