package fuzz

import (
	"cmp"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestTargets: each type is in one target of libFuzzer.
func TestTargets(t *testing.T) {
	all := Targets()
	if len(all) > 12 {
		t.Errorf("%d targets, want at most 12", len(all))
	}
	for _, target := range all {
		if found, ok := Find(target.Name); !ok || len(found.Types) != len(target.Types) {
			t.Errorf("Find does not find %s", target.Name)
		}
	}
	if _, ok := Find("nosuch"); ok {
		t.Error("Find finds a target that does not exist")
	}
	checkTypes(t, all)
}

// TestGroups: each type is in one group of its family.
func TestGroups(t *testing.T) {
	var all []Target
	for _, g := range Groups() {
		all = append(all, *g)
		if slices.ContainsFunc(g.Types, func(typ *codec.Type) bool { return typ.Family() != g.Types[0].Family() }) {
			t.Errorf("%s has types of two families", g.Name)
		}
	}
	checkTypes(t, all)
}

// checkTypes checks that each type is in one target, and that inputs select it.
func checkTypes(t *testing.T, all []Target) {
	t.Helper()
	times := map[string]int{}
	for _, target := range all {
		if len(target.Types) > 256 {
			t.Errorf("%s: one byte does not select one of %d types", target.Name, len(target.Types))
		}
		for i, typ := range target.Types {
			times[typ.Name]++
			in := target.Join(i, []byte("abc"))
			if j, b := target.Split(in); j != i || string(b) != "abc" || len(in) != target.Prefix()+3 {
				t.Errorf("%s: %s becomes %x, then %s and %q", target.Name, typ.Name, in, target.Types[j].Name, b)
			}
		}
		target.Split(nil)
	}
	for _, typ := range codec.Types() {
		if times[typ.Name] != 1 {
			t.Errorf("%s is in %d targets", typ.Name, times[typ.Name])
		}
	}
	if len(times) != len(codec.Types()) {
		t.Errorf("targets have %d types, want %d", len(times), len(codec.Types()))
	}
}

// faulty is a codec whose functions can be replaced.
type faulty struct {
	codec.Codec
	decode func([]byte) (any, error)
	encode func([]byte) []byte // changes what Append appends
}

func (f faulty) Decode(src []byte) (any, error) {
	if f.decode != nil {
		return f.decode(src)
	}
	return f.Codec.Decode(src)
}

func (f faulty) Append(dst []byte, v any) ([]byte, error) {
	out, err := f.Codec.Append(dst, v)
	if f.encode != nil && err == nil {
		out = f.encode(out)
	}
	return out, err
}

// TestFindings: both checks notice a fault in each step, and say how to reproduce it.
func TestFindings(t *testing.T) {
	canonical, noncanonical, invalid := []byte{0x40, 0x01}, []byte{0x40, 0x00}, []byte{0x40}
	typ, _ := codec.Find("upkg.CompactIndex")
	subjects := Subjects(typ)
	good := subjects[0]
	for _, src := range [][]byte{canonical, noncanonical, invalid, nil} {
		if err := cmp.Or(Quick(subjects, src), Full(subjects, src)); err != nil {
			t.Errorf("%x: %v", src, err)
		}
	}
	decodes := func(v any, err error) faulty {
		return faulty{Codec: good.Codec, decode: func([]byte) (any, error) { return v, err }}
	}
	encodes := func(f func([]byte) []byte) faulty { return faulty{Codec: good.Codec, encode: f} }
	as := func(b ...byte) faulty { return encodes(func([]byte) []byte { return b }) }
	changed := encodes(func(b []byte) []byte { b[0] ^= 2; return b })
	calls := 0
	unstable := encodes(func(b []byte) []byte {
		if calls++; calls > 1 {
			return noncanonical
		}
		return b
	})
	panics := faulty{Codec: good.Codec, decode: func([]byte) (any, error) { panic("decoder") }}
	for _, c := range []struct {
		name  string
		codec codec.Codec
		src   []byte
		want  string
	}{
		{"a changed byte", changed, canonical, "decodes to"},
		{"a canonical form that is rejected", as(0x40), noncanonical, "canonical form"},
		{"another value of the canonical form", as(1), noncanonical, "its canonical form 01 to 1"},
		{"no fixed point", unstable, noncanonical, "the canonical form 00 of 4000 is encoded as 4000"},
		{"an encoding that fails", decodes("no index", nil), canonical, "cannot be encoded"},
		{"an error of another type", decodes(nil, errors.New("no")), canonical, "expected a *wire.Error"},
		{"a panic when decoding", panics, canonical, "panic: decoder\n"},
		{"a panic when encoding", encodes(func([]byte) []byte { panic("encoder") }), canonical, "panic: encoder\n"},
	} {
		bad := good
		bad.Codec = c.codec
		for name, check := range map[string]func([]Subject, []byte) error{"quick": Quick, "full": Full} {
			calls = 0
			err := check([]Subject{bad}, c.src)
			f, ok := errors.AsType[*Finding](err)
			if !ok || name == "quick" && !strings.Contains(f.Message, c.want) ||
				string(f.Input) != string(c.src) {
				t.Errorf("%s, %s check: found %v, want %s", c.name, name, err, c.want)
			}
		}
	}
	bad := good
	bad.Codec = changed
	if text := Quick([]Subject{bad}, canonical).Error(); !strings.HasSuffix(text,
		"\ninput: 4001\nreproduce with the input in FILE: formatgauge inspect 'upkg.CompactIndex' --profile observed FILE") {
		t.Error(text)
	}
	if text := (&Finding{&good, "long", make([]byte, shownInput+1)}).Error(); len(text) > 2*shownInput+200 ||
		!strings.Contains(text, "(the first 4096 of 4097 bytes)") {
		t.Error(text)
	}
}

func TestSubjectString(t *testing.T) {
	typ, _ := codec.Find("uasset.FName")
	s := Subject{Type: typ, Profile: ids.Documented(), Context: map[string]string{"order": "big", "names": "a|b"}}
	if got, want := s.String(),
		"'uasset.FName' --profile documented --context 'names=a|b' --context 'order=big'"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestQuickChooses: an input of at least 32 bytes is decoded under one subject,
// always the same one, and every subject is chosen; a shorter one is decoded under all
// of them.
func TestQuickChooses(t *testing.T) {
	typ, _ := codec.Find("ka.Archive")
	subjects := Subjects(typ)
	times := make([]int, len(subjects))
	for i := range subjects {
		c := subjects[i].Codec
		subjects[i].Codec = faulty{Codec: c, decode: func(src []byte) (any, error) {
			times[i]++
			return c.Decode(src)
		}}
	}
	decoded := func(srcs ...[]byte) []int { // how often under each subject
		clear(times)
		for _, src := range srcs {
			if err := Quick(subjects, src); err != nil {
				t.Fatal(err)
			}
		}
		return times
	}
	if got := decoded(make([]byte, shortInput-1)); !slices.Equal(got, slices.Repeat([]int{1}, len(subjects))) {
		t.Errorf("a short input is decoded %d times, want once under each subject", got)
	}
	long := make([]byte, shortInput)
	got := slices.DeleteFunc(slices.Clone(decoded(long, long)), func(n int) bool { return n == 0 })
	if !slices.Equal(got, []int{2}) {
		t.Errorf("a long input that is checked twice is decoded %d times, want under one subject", got)
	}
	var all [][]byte
	for i := range 256 {
		all = append(all, slices.Concat([]byte{byte(i)}, long[1:]))
	}
	if i := slices.Index(decoded(all...), 0); i >= 0 {
		t.Errorf("256 inputs do not choose the subject %s", &subjects[i])
	}
}

var targetName = flag.String("target", "", "the target of libFuzzer for TestCorpus; by default, the name of the "+
	"program")

func TestMain(m *testing.M) { Main(m) }

// TestCorpus makes the quick check of the files of a folder, to measure the coverage
// of the corpus of a campaign.
func TestCorpus(t *testing.T) {
	dir := os.Getenv(CorpusVariable)
	if dir == "" {
		t.Skip(CorpusVariable + " is not set")
	}
	name := *targetName
	if name == "" {
		name = filepath.Base(os.Args[0])
	}
	target, ok := Find(name)
	if !ok {
		t.Fatalf("target %q does not exist", name)
	}
	subjects := target.Subjects()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		i, src := target.Split(b)
		if err := Quick(subjects[i], src); err != nil {
			t.Errorf("%s: %v", f.Name(), err)
		}
	}
	t.Logf("%s: %d files", name, len(files))
}

// TestSeeds: campaigns begin with every vector that is not too long, and with derived
// cases that are not truncated.
func TestSeeds(t *testing.T) {
	all := map[string]map[string]bool{}
	for _, typ := range []string{"ubi.FileMagic", "upkg.CompactIndex", "upkg.Package"} { // all would take seconds
		out, err := Seeds(typ)
		if err != nil {
			t.Fatal(err)
		}
		all[typ] = map[string]bool{}
		for _, b := range out {
			all[typ][string(b)] = true
		}
	}
	long := 0
	for _, v := range corpustest.All(t) {
		switch {
		case all[v.Type] == nil:
		case len(v.Bytes) > MaxSeed:
			long++
			if all[v.Type][string(v.Bytes)] {
				t.Errorf("%s: a seed of %d bytes", v.ID, len(v.Bytes))
			}
		case len(v.Bytes) > 0 && !all[v.Type][string(v.Bytes)]:
			t.Errorf("%s is missing", v.ID)
		}
	}
	if long == 0 {
		t.Error("no vector is too long")
	}
	for _, c := range []struct {
		typ, seed string
		want      bool
	}{
		{"upkg.CompactIndex", "\x40\x01\x00", true}, // 64, followed by one byte
		{"ubi.FileMagic", "ubi/b", false},           // truncated, and no vector
	} {
		if all[c.typ][c.seed] != c.want {
			t.Errorf("%s: the seeds contain %x: %v, want %v", c.typ, c.seed, !c.want, c.want)
		}
	}
	if _, err := Seeds("upkg.Nothing"); err == nil {
		t.Error("an unknown type has seeds")
	}
}

// BenchmarkQuick is one quick check per operation, of seeds up to 1 KiB in turn.
func BenchmarkQuick(b *testing.B) {
	for _, name := range []string{"ka.Archive", "upkg.Package", "uasset.Package"} {
		b.Run(name, func(b *testing.B) {
			typ, _ := codec.Find(name)
			subjects := Subjects(typ)
			seeds, err := Seeds(name)
			if err != nil {
				b.Fatal(err)
			}
			seeds = slices.DeleteFunc(seeds, func(s []byte) bool { return len(s) > 1<<10 })
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := Quick(subjects, seeds[i%len(seeds)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
