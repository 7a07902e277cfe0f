package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/tinylib/msgp/msgp"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// An input is one file that programs read, or several that one pass reads.
type input struct {
	name  string
	files []string
	size  int // of all files, in bytes
}

func (in input) several() bool { return len(in.files) > 1 }

// withAll appends all inputs together as one more input.
func withAll(inputs []input) []input {
	all := input{name: "all together"}
	for _, in := range inputs {
		all.files = append(all.files, in.files...)
		all.size += in.size
	}
	return append(inputs, all)
}

// inputs keeps the files of one run in a folder of its own.
type inputs struct{ folder string }

func (i inputs) add(name string, content []byte) (input, error) {
	path := filepath.Join(i.folder, name)
	return input{name, []string{path}, len(content)}, os.WriteFile(path, content, 0o644)
}

// spans are the keyed archives inside the real files: offset, length.
var spans = []struct {
	file  string
	parts [][2]int
}{
	{"newTest.dat", [][2]int{{0, 665}}},
	{"oldTest.dat", [][2]int{{0, 282}}},
	{"tanksbox.sc2", [][2]int{{12, 8}, {32, 4550}, {4582, 194}, {4776, 472}, {5248, 1125}}},
	{"shpere.sc2", [][2]int{{12, 8}, {32, 322}, {354, 18134}, {18488, 194}, {18682, 1072}}},
}

// archives returns the real keyed archives, and their trees as msgp in the same
// order.
func (i inputs) archives(data string) (archives, trees []input, err error) {
	for _, s := range spans {
		src, err := os.ReadFile(filepath.Join(data, "ka", s.file))
		if err != nil {
			return nil, nil, err
		}
		for _, p := range s.parts {
			name := s.file
			if p[1] < len(src) {
				name = fmt.Sprintf("%s at %d", s.file, p[0])
			}
			part := src[p[0] : p[0]+p[1]]
			a, err := ka.New(wire.Settings{}).Archive().Decode(part)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
			tree, err := msgp.AppendIntf(nil, pairs(a.Children))
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
			archive, err := i.add(name, part)
			if err != nil {
				return nil, nil, err
			}
			peer, err := i.add(name+".msgp", tree)
			if err != nil {
				return nil, nil, err
			}
			archives, trees = append(archives, archive), append(trees, peer)
		}
	}
	return withAll(archives), withAll(trees), nil
}

// pairs returns the children of an archive as msgp knows them.
func pairs(children []model.Pair) map[string]any {
	m := make(map[string]any, len(children))
	for _, p := range children {
		m[fmt.Sprint(value(reflect.ValueOf(p.Key)))] = value(reflect.ValueOf(p.Value))
	}
	return m
}

// value returns a value as msgp knows it: text, bytes, numbers, lists and maps.
// A vector, a matrix or a box is a list of its floats.
func value(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case model.KeyedArchive:
		return pairs(x.Children)
	case model.ByteArray:
		return []byte(x)
	case model.Boolean:
		return x != 0
	case model.None:
		return nil
	}
	if text := field(v, "Text"); text.IsValid() {
		return text.String()
	}
	switch v.Kind() {
	case reflect.Interface:
		return value(v.Elem())
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = value(v.Index(i))
		}
		return list
	case reflect.Struct, reflect.Array:
		return floats(nil, v)
	case reflect.Float32:
		return float32(v.Float())
	case reflect.Float64:
		return v.Float()
	}
	if v.CanInt() {
		return v.Int()
	}
	return v.Uint()
}

func field(v reflect.Value, name string) (f reflect.Value) {
	if v.Kind() == reflect.Struct {
		f = v.FieldByName(name)
	}
	return f
}

// floats appends all floats inside a struct or an array.
func floats(list []any, v reflect.Value) []any {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			list = floats(list, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			list = floats(list, v.Index(i))
		}
	default:
		list = append(list, float32(v.Float()))
	}
	return list
}

// files returns real files, which data contains under their names.
func (i inputs) files(data string, names ...string) (all []input, err error) {
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(data, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		in, err := i.add(filepath.Base(name), src)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return withAll(all), nil
}

// rejectedEarly returns hostile data whose elements are one byte too long, so
// that each archive is rejected after a few elements.
func rejectedEarly(size int) []byte { return hostile(size, 1, 12288) }

// readToTheEnd returns hostile data whose arrays have more elements than the
// file, so that each archive is read to the end of the file.
func readToTheEnd(size int) []byte { return hostile(size, 0, size/20) }

// hostile returns data of about size bytes in which an archive seems to begin
// every few bytes. Each archive has one value, an array of count elements. Each
// element is a byte array that contains the beginning of the next archive, and
// surplus bytes of the element that follows.
func hostile(size, surplus, count int) []byte {
	head := []byte("KA\x01\x00\x01\x00\x00\x00\x04\x00\x00\x00\x00\x1b")
	head = binary.LittleEndian.AppendUint32(head, uint32(count))
	element := binary.LittleEndian.AppendUint32([]byte{6}, uint32(len(head)+surplus))
	element = append(element, head...)
	src := slices.Clone(head)
	for len(src)+len(element) <= size {
		src = append(src, element...)
	}
	return src
}
