package fuzz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
)

// A Target is a target of libFuzzer. An input is the bytes of a file or structure.
// If the target has several types, a byte before them selects the type: the
// remainder of its division by the number of types is the index of the type.
type Target struct {
	Name  string
	Types []*codec.Type
}

// alone are the types with a target of their own: the whole files of each family,
// and structures that contain others.
var alone = []struct{ name, typ string }{
	{"ka_archive", "ka.Archive"},
	{"ka_keyed_archive", "ka.KeyedArchive"},
	{"ka_value", "ka.Value"},
	{"uasset_package", "uasset.Package"},
	{"uasset_object", "uasset.Object"},
	{"uasset_property_list", "uasset.PropertyList"},
	{"uasset_texture2d", "uasset.Texture2D"},
	{"ubi_array_basicstring", "ubi.Array<BasicString>"},
	{"ubi_pairarray_basicstring_array_vector3", "ubi.PairArray<BasicString,Array<Vector3>>"},
	{"upkg_package", "upkg.Package"},
	{"upkg_header", "upkg.Header"},
}

// Targets returns all targets of libFuzzer. The last one, small, has the types
// without a target of their own.
func Targets() []Target {
	var out []Target
	small := Target{Name: "small", Types: slices.Clone(codec.Types())}
	for _, a := range alone {
		t, ok := codec.Find(a.typ)
		if !ok {
			panic(fmt.Sprintf("fuzz: type %s does not exist", a.typ))
		}
		out = append(out, Target{a.name, []*codec.Type{t}})
		small.Types = slices.DeleteFunc(small.Types, func(o *codec.Type) bool { return o == t })
	}
	return append(out, small)
}

// Groups returns two targets for each family: Large has the types with a target of their
// own, Small all others. They are for engines that build one target after the other.
func Groups() map[string]*Target {
	out := map[string]*Target{}
	for _, t := range Targets() {
		size := "Large"
		if len(t.Types) > 1 {
			size = "Small"
		}
		for _, typ := range t.Types {
			f := typ.Family()
			name := strings.ToUpper(f[:1]) + f[1:] + size
			if out[name] == nil {
				out[name] = &Target{Name: name}
			}
			out[name].Types = append(out[name].Types, typ)
		}
	}
	return out
}

// Options are flags of libFuzzer for all targets. Longer inputs are slower and seldom
// show more.
const Options = "-max_len=16384 -timeout=25"

// Find returns the target with a name.
func Find(name string) (Target, bool) {
	all := Targets()
	i := slices.IndexFunc(all, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return Target{}, false
	}
	return all[i], true
}

// Prefix is the number of bytes of an input before those of the structure.
func (t *Target) Prefix() int { return min(len(t.Types)-1, 1) }

// Split returns the index in Types of the type of an input, and the bytes of the
// structure.
func (t *Target) Split(src []byte) (int, []byte) {
	if t.Prefix() == 0 || len(src) == 0 {
		return 0, src
	}
	return int(src[0]) % len(t.Types), src[1:]
}

// Join returns the input for bytes of a type. It is the opposite of Split.
func (t *Target) Join(i int, src []byte) []byte {
	if t.Prefix() == 0 {
		return src
	}
	return append([]byte{byte(i)}, src...)
}
