package ka

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// Vector2 is x, y.
func (c *Codec) Vector2() wire.Structure[model.Vector2] {
	return structure(c, "ka.Vector2", 8,
		func(r *wire.Reader) model.Vector2 { return readVector2(r, clauseOf(model.TypeVector2)) }, writeVector2)
}

func readVector2(r *wire.Reader, clause clauseID) (v model.Vector2) {
	v.X = r.Float32("x", clause)
	v.Y = r.Float32("y", clause)
	return v
}

func writeVector2(w *wire.Writer, v model.Vector2) {
	w.Float32(v.X)
	w.Float32(v.Y)
}

// Vector3 is x, y, z.
func (c *Codec) Vector3() wire.Structure[model.Vector3] {
	return structure(c, "ka.Vector3", 12,
		func(r *wire.Reader) model.Vector3 { return readVector3(r, clauseOf(model.TypeVector3)) }, writeVector3)
}

func readVector3(r *wire.Reader, clause clauseID) (v model.Vector3) {
	v.X = r.Float32("x", clause)
	v.Y = r.Float32("y", clause)
	v.Z = r.Float32("z", clause)
	return v
}

func writeVector3(w *wire.Writer, v model.Vector3) {
	w.Float32(v.X)
	w.Float32(v.Y)
	w.Float32(v.Z)
}

// Vector4 is x, y, z, w.
func (c *Codec) Vector4() wire.Structure[model.Vector4] {
	return structure(c, "ka.Vector4", 16,
		func(r *wire.Reader) model.Vector4 { return readVector4(r, clauseOf(model.TypeVector4)) }, writeVector4)
}

func readVector4(r *wire.Reader, clause clauseID) (v model.Vector4) {
	v.X = r.Float32("x", clause)
	v.Y = r.Float32("y", clause)
	v.Z = r.Float32("z", clause)
	v.W = r.Float32("w", clause)
	return v
}

func writeVector4(w *wire.Writer, v model.Vector4) { writeFloats(w, v.X, v.Y, v.Z, v.W) }

func writeFloats(w *wire.Writer, a, b, c, d float32) {
	w.Float32(a)
	w.Float32(b)
	w.Float32(c)
	w.Float32(d)
}

// Matrix2 is two rows of two numbers.
func (c *Codec) Matrix2() wire.Structure[model.Matrix2] {
	return structure(c, "ka.Matrix2", 16, readMatrix2, writeMatrix2)
}

func readMatrix2(r *wire.Reader) (m model.Matrix2) {
	for i := range m {
		readRow(r, i, m[i][:], clauseOf(model.TypeMatrix2))
	}
	return m
}

func writeMatrix2(w *wire.Writer, m model.Matrix2) {
	for i := range m {
		writeRow(w, m[i][:])
	}
}

// Matrix3 is three rows of three numbers.
func (c *Codec) Matrix3() wire.Structure[model.Matrix3] {
	return structure(c, "ka.Matrix3", 36, readMatrix3, writeMatrix3)
}

func readMatrix3(r *wire.Reader) (m model.Matrix3) {
	for i := range m {
		readRow(r, i, m[i][:], clauseOf(model.TypeMatrix3))
	}
	return m
}

func writeMatrix3(w *wire.Writer, m model.Matrix3) {
	for i := range m {
		writeRow(w, m[i][:])
	}
}

// Matrix4 is four rows of four numbers.
func (c *Codec) Matrix4() wire.Structure[model.Matrix4] {
	return structure(c, "ka.Matrix4", 64, readMatrix4, writeMatrix4)
}

func readMatrix4(r *wire.Reader) (m model.Matrix4) {
	for i := range m {
		readRow(r, i, m[i][:], clauseOf(model.TypeMatrix4))
	}
	return m
}

func writeMatrix4(w *wire.Writer, m model.Matrix4) {
	for i := range m {
		writeRow(w, m[i][:])
	}
}

var columns = [...]string{"[0]", "[1]", "[2]", "[3]"}

func readRow(r *wire.Reader, i int, row []float32, clause clauseID) {
	r.EnterIndex(i)
	for j := range row {
		row[j] = r.Float32(columns[j], clause)
	}
	r.Leave()
}

func writeRow(w *wire.Writer, row []float32) {
	for _, f := range row {
		w.Float32(f)
	}
}

// Color is r, g, b, a. With ka.color on its documented side it is neither read
// nor written.
func (c *Codec) Color() wire.Structure[model.Color] {
	least := 16
	if c.d.noColor {
		least = 0
	}
	return structure(c, "ka.Color", least,
		func(r *wire.Reader) model.Color { return c.readColor(r, r.Offset()) }, c.writeColor)
}

// readColor reads a colour. at is the offset of its type id or, alone, of its
// first byte.
func (c *Codec) readColor(r *wire.Reader, at int) (v model.Color) {
	if c.d.noColor {
		r.Fail(wire.Unsupported, at, "", clauseOf(model.TypeColor), "the layout of COLOR is unknown")
		return v
	}
	v.R = r.Float32("r", clauseOf(model.TypeColor))
	v.G = r.Float32("g", clauseOf(model.TypeColor))
	v.B = r.Float32("b", clauseOf(model.TypeColor))
	v.A = r.Float32("a", clauseOf(model.TypeColor))
	return v
}

func (c *Codec) writeColor(w *wire.Writer, v model.Color) {
	if c.d.noColor {
		w.Fail("", clauseOf(model.TypeColor), "the layout of COLOR is unknown")
	}
	writeFloats(w, v.R, v.G, v.B, v.A)
}

// AABBox2 is minimum, maximum.
func (c *Codec) AABBox2() wire.Structure[model.AABBox2] {
	return structure(c, "ka.AABBox2", 16, readAABBox2, writeAABBox2)
}

func readAABBox2(r *wire.Reader) (b model.AABBox2) {
	r.Enter("minimum")
	b.Minimum = readVector2(r, clauseOf(model.TypeAABBox2))
	r.Leave()
	r.Enter("maximum")
	b.Maximum = readVector2(r, clauseOf(model.TypeAABBox2))
	r.Leave()
	return b
}

func writeAABBox2(w *wire.Writer, b model.AABBox2) {
	writeVector2(w, b.Minimum)
	writeVector2(w, b.Maximum)
}

// AABBox3 is minimum, maximum.
func (c *Codec) AABBox3() wire.Structure[model.AABBox3] {
	return structure(c, "ka.AABBox3", 24, readAABBox3, writeAABBox3)
}

func readAABBox3(r *wire.Reader) (b model.AABBox3) {
	r.Enter("minimum")
	b.Minimum = readVector3(r, clauseOf(model.TypeAABBox3))
	r.Leave()
	r.Enter("maximum")
	b.Maximum = readVector3(r, clauseOf(model.TypeAABBox3))
	r.Leave()
	return b
}

func writeAABBox3(w *wire.Writer, b model.AABBox3) {
	writeVector3(w, b.Minimum)
	writeVector3(w, b.Maximum)
}

// Rect is x, y, dx, dy.
func (c *Codec) Rect() wire.Structure[model.Rect] {
	return structure(c, "ka.Rect", 16, readRect, writeRect)
}

func readRect(r *wire.Reader) (v model.Rect) {
	v.X = r.Float32("x", clauseOf(model.TypeRect))
	v.Y = r.Float32("y", clauseOf(model.TypeRect))
	v.Dx = r.Float32("dx", clauseOf(model.TypeRect))
	v.Dy = r.Float32("dy", clauseOf(model.TypeRect))
	return v
}

func writeRect(w *wire.Writer, v model.Rect) { writeFloats(w, v.X, v.Y, v.Dx, v.Dy) }

// Quaternion is x, y, z, w.
func (c *Codec) Quaternion() wire.Structure[model.Quaternion] {
	return structure(c, "ka.Quaternion", 16, readQuaternion, writeQuaternion)
}

func readQuaternion(r *wire.Reader) model.Quaternion {
	return model.Quaternion(readVector4(r, clauseOf(model.TypeQuaternion)))
}

func writeQuaternion(w *wire.Writer, v model.Quaternion) { writeVector4(w, model.Vector4(v)) }

// Transform is position, scale, rotation; ka.transform-order decides whether
// the rotation is second.
func (c *Codec) Transform() wire.Structure[model.Transform] {
	return structure(c, "ka.Transform", 40, c.readTransform, c.writeTransform)
}

func (c *Codec) readTransform(r *wire.Reader) (t model.Transform) {
	rotation := func() {
		r.Enter("quaternion")
		t.Quaternion = readVector4(r, clauseOf(model.TypeTransform))
		r.Leave()
	}
	r.Enter("position")
	t.Position = readVector3(r, clauseOf(model.TypeTransform))
	r.Leave()
	if c.d.rotationSecond {
		rotation()
	}
	r.Enter("scale")
	t.Scale = readVector3(r, clauseOf(model.TypeTransform))
	r.Leave()
	if !c.d.rotationSecond {
		rotation()
	}
	return t
}

func (c *Codec) writeTransform(w *wire.Writer, t model.Transform) {
	writeVector3(w, t.Position)
	if c.d.rotationSecond {
		writeVector4(w, t.Quaternion)
	}
	writeVector3(w, t.Scale)
	if !c.d.rotationSecond {
		writeVector4(w, t.Quaternion)
	}
}
