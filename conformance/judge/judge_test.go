package judge_test

import (
	"context"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
)

// TestReference holds the project's own codec to the whole corpus under both profiles.
func TestReference(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	report, err := judge.Run(context.Background(), adapter.NewReference(), vectors, judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Status != judge.Pass && r.Status != judge.Open {
			t.Errorf("%s under %s: %s %s: %s\n  want %s\n  got  %s", r.Vector.ID, r.Profile, r.Status, r.Op, r.Detail, r.Want, r.Got)
		}
	}
}
