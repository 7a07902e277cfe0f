package ka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/testrun"
	model "github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func text(s string) model.String { return model.String{Text: s} }

func pairOf(key string, v model.Value) model.Pair { return model.Pair{Key: text(key), Value: v} }

func plainArchive(pairs ...model.Pair) model.Archive {
	return model.Archive{Version: model.V0x0001, Children: append([]model.Pair{}, pairs...)}
}

func codecFor(profile string) *Codec {
	return New(wire.Settings{Profile: testrun.Must(ids.ParseProfile(profile))})
}

// encoded returns the canonical form of a tree, and its bytes.
func encoded(c *Codec, tree model.Archive, to model.Version) (model.Archive, []byte) {
	a := testrun.Must(c.Canonical(tree, to))
	return a, testrun.Must(c.Archive().Append(nil, a))
}

// TestCanonical compares the canonical form of a tree with a literal.
func TestCanonical(t *testing.T) {
	bare := plainArchive(
		pairOf("b", model.KeyedArchive(plainArchive(pairOf("z", text("b")), pairOf("a", model.FastName(text("new")))))),
		pairOf("", model.KeyedArchive(plainArchive())),
		pairOf("a", model.Array{text("b"), model.WideString(text("w")), model.Array{model.FilePath(text("p"))}}),
	)
	c := New(wire.Settings{})
	got := testrun.Must(c.Canonical(bare, model.V0x0002))
	id := func(s string) *uint32 { n := FastNameID(s); return &n }
	named := func(s string) model.String { return model.String{Text: s, ID: id(s)} }
	want := model.Archive{Version: model.V0x0002, Children: []model.Pair{
		{Key: named(""), Value: model.KeyedArchive{Version: model.V0xff02, Children: []model.Pair{}}},
		{
			Key:   named("a"),
			Value: model.Array{named("b"), model.WideString(named("w")), model.Array{model.FilePath(named("p"))}},
		},
		{Key: named("b"), Value: model.KeyedArchive{Version: model.V0x0102, Children: []model.Pair{
			{Key: named("a"), Value: model.FastName(named("new"))},
			{Key: named("z"), Value: named("b")},
		}}},
	}}
	for _, s := range []string{"", "a", "b", "new", "p", "w", "z"} {
		want.FastNames = append(want.FastNames, model.FastNameEntry{ID: *id(s), Name: model.FastNameString(s)})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if again, err := c.Canonical(got, model.V0x0002); err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("it is no fixed point: %v", err)
	}
}

// colliding returns two names that have the same id.
func colliding() (string, string) {
	seen := map[uint32]string{}
	for i := 0; ; i++ {
		name := le32(uint32(i) * 0x9E3779B1)
		id := FastNameID(name)
		if other, ok := seen[id]; ok {
			return other, name
		}
		seen[id] = name
	}
}

func TestCanonicalFaults(t *testing.T) {
	a, b := colliding()
	deep := model.Value(model.Array{})
	for range 70 {
		deep = model.Array{deep}
	}
	inner := model.KeyedArchive(plainArchive(pairOf("k", model.Array{model.Int32(1), nil})))
	for _, c := range []struct {
		name string
		tree model.Archive
		to   model.Version
		path string
	}{
		{"one id for two names", plainArchive(pairOf(a, text(b))), model.V0x0002, "fastNames"},
		{"long name", plainArchive(pairOf(strings.Repeat("x", 65536), text(""))), model.V0x0002, "fastNames"},
		{
			"wide key", plainArchive(model.Pair{Key: model.WideString(text("w")), Value: text("")}), model.V0x0002,
			"children[0].key",
		},
		{"no key", plainArchive(model.Pair{Key: model.Int8(1), Value: text("")}), model.V0x0001, "children[0].key"},
		{"no value", plainArchive(pairOf("a", inner)), model.V0x0001, "children[0].value.children[0].value[1]"},
		{"version", plainArchive(), model.V0x0102, "version"},
		{"deep", plainArchive(pairOf("a", deep)), model.V0x0002, ""},
	} {
		_, err := codecFor("observed").Canonical(c.tree, c.to)
		class := wire.Range
		if c.path == "" {
			class = wire.Limit
		}
		if e, ok := errors.AsType[*wire.Error](err); !ok || e.Class != class || c.path != "" && e.Path != c.path {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	fast := plainArchive(pairOf("a", model.FastName(text("without a table"))))
	_, err := codecFor("documented").Canonical(fast, model.V0x0001)
	if e, ok := errors.AsType[*wire.Error](err); !ok || e.Class != wire.Range || e.Path != "children[0].value" {
		t.Error(err)
	}
}

// TestScanGivesUp: an archive seems to begin every few bytes, and each attempt
// reads to the end of the file. Scan gives up where the attempts together have
// read more than the limit.
func TestScanGivesUp(t *testing.T) {
	const many = 30000
	// Each text is the header of another archive that has the same remaining pairs,
	// and all of them lack one pair at the end. The fault is reported at the count, far
	// from where reading stopped.
	header := "KA\x01\x00" + le32(many)
	pairs := header + strings.Repeat("\x04\x00\x00\x00\x00\x04\x08\x00\x00\x00"+header, many-1)
	// Each element is a byte array that contains the header of an archive with an
	// array, which has the same remaining elements and lacks one.
	head := "KA\x01\x00" + le32(1) + "\x04" + le32(0) + "\x1b" + le32(many)
	elements := head + strings.Repeat("\x06"+le32(uint32(len(head)))+head, many-1)
	for name, tc := range map[string]struct {
		src      string
		distance int // between the tags
	}{"pairs": {pairs, 18}, "elements": {elements, 23}} {
		t.Run(name, func(t *testing.T) {
			at, wasted := 0, len(tc.src)
			for wasted <= scanBase+scanWork*len(tc.src) {
				at += tc.distance
				wasted += len(tc.src) - at
			}
			for _, profile := range []string{"observed", "observed,ka.bool=nonzero"} { // with and without the short cut
				c := codecFor(profile)
				found, err := c.Scan([]byte(tc.src))
				e, ok := errors.AsType[*wire.Error](err)
				if len(found) > 0 || !ok || e.Class != wire.Limit || e.Offset > at {
					t.Errorf("%s: %d found, %v, expected to give up at %d", profile, len(found), err, at)
				}
			}
		})
	}
	// One byte is missing from each element: every attempt ends after a few
	// elements, and Scan reads the whole file.
	early := head + strings.Repeat("\x06"+le32(uint32(len(head)+1))+head, many-1)
	if found, err := New(wire.Settings{}).Scan([]byte(early)); len(found) > 0 || err != nil {
		t.Errorf("%d found, %v", len(found), err)
	}
}

func le32(v uint32) string { return string(binary.LittleEndian.AppendUint32(nil, v)) }

// TestHostile: what an input promises takes neither memory nor stack.
func TestHostile(t *testing.T) {
	const filler = 100000
	rest := strings.Repeat("\x00", filler)
	arrays, nestedTables, nested := "", "", ""
	for range 63 {
		arrays += "\x1b" + le32(filler) // each claims all remaining bytes
		nestedTables += "KA\x02\x00" + le32(1) + "\x01\x00a" + le32(0) + le32(filler/8) + le32(0) + "\x08" + le32(filler)
		nested += "KA\x01\x00" + le32(filler/8) + "\x04" + le32(0) + "\x08" + le32(filler)
	}
	bombs := strings.Repeat("\x1b"+le32(1), 100000)
	for name, src := range map[string]string{
		"pairs of 0x0001":     "KA\x01\x00" + le32(1<<32-1) + rest,
		"rows":                "KA\x02\x00" + le32(1<<32-1) + rest,
		"pairs of 0x0002":     "KA\x02\x00" + le32(0) + le32(1<<32-1) + rest,
		"text":                "KA\x01\x00" + le32(1) + "\x04" + le32(1<<32-1) + rest,
		"wide text":           "KA\x01\x00" + le32(1) + "\x05" + le32(1<<32-1) + rest,
		"bytes":               "KA\x01\x00" + le32(1) + "\x04" + le32(0) + "\x06" + le32(1<<32-1) + rest,
		"elements":            "KA\x01\x00" + le32(1) + "\x04" + le32(0) + "\x1b" + le32(1<<32-1) + rest,
		"archive":             "KA\x01\x00" + le32(1) + "\x04" + le32(0) + "\x08" + le32(1<<32-1) + rest,
		"arrays in arrays":    "KA\x01\x00" + le32(1) + "\x04" + le32(0) + arrays + rest,
		"archives with rows":  nestedTables + rest,
		"archives in archive": nested + rest,
		"depth":               "KA\x01\x00" + le32(1) + "\x04" + le32(0) + bombs,
	} {
		for _, profile := range []string{
			"observed", "documented", "observed,ka.none=documented", "observed,ka.count-past-end=stop,ka.none=documented",
			"observed,ka.nested-length-mismatch=ignore,ka.none=documented",
			"observed,ka.nested-length-mismatch=slice,ka.none=documented",
			"observed,ka.magic=headerless", "observed,ka.duplicate-key=last,ka.none=documented",
		} {
			c := codecFor(profile)
			// Twice, because a fault takes a second reading.
			input := []byte(src)
			used := testrun.Allocated(func() { _, _ = c.Archive().Decode(input) })
			if most := uint64(64*len(src) + 1<<16); used > most {
				t.Errorf("%s under %s: %d bytes of input take %d bytes of memory, more than %d", name, profile,
					len(src), used, most)
			}
		}
	}
}

// TestIDsStandForTexts: a text is written only with an id that the table has
// for it, wherever in memory both are, and whatever was written before.
func TestIDsStandForTexts(t *testing.T) {
	bare := plainArchive()
	for i := range 16 {
		bare.Children = append(bare.Children, pairOf(fmt.Sprintf("key %02d", i), text("value")))
	}
	key := func(a model.Archive, i int) model.String { return a.Children[i].Key.(model.String) }
	for name, tc := range map[string]struct {
		change   func(a model.Archive)
		rejected bool
	}{
		"as it was read": {func(model.Archive) {}, false},
		"a text that lies elsewhere": {func(a model.Archive) {
			a.Children[5].Key = model.String{Text: strings.Clone(key(a, 5).Text), ID: key(a, 5).ID}
		}, false},
		"an id that lies elsewhere": {func(a model.Archive) {
			id := *key(a, 5).ID
			a.Children[5].Key = model.String{Text: key(a, 5).Text, ID: &id}
		}, false},
		"the text of another row": {func(a model.Archive) {
			a.Children[5].Key = model.String{Text: key(a, 6).Text, ID: key(a, 5).ID}
		}, true},
		"another text of the same length": {func(a model.Archive) {
			a.Children[5].Key = model.String{Text: "key xx", ID: key(a, 5).ID}
		}, true},
		"a number that has changed in place": {func(a model.Archive) { *key(a, 5).ID++ }, true},
		"a row that has changed":             {func(a model.Archive) { a.FastNames[3].ID++ }, true},
		"a value under the id of a key": {func(a model.Archive) {
			a.Children[5].Value = model.String{Text: "value", ID: key(a, 5).ID}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := New(wire.Settings{})
			_, b := encoded(c, bare, model.V0x0002)
			a := testrun.Must(c.Archive().Decode(b))
			tc.change(a)
			if _, err := c.Archive().Append(nil, a); (err != nil) != tc.rejected {
				t.Errorf("rejected: %v, expected %v: %v", err != nil, tc.rejected, err)
			}
		})
	}
	// Of two entries with the same id the last or the first counts: only its
	// text can be written with that id.
	for side, stands := range map[string]int{"observed": 1, "first": 0} {
		c := codecFor("observed,ka.duplicate-id=" + side)
		a := model.Archive{Version: model.V0x0002}
		ids := make([]uint32, 16)
		for i := range ids {
			ids[i] = uint32(100 + i)
			a.FastNames = append(a.FastNames,
				model.FastNameEntry{ID: ids[i], Name: model.FastNameString(fmt.Sprintf("key %02d", i))})
			a.Children = append(a.Children, model.Pair{
				Key:   model.String{Text: string(a.FastNames[i].Name), ID: &ids[i]},
				Value: model.Int32(0),
			})
		}
		twins := len(ids) - 2
		ids[twins+1] = ids[twins]
		a.FastNames[twins+1].ID = ids[twins]
		pairs := a.Children
		for i := range 2 {
			a.Children = append(pairs[:twins:twins], pairs[twins+i])
			if _, err := c.Archive().Append(nil, a); (err == nil) != (i == stands) {
				t.Errorf("%s: row %d of two with one id: %v", side, i, err)
			}
		}
	}
}

// TestNestedFaultTrace: after a fault in a nested archive the spans still cover
// every byte, the ignored ones belong to one leaf of that archive, and paths and
// window are those from before it.
func TestNestedFaultTrace(t *testing.T) {
	inner := "KA\x01\x00\x02\x00\x00\x00" + "\x04\x01\x00\x00\x00a\xff" + "ignored"
	src := []byte("KA\x01\x00\x02\x00\x00\x00" + "\x04\x01\x00\x00\x00x\x08" + string(rune(len(inner))) + "\x00\x00\x00" +
		inner + "\x04\x01\x00\x00\x00y\x16\x07")
	a, spans, err := codecFor("observed,ka.nested-fault=ignored").Archive().Trace(src)
	if err != nil || len(a.Children) != 2 {
		t.Fatal(a, err)
	}
	at, named := 0, 0
	for _, s := range spans {
		if s.Start != at {
			t.Errorf("no span from %d to %d", at, s.Start)
		}
		at = s.End
		if s.Path == "children[0].value.ignored" && string(src[s.Start:s.End]) == "ignored" {
			named++
		}
	}
	if last := spans[len(spans)-1]; at != len(src) || named != 1 || last.Path != "children[1].value" {
		t.Errorf("end %d, named %d, last %s: %v", at, named, last.Path, spans)
	}
}
