package codec

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// A keeper is what every [Codec] of this package is.
type keeper interface {
	Codec
	kept() any
	allocations(src []byte) (accessor, call, read, write float64)
}

// kept returns the structure that the accessor returns.
func (e erased[C, T]) kept() any { return e.structure() }

// allocations returns how many objects are allocated by the accessor, by a call of
// accessor and Decode, and by Decode and Append of a structure that the caller has kept.
func (e erased[C, T]) allocations(src []byte) (accessor, call, read, write float64) {
	s := e.structure()
	v, _ := s.Decode(src)
	dst := make([]byte, 0, len(src))
	accessor = testing.AllocsPerRun(20, func() { e.structure() })
	call = testing.AllocsPerRun(20, func() { _, _ = e.structure().Decode(src) })
	read = testing.AllocsPerRun(20, func() { _, _ = s.Decode(src) })
	write = testing.AllocsPerRun(20, func() { _, _ = s.Append(dst, v) })
	return accessor, call, read, write
}

// A subject is a type in a context, with the inputs of its vectors.
type subject struct {
	*Type
	context map[string]string
	inputs  [][]byte
}

func (s *subject) codec() keeper {
	return testrun.Must(s.Bind(wire.Settings{}, s.context)).(keeper)
}

// eachSubject calls f with every type in every context of its vectors.
func eachSubject(t *testing.T, f func(*testing.T, *subject)) {
	for _, typ := range Types() {
		subjects := map[string]*subject{}
		for _, v := range corpustest.Of(t, typ.Name) {
			key := fmt.Sprint(v.Context)
			if subjects[key] == nil {
				subjects[key] = &subject{typ, v.Context, nil}
			}
			if !v.EncodeOnly() && len(v.Bytes) < 1<<12 {
				subjects[key].inputs = append(subjects[key].inputs, v.Bytes)
			}
		}
		for context, s := range subjects {
			t.Run(typ.Name+" "+context, func(t *testing.T) { f(t, s) })
		}
	}
}

// flat reports whether a value has no text, no list and no pointers.
func flat(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Interface:
		return false
	case reflect.Pointer:
		return v.IsNil()
	case reflect.Struct:
		for _, field := range v.Fields() {
			if !flat(field) {
				return false
			}
		}
	}
	return true
}

// TestAllocations: an accessor allocates nothing, so that a call of accessor and Decode
// allocates what Decode of a kept structure does. A flat value is read and written without
// an allocation.
func TestAllocations(t *testing.T) {
	accepted, flats := map[*Type]bool{}, map[*Type]bool{}
	eachSubject(t, func(t *testing.T, s *subject) {
		k := s.codec()
		for _, src := range s.inputs {
			v, err := k.Decode(src)
			if err != nil {
				continue
			}
			accepted[s.Type] = true
			accessor, call, read, write := k.allocations(src)
			if accessor != 0 || call != read {
				t.Errorf("%x: the accessor allocates %v objects, accessor and Decode %v, Decode alone %v", src, accessor, call, read)
			}
			if _, err := k.Append(nil, v); err != nil || !flat(reflect.ValueOf(v)) {
				continue
			}
			flats[s.Type] = true
			if read+write > 0 {
				t.Errorf("%x: reading the flat value %v allocates %v objects, writing %v", src, v, read, write)
			}
		}
	})
	if len(accepted) < len(Types()) || len(flats) < 40 {
		t.Errorf("values of %d types of %d, flat ones of %d", len(accepted), len(Types()), len(flats))
	}
}

// TestSharedCodecs: goroutines that ask a new codec at once get one structure. With it each
// reads, traces and writes what another codec does alone. The race detector watches.
func TestSharedCodecs(t *testing.T) {
	eachSubject(t, func(t *testing.T, s *subject) {
		alone, shared := s.codec(), s.codec()
		want := make([]string, len(s.inputs))
		for i, src := range s.inputs {
			want[i] = use(alone, src)
		}
		const workers = 8
		var structures [workers]any
		var wait sync.WaitGroup
		for worker := range workers {
			wait.Go(func() {
				structures[worker] = shared.kept()
				for k := range s.inputs {
					i := (k + worker*len(s.inputs)/workers) % len(s.inputs) // each begins elsewhere
					if got := use(shared, s.inputs[i]); got != want[i] {
						t.Errorf("%x gives %s beside others, %s alone", s.inputs[i], got, want[i])
					}
				}
			})
		}
		wait.Wait()
		for _, structure := range structures {
			if structure != structures[0] {
				t.Error("goroutines get different structures")
			}
		}
	})
}

// use reads an input, traces it, writes its value, and reads that. It returns the results as
// text.
func use(c Codec, src []byte) string {
	v, err := c.Decode(src)
	_, spans, traced := c.Trace(src)
	out, written := c.Append(nil, v) // an error, if there is no value
	_, again := c.Decode(out)
	return fmt.Sprint(err, spans, traced, out, written, again)
}
