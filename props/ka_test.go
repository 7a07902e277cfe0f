package props

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	kacodec "github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestCanonicalArchives checks the canonical form of archives; see
// CheckCanonical.
func TestCanonicalArchives(t *testing.T) {
	typ, _ := codec.Find("ka.Archive")
	rapid.Check(t, func(rt *rapid.T) {
		CheckCanonical(rt, drawProfile(rt, "ka"), drawValue(rt, typ).(ka.Archive))
	})
}

// TestQuickArchives: the short cuts of archives change no result, under every
// side of every flag: for the vectors, their derived cases, changes of one byte,
// and drawn archives. An ordinary run has long vectors under the base profiles alone, and a
// quarter of the changes.
func TestQuickArchives(t *testing.T) {
	family, _ := spec.FindFamily("ka")
	profiles := append([]ids.Profile{ids.Observed(), ids.Documented()}, family.Departures()...)
	var codecs []*kacodec.Codec
	for _, p := range profiles {
		codecs = append(codecs, kacodec.New(wire.Settings{Profile: p}))
	}
	shallow := kacodec.New(wire.Settings{Limits: wire.Limits{MaxDepth: 2}})
	few := kacodec.New(wire.Settings{Limits: wire.Limits{MaxCount: 1}})
	for _, v := range corpustest.Of(t, "ka.Archive") {
		for i, c := range append(codecs, shallow, few) {
			if i < 2 || len(v.Bytes) < long || testrun.Exhaustive {
				CheckShortcuts(t, c, v.Bytes)
			}
		}
		for _, x := range judge.Derive(v, ids.Observed()) {
			CheckShortcuts(t, codecs[0], x.Input())
		}
		if len(v.Bytes) > 400 {
			continue // a limit; shorter vectors have all types
		}
		for i := range v.Bytes {
			for k, b := range []byte{0, 1, 2, 5, 8, 27, 0xFF, v.Bytes[i] ^ 1} {
				if (i+k)%4 != 0 && !testrun.Exhaustive {
					continue // two for each byte
				}
				changed := bytes.Clone(v.Bytes)
				changed[i] = b
				CheckShortcuts(t, codecs[0], changed)
			}
		}
	}
	typ, _ := codec.Find("ka.Archive")
	rapid.Check(t, func(rt *rapid.T) {
		a := drawValue(rt, typ).(ka.Archive)
		for _, c := range []*kacodec.Codec{codecs[0], shallow, few} {
			CheckShortcutAppend(rt, c, a)
		}
	})
}

// TestQuickRejects: archives without an encoding are rejected with the short
// cut as without it: nested wrongly, with text in the wrong form, and with values
// that are none of the model's types.
func TestQuickRejects(t *testing.T) {
	type own struct{ ka.Value }
	c := kacodec.New(wire.Settings{})
	number, id := ka.Int32(1), uint32(7)
	rows := []ka.FastNameEntry{{ID: id, Name: "x"}}
	inline, reference, other := ka.String{Text: "x"}, ka.String{Text: "x", ID: &id}, ka.String{Text: "y", ID: &id}
	children := func(key, value ka.Value) []ka.Pair { return []ka.Pair{{Key: key, Value: value}} }
	plain := func(key, value ka.Value) ka.Archive {
		return ka.Archive{Version: ka.V0x0001, Children: children(key, value)}
	}
	table := func(key, value ka.Value) ka.Archive {
		return ka.Archive{Version: ka.V0x0002, FastNames: rows, Children: children(key, value)}
	}
	invalid := []ka.Archive{
		{Version: ka.Headerless, Children: children(inline, number)},
		{Version: 3, Children: children(inline, number)},
		{Version: ka.V0xff02, Children: children(inline, number)},
		{Version: ka.V0x0102, Children: children(reference, number)},
		{Version: ka.V0x0102, Children: children(inline, number)},
		{Version: ka.V0x0001, FastNames: rows, Children: children(inline, number)},
		{Version: ka.V0x0002, Children: children(reference, number)},
		plain(reference, number), plain(inline, reference), plain(inline, ka.WideString(reference)),
		plain(inline, ka.Array{reference}),
		plain(inline, ka.WideString{Text: "\xff"}),
		plain(inline, ka.KeyedArchive{Version: ka.V0x0102, Children: children(reference, number)}),
		table(inline, number), table(reference, inline), table(other, number), table(reference, other),
		table(reference, ka.WideString(inline)),
		table(reference, ka.Array{inline}), table(ka.WideString(reference), number),
	}
	for _, v := range []ka.Value{nil, own{}, (*ka.Int32)(nil), &number, own{number}, ka.None{}} {
		invalid = append(invalid, plain(inline, v), plain(inline, ka.Array{v}), plain(v, number), table(v, number),
			table(reference, v))
	}
	for _, a := range invalid {
		b, err := c.Archive().Append([]byte("x"), a)
		if _, want := withoutShortcut(c.Archive()).Append(nil, a); string(b) != "x" || err == nil ||
			fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%v: %q, %v, want %v", a, b, err, want)
		}
	}
}
