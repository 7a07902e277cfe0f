package codec

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

func uassetTypes() []*Type {
	named := []string{"names"}
	return []*Type{
		uassetType((*uasset.Codec).Package),
		uassetType((*uasset.Codec).Summary),
		uassetType((*uasset.Codec).FString),
		uassetPart((*uasset.Part).FName, named...),
		uassetType((*uasset.Codec).NameEntry),
		uassetPart((*uasset.Part).Import, named...),
		uassetPart((*uasset.Part).Export, named...),
		uassetType((*uasset.Codec).Padding),
		uassetPart((*uasset.Part).Object, "names", "class", "offset"),
		uassetPart((*uasset.Part).PropertyList, named...),
		uassetPart((*uasset.Part).Property, named...),
		uassetPart((*uasset.Part).BoolProperty, named...),
		uassetPart((*uasset.Part).FloatProperty, named...),
		uassetPart((*uasset.Part).NameProperty, named...),
		uassetPart((*uasset.Part).IntProperty, named...),
		uassetPart((*uasset.Part).StrProperty, named...),
		uassetPart((*uasset.Part).ObjectProperty, named...),
		uassetPart((*uasset.Part).ByteProperty, named...),
		uassetPart((*uasset.Part).ArrayProperty, named...),
		uassetPart((*uasset.Part).StructProperty, named...),
		uassetPart((*uasset.Part).OpaqueProperty, named...),
		uassetType((*uasset.Codec).IntPoint),
		uassetType((*uasset.Codec).Guid),
		uassetType((*uasset.Codec).ColorMaterialInput),
		uassetType((*uasset.Codec).ScalarMaterialInput),
		uassetType((*uasset.Codec).TextureStreamingData),
		uassetPart((*uasset.Part).MaterialTextureInfo, named...),
		uassetType((*uasset.Codec).FontCharacter),
		uassetPart((*uasset.Part).FontImportOptionsData, named...),
		uassetPart((*uasset.Part).Texture2D, "names", "offset"),
		uassetPart((*uasset.Part).Mip, "offset", "format", "slices", "width", "height"),
		uassetType((*uasset.Codec).Footer),
	}
}

func uassetType[T any](accessor func(*uasset.Codec) wire.Structure[T]) *Type {
	return newType(map[string]string{}, accessor,
		func(s wire.Settings, _ map[string]string) (*uasset.Codec, error) { return uasset.New(s), nil })
}

// uassetPart lists a type that depends on the package around it. keys are the
// context keys that it uses.
func uassetPart[T any](accessor func(*uasset.Part) wire.Structure[T], keys ...string) *Type {
	defaults := map[string]string{
		"names": "", "class": "", "offset": "0",
		"format": string(model.DXT1), "slices": "1", "width": "0", "height": "0",
	}
	context := map[string]string{}
	for _, k := range keys {
		context[k] = defaults[k]
	}
	return newType(context, accessor, func(s wire.Settings, context map[string]string) (*uasset.Part, error) {
		scope, err := uassetScope(context)
		return uasset.New(s).In(scope), err
	})
}

// uassetScope reads a context (UA-PKG-16).
func uassetScope(context map[string]string) (s uasset.Scope, err error) {
	if s.Names, err = SplitNames(context["names"]); err != nil {
		return s, fmt.Errorf("codec: names: %w", err)
	}
	s.Class = context["class"]
	s.Format = model.PixelFormat(context["format"])
	if _, ok := s.Format.PayloadSize(0, 0); s.Format != "" && !ok {
		return s, fmt.Errorf("codec: format: expected one of the six pixel formats, found %q", s.Format)
	}
	number := func(key string, into *uint32) {
		text, ok := context[key]
		if !ok || err != nil {
			return
		}
		v, fault := strconv.ParseUint(text, 10, 32)
		if *into = uint32(v); fault != nil {
			err = fmt.Errorf("codec: %s: expected a number from 0 to %d, found %q", key, uint32(math.MaxUint32), text)
		}
	}
	number("offset", &s.Offset)
	s.Slices = 1
	number("slices", &s.Slices)
	number("width", &s.Width)
	number("height", &s.Height)
	return s, err
}

// SplitNames returns the texts in the value of the context key names: they are
// separated by |, and % and two hex digits stand for a byte (UA-PKG-16). Package net/url,
// which could do this, would make the playground 1 % larger.
func SplitNames(value string) (names []string, err error) {
	if value == "" {
		return nil, nil
	}
	names = make([]string, 0, strings.Count(value, "|")+1)
	for text := range strings.SplitSeq(value, "|") {
		head, rest, escaped := strings.Cut(text, "%")
		if !escaped {
			names = append(names, text)
			continue
		}
		name := []byte(head)
		for escaped {
			b, err := hex.DecodeString(rest[:min(2, len(rest))])
			if err != nil || len(b) == 0 {
				return nil, fmt.Errorf("expected two hex digits after %% in the name %q", text)
			}
			head, rest, escaped = strings.Cut(rest[2:], "%")
			name = append(append(name, b...), head...)
		}
		names = append(names, string(name))
	}
	return names, nil
}

// JoinNames returns the value that [SplitNames] splits.
func JoinNames(names []string) string {
	var out strings.Builder
	for i, name := range names {
		if i > 0 {
			out.WriteByte('|')
		}
		for _, c := range []byte(name) {
			if c <= ' ' || c > '~' || c == '%' || c == '|' || c == ',' {
				fmt.Fprintf(&out, "%%%02X", c)
			} else {
				out.WriteByte(c)
			}
		}
	}
	return out.String()
}

// uassetVariants returns a value of each variant of one sealed interface.
func uassetVariants[I any]() (out []I) {
	for _, v := range model.Variants() {
		if x, ok := v.(I); ok {
			out = append(out, x)
		}
	}
	return out
}
