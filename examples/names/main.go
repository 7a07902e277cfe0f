// Command names prints the table of names of an Unreal Engine 1 or 2 package,
// one name per line. Names are quoted, because they may contain any bytes.
//
//	go run ./examples/names Core.u
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/formatgauge/formatgauge/codec/upkg"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: names PACKAGE")
	}
	src, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = printNames(os.Stdout, src)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// printNames writes the names of a package to w.
func printNames(w io.Writer, src []byte) error {
	p, err := upkg.DecodePackage(src)
	if err != nil {
		return err
	}
	for _, n := range p.Names {
		if _, err := fmt.Fprintf(w, "%q\n", n.Name.Text); err != nil {
			return err
		}
	}
	return nil
}
