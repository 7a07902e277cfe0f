package judge_test

import (
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	words "github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestReference judges the codec of this project under both profiles. An ordinary run
// derives cases of some small vectors of each type, and under documented only of those whose
// verdict depends on flags.
func TestReference(t *testing.T) {
	observed, documented := corpustest.All(t), corpustest.All(t)
	if !testrun.Exhaustive {
		observed, documented = someOfEach(smallVectors(t), 3, 4), someOfEach(flaggedVectors(t), 3, 4)
	}
	for _, run := range []struct {
		vectors []*corpus.Vector
		opts    judge.Options
	}{
		{corpustest.All(t), judge.Options{NoDerived: true}},
		{observed, judge.Options{Profile: new(ids.Observed())}},
		{documented, judge.Options{Profile: new(ids.Documented())}},
	} {
		report := judgedBy(t, adapter.NewReference(), run.vectors, run.opts)
		for _, r := range report.Results {
			if r.Status != judge.Pass && r.Status != judge.NotApplicable {
				t.Errorf("%s under %s: %s %s: %s\n  want %s\n  got  %s", r.Vector.ID, r.Profile, r.Status, r.Op,
					words.What(r.Outcome), words.AnswerText(r.Expected), words.AnswerText(r.Got))
			}
		}
	}
}

// TestUnknownType checks that a vector of an unknown type is not a failure of the
// adapter: nothing is asked for, not even hello, and nothing is judged.
func TestUnknownType(t *testing.T) {
	text := strings.Replace(twoNumbers, "type: ubi.Array<uint32>", "", 1)
	vectors := []*corpus.Vector{vector(t, "ubi/NoSuch/unit", text)}
	if r, err := judge.Run(t.Context(), nil, vectors, judge.Options{}); err == nil || r != nil ||
		!strings.Contains(err.Error(), "vector ubi/NoSuch/unit: unknown type ubi.NoSuch") {
		t.Errorf("report %v, error %v", r, err)
	}
	if s, err := judge.Fingerprint(t.Context(), nil, vectors, judge.Options{}); err == nil || s != nil {
		t.Errorf("fingerprint %v, error %v", s, err)
	}
}

// TestTypesByStructure: the name of a structure stands for all its types.
func TestTypesByStructure(t *testing.T) {
	h := adapter.Hello{Types: []string{"ubi.Array", "ubi.PairArray<uint32,uint32>"}}
	for typ, want := range map[string]bool{
		"ubi.Array": true, "ubi.Array<Vector3>": true, "ubi.Array<Array<uint32>>": true,
		"ubi.PairArray<uint32,uint32>": true, "ubi.PairArray": false, "ubi.PairArray<BasicString,BasicString>": false,
		"ubi.Arrays": false,
	} {
		if h.Lists(typ) != want {
			t.Errorf("%s: %v", typ, !want)
		}
	}
}
