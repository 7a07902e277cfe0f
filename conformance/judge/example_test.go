package judge_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
)

// The judge runs vectors against an implementation, here the reference itself.
// An implementation in another program is an adapter.Child.
func ExampleRun() {
	all, err := corpus.All()
	if err != nil {
		fmt.Println(err)
		return
	}
	var vectors []*corpus.Vector
	for _, v := range all {
		if strings.HasPrefix(v.ID, "upkg/CompactIndex/minus-zero") {
			vectors = append(vectors, v)
		}
	}
	report, err := judge.Run(context.Background(), adapter.NewReference(), vectors, judge.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Results {
		fmt.Println(r.ID, r.Profile, r.Status)
	}
	fmt.Println(report.Conformant())
	// Output:
	// upkg/CompactIndex/minus-zero documented pass
	// upkg/CompactIndex/minus-zero#truncated-0 documented pass
	// upkg/CompactIndex/minus-zero#trailing documented pass
	// upkg/CompactIndex/minus-zero observed pass
	// upkg/CompactIndex/minus-zero#truncated-0 observed pass
	// upkg/CompactIndex/minus-zero#trailing observed pass
	// upkg/CompactIndex/minus-zero observed,upkg.ci-minus-zero=strict pass
	// true
}
