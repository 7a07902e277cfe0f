package ubi

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ubi"
)

// Vector2 is x, y.
func (c *Codec) Vector2() wire.Structure[model.Vector2] {
	return floats(c, "Vector2", 2, readVector2, writeVector2)
}

// Vector3 is x, y, z.
func (c *Codec) Vector3() wire.Structure[model.Vector3] {
	return floats(c, "Vector3", 3, readVector3, writeVector3)
}

// Vector4 is x, y, z, w.
func (c *Codec) Vector4() wire.Structure[model.Vector4] {
	return floats(c, "Vector4", 4, readVector4, writeVector4)
}

// Quaternion is x, y, z, w.
func (c *Codec) Quaternion() wire.Structure[model.Quaternion] {
	return floats(c, "Quaternion", 4,
		func(r *wire.Reader) model.Quaternion {
			return model.Quaternion{
				X: r.Float32("x", "UBI-QUAT-1"), Y: r.Float32("y", "UBI-QUAT-1"),
				Z: r.Float32("z", "UBI-QUAT-1"), W: r.Float32("w", "UBI-QUAT-1"),
			}
		},
		func(w *wire.Writer, v model.Quaternion) { writeVector4(w, model.Vector4(v)) })
}

// Matrix22 is two rows.
func (c *Codec) Matrix22() wire.Structure[model.Matrix22] {
	return floats(c, "Matrix22", 4,
		func(r *wire.Reader) (m model.Matrix22) {
			m.X = within(r, "x", readVector2)
			m.Y = within(r, "y", readVector2)
			return m
		},
		func(w *wire.Writer, m model.Matrix22) {
			writeVector2(w, m.X)
			writeVector2(w, m.Y)
		})
}

// Matrix33 is three rows.
func (c *Codec) Matrix33() wire.Structure[model.Matrix33] {
	return floats(c, "Matrix33", 9,
		func(r *wire.Reader) (m model.Matrix33) {
			m.X = within(r, "x", readVector3)
			m.Y = within(r, "y", readVector3)
			m.Z = within(r, "z", readVector3)
			return m
		},
		func(w *wire.Writer, m model.Matrix33) {
			writeVector3(w, m.X)
			writeVector3(w, m.Y)
			writeVector3(w, m.Z)
		})
}

// Matrix44 is four rows.
func (c *Codec) Matrix44() wire.Structure[model.Matrix44] {
	return floats(c, "Matrix44", 16,
		func(r *wire.Reader) (m model.Matrix44) {
			m.X = within(r, "x", readVector4)
			m.Y = within(r, "y", readVector4)
			m.Z = within(r, "z", readVector4)
			m.W = within(r, "w", readVector4)
			return m
		},
		func(w *wire.Writer, m model.Matrix44) {
			writeVector4(w, m.X)
			writeVector4(w, m.Y)
			writeVector4(w, m.Z)
			writeVector4(w, m.W)
		})
}

// Color is r, g, b, a.
func (c *Codec) Color() wire.Structure[model.Color] {
	return floats(c, "Color", 4,
		func(r *wire.Reader) model.Color {
			return model.Color{
				R: r.Float32("r", "UBI-COLOR-1"), G: r.Float32("g", "UBI-COLOR-1"),
				B: r.Float32("b", "UBI-COLOR-1"), A: r.Float32("a", "UBI-COLOR-1"),
			}
		},
		func(w *wire.Writer, v model.Color) { writeVector4(w, model.Vector4{X: v.R, Y: v.G, Z: v.B, W: v.A}) })
}

// Box is pMin, pMax.
func (c *Codec) Box() wire.Structure[model.Box] {
	return floats(c, "Box", 6,
		func(r *wire.Reader) (b model.Box) {
			b.PMin = within(r, "pMin", readVector3)
			b.PMax = within(r, "pMax", readVector3)
			return b
		},
		func(w *wire.Writer, b model.Box) {
			writeVector3(w, b.PMin)
			writeVector3(w, b.PMax)
		})
}

func readVector2(r *wire.Reader) model.Vector2 {
	return model.Vector2{X: r.Float32("x", "UBI-VEC2-1"), Y: r.Float32("y", "UBI-VEC2-1")}
}

func readVector3(r *wire.Reader) model.Vector3 {
	return model.Vector3{
		X: r.Float32("x", "UBI-VEC3-1"), Y: r.Float32("y", "UBI-VEC3-1"),
		Z: r.Float32("z", "UBI-VEC3-1"),
	}
}

func readVector4(r *wire.Reader) model.Vector4 {
	return model.Vector4{
		X: r.Float32("x", "UBI-VEC4-1"), Y: r.Float32("y", "UBI-VEC4-1"),
		Z: r.Float32("z", "UBI-VEC4-1"), W: r.Float32("w", "UBI-VEC4-1"),
	}
}

func writeVector2(w *wire.Writer, v model.Vector2) {
	w.Float32(v.X)
	w.Float32(v.Y)
}

func writeVector3(w *wire.Writer, v model.Vector3) {
	w.Float32(v.X)
	w.Float32(v.Y)
	w.Float32(v.Z)
}

func writeVector4(w *wire.Writer, v model.Vector4) {
	w.Float32(v.X)
	w.Float32(v.Y)
	w.Float32(v.Z)
	w.Float32(v.W)
}

func within[T any](r *wire.Reader, field string, read func(*wire.Reader) T) T {
	r.Enter(field)
	v := read(r)
	r.Leave()
	return v
}

// floats describes a structure of n float32 fields in the order of the file. It
// has no padding in the file and none in memory.
func floats[T any](c *Codec, name string, n int, read func(*wire.Reader) T,
	write func(*wire.Writer, T),
) wire.Structure[T] {
	return copied(structure(c, name, 4*n, read, write))
}
