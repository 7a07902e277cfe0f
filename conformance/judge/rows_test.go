package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func featuresOfVector(v *corpus.Vector) []Feature {
	op := adapter.OpDecode
	if v.EncodeOnly() {
		op = adapter.OpEncode
	}
	r := NewResult(v.ID, v, ids.Observed())
	return featuresOf(&r, op)
}

// TestSupportRows: what decides support has several values in the vectors of its
// structure, of rejected ones too.
func TestSupportRows(t *testing.T) {
	t.Parallel()
	for _, f := range spec.Families() {
		for _, s := range f.Structures {
			for _, entry := range s.Support {
				values, rejected := map[string]bool{}, 0
				first, _, _ := strings.Cut(entry, " ")
				for _, v := range corpustest.Of(t, s.Name) {
					for _, p := range featuresOfVector(v) {
						if p.Value != entry && (!strings.HasPrefix(p.Value, first+"=") ||
							strings.Count(p.Value, "=") != len(strings.Fields(entry))) {
							continue
						}
						values[p.Value] = true
						if e := v.Select(ids.Observed()); e != nil && e.Outcome == corpus.Reject {
							rejected++
						}
					}
				}
				if len(values) < 2 && !values[entry] || rejected == 0 {
					t.Errorf("%s: %q has %d values, and %d rejected vectors", s.Name, entry, len(values), rejected)
				}
			}
		}
	}
}

// TestPartsOf: the values of cases, from bytes before the fault, the context and trees.
func TestPartsOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string][]string{
		"upkg/Package/no-licensee-128-31":         {"version=128 licensee=31"},
		"upkg/Package/nothing":                    nil,
		"upkg/Header/version-179":                 {"version=179"},
		"upkg/Name/65537-bytes-below-64":          {"version=60"},
		"upkg/Name/none":                          {"version=69"},
		"upkg/Name/wide-cut-off-has-no-encoding":  {"version=69", "wide=true"},
		"upkg/Name/wide-half-a-unit-missing":      {"version=69", "length<0"},
		"ka/Value/aabbox2-without-body":           {"type=AABBOX2"},
		"ka/Archive/cut-in-nested-tag":            {"version=0x0002", "type=KEYED_ARCHIVE", "type=STRING"},
		"uasset/Texture2D/format-unlisted":        {"pixelFormat=Texture2D"},
		"uasset/Summary/cut-at-189":               {"generationCount=1", "additionalPackagesToCookCount=0", "chunkIDCount=0"},
		"uasset/Footer/cut":                       nil,
		"ka/Archive/write-second-pair-without-id": {"version=0x0002", "version=0x0102", "type=INT32", "type=KEYED_ARCHIVE", "type=STRING"},
	} {
		v := corpustest.Find(t, id)
		var got []string
		for _, f := range featuresOfVector(v)[1:] {
			got = append(got, f.Value)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}
