package report

import (
	"fmt"
	"strings"
)

// manyFailures is the number of failed vectors from which another profile is suggested.
const manyFailures = 10

// suggestion says how many failures are no failures under other sides, and how to find the
// profile that fits. It is empty if they are few, or less than half of all: then the sides are
// not what is wrong.
func (r *Run) suggestion() string {
	if len(r.profiles()) != 1 || r.Hello.AnyProfile {
		return ""
	}
	failed, right := 0, 0
	for i := range r.Results {
		if res := &r.Results[i]; !res.Derived && res.Status.Failed() {
			failed++
			right += min(1, len(sideNames(res)))
		}
	}
	if failed < manyFailures || 2*right < failed {
		return ""
	}
	return fmt.Sprintf("The answers to %d of the %d failed vectors are right under other sides. "+
		"To find the profile that fits all answers, and to declare it: formatgauge fingerprint -- ADAPTER.", right, failed)
}

// unsupported says of what each valid input was rejected as unsupported, and what to
// declare. It is empty if there is nothing.
func (r *Run) unsupported() string {
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
