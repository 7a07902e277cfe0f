package filekind

import (
	"bytes"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
)

// A Guess says as which types bytes can be read.
type Guess struct {
	Types []string // the likeliest first
	Whole bool     // a type of files accepts the bytes
	Tag   bool     // the first type does not accept the bytes: they only begin like it
	Hint  string   // what a file is that no type reads
}

// files are the types of whole files.
var files = []string{"upkg.Package", "uasset.Package", "ka.Archive"}

// smallInput is the most bytes that are also read as other types.
const smallInput = 64 << 10

// GuessTypes tries the types of files first and, for a small input, all others. If no type
// accepts the input, its first bytes decide.
func GuessTypes(src []byte) Guess {
	a := Guess{Types: []string{}}
	takes := func(t *codec.Type, src []byte) bool {
		c, err := t.Bind(wire.Settings{}, nil)
		if err == nil {
			_, err = c.Decode(src)
		}
		return err == nil
	}
	try := func(t *codec.Type) {
		// A type that also takes other bytes after the input says nothing of it.
		if len(src) > 0 && takes(t, src) && !takes(t, append(src[:len(src):len(src)], 0x5A, 0xA5)) {
			a.Types = append(a.Types, t.Name)
		}
	}
	for _, name := range files {
		t, _ := codec.Find(name)
		try(t)
	}
	a.Whole = len(a.Types) > 0
	if a.Whole {
		return a
	}
	if len(src) <= smallInput {
		for _, t := range codec.Types() {
			if !slices.Contains(files, t.Name) {
				try(t)
			}
		}
	}
	// A type that takes any bytes of this length says less of them than one that does not.
	any := bytes.Repeat([]byte{0x5A, 0xA5}, len(src)/2+1)[:len(src)]
	slices.SortStableFunc(a.Types, func(x, y string) int {
		rank := func(name string) int {
			if t, _ := codec.Find(name); takes(t, any) {
				return 1
			}
			return 0
		}
		return rank(x) - rank(y)
	})
	k, _ := Of(bytes.NewReader(src), int64(len(src))) // memory can be read
	if k.Group == Holder || k.Group == Unsupported || len(a.Types) == 0 {
		a.Hint = Hint(src)
	}
	if k.Group == Whole && !slices.Contains(a.Types, k.Type) {
		a.Types, a.Tag = slices.Insert(a.Types, 0, k.Type), true
	}
	return a
}
