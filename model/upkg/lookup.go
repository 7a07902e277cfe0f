package upkg

// NameAt returns the text that an index of a package refers to. It is false if the
// index is outside the table of names, as any index of a hostile file may be.
func (p *Package) NameAt(i CompactIndex) (string, bool) {
	if i < 0 || int64(i) >= int64(len(p.Names)) {
		return "", false
	}
	return p.Names[i].Name.Text, true
}

// ObjectName returns the name of the import or export that a reference points to. It
// is false for a null reference, and for one that points outside the tables.
func (p *Package) ObjectName(r ObjectReference) (string, bool) {
	switch {
	case r.Table == Import && r.Entry < uint64(len(p.Imports)):
		return p.NameAt(p.Imports[r.Entry].ObjectName)
	case r.Table == Export && r.Entry < uint64(len(p.Exports)):
		return p.NameAt(p.Exports[r.Entry].ObjectName)
	}
	return "", false
}

// ClassName returns the name of the class of an export. The class of a class is a null
// reference, and its name "Class". It is false if the reference or the name does not
// exist.
func (p *Package) ClassName(e *ExportEntry) (string, bool) {
	if e.Class.Table == Null {
		return "Class", true
	}
	return p.ObjectName(e.Class)
}

// ObjectData returns the bytes of an export, which alias those of the package. It is
// false if the export has none, or if they are not within one chunk of the data.
func (p *Package) ObjectData(e *ExportEntry) ([]byte, bool) {
	if e.SerialOffset == nil || e.SerialSize <= 0 {
		return nil, false
	}
	from, size := int64(*e.SerialOffset), int64(e.SerialSize)
	for _, c := range p.Data {
		if at := from - int64(c.Offset); at >= 0 && at <= int64(len(c.Bytes)) && size <= int64(len(c.Bytes))-at {
			return c.Bytes[at : at+size : at+size], true
		}
	}
	return nil, false
}
