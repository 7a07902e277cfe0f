package ubi

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ubi"
)

// Vector2 is x, y.
func (c *Codec) Vector2() wire.Structure[model.Vector2] { return floats(c, "Vector2", 2, vector2) }

// Vector3 is x, y, z.
func (c *Codec) Vector3() wire.Structure[model.Vector3] { return floats(c, "Vector3", 3, vector3) }

// Vector4 is x, y, z, w.
func (c *Codec) Vector4() wire.Structure[model.Vector4] { return floats(c, "Vector4", 4, vector4) }

// Quaternion is x, y, z, w.
func (c *Codec) Quaternion() wire.Structure[model.Quaternion] {
	return floats(c, "Quaternion", 4, func(f wire.Fields, v model.Quaternion) model.Quaternion {
		q := wire.Floats{Fields: f, Clause: "UBI-QUAT-1"}
		return model.Quaternion{X: q.Float("x", v.X), Y: q.Float("y", v.Y), Z: q.Float("z", v.Z), W: q.Float("w", v.W)}
	})
}

// Matrix22 is two rows.
func (c *Codec) Matrix22() wire.Structure[model.Matrix22] {
	return floats(c, "Matrix22", 4, func(f wire.Fields, m model.Matrix22) model.Matrix22 {
		m.X = wire.In(f, "x", m.X, vector2)
		m.Y = wire.In(f, "y", m.Y, vector2)
		return m
	})
}

// Matrix33 is three rows.
func (c *Codec) Matrix33() wire.Structure[model.Matrix33] {
	return floats(c, "Matrix33", 9, func(f wire.Fields, m model.Matrix33) model.Matrix33 {
		m.X = wire.In(f, "x", m.X, vector3)
		m.Y = wire.In(f, "y", m.Y, vector3)
		m.Z = wire.In(f, "z", m.Z, vector3)
		return m
	})
}

// Matrix44 is four rows.
func (c *Codec) Matrix44() wire.Structure[model.Matrix44] {
	return floats(c, "Matrix44", 16, func(f wire.Fields, m model.Matrix44) model.Matrix44 {
		m.X = wire.In(f, "x", m.X, vector4)
		m.Y = wire.In(f, "y", m.Y, vector4)
		m.Z = wire.In(f, "z", m.Z, vector4)
		m.W = wire.In(f, "w", m.W, vector4)
		return m
	})
}

// Color is r, g, b, a.
func (c *Codec) Color() wire.Structure[model.Color] {
	return floats(c, "Color", 4, func(f wire.Fields, v model.Color) model.Color {
		q := wire.Floats{Fields: f, Clause: "UBI-COLOR-1"}
		return model.Color{R: q.Float("r", v.R), G: q.Float("g", v.G), B: q.Float("b", v.B), A: q.Float("a", v.A)}
	})
}

// Box is pMin, pMax.
func (c *Codec) Box() wire.Structure[model.Box] {
	return floats(c, "Box", 6, func(f wire.Fields, b model.Box) model.Box {
		b.PMin = wire.In(f, "pMin", b.PMin, vector3)
		b.PMax = wire.In(f, "pMax", b.PMax, vector3)
		return b
	})
}

func vector2(f wire.Fields, v model.Vector2) model.Vector2 {
	q := wire.Floats{Fields: f, Clause: "UBI-VEC2-1"}
	return model.Vector2{X: q.Float("x", v.X), Y: q.Float("y", v.Y)}
}

func vector3(f wire.Fields, v model.Vector3) model.Vector3 {
	q := wire.Floats{Fields: f, Clause: "UBI-VEC3-1"}
	return model.Vector3{X: q.Float("x", v.X), Y: q.Float("y", v.Y), Z: q.Float("z", v.Z)}
}

func vector4(f wire.Fields, v model.Vector4) model.Vector4 {
	q := wire.Floats{Fields: f, Clause: "UBI-VEC4-1"}
	return model.Vector4{X: q.Float("x", v.X), Y: q.Float("y", v.Y), Z: q.Float("z", v.Z), W: q.Float("w", v.W)}
}

// floats describes a structure of n float32 fields in the order of the file. It
// has no padding in the file and none in memory.
func floats[T any](c *Codec, name string, n int, body func(wire.Fields, T) T) wire.Structure[T] {
	return wire.Keep(c.family, wire.Key{Name: name}, func() wire.Description[T] {
		return copied(wire.Describe(c.family, name, 4*n, wire.Reading(body), wire.Writing(body)))
	})
}
