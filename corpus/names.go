package corpus

import "strings"

// FolderOf returns the name of the folder of a type. That of ubi.Array<Vector3>
// is ubi.Array-Vector3.
func FolderOf(typ string) string {
	return strings.TrimRight(strings.NewReplacer("<", "-", ">", "", ",", "-").Replace(typ), "-")
}
