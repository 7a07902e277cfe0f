package props

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	uassetcodec "github.com/formatgauge/formatgauge/codec/uasset"
	upkgcodec "github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/mutate"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/model/upkg"
)

// A place is a part of a value that can be replaced.
type place struct {
	path   string
	now    reflect.Value
	set    func(reflect.Value)
	around []reflect.Value // the values that contain it
}

// places lists the parts of a value that hostile callers replace: interfaces, pointers
// and integers. v is addressable.
func places(v reflect.Value) (all []place) {
	var visit func(p place)
	visit = func(p place) {
		inner := func(path string, v reflect.Value, set func(reflect.Value)) {
			visit(place{p.path + path, v, set, append(slices.Clip(p.around), p.now)})
		}
		switch v := p.now; v.Kind() {
		case reflect.Interface:
			all = append(all, p)
			if v.IsNil() {
				return
			}
			open := reflect.New(v.Elem().Type()).Elem()
			open.Set(v.Elem())
			inner("", open, func(x reflect.Value) {
				open.Set(x)
				p.set(open)
			})
		case reflect.Pointer:
			all = append(all, p)
			if !v.IsNil() {
				inner("", v.Elem(), v.Elem().Set)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				field := v.Field(i)
				name := []rune(v.Type().Field(i).Name)
				name[0] = unicode.ToLower(name[0])
				inner("."+string(name), field, func(x reflect.Value) {
					field.Set(x)
					p.set(v)
				})
			}
		case reflect.Slice:
			for i := range v.Len() {
				element := v.Index(i)
				inner(fmt.Sprintf("[%d]", i), element, element.Set)
			}
		case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
			reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			all = append(all, p)
		}
	}
	visit(place{now: v, set: v.Set})
	return all
}

// disguises return a value that embeds x, of a type that has the methods of an interface
// and is not a variant of it.
var disguises = map[reflect.Type]func(x any) any{
	reflect.TypeFor[ka.Value]():        func(x any) any { return struct{ ka.Value }{x.(ka.Value)} },
	reflect.TypeFor[uasset.Value]():    func(x any) any { return struct{ uasset.Value }{x.(uasset.Value)} },
	reflect.TypeFor[uasset.Elements](): func(x any) any { return struct{ uasset.Elements }{x.(uasset.Elements)} },
	reflect.TypeFor[uasset.StructValue](): func(x any) any {
		return struct{ uasset.StructValue }{x.(uasset.StructValue)}
	},
}

// hostilities replace places of some kinds. Where do reports false, the place stays.
var hostilities = map[string]struct {
	fits func(reflect.Value) bool
	do   func(*rapid.T, place) bool
}{
	"nil":      {isInterface, setNil},
	nilPointer: {isPointer, setNil},
	"pointer to the value": {isInterface, func(_ *rapid.T, p place) bool {
		x := reflect.New(p.now.Elem().Type())
		x.Elem().Set(p.now.Elem())
		p.set(x)
		return true
	}},
	"typed nil": {isInterface, func(t *rapid.T, p place) bool {
		variant := rapid.SampledFrom(codec.Variants(p.now.Type())).Draw(t, "variant")
		p.set(reflect.Zero(reflect.PointerTo(variant.Type)))
		return true
	}},
	"type of the caller": {isInterface, func(_ *rapid.T, p place) bool {
		p.set(reflect.ValueOf(disguises[p.now.Type()](p.now.Interface())))
		return true
	}},
	"cycle": {isInterface, func(_ *rapid.T, p place) bool {
		for _, a := range p.around {
			if list, ok := a.Interface().(uasset.PropertyList); ok && p.now.Type() == reflect.TypeFor[uasset.Value]() {
				p.set(reflect.ValueOf(uasset.StructProperty{StructName: textureInfo, Value: uasset.MaterialTextureInfo(list)}))
				return true
			}
			for _, variant := range codec.Variants(p.now.Type()) {
				// A copy shares its elements.
				if shares := a.Kind() == reflect.Slice || variant.Type == reflect.TypeFor[ka.KeyedArchive](); shares &&
					a.CanConvert(variant.Type) {
					p.set(a.Convert(variant.Type))
					return true
				}
			}
		}
		return false
	}},
	hugeNumber: {isInteger, func(t *rapid.T, p place) bool {
		most := ^uint64(0) - uint64(rapid.IntRange(0, 300).Draw(t, "less"))
		x := reflect.New(p.now.Type()).Elem()
		if x.CanInt() {
			x.SetInt(int64(most >> (65 - x.Type().Bits())))
		} else {
			x.SetUint(most >> (64 - x.Type().Bits()))
		}
		p.set(x)
		return true
	}},
}

func setNil(_ *rapid.T, p place) bool {
	p.set(reflect.Zero(p.now.Type()))
	return true
}

// textureInfo is the name of the struct that is a list, in the tables that are drawn.
var textureInfo = func() uasset.FName {
	typ, _ := codec.Find("uasset.PropertyList")
	names, _ := codec.SplitNames(mutate.ValuesOf(typ, nil).Context()["names"])
	return uasset.FName{Index: uint32(slices.Index(names, "MaterialTextureInfo"))}
}()

func isInterface(v reflect.Value) bool { return v.Kind() == reflect.Interface && !v.IsNil() }
func isPointer(v reflect.Value) bool   { return v.Kind() == reflect.Pointer && !v.IsNil() }
func isInteger(v reflect.Value) bool   { return v.CanInt() || v.CanUint() }

// What these leave may be a value.
const (
	nilPointer = "nil in place of a pointer"
	hugeNumber = "huge number"
)

// TestHostileModels: values that no reader gives, because a caller made them, are an
// error with a path, or are written as they are: nothing panics, nothing is lost, and
// Rebuild allocates no more than the rows and bytes of the value justify.
func TestHostileModels(t *testing.T) {
	families := map[string][]*codec.Type{}
	for _, typ := range codec.Types() {
		if !Lossy(typ) {
			families[typ.Family()] = append(families[typ.Family()], typ)
		}
	}
	kinds := slices.Sorted(maps.Keys(hostilities))
	counts := map[string]int{}
	for _, family := range slices.Sorted(maps.Keys(families)) {
		t.Run(family, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				for _, kind := range kinds {
					typ := rapid.SampledFrom(families[family]).Draw(rt, "type")
					if whole, ok := codec.Find(family + ".Package"); ok && rapid.Bool().Draw(rt, "package") {
						typ = whole
					}
					if checkHostile(rt, typ, kind) {
						counts[family+", "+kind]++
					}
				}
			})
		})
	}
	t.Log(counts)
	for _, family := range []string{"ka", "uasset"} {
		for _, kind := range kinds {
			if counts[family+", "+kind] == 0 && !testing.Short() { // as in TestValueIdentity
				t.Errorf("no value of %s has a %s", family, kind)
			}
		}
	}
}

// checkHostile draws a value, replaces one of its parts, and checks the result. It
// reports false if the value has no such part.
func checkHostile(rt *rapid.T, typ *codec.Type, kind string) bool {
	v, c, rebuild := drawWritable(rt, typ)
	sound, err := c.Append(nil, codec.Deref(v.Addr().Interface()))
	if err != nil {
		return false
	}
	fit := slices.DeleteFunc(places(v), func(p place) bool { return !hostilities[kind].fits(p.now) })
	if len(fit) == 0 {
		return false
	}
	p := rapid.SampledFrom(fit).Draw(rt, "place")
	if !hostilities[kind].do(rt, p) {
		return false
	}
	h := hostile{rt, codec.Deref(v.Addr().Interface()), kind, strings.TrimPrefix(p.path, "."), len(sound)}
	h.checkAppend(c)
	if rebuild != nil {
		h.checkRebuild(c, rebuild)
	}
	return true
}

// drawWritable draws a value, a codec that may write it, and for a package its Rebuild.
// The value is addressable.
func drawWritable(rt *rapid.T, typ *codec.Type) (v reflect.Value, c codec.Codec, rebuild func(any) (any, error)) {
	p := drawProfile(rt, typ.Family())
	v = reflect.New(typ.Model()).Elem()
	switch typ.Name {
	case "uasset.Package":
		var f uasset.Package
		f, p = drawPackage(rt)
		v.Set(reflect.ValueOf(f))
		rebuild = func(v any) (any, error) {
			return moving(uassetcodec.New(wire.Settings{Profile: p}))(v.(uasset.Package))
		}
	case "upkg.Package":
		rebuild = func(v any) (any, error) {
			out, _, err := upkgcodec.New(wire.Settings{Profile: p}).Rebuild(v.(upkg.Package))
			return out, err
		}
		fallthrough
	default:
		given := reflect.ValueOf(drawValue(rt, typ))
		if given.Kind() == reflect.Pointer { // the model is an interface
			given = given.Elem()
		}
		v.Set(given)
	}
	return v, testrun.Must(Bind(typ, p, mutate.ValuesOf(typ, nil).Context())), rebuild
}

// A hostile value has one part that a caller replaced.
type hostile struct {
	*rapid.T
	v          any
	kind, path string
	size       int // of the encoding of the value before, in bytes
}

func (h *hostile) mayBeValue() bool { return h.kind == nilPointer || h.kind == hugeNumber }

func (h *hostile) checkAppend(c codec.Codec) {
	b, err := c.Append(nil, h.v)
	if err != nil {
		h.checkError(err)
		return
	}
	if !h.mayBeValue() {
		h.Fatalf("%s at %q is written as %x", h.kind, h.path, b)
	}
	if again, err := c.Decode(b); err != nil || !sameValue(h, again, h.v) {
		h.Fatalf("%s at %q: %x decodes to %v, %v", h.kind, h.path, b, again, err)
	}
}

func (h *hostile) checkRebuild(c codec.Codec, rebuild func(any) (any, error)) {
	before := allocated()
	out, err := rebuild(h.v)
	if limit := uint64(4<<20 + 1<<10*h.size); allocated()-before > limit {
		if used := exactAllocated(func() { _, _ = rebuild(h.v) }); used > limit {
			h.Fatalf("%s at %q: Rebuild of a package of %d bytes allocates %d bytes", h.kind, h.path, h.size, used)
		}
	}
	if err == nil {
		_, err = c.Append(nil, out)
	}
	if err != nil {
		h.checkError(err)
	} else if !h.mayBeValue() {
		h.Fatalf("%s at %q: Rebuild accepts it", h.kind, h.path)
	}
}

// checkError checks that an error says where the part is that was replaced. It can name
// what contains the part, or a part of it. A number can contradict any other part.
func (h *hostile) checkError(err error) {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || e.Class != wire.Range && (e.Class != wire.Limit || h.kind != "cycle") {
		h.Fatalf("%s at %q: %v", h.kind, h.path, err)
	}
	if h.mayBeValue() {
		return
	}
	if e.Path == "" && h.path != "" || !strings.HasPrefix(e.Path, h.path) && !strings.HasPrefix(h.path, e.Path) {
		h.Fatalf("%s at %q: the path of the error is %q: %v", h.kind, h.path, e.Path, err)
	}
}
