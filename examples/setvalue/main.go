// Command setvalue changes one INT32 of a keyed archive and writes the archive to
// standard output. The other values do not change. KEY is a key of the outermost
// archive.
//
//	go run ./examples/setvalue tank.ka speed 700 > fast.ka
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/formatgauge/formatgauge/codec/ka"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: setvalue ARCHIVE KEY NUMBER")
	}
	src, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	n, err := strconv.ParseInt(os.Args[3], 10, 32)
	if err != nil {
		log.Fatal(err)
	}
	out, err := setValue(src, os.Args[2], ka.Int32(n))
	if err == nil {
		_, err = os.Stdout.Write(out)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// setValue returns the archive src with another value for key.
func setValue(src []byte, key string, value ka.Int32) ([]byte, error) {
	a, err := ka.DecodeArchive(src)
	if err != nil {
		return nil, err
	}
	for i, old := range ka.Get(a.Children, key) {
		if old.Type() == ka.TypeInt32 {
			a.Children[i].Value = value
			return ka.AppendArchive(nil, a)
		}
	}
	return nil, fmt.Errorf("the archive has no INT32 with the key %q", key)
}
