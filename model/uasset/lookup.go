package uasset

import "strconv"

// Engine returns the release of the engine whose form a package has: 4.15 or 4.14.
func (f *Package) Engine() string {
	if f.Summary.SearchableNamesOffset == nil {
		return "4.14"
	}
	return "4.15"
}

// NameText returns a name as the engine shows it: number n > 0 is the suffix _(n-1). It is
// empty if the row does not exist.
func (f *Package) NameText(n FName) string {
	if uint64(n.Index) >= uint64(len(f.Names)) {
		return ""
	}
	text := f.Names[n.Index].Name.Text
	if n.Number > 0 {
		text += "_" + strconv.FormatUint(uint64(n.Number)-1, 10)
	}
	return text
}

// ClassName returns the name of the class of an export, or "" if its ClassIndex
// does not point to an import or the name has a number (UA-PKG-11).
func (f *Package) ClassName(e *Export) string {
	row, ok := e.ClassIndex.Import()
	if !ok || row >= len(f.Imports) || f.Imports[row].ObjectName.Number != 0 {
		return ""
	}
	return f.NameText(f.Imports[row].ObjectName)
}

// Payload returns the pixels of a mip, from its Data or from the bulk data: all
// slices, one after another. ok is false if the bulk data do not contain them.
// Other pixels of the same size can be copied into the slice: the payload then
// stays where it is.
func (f *Package) Payload(m *Mip) (pixels []byte, ok bool) {
	if uint64(len(m.Data)) == uint64(m.Size) {
		return m.Data, true
	}
	return m.PayloadIn(f.BulkData)
}

// PayloadIn returns the pixels of a mip in bulk data, or false if they do not contain them.
func (m *Mip) PayloadIn(bulk []byte) ([]byte, bool) {
	if m.OffsetInFile < 0 || m.OffsetInFile > int64(len(bulk)) || int64(m.Size) > int64(len(bulk))-m.OffsetInFile {
		return nil, false
	}
	end := m.OffsetInFile + int64(m.Size)
	return bulk[m.OffsetInFile:end:end], true
}
