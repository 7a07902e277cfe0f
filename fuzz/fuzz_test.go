package fuzz

import (
	"os"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/register"
	"github.com/formatgauge/formatgauge/props"
	"github.com/formatgauge/formatgauge/spec"
)

// fuzz is the body of every target. more is held to what is true of one type.
func fuzz(f *testing.F, name string, more ...func(*testing.T, []byte)) {
	typ, ok := codec.Find(name)
	if !ok {
		f.Fatalf("no type %s", name)
	}
	vectors, err := corpus.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range vectors {
		if v.Type == name && !v.EncodeOnly() {
			f.Add(v.Bytes)
		}
	}
	subjects := subjectsOf(f, typ)
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, s := range subjects {
			t.Helper()
			props.CheckBytes(prefixed{t, s.profile}, typ, s.codec, src)
		}
		for _, check := range more {
			check(t, src)
		}
	})
}

// A subject is a type under one profile in one context.
type subject struct {
	profile string
	codec   codec.Codec
}

// prefixed says under which profile something went wrong.
type prefixed struct {
	*testing.T
	profile string
}

func (p prefixed) Fatalf(format string, args ...any) {
	p.Helper()
	p.T.Fatalf("under "+p.profile+": "+format, args...)
}

// contexts are tried beside the default one.
var contexts = map[string][]string{
	"order":   {"big"},
	"version": {"63"},
}

// subjectsOf binds a type to both profiles in every context, and to a profile
// for each further side of a flag that touches it.
func subjectsOf(tb testing.TB, t *codec.Type) []subject {
	tb.Helper()
	profiles := []spec.Profile{spec.Observed(), spec.Documented()}
	for _, f := range spec.FlagsOf(t.Structure()) {
		for _, side := range f.Sides {
			if side.Name == spec.SideDocumented || side.Name == spec.SideObserved {
				continue
			}
			p, err := spec.Observed().With(f.ID, side.Name)
			if err != nil {
				tb.Fatal(err)
			}
			profiles = append(profiles, p)
		}
	}
	settings := []map[string]string{nil}
	for k := range t.Context {
		for _, v := range contexts[k] {
			settings = append(settings, map[string]string{k: v})
		}
	}
	var out []subject
	for i, p := range profiles {
		for j, context := range settings {
			if i > 1 && j > 0 {
				continue // third sides in the default context only
			}
			c, err := props.Bind(t, p, context)
			if err != nil {
				tb.Fatal(err)
			}
			out = append(out, subject{p.String(), c})
		}
	}
	return out
}

// TestEveryTypeHasATarget compares the targets of this package's files with
// the list of types.
func TestEveryTypeHasATarget(t *testing.T) {
	have, err := register.FuzzTargets(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range codec.Types() {
		name := corpus.FuzzTargetOf(typ.Name)
		if !have[name] {
			t.Errorf("add: func %s(f *testing.F) { fuzz(f, %q) }", name, typ.Name)
		}
		delete(have, name)
	}
	for name := range have {
		t.Errorf("%s belongs to no type", name)
	}
}
