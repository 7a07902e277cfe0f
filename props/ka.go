package props

import (
	"bytes"
	"errors"
	"fmt"

	kacodec "github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// CheckCanonical checks the properties of the canonical form of an archive, in
// version 0x0001 and in version 0x0002: it is a fixed point, encoding and
// decoding keeps it, and conversion to the other version and back keeps it. An
// archive without a canonical form passes.
func CheckCanonical(t TB, p ids.Profile, a ka.Archive) {
	t.Helper()
	c := kacodec.New(wire.Settings{Profile: p})
	for _, v := range []ka.Version{ka.V0x0001, ka.V0x0002} {
		canonical, err := c.Canonical(a, v)
		if err != nil {
			if !errors.Is(err, wire.Range) && !errors.Is(err, wire.Limit) {
				t.Fatalf("under %s: %v", p, err)
			}
			continue
		}
		want := mustTree(t, canonical)
		again, err := c.Canonical(canonical, v)
		if err != nil || !tree.Equal(treeOf(t, again), want) {
			t.Fatalf("under %s: the canonical form %s of %s is not a fixed point: %v", p, want, treeOf(t, a), err)
		}
		b, err := c.Archive().Append(nil, canonical)
		if err != nil {
			if !errors.Is(err, wire.Range) {
				t.Fatalf("under %s: %v", p, err)
			}
			continue
		}
		read, err := c.Archive().Decode(b)
		if err != nil || !tree.Equal(treeOf(t, read), want) {
			t.Fatalf("under %s: the canonical form %s is encoded as %x, which decodes to another value: %v", p, want, b, err)
		}
		other, err := c.Canonical(read, ka.V0x0001^ka.V0x0002^v)
		if err != nil {
			continue // no canonical form, for example because two names have one id
		}
		back, err := c.Canonical(other, v)
		if err != nil || !tree.Equal(treeOf(t, back), want) {
			t.Fatalf("under %s: conversion to the other version and back changes %s: %v", p, want, err)
		}
		twice, err := c.Archive().Append(nil, back)
		if err != nil || !bytes.Equal(twice, b) {
			t.Fatalf("under %s: conversion to the other version and back changes %x to %x: %v", p, b, twice, err)
		}
	}
}

// CheckShortcuts checks that the short cuts of archives give the results of the
// structure without them: value, size, error and bytes. It returns the archive,
// if src begins with one.
func CheckShortcuts(t TB, c *kacodec.Codec, src []byte) (a ka.Archive, ok bool) {
	t.Helper()
	s := c.Archive()
	want, wantSize, wantErr := withoutShortcut(s).DecodePrefix(src)
	have, size, err := s.DecodePrefix(src)
	if size != wantSize || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("under %s: %x is read with the short cut: %d bytes, %v; without: %d bytes, %v", wire.DescriptionOf(s).Settings.Profile, src,
			size, err, wantSize, wantErr)
	}
	if wantErr != nil {
		return want, false
	}
	if x, y := treeOf(t, have), mustTree(t, want); !tree.Equal(x, y) {
		t.Fatalf("under %s: %x is read with the short cut as %s, without as %s", wire.DescriptionOf(s).Settings.Profile, src, x, y)
	}
	CheckShortcutAppend(t, c, want)
	CheckShortcutAppend(t, c, have)
	return want, true
}

// CheckShortcutAppend is the part of CheckShortcuts about writing.
func CheckShortcutAppend(t TB, c *kacodec.Codec, a ka.Archive) {
	t.Helper()
	s := c.Archive()
	want, wantErr := withoutShortcut(s).Append(nil, a)
	have, err := s.Append(nil, a)
	if !bytes.Equal(have, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("under %s: %s is written with the short cut as %x, %v; without as %x, %v", wire.DescriptionOf(s).Settings.Profile,
			treeOf(t, a), have, err, want, wantErr)
	}
}

// withoutShortcut returns a structure without its short cuts.
func withoutShortcut(s wire.Structure[ka.Archive]) wire.Structure[ka.Archive] {
	d := *wire.DescriptionOf(s)
	d.Shortcut, d.ShortcutAppend = nil, nil
	return d.Structure()
}
