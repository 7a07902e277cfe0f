package corpus

import "strings"

// FolderOf returns the name of the folder of a type. That of ubi.Array<Vector3>
// is ubi.Array-Vector3.
func FolderOf(typ string) string {
	return strings.TrimRight(strings.NewReplacer("<", "-", ">", "", ",", "-").Replace(typ), "-")
}

// FuzzTargetOf returns the name of the fuzz target of a type. That of
// ubi.Array<Vector3> is FuzzUbiArrayVector3.
func FuzzTargetOf(typ string) string {
	var b strings.Builder
	b.WriteString("Fuzz")
	for part := range strings.FieldsFuncSeq(typ, func(r rune) bool { return strings.ContainsRune(".<>,", r) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
