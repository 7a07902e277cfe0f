package main

// A bug is a change of a codec, of a kind that authors make.
type bug struct {
	name    string
	what    string
	typ     string // of the inputs
	changes []change
}

// A change replaces a text, everywhere in a file. The text must occur there.
type change struct{ file, old, new string }

// bugs are the planted bugs, by family. Those that read and write wrong in the same
// way pass each round trip.
var bugs = []bug{
	{
		"ubi-length-wraps", "the number of bytes of a wide string is computed in 32 bits", "ubi.BasicWString",
		[]change{{"codec/ubi/strings.go", `r.Length(uint64(n), unit, at,`, `r.Length(uint64(n*uint32(unit)), 1, at,`}},
	},
	{
		"ubi-trailing-byte", "one trailing byte is accepted", "ubi.Array<Vector3>",
		[]change{
			{"codec/wire/wire.go", `if err == nil && n != len(src) {`, `if err == nil && n+1 < len(src) {`},
			{"codec/wire/wire.go", `case r.off != len(src):`, `case r.off+1 < len(src):`},
		},
	},
	{
		"ubi-not-rounded", "w is computed from a remainder that is not rounded to binary32",
		"ubi.CompressedQuaternion3U16.Quaternion",
		[]change{{"codec/ubi/quaternions.go", `if w := float32(rest); w > 0 {`, `if w := rest; w > 0 {`}},
	},
	{
		"upkg-sign-of-four-bytes", "the sign of a compact index of four bytes is lost", "upkg.CompactIndex",
		[]change{{"codec/upkg/index.go", `return (int32(m) ^ sign) - sign, 4`, `return int32(m), 4`}},
	},
	{
		"upkg-heritage-lost", "the heritage table is neither read nor written", "upkg.Package",
		[]change{{"codec/upkg/package.go", `heritage.Count`, `0*heritage.Count`}},
	},
	{
		"upkg-overlap-of-one", "a table may overlap the preceding part by one byte", "upkg.Package",
		[]change{{"codec/upkg/package.go", `if s.start < end {`, `if s.start+1 < end {`}},
	},
	{
		"upkg-second-generation", "the two counts of the second generation are exchanged", "upkg.Header",
		[]change{
			{"codec/upkg/package.go", "\th.Identity = id\n", "\th.Identity = id\n\tif n > 1 {\n\t\tg := " +
				"&id.Generations[1]\n\t\tg.ExportCount, g.NameCount = g.NameCount, g.ExportCount\n\t}\n"},
			{
				"codec/upkg/package.go", "for _, g := range h.Identity.Generations {\n",
				"for i, g := range h.Identity.Generations {\n\t\tif i == 1 {\n\t\t\tg.ExportCount, g.NameCount = g.NameCount, " +
					"g.ExportCount\n\t\t}\n",
			},
		},
	},
	{
		"ka-unread-byte", "an archive may be one byte shorter than its length", "ka.Archive",
		[]change{{"codec/ka/archive.go", `if !ignored && d.c.d.mismatch`, `if over > 1 && !ignored && d.c.d.mismatch`}},
	},
	{
		"ka-table-lost", "a nested archive with a table uses the outer table", "ka.Archive",
		[]change{{
			"codec/ka/archive.go", "\t\t\ta.FastNames = t.rows\n\t\t\ta.Children",
			"\t\t\ta.FastNames = t.rows\n\t\t\tif outer != nil {\n\t\t\t\tt = outer\n\t\t\t}\n\t\t\ta.Children",
		}},
	},
	{
		"ka-first-of-two-ids", "of two entries with one id the first is used", "ka.Archive",
		[]change{{"codec/ka/table.go", `!taken || c.d.lastRow`, `!taken`}},
	},
	{
		"uasset-size-wraps", "the size of a mip is computed in 64 bits", "uasset.Mip",
		[]change{{"model/uasset/texture.go", `if high > 0 {`, `if high > 1<<62 {`}},
	},
	{
		"uasset-slices-wrap", "the size of all slices of a mip is computed in 64 bits", "uasset.Texture2D",
		[]change{{"codec/uasset/texture.go", `if high > 0 {`, `if high > 1<<62 {`}},
	},
	{
		"uasset-bulk-start-wraps", "BulkDataStartOffset is compared in 32 bits", "uasset.Package",
		[]change{
			{"codec/uasset/package.go", `s.BulkDataStartOffset != int64(at)`, `int32(s.BulkDataStartOffset) != int32(at)`},
			{"codec/uasset/package.go", `at(s.BulkDataStartOffset,`, `at(int64(int32(s.BulkDataStartOffset)),`},
		},
	},
	{
		"uasset-offset-wraps", "OffsetInFile of an inline payload is compared in 32 bits", "uasset.Texture2D",
		[]change{{"codec/uasset/texture.go", `m.OffsetInFile != here`, `int32(m.OffsetInFile) != int32(here)`}},
	},
	{
		"uasset-class-of-the-first", "the class of the first export is that of all objects", "uasset.Package",
		[]change{
			{"codec/uasset/package.go", `p.readObject(r, Class(f, e))`, `p.readObject(r, Class(f, &f.Exports[0]))`},
			{
				"codec/uasset/package.go", `p.writeObject(w, f.Objects[i], Class(&f, e))`,
				`p.writeObject(w, f.Objects[i], Class(&f, &f.Exports[0]))`,
			},
		},
	},
}
