package uasset_test

import (
	"fmt"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/internal/texturesample"
)

// A part of a package is decoded alone with a scope.
func Example() {
	c := uasset.New(uasset.Settings{})
	scope := uasset.Scope{Names: []string{"None", "Score", "IntProperty"}}
	src := []byte{
		1, 0, 0, 0, 0, 0, 0, 0, // Score
		2, 0, 0, 0, 0, 0, 0, 0, // IntProperty
		4, 0, 0, 0, 0, 0, 0, 0, // 4 bytes, array index 0
		0,           // no GUID
		42, 0, 0, 0, // 42
		0, 0, 0, 0, 0, 0, 0, 0, // None
	}
	list, err := c.In(scope).PropertyList().Decode(src)
	fmt.Println(len(list), list[0].Value, err)
	_, err = c.In(uasset.Scope{}).PropertyList().Decode(src)
	fmt.Println(err)
	// Output:
	// 1 42 <nil>
	// uasset.PropertyList [0].name: invalid reference at byte 0 (0x0): expected an index into the name table (entries: 0, counted from 0), found 1 [UA-FNM-2]
}

// Payload returns pixels from the mip or from the bulk data.
func ExamplePackage_Payload() {
	file, err := texturesample.File(texturesample.Texture{Name: "T_Rock", Format: uasset.DXT1, Width: 256, Height: 128})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := uasset.New(uasset.Settings{}).Package().Decode(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range f.Objects[0].Texture.Mips[:3] {
		m := &f.Objects[0].Texture.Mips[i]
		pixels, ok := f.Payload(m)
		fmt.Println(m.SizeX, m.SizeY, len(m.Data), len(pixels), ok)
	}
	// Output:
	// 256 128 0 16384 true
	// 128 64 4096 4096 true
	// 64 32 1024 1024 true
}

// Rebuild computes counts, offsets, sizes and hashes after a change.
func ExampleCodec_Rebuild() {
	c := uasset.New(uasset.Settings{})
	f, err := texturesample.Package(texturesample.Texture{Name: "T_Rock", Format: uasset.G8, Width: 4, Height: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Summary.NameCount, f.Summary.TotalHeaderSize, f.Exports[0].SerialSize)
	list := append(*f.Objects[0].Properties, uasset.Property{
		Name: uasset.AddName(&f, "Brightness"), Value: uasset.FloatProperty(0.5),
	})
	f.Objects[0].Properties = &list
	uasset.AddName(&f, "FloatProperty")
	_, err = c.Package().Append(nil, f)
	fmt.Println(err)
	f, done, err := c.Rebuild(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(done.Moved, done.Stayed, done.Unread)
	fmt.Println(f.Summary.NameCount, f.Summary.TotalHeaderSize, f.Exports[0].SerialSize)
	file, err := c.Package().Append(nil, f)
	fmt.Println(len(file), err)
	// Output:
	// 19 744 350
	// uasset.Package names: cannot be encoded: expected 19, the count in the summary, found 21 [UA-PKG-13]
	// [imports exports objects[0]] [names] []
	// 21 785 379
	// 1168 <nil>
}
