package codec

import (
	"bytes"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A keeper is what every [Codec] of this package is.
type keeper interface {
	Codec
	allocations(src []byte) (accessor, call, kept float64)
	shared(t *testing.T, n int, src []byte) (structures int)
}

// allocations returns how many objects are allocated by the accessor, by a call of
// accessor and Decode, and by Decode of a structure that the caller has kept.
func (e erased[C, T]) allocations(src []byte) (accessor, call, kept float64) {
	s := e.structure()
	accessor = testing.AllocsPerRun(20, func() { e.structure() })
	call = testing.AllocsPerRun(20, func() { _, _ = e.structure().Decode(src) })
	kept = testing.AllocsPerRun(20, func() { _, _ = s.Decode(src) })
	return accessor, call, kept
}

// shared decodes and encodes in n goroutines. It returns the number of different
// structures that the accessor has returned.
func (e erased[C, T]) shared(t *testing.T, n int, src []byte) (structures int) {
	t.Helper()
	var mu sync.Mutex
	seen := map[wire.Structure[T]]bool{}
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			s := e.structure()
			v, err := s.Decode(src)
			b, errBack := s.Append(nil, v)
			mu.Lock()
			defer mu.Unlock()
			if seen[s] = true; err != nil || errBack != nil || !bytes.Equal(b, src) {
				t.Errorf("%x becomes %x: %v, %v", src, b, err, errBack)
			}
		})
	}
	group.Wait()
	return len(seen)
}

// eachType calls f for every type with a new codec and an input that it accepts.
func eachType(t *testing.T, f func(t *testing.T, k keeper, src []byte)) {
	t.Helper()
	done := map[string]bool{}
	for _, v := range corpustest.All(t) {
		e := v.Select(ids.Observed())
		if done[v.Type] || e == nil || e.Outcome != corpus.Accept || len(v.Bytes) > 1<<16 {
			continue
		}
		typ, _ := Find(v.Type)
		c, err := typ.Bind(wire.Settings{}, v.Context)
		if err != nil {
			t.Fatal(err)
		}
		done[v.Type] = true
		t.Run(v.Type, func(t *testing.T) { f(t, c.(keeper), v.Bytes) })
	}
	for _, typ := range Types() {
		if !done[typ.Name] {
			t.Errorf("no vector of %s that is accepted", typ.Name)
		}
	}
}

// TestCodecsKeepStructures: an accessor allocates nothing, so that a call of accessor
// and Decode allocates what Decode of a kept structure does.
func TestCodecsKeepStructures(t *testing.T) {
	eachType(t, func(t *testing.T, k keeper, src []byte) {
		if _, err := k.Decode(src); err != nil {
			t.Fatal(err)
		}
		if accessor, call, kept := k.allocations(src); accessor != 0 || call != kept {
			t.Errorf("the accessor allocates %v objects, accessor and Decode %v, Decode alone %v", accessor, call, kept)
		}
	})
}

// TestCodecsAreShared: goroutines that ask a new codec at once get one structure, with
// which each of them reads and writes.
func TestCodecsAreShared(t *testing.T) {
	eachType(t, func(t *testing.T, k keeper, src []byte) {
		if n := k.shared(t, 8, src); n != 1 {
			t.Errorf("%d structures", n)
		}
	})
}
