package ubi

import (
	"fmt"
	"math"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ubi"
)

// CompressedQuaternion3U16 is three codes, kept as stored.
func (c *Codec) CompressedQuaternion3U16() wire.Structure[model.CompressedQuaternion3U16] {
	return wire.Bind(c.family, c, "CompressedQuaternion3U16", 6,
		func(_ *Codec, r *wire.Reader) (v model.CompressedQuaternion3U16) {
			return codes3U16(wire.Fields{R: r}, v)
		},
		func(_ *Codec, w *wire.Writer, v model.CompressedQuaternion3U16) { codes3U16(wire.Fields{W: w}, v) })
}

func codes3U16(f wire.Fields, v model.CompressedQuaternion3U16) model.CompressedQuaternion3U16 {
	f.Uint16(&v.X, "x", "UBI-3U16-1")
	f.Uint16(&v.Y, "y", "UBI-3U16-1")
	f.Uint16(&v.Z, "z", "UBI-3U16-1")
	return v
}

// CompressedQuaternionU32 is one code, kept as stored.
func (c *Codec) CompressedQuaternionU32() wire.Structure[model.CompressedQuaternionU32] {
	return wire.Bind(c.family, c, "CompressedQuaternionU32", 4,
		func(_ *Codec, r *wire.Reader) model.CompressedQuaternionU32 { return readU32(r) },
		func(_ *Codec, w *wire.Writer, v model.CompressedQuaternionU32) { w.Uint32(uint32(v)) })
}

func readU32(r *wire.Reader) model.CompressedQuaternionU32 {
	v := model.CompressedQuaternionU32(r.Uint32("", "UBI-U32-2"))
	if r.Tracing() {
		a, b, c := v.Elements()
		r.Note("%d: greatest %c, others %d %d %d", uint32(v), "xyzw"[v.Greatest()], a, b, c)
	}
	return v
}

// Quaternion3U16 reads a [model.CompressedQuaternion3U16] and decompresses it;
// it compresses a quaternion and writes it. Writing is not the inverse of
// reading: many codes decrease by one (ubi.quat-3u16-drift).
func (c *Codec) Quaternion3U16() wire.Structure[model.Quaternion] {
	return wire.Bind(c.family, c, "CompressedQuaternion3U16.Quaternion", 6,
		func(c *Codec, r *wire.Reader) model.Quaternion {
			return c.Decompress3U16(codes3U16(wire.Fields{R: r}, model.CompressedQuaternion3U16{}))
		},
		func(_ *Codec, w *wire.Writer, q model.Quaternion) {
			v, detail := compress3U16(q)
			if detail != "" {
				w.Fail("", "UBI-3U16Q-4", "%s", detail)
			}
			codes3U16(wire.Fields{W: w}, v)
		})
}

// QuaternionU32 reads a [model.CompressedQuaternionU32] and decompresses it;
// it compresses a quaternion and writes it.
func (c *Codec) QuaternionU32() wire.Structure[model.Quaternion] {
	return wire.Bind(c.family, c, "CompressedQuaternionU32.Quaternion", 4,
		func(c *Codec, r *wire.Reader) model.Quaternion {
			at := r.Offset()
			q, detail := c.decompressU32(readU32(r))
			if detail != "" {
				r.Fail(wire.Value, at, "", "UBI-U32Q-5", "%s", detail)
			}
			return q
		},
		func(c *Codec, w *wire.Writer, q model.Quaternion) {
			v, detail := c.compressU32(q)
			if detail != "" {
				w.Fail("", "UBI-U32Q-7", "%s", detail)
			}
			w.Uint32(uint32(v))
		})
}

// CompressU32 returns the code of a quaternion of any finite length but zero.
// Any other quaternion is an error of class [wire.Range].
func (c *Codec) CompressU32(q model.Quaternion) (model.CompressedQuaternionU32, error) {
	v, detail := c.compressU32(q)
	return v, failure("ubi.CompressedQuaternionU32", wire.Range, "UBI-U32Q-7", detail)
}

// DecompressU32 returns the quaternion of a code. For 3.49 % of all codes the
// stored components are too long for a unit quaternion. Then the flag
// ubi.quat-u32-nan decides: the derived component is NaN, the code is an error
// of class [wire.Value], or the derived component is 0.
func (c *Codec) DecompressU32(v model.CompressedQuaternionU32) (model.Quaternion, error) {
	q, detail := c.decompressU32(v)
	return q, failure("ubi.CompressedQuaternionU32", wire.Value, "UBI-U32Q-5", detail)
}

// Compress3U16 returns the codes of a unit quaternion. It does not normalize.
// A code that does not fit 16 bits is an error of class [wire.Range].
func (c *Codec) Compress3U16(q model.Quaternion) (model.CompressedQuaternion3U16, error) {
	v, detail := compress3U16(q)
	return v, failure("ubi.CompressedQuaternion3U16", wire.Range, "UBI-3U16Q-4", detail)
}

// failure returns the error with a detail; nil if the detail is empty.
func failure(typ string, class wire.Class, clause clauseID, detail string) error {
	if detail == "" {
		return nil
	}
	return &wire.Error{Type: typ, Class: class, Clause: clause, Detail: detail}
}

// Both constants are float32 in the document. Their ratio is exactly 512.
var (
	oneOverRootTwo  = math.Float32frombits(0x3F3504F3) // sqrt(2)/2
	scaleRange10Bit = math.Float32frombits(0x3AB504F3) // sqrt(2)/1024
)

// The functions below write out every conversion. Without them Go may fuse a
// product and a sum into one operation with one rounding on some
// architectures.

// compressU32 returns a detail if there is no code.
func (c *Codec) compressU32(q model.Quaternion) (v model.CompressedQuaternionU32, detail string) {
	e, detail := normalize(q)
	if detail != "" {
		return 0, detail
	}
	// Among components of equal magnitude the highest index wins.
	greatest := 0
	for i := 1; i < 4; i++ {
		if !(math.Abs(e[greatest]) > math.Abs(e[i])) {
			greatest = i
		}
	}
	if e[greatest] < 0 {
		for i := range e {
			e[i] = -e[i]
		}
	}
	var code [3]uint32
	n := 0
	for i, x := range e {
		if i != greatest {
			code[n] = c.compressElement(x)
			n++
		}
	}
	if c.d.u32RepeatsA {
		code[2] = code[0]
	}
	return model.CompressedQuaternionU32(uint32(greatest)<<30 | code[0]<<20 | code[1]<<10 | code[2]), ""
}

// normalize scales a quaternion to length 1 in float64 and rounds each
// component to float32, the type of a stored component. It returns a detail if
// that is not possible.
func normalize(q model.Quaternion) (e [4]float64, detail string) {
	e = [4]float64{float64(q.X), float64(q.Y), float64(q.Z), float64(q.W)}
	sum := 0.0
	for _, x := range e {
		sum = float64(sum + float64(x*x))
	}
	n := math.Sqrt(sum)
	if n == 0 || math.IsInf(n, 0) || n != n {
		return e, fmt.Sprintf("expected a quaternion of finite length greater than 0, found length %g", n)
	}
	for i := range e {
		e[i] = float64(float32(e[i] / n))
	}
	return e, ""
}

// fudge makes a decompressed component compress to the same code.
const fudge = 0.000025

func (c *Codec) compressElement(x float64) uint32 {
	sum := float64(x + float64(oneOverRootTwo))
	if c.d.u32Single {
		sum = float64(float32(x) + oneOverRootTwo)
	}
	scaled := float64(sum * float64(1.0/float64(scaleRange10Bit)))
	return min(uint32(float64(scaled+fudge)), 0x3FF)
}

// decompressU32 returns a detail if the code is rejected.
func (c *Codec) decompressU32(v model.CompressedQuaternionU32) (q model.Quaternion, detail string) {
	var e [3]float32
	rest := 1.0
	for i, code := range elements(v) {
		e[i] = c.decompressElement(code)
		rest = float64(rest - square(e[i], c.d.u32Single))
	}
	s := math.Sqrt(rest)
	if rest < 0 {
		switch c.d.u32NaN {
		case nanRejected:
			return q, fmt.Sprintf("expected stored components whose squares add up to at most 1 under "+
				"ubi.quat-u32-nan=error, found %g", 1-rest)
		case nanClamped:
			s = 0
		default:
			s = math.Float64frombits(0x7FF8000000000000)
		}
	}
	g := float32(s)
	switch v.Greatest() {
	case 0:
		return model.Quaternion{X: g, Y: e[0], Z: e[1], W: e[2]}, ""
	case 1:
		return model.Quaternion{X: e[0], Y: g, Z: e[1], W: e[2]}, ""
	case 2:
		return model.Quaternion{X: e[0], Y: e[1], Z: g, W: e[2]}, ""
	}
	return model.Quaternion{X: e[0], Y: e[1], Z: e[2], W: g}, ""
}

// square multiplies in float32 or in float64.
func square(x float32, single bool) float64 {
	if single {
		return float64(float32(x * x))
	}
	return float64(float64(x) * float64(x))
}

func elements(v model.CompressedQuaternionU32) [3]uint16 {
	a, b, c := v.Elements()
	return [3]uint16{a, b, c}
}

func (c *Codec) decompressElement(code uint16) float32 {
	if c.d.u32Single {
		product := float32(float32(code) * scaleRange10Bit)
		return float32(product - oneOverRootTwo)
	}
	product := float64(float64(code) * float64(scaleRange10Bit))
	return float32(product - float64(oneOverRootTwo))
}

const steps3U16 = 32767.0

// compress3U16 returns a detail if there are no codes.
func compress3U16(q model.Quaternion) (v model.CompressedQuaternion3U16, detail string) {
	sign := 1.0
	if q.W < 0 {
		sign = -1
	}
	for i, x := range [3]float32{q.X, q.Y, q.Z} {
		code := float64(float64(1+sign*float64(x)) * steps3U16)
		if !(code > -1 && code < 65536) {
			return v, fmt.Sprintf("expected a code from 0 to 65535 for component %c, found %g", "xyz"[i], code)
		}
		*[3]*uint16{&v.X, &v.Y, &v.Z}[i] = uint16(code)
	}
	return v, ""
}

// Decompress3U16 returns the quaternion of three codes. W is never negative.
// It is 0 if the other components are too long for a unit quaternion.
func (c *Codec) Decompress3U16(v model.CompressedQuaternion3U16) model.Quaternion {
	var e [3]float32
	rest := 1.0
	for i, code := range [3]uint16{v.X, v.Y, v.Z} {
		product := float64(float64(code) * float64(1/steps3U16))
		e[i] = float32(product - 1)
		rest = float64(rest - square(e[i], c.d.u16Single))
	}
	q := model.Quaternion{X: e[0], Y: e[1], Z: e[2]}
	if w := float32(rest); w > 0 {
		q.W = float32(math.Sqrt(float64(w)))
	}
	return q
}
