package props

import (
	"fmt"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestSharedCodecs: several goroutines use one codec of each type at the same time, for
// reading, tracing and writing. Each gets what it gets alone. The race detector watches.
func TestSharedCodecs(t *testing.T) {
	calls := map[string]int{}
	for _, typ := range codec.Types() {
		c, err := typ.Bind(wire.Settings{Profile: ids.Observed()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var inputs [][]byte
		for _, v := range corpustest.Of(t, typ.Name) {
			if !v.EncodeOnly() && len(v.Context) == 0 && len(v.Bytes) < long {
				inputs = append(inputs, v.Bytes)
			}
		}
		alone := make([]string, len(inputs))
		for i, src := range inputs {
			alone[i] = useOf(t, c, src)
		}
		var wait sync.WaitGroup
		for worker := range 4 {
			wait.Go(func() {
				for k := range inputs {
					i := (k + worker*len(inputs)/4) % len(inputs) // each begins elsewhere
					if got := useOf(t, c, inputs[i]); got != alone[i] {
						t.Errorf("%s: %x gives %s beside others, %s alone", typ.Name, inputs[i], got, alone[i])
					}
				}
			})
		}
		wait.Wait()
		calls[typ.Family()] += 4 * len(inputs)
	}
	for _, family := range []string{"ubi", "upkg", "ka", "uasset"} {
		if calls[family] < 500 {
			t.Errorf("%s: only %d calls", family, calls[family])
		}
	}
}

// useOf reads an input, traces it, and writes its value. It returns the results as text.
func useOf(t *testing.T, c codec.Codec, src []byte) string {
	v, err := c.Decode(src)
	_, spans, traced := c.Trace(src)
	if err != nil {
		return err.Error() + " " + traced.Error()
	}
	out, err := c.Append(nil, v)
	if err != nil {
		return err.Error()
	}
	again, err := c.Decode(out)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(textOf(t, again), spans, out)
}
