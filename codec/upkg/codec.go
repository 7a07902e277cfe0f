// Package upkg reads and writes the data types of Unreal Engine 1 and 2
// packages (see [Data Details]), modelled in model/upkg, and as an extension the
// tables of a package.
//
// A [Codec] is created once from settings. Its methods return the structures:
//
//	c := upkg.New(wire.Settings{})
//	pkg, err := c.Package().Decode(file)
//	name, n, err := c.Name(69).DecodePrefix(src)
//
// The header of a package contains the counts and offsets of its tables.
// [Codec.Rebuild] computes them after a change.
//
// [ConsumeCompactIndex] and [AppendCompactIndex] are for loops that read or
// write indices only.
//
// The bytes of a decoded [Chunk] or [Encoding] alias the input: a change of one is a change of
// the other. Everything else may be changed in place. Appending to a list or to
// the bytes of a chunk changes nothing else. The texts of a table share memory,
// and so do the serial offsets: one that is kept keeps all of them.
//
// [Data Details]: https://wiki.beyondunreal.com/Legacy:Package_File_Format/Data_Details
package upkg

import (
	"math"
	"reflect"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
	"github.com/formatgauge/formatgauge/spec/ids"
)

type clauseID = ids.Clause

// Codec contains settings, with the profile resolved into plain fields. It is
// immutable and safe for concurrent use. The structures of the zero Codec are zero too.
type Codec struct {
	family *wire.Family
	d      dialect
	// kept is set while the tables of a package are read or written. It contains
	// the encodings found so far, or those that are still to be written.
	kept *[]model.Encoding
}

// dialect contains the side of each switchable flag of the family.
type dialect struct {
	wideIndex         bool           // upkg.ci-range: a sign and a magnitude of 35 bits
	fifthByte         fifthByteRule  // upkg.ci-fifth-high-bits
	minusZeroRejected bool           // upkg.ci-minus-zero
	paddedRejected    bool           // upkg.ci-non-minimal
	byteLength        bool           // upkg.name-length-kind: the length is one byte
	zeroLength        bool           // upkg.name-length-zero: length 0 is an empty name without terminator
	wideNames         bool           // upkg.name-unicode: a negative length counts 16-bit units
	terminator        terminatorRule // upkg.name-terminator
	cutAtNUL          bool           // upkg.name-embedded-nul
	rangeChecked      bool           // upkg.ref-range: Package rejects indices outside its tables
	serial            serialRule     // upkg.serial-offset
	oneTag            bool           // upkg.tag: only one tag begins a package
	// Of a compact index that can be written; it follows from the first two.
	leastIndex, greatestIndex int64
}

// A fifthByteRule is what the three upper bits of a fifth byte do.
type fifthByteRule uint8

const (
	fifthSignificant fifthByteRule = iota // they belong to the magnitude
	fifthMasked                           // they are ignored
	fifthStrict                           // a value that does not fit 32 bits is rejected
)

// A terminatorRule is what happens to a name whose last character is not NUL.
type terminatorRule uint8

const (
	unterminatedRejected terminatorRule = iota // the name is rejected
	unterminatedKept                           // the last character belongs to the name
	unterminatedDropped                        // the last character is dropped
)

// New returns a codec.
func New(s wire.Settings) *Codec {
	p := s.Profile
	s.BigEndian = false // UPKG-INT: always little-endian
	d := dialect{
		wideIndex:         p.Takes("upkg.ci-range", ids.SideDocumented),
		minusZeroRejected: p.Takes("upkg.ci-minus-zero", "strict"),
		paddedRejected:    p.Takes("upkg.ci-non-minimal", "strict"),
		byteLength:        p.Takes("upkg.name-length-kind", ids.SideDocumented),
		zeroLength:        !p.Takes("upkg.name-length-zero", ids.SideDocumented),
		wideNames:         !p.Takes("upkg.name-unicode", ids.SideDocumented),
		cutAtNUL:          p.Takes("upkg.name-embedded-nul", "cut"),
		rangeChecked:      p.Takes("upkg.ref-range", "strict"),
		oneTag:            p.Takes("upkg.tag", "strict"),
		serial: ids.Rule[serialRule]{
			"not-negative": offsetIfNotNegative, "nonzero": offsetIfNonzero, "always": offsetAlways,
		}.Of(p, "upkg.serial-offset"),
		fifthByte: ids.Rule[fifthByteRule]{"observed": fifthMasked, "strict": fifthStrict}.Of(p, "upkg.ci-fifth-high-bits"),
		terminator: ids.Rule[terminatorRule]{
			"keep": unterminatedKept, "drop": unterminatedDropped,
		}.Of(p, "upkg.name-terminator"),
	}
	switch {
	case !d.wideIndex || d.fifthByte == fifthStrict:
		d.leastIndex, d.greatestIndex = math.MinInt32, math.MaxInt32
	case d.fifthByte == fifthMasked:
		d.leastIndex, d.greatestIndex = -math.MaxUint32, math.MaxUint32
	default:
		d.leastIndex, d.greatestIndex = -maxMagnitude, maxMagnitude
	}
	return &Codec{family: &wire.Family{Prefix: "upkg.", Settings: s.Citing("UPKG-INT-3", "UPKG-INT-4")}, d: d}
}

// IntegerOf is an integer of the width and sign of T, little-endian.
func IntegerOf[T model.Integer](c *Codec) wire.Structure[T] {
	kind := reflect.TypeFor[T]()
	return wire.Keep(c.family, wire.Key{Name: kind.Kind().String()}, func() wire.Description[T] {
		size := int(kind.Size())
		body := func(f wire.Fields, v T) T { return wire.Integer(f, size, v, "UPKG-INT-1") }
		return wire.Describe(c.family, "Integer<"+kind.Kind().String()+">", size, wire.Reading(body), wire.Writing(body))
	})
}
