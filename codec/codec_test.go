package codec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestEveryStructureHasAType: every structure in the records has a type, and
// every type has a structure.
func TestEveryStructureHasAType(t *testing.T) {
	have, seen := map[string]bool{}, map[string]bool{}
	for _, typ := range codec.Types() {
		have[typ.Structure()] = true
		if seen[typ.Name] {
			t.Errorf("%s is listed twice", typ.Name)
		}
		seen[typ.Name] = true
		s, ok := spec.FindStructure(typ.Structure())
		if !ok || s.Family() != typ.Family() {
			t.Errorf("%s has no structure in the records", typ.Name)
		}
		if found, ok := codec.Find(typ.Name); !ok || found != typ {
			t.Errorf("%s is not found by its name", typ.Name)
		}
	}
	for _, f := range spec.Families() {
		for _, s := range f.Structures {
			if !have[s.Name] {
				t.Errorf("%s has no type", s.Name)
			}
		}
	}
}

// TestErrorsCiteRules: if an input is too short or too long, the error cites a clause
// that says so. In uasset no clause says it of every field: there the clause of the
// field may be cited for an input that is too short.
func TestErrorsCiteRules(t *testing.T) {
	cited := map[ids.Clause]bool{}
	for _, v := range corpustest.All(t) {
		typ, ok := codec.Find(v.Type)
		if !ok || v.EncodeOnly() {
			continue
		}
		for _, p := range []ids.Profile{ids.Documented(), ids.Observed()} {
			_, err := testrun.Must(typ.Bind(wire.Settings{Profile: p}, v.Context)).Decode(v.Bytes)
			e, ok := errors.AsType[*wire.Error](err)
			if !ok || e.Class != wire.Truncated && e.Class != wire.Trailing {
				continue
			}
			c, ok := spec.FindClause(e.Clause)
			if ok && strings.Contains(c.Text, "`"+string(e.Class)+"`") {
				cited[e.Clause] = true
			} else if typ.Family() != "uasset" || e.Class == wire.Trailing || !ok {
				t.Errorf("%s under %s: %v", v.ID, p, e)
			}
		}
	}
	if len(cited) < 25 {
		t.Errorf("only %d clauses are cited", len(cited))
	}
}

func TestBindFaults(t *testing.T) {
	for _, c := range []struct {
		typ     string
		context map[string]string
		want    string
	}{
		{"ubi.Box", map[string]string{"order": "middle"}, "expected little or big"},
		{"ubi.Box", map[string]string{"version": "1"}, `takes no context "version"`},
		{"upkg.Name", map[string]string{"version": "65536"}, "from 0 to 65535"},
		{"upkg.Name", map[string]string{"version": "old"}, "from 0 to 65535"},
		{"uasset.Mip", map[string]string{"format": "PF_A8"}, "one of the six"},
		{"uasset.Mip", map[string]string{"slices": "-1"}, "from 0 to"},
		{"uasset.Mip", map[string]string{"offset": "4294967296"}, "to 4294967295"},
		{"uasset.Mip", map[string]string{"names": "None"}, `takes no context "names"`},
		{"uasset.FName", map[string]string{"names": "None|100%"}, "codec: names: "},
	} {
		typ, _ := codec.Find(c.typ)
		if _, err := typ.Bind(wire.Settings{}, c.context); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: error %v, want one with %q", c.typ, c.context, err, c.want)
		}
	}
	typ, _ := codec.Find("ubi.Box")
	if _, err := testrun.Must(typ.Bind(wire.Settings{}, nil)).Append(nil, "no box"); err == nil {
		t.Error("a string was written as a box")
	}
}

func TestNames(t *testing.T) {
	for value, want := range map[string][]string{
		"": nil, "|": {"", ""}, "a%7Cb|c,": {"a|b", "c,"}, "%257C|%ff": {"%7C", "\xff"}, `C:\|+ `: {`C:\`, "+ "},
	} {
		got, err := codec.SplitNames(value)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", value, got, err, want)
		}
		joined := codec.JoinNames(want)
		if got, err := codec.SplitNames(joined); err != nil || !slices.Equal(got, want) ||
			!utf8.ValidString(joined) || strings.ContainsAny(joined, ", ") {
			t.Errorf("%q joined: %q, which is %q, %v", want, joined, got, err)
		}
	}
}
