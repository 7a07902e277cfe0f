package upkg_test

import (
	"bytes"
	"fmt"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/corpus"
)

// The version of a package decides the form of its names.
func Example() {
	c := upkg.New(upkg.Settings{})
	old, err := c.Name(61).Decode([]byte("UT2k3\x00"))
	fmt.Println(old.Text, err)
	name, err := c.Name(69).Decode([]byte("\x06UT2k3\x00"))
	fmt.Println(name.Text, err)
	ref, err := c.ObjectReference().Decode([]byte{0x83})
	fmt.Println(ref.Table, ref.Entry, err)
	// Output:
	// UT2k3 <nil>
	// UT2k3 <nil>
	// import 2 <nil>
}

// A whole file: its tables, and every other byte kept as it is.
func ExampleDecodePackage() {
	v, ok := corpus.Find("upkg/Package/version-69")
	if !ok {
		return
	}
	p, err := upkg.DecodePackage(v.Bytes)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range p.Names {
		fmt.Println(n.Name.Text)
	}
	out, err := upkg.AppendPackage(nil, p)
	fmt.Println(bytes.Equal(out, v.Bytes), err)
	// Output:
	// None
	// Core
	// Class
	// Thing
	// true <nil>
}

func ExampleConsumeCompactIndex() {
	src := upkg.AppendCompactIndex(nil, -12345)
	fmt.Printf("% x\n", src)
	v, n := upkg.ConsumeCompactIndex(src)
	fmt.Println(v, n)
	// Output:
	// f9 c0 01
	// -12345 3
}

// A longer name does not fit in its place. The table of names moves to the end
// of the file, and objects stay where they are.
func ExampleCodec_Rebuild() {
	v, ok := corpus.Find("upkg/Package/version-69")
	if !ok {
		return
	}
	c := upkg.New(upkg.Settings{})
	p, err := c.Package().Decode(v.Bytes)
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Names[3].Name.Text = "SomethingElse"
	p, done, err := c.Rebuild(p)
	fmt.Println(p.Header.NameOffset, done.Moved, done.Stayed, done.Warnings, err)
	out, err := c.Package().Append(nil, p)
	fmt.Println(len(v.Bytes), len(out), err)
	// Output:
	// 151 [names] [data exports imports] [] <nil>
	// 151 201 <nil>
}

// A new package needs no tag, count or offset.
func ExampleNewPackage() {
	p := upkg.NewPackage(69, 0)
	for _, text := range []string{"Core", "Package", "Engine"} {
		p.Names = append(p.Names, upkg.NameEntry{Name: upkg.Name{Text: text}})
	}
	p.Imports = append(p.Imports, upkg.ImportEntry{ClassPackage: 0, ClassName: 1, ObjectName: 2})
	p, _, err := upkg.New(upkg.Settings{}).Rebuild(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := upkg.AppendPackage(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err = upkg.DecodePackage(file)
	name, _ := p.NameAt(p.Imports[0].ObjectName)
	fmt.Printf("% x %d %s %v\n", file[:4], len(file), name, err)
	// Output: c1 83 2a 9e 98 Engine <nil>
}
