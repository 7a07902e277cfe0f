package ka_test

import (
	"fmt"

	"github.com/formatgauge/formatgauge/codec/ka"
)

func Example() {
	src := []byte("KA\x01\x00\x01\x00\x00\x00\x04\x05\x00\x00\x00speed\x02\x58\x02\x00\x00")
	a, err := ka.DecodeArchive(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range a.Children {
		switch v := p.Value.(type) {
		case ka.Int32:
			fmt.Println(p.Key.(ka.String).Text, "=", v)
		default:
			fmt.Println(v.Type())
		}
	}
	// Output: speed = 600
}

// A tree needs neither ids nor order: the canonical writer adds them.
func ExampleCodec_Canonical() {
	c := ka.New(ka.Settings{})
	tree := ka.Archive{Version: ka.V0x0001, Children: []ka.Pair{
		{Key: ka.String{Text: "name"}, Value: ka.String{Text: "tank"}},
		{Key: ka.String{Text: "lods"}, Value: ka.Array{ka.Int32(1), ka.Int32(2)}},
	}}
	a, err := c.Canonical(tree, ka.V0x0002)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range a.FastNames {
		fmt.Printf("%08x %s\n", row.ID, row.Name)
	}
	b, err := c.Archive().Append(nil, a)
	fmt.Println(len(b), "bytes,", err)
	// Output:
	// dba2567c lods
	// 5e23f818 name
	// ad12dce4 tank
	// 70 bytes, <nil>
}

func ExampleCodec_Scan() {
	scene := []byte("SFV2 and more \x00\x00KA\x01\x00\x00\x00\x00\x00KA\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	found, err := ka.New(ka.Settings{}).Scan(scene)
	for _, f := range found {
		fmt.Println(f.Offset, f.Length, f.Archive.Version)
	}
	fmt.Println(err)
	// Output:
	// 16 8 0x0001
	// 24 12 0x0002
	// <nil>
}
