package report

import (
	"fmt"
	"strings"
)

// manyFailures is the number of failed vectors from which another profile is suggested.
const manyFailures = 10

// UnderOtherSides returns the number of failed vectors, and that of those whose answers are
// right under other sides. It returns 0, 0 if they are few, or less than half of all: then the
// sides are not what is wrong.
func (r *Run) UnderOtherSides() (failed, right int) {
	if len(r.profiles()) != 1 || r.Hello.AnyProfile {
		return 0, 0
	}
	for i := range r.Results {
		if res := &r.Results[i]; !res.Derived && res.Status.Failed() {
			failed++
			right += min(1, len(sideNames(res)))
		}
	}
	if failed < manyFailures || 2*right < failed {
		return 0, 0
	}
	return failed, right
}

// Suggestion says how many failures are no failures under other sides, and how many remain
// under the profile that the answers show, or how to find it.
func (r *Run) Suggestion() string {
	failed, right := r.UnderOtherSides()
	if failed == 0 {
		return ""
	}
	text := fmt.Sprintf("The answers to %d of the %d failed vectors are right under other sides. ", right, failed)
	if r.Fit == nil {
		return text + "To find the profile that fits all answers, and to declare it: formatgauge fingerprint -- ADAPTER."
	}
	return text + fmt.Sprintf("Under the profile that the answers show, %d vectors fail: formatgauge test --profile %s -- ADAPTER. "+
		"Declare it in hello if it is intended.", r.Fit.Failed, r.Fit.Profile)
}

// SupportAdvice says of what each valid input was rejected as unsupported, and what to
// declare. It is empty if there is nothing.
func (r *Run) SupportAdvice() string {
	var features []string
	advice, ofType := "", ""
	for _, p := range r.Unsupported() {
		features = append(features, p.String())
		if p.Value == "" {
			advice = " List such a type in skips of hello, with the reason, or leave it out of types."
		} else {
			ofType = " Hello cannot declare a part of a type: answer skip, with the reason."
		}
	}
	if features == nil || r.Interrupted {
		return ""
	}
	return "Each valid input was rejected as unsupported: " + strings.Join(features, "; ") + "." + advice + ofType
}
