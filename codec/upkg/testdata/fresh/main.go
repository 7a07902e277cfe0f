// Command fresh prints how many bytes and objects a new process allocates to
// bind the family and decode two bytes.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

func main() {
	v, err := upkg.New(wire.Settings{}).CompactIndex().Decode([]byte{0x40, 0x01})
	if err != nil || v != 64 {
		fmt.Fprintln(os.Stderr, v, err)
		os.Exit(1)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(m.TotalAlloc, m.Mallocs)
}
