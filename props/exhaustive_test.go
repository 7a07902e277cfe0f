//go:build exhaustive

package props

import (
	"math"
	"runtime"
	"sync"
	"testing"

	ubicodec "github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/model/ubi"
)

// TestQuaternionU32AllCodes checks all 2^32 codes and counts those without a
// root, canonical ones, and canonical ones that encoding changes (UBI-U32Q-5 and
// 12):
//
//	go test -tags exhaustive -run AllCodes -timeout 1h ./props
func TestQuaternionU32AllCodes(t *testing.T) {
	type counts struct{ nan, canonical, changed int }
	workers := uint64(runtime.NumCPU())
	var mu sync.Mutex
	var total counts
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			c := ubicodec.New(wire.Settings{})
			var n counts
			for code := w; code <= math.MaxUint32; code += workers {
				nan, canonical, changed := checkU32Code(t, c, ubi.CompressedQuaternionU32(code))
				switch {
				case nan:
					n.nan++
				case canonical:
					n.canonical++
					if changed {
						n.changed++
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			total.nan += n.nan
			total.canonical += n.canonical
			total.changed += n.changed
		})
	}
	wg.Wait()
	if want := (counts{nan: 150_034_492, canonical: 2_919_156_440, changed: 6}); total != want {
		t.Errorf("counted %+v, want %+v", total, want)
	}
}

// TestCompactIndexAll encodes and decodes every 32-bit value.
func TestCompactIndexAll(t *testing.T) {
	for v := int64(math.MinInt32); v <= math.MaxInt32; v++ {
		checkIndex(t, int32(v))
	}
}
