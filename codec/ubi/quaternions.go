package ubi

import (
	"math"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ubi"
)

// CompressedQuaternion3U16 is three codes, kept as they are.
func (c *Codec) CompressedQuaternion3U16() wire.Structure[model.CompressedQuaternion3U16] {
	return structure(c, "CompressedQuaternion3U16", 6, read3U16, write3U16)
}

func read3U16(r *wire.Reader) model.CompressedQuaternion3U16 {
	return model.CompressedQuaternion3U16{
		X: r.Uint16("x", clause3U16), Y: r.Uint16("y", clause3U16), Z: r.Uint16("z", clause3U16),
	}
}

func write3U16(w *wire.Writer, v model.CompressedQuaternion3U16) {
	w.Uint16(v.X)
	w.Uint16(v.Y)
	w.Uint16(v.Z)
}

// CompressedQuaternionU32 is one code, kept as it is.
func (c *Codec) CompressedQuaternionU32() wire.Structure[model.CompressedQuaternionU32] {
	return structure(c, "CompressedQuaternionU32", 4, readU32,
		func(w *wire.Writer, v model.CompressedQuaternionU32) { w.Uint32(uint32(v)) })
}

func readU32(r *wire.Reader) model.CompressedQuaternionU32 {
	v := model.CompressedQuaternionU32(r.Uint32("", clauseU32Bits))
	if r.Tracing() {
		a, b, c := v.Elements()
		r.Note("%d: greatest %c, others %d %d %d", uint32(v), "xyzw"[v.Greatest()], a, b, c)
	}
	return v
}

// Quaternion3U16 reads a [model.CompressedQuaternion3U16] as the quaternion it
// stands for, and writes a quaternion compressed. The two are no inverses:
// many codes lose one when written again (ubi.quat-3u16-drift).
func (c *Codec) Quaternion3U16() wire.Structure[model.Quaternion] {
	return structure(c, "CompressedQuaternion3U16.Quaternion", 6,
		func(r *wire.Reader) model.Quaternion { return c.Decompress3U16(read3U16(r)) },
		func(w *wire.Writer, q model.Quaternion) {
			v, fault := compress3U16(q)
			if fault != "" {
				w.Fail("", clause3U16Range, "%s", fault)
			}
			write3U16(w, v)
		})
}

// QuaternionU32 reads a [model.CompressedQuaternionU32] as the quaternion it
// stands for, and writes a quaternion compressed.
func (c *Codec) QuaternionU32() wire.Structure[model.Quaternion] {
	return structure(c, "CompressedQuaternionU32.Quaternion", 4,
		func(r *wire.Reader) model.Quaternion {
			at := r.Offset()
			q, ok := c.decompressU32(readU32(r))
			if !ok {
				r.Fail(wire.Value, at, "", clauseU32NaN, "the stored components are longer than 1")
			}
			return q
		},
		func(w *wire.Writer, q model.Quaternion) {
			v, fault := c.compressU32(q)
			if fault != "" {
				w.Fail("", clauseU32Normalize, "%s", fault)
			}
			w.Uint32(uint32(v))
		})
}

// CompressU32 returns the code of a quaternion of any length but zero. It
// fails with class range for a quaternion that is zero or not finite.
func (c *Codec) CompressU32(q model.Quaternion) (model.CompressedQuaternionU32, error) {
	v, fault := c.compressU32(q)
	if fault != "" {
		return 0, &wire.Error{Type: "ubi.CompressedQuaternionU32", Class: wire.Range, Clause: clauseU32Normalize, Detail: fault}
	}
	return v, nil
}

// DecompressU32 returns the quaternion of a code. For 3.49 % of all codes the
// stored components are too long for a unit quaternion; then the flag
// ubi.quat-u32-nan decides: the derived component is NaN, the error is of
// class value, or the component is 0.
func (c *Codec) DecompressU32(v model.CompressedQuaternionU32) (model.Quaternion, error) {
	q, ok := c.decompressU32(v)
	if !ok {
		return model.Quaternion{}, &wire.Error{
			Type: "ubi.CompressedQuaternionU32", Class: wire.Value, Clause: clauseU32NaN,
			Detail: "the stored components are longer than 1",
		}
	}
	return q, nil
}

// Compress3U16 returns the codes of a unit quaternion. It fails with class
// range where a code would not fit 16 bits. The length is not normalized.
func (c *Codec) Compress3U16(q model.Quaternion) (model.CompressedQuaternion3U16, error) {
	v, fault := compress3U16(q)
	if fault != "" {
		return v, &wire.Error{Type: "ubi.CompressedQuaternion3U16", Class: wire.Range, Clause: clause3U16Range, Detail: fault}
	}
	return v, nil
}

// Both constants are float32 in the document; their ratio is exactly 512.
var (
	oneOverRootTwo  = math.Float32frombits(0x3F3504F3) // sqrt(2)/2
	scaleRange10Bit = math.Float32frombits(0x3AB504F3) // sqrt(2)/1024
)

// What follows writes every conversion out: Go may otherwise fuse a product
// and a sum into one operation with one rounding on some architectures.

func (c *Codec) compressU32(q model.Quaternion) (model.CompressedQuaternionU32, string) {
	e, fault := normalize(q)
	if fault != "" {
		return 0, fault
	}
	// The first component that is strictly greater than all that follow it
	// wins; on a tie that is the one with the highest index.
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
// component to float32, as a value stored in a Quaternion is.
func normalize(q model.Quaternion) (e [4]float64, fault string) {
	e = [4]float64{float64(q.X), float64(q.Y), float64(q.Z), float64(q.W)}
	sum := 0.0
	for _, x := range e {
		sum = float64(sum + float64(x*x))
	}
	n := math.Sqrt(sum)
	if n == 0 || math.IsInf(n, 0) || n != n {
		return e, "a quaternion that is zero or not finite has no direction"
	}
	for i := range e {
		e[i] = float64(float32(e[i] / n))
	}
	return e, ""
}

// fudge lets a component that was decoded from a code compress to that code again.
const fudge = 0.000025

func (c *Codec) compressElement(x float64) uint32 {
	sum := float64(x + float64(oneOverRootTwo))
	if c.d.u32Single {
		sum = float64(float32(x) + oneOverRootTwo)
	}
	scaled := float64(sum * float64(1.0/float64(scaleRange10Bit)))
	return min(uint32(float64(scaled+fudge)), 0x3FF)
}

func (c *Codec) decompressU32(v model.CompressedQuaternionU32) (q model.Quaternion, ok bool) {
	var e [3]float32
	rest := 1.0
	for i, code := range elements(v) {
		e[i] = c.decompressElement(code)
		rest = float64(rest - square(e[i], c.d.u32Single))
	}
	s := math.Sqrt(rest)
	if rest < 0 {
		switch c.d.u32NaN {
		case nanRefused:
			return q, false
		case nanClamped:
			s = 0
		default:
			s = math.Float64frombits(0x7FF8000000000000)
		}
	}
	g := float32(s)
	switch v.Greatest() {
	case 0:
		return model.Quaternion{X: g, Y: e[0], Z: e[1], W: e[2]}, true
	case 1:
		return model.Quaternion{X: e[0], Y: g, Z: e[1], W: e[2]}, true
	case 2:
		return model.Quaternion{X: e[0], Y: e[1], Z: g, W: e[2]}, true
	}
	return model.Quaternion{X: e[0], Y: e[1], Z: e[2], W: g}, true
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

func compress3U16(q model.Quaternion) (v model.CompressedQuaternion3U16, fault string) {
	sign := 1.0
	if q.W < 0 {
		sign = -1
	}
	for i, x := range [3]float32{q.X, q.Y, q.Z} {
		code := float64(float64(1+sign*float64(x)) * steps3U16)
		if !(code > -1 && code < 65536) {
			return v, "component " + "xyz"[i:i+1] + " does not fit 16 bits"
		}
		*[3]*uint16{&v.X, &v.Y, &v.Z}[i] = uint16(code)
	}
	return v, ""
}

// Decompress3U16 returns the quaternion of three codes. W is never negative
// and 0 where the others are too long for a unit quaternion.
func (c *Codec) Decompress3U16(v model.CompressedQuaternion3U16) model.Quaternion {
	var e [3]float32
	rest := 1.0
	for i, code := range [3]uint16{v.X, v.Y, v.Z} {
		product := float64(float64(code) * float64(1/steps3U16))
		e[i] = float32(product - 1)
		rest = float64(rest - square(e[i], c.d.triple16Float))
	}
	q := model.Quaternion{X: e[0], Y: e[1], Z: e[2]}
	if w := float32(rest); w > 0 {
		q.W = float32(math.Sqrt(float64(w)))
	}
	return q
}
