package props

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestAppendingChangesNothing: to append to a list or to bytes of a decoded
// value changes neither another part of the value nor the input. No two of its
// pointers are equal, except in ka, where nothing may be changed in place.
func TestAppendingChangesNothing(t *testing.T) {
	lists := map[string]int{} // appended to, by family
	eachReading(t, func(v *corpus.Vector, _ ids.Profile, c codec.Codec) {
		src := bytes.Clone(v.Bytes)
		value, err := c.Decode(src)
		if err != nil {
			return
		}
		before := textOf(t, value)
		e := everywhere{pointers: map[uintptr]bool{}}
		e.visit(reflect.ValueOf(value))
		lists[v.Family()] += e.lists
		if e.shared && v.Family() != "ka" {
			t.Errorf("%s: two pointers of %s are equal", v.ID, before)
		}
		if after := textOf(t, value); before != after || !bytes.Equal(src, v.Bytes) {
			t.Errorf("%s: %s becomes %s, the input %x becomes %x", v.ID, before, after, v.Bytes, src)
		}
	})
	for _, family := range []string{"ubi", "upkg", "ka", "uasset"} {
		if lists[family] < 10 {
			t.Errorf("%s: only %d lists, expected at least 10", family, lists[family])
		}
	}
}

// everywhere visits all parts of a value. It appends an element to each slice,
// without keeping the result.
type everywhere struct {
	lists    int
	pointers map[uintptr]bool
	shared   bool
}

func (e *everywhere) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Kind() == reflect.Pointer {
			e.shared = e.shared || e.pointers[v.Pointer()]
			e.pointers[v.Pointer()] = true
		}
		e.visit(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			e.visit(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			e.visit(v.Index(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			e.visit(v.Index(i))
		}
		another := reflect.New(v.Type().Elem()).Elem()
		if v.Len() > 0 {
			another.Set(v.Index(0))
		}
		if another.Kind() == reflect.Uint8 {
			another.SetUint(0xA5)
		}
		reflect.Append(v, another)
		e.lists++
	}
}
