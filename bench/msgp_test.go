package bench

import (
	"fmt"
	"reflect"

	"github.com/tinylib/msgp/msgp"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// withMsgp returns the operation of msgp on the tree of a keyed archive.
func withMsgp(pass func(v any, encoded []byte) error) operation {
	return func(src []byte) (func() error, error) {
		a, err := ka.New(wire.Settings{}).Archive().Decode(src)
		if err != nil {
			return nil, err
		}
		encoded, err := msgp.AppendIntf(nil, pairs(a.Children))
		if err != nil {
			return nil, err
		}
		v, _, err := msgp.ReadIntfBytes(encoded)
		return func() error { return pass(v, encoded) }, err
	}
}

var (
	readMsgp operation = withMsgp(func(_ any, encoded []byte) error {
		v, _, err := msgp.ReadIntfBytes(encoded)
		sink += uint64(len(v.(map[string]any)))
		return err
	})
	msgpRoom   = make([]byte, 0, 1<<16)
	appendMsgp = withMsgp(func(v any, _ []byte) error { _, err := msgp.AppendIntf(msgpRoom, v); return err })
)

// pairs returns the children of an archive as msgp knows them.
func pairs(children []model.Pair) map[string]any {
	m := make(map[string]any, len(children))
	for _, p := range children {
		m[fmt.Sprint(plain(reflect.ValueOf(p.Key)))] = plain(reflect.ValueOf(p.Value))
	}
	return m
}

// plain returns a value as msgp knows it: text, bytes, numbers, lists and maps.
// A vector, a matrix or a box is a list of its floats.
func plain(v reflect.Value) any {
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
	switch v.Kind() {
	case reflect.Interface:
		return plain(v.Elem())
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	case reflect.Struct, reflect.Array:
		if v.Kind() == reflect.Struct && v.FieldByName("Text").IsValid() {
			return v.FieldByName("Text").String()
		}
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
