// Package fast reads and writes whole keyed archives of the common kind, as a
// short cut for codec/ka. It takes an archive with everything nested in it, or
// declines. It reports no errors: codec/ka then reads or writes the archive
// from its start, and names the fault if there is one.
//
// A dialect that this package does not know declines in [New] or by [Rules].
package fast

import (
	model "github.com/formatgauge/formatgauge/model/ka"
)

// Rules are a dialect as far as this package knows it.
type Rules struct {
	// Missing are types whose id does not exist, and Declined types whose
	// values are left to codec/ka: bit t for type t.
	Missing, Declined uint32
	// Plain is for 0x0001 archives, Top for 0x0002 and Sub for 0x0102.
	Plain, Top, Sub References
	Tables          bool // archives with fast names are read and written here
	LastRow         bool // of rows with the same id the last counts
	PlainInTable    bool // a 0x0001 archive inside a 0x0002 archive is like any other
	Final           bool // what is [Rejected] here is also rejected by codec/ka
	MaxDepth        int
}

// References are the types of text that are text references: bit t for type t.
type References struct{ InPairs, InArrays uint32 }

// A Codec reads and writes archives under the same rules. It is immutable.
type Codec struct {
	Rules
	kinds [256]kind
}

// kind says how the body of a type of value is read and written.
type kind struct {
	form
	size, width uint8 // of a number or of several
}

type form uint8

const (
	missing form = iota
	declined
	numbers
	boolean
	text
	wideText
	byteRun
	array
	archive
)

// New returns a codec for archives under rules.
func New(r Rules) *Codec {
	c := &Codec{Rules: r}
	forms := map[model.Type]form{
		model.TypeBoolean: boolean, model.TypeWideString: wideText, model.TypeByteArray: byteRun,
		model.TypeArray: array, model.TypeKeyedArchive: archive,
	}
	for i, info := range model.Types() {
		k, t := &c.kinds[i], model.Type(i)
		f, special := forms[t]
		switch {
		case has(r.Missing, t):
		case has(r.Declined, t) || info.Size == 0:
			k.form = declined
		case special:
			k.form = f
		case info.Size == model.Varies:
			k.form = text
		default:
			k.form = numbers
		}
		if info.Size > 0 {
			k.size, k.width = uint8(info.Size), uint8(info.Width)
		}
	}
	return c
}

func has(set uint32, t model.Type) bool { return set>>(t&31)&1 != 0 }

const (
	tag       = "KA"
	leastPair = 5 // of a pair in 0x0002 and 0x0102; in 0x0001 one more
	leastRow  = 2 + 4
)

// scope is what decides about texts: the table in force and which texts refer
// to it.
type scope struct {
	*table
	References
}
