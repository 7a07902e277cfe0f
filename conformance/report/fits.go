package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// manyFailures is the number of failed vectors from which another profile is suggested.
const manyFailures = 10

// suggestion names the profile that fits the answers better than the declared one, with an
// estimate of what would fail, and says how to see it. It is empty if there is none.
func (r *Run) suggestion() string {
	if len(r.profiles()) != 1 || r.Hello.AnyProfile {
		return ""
	}
	p, failed, remain := r.fittingProfile()
	// If more than half remain, the sides are not what is wrong.
	if failed < manyFailures || 2*remain > failed {
		return ""
	}
	return fmt.Sprintf("About %d of the %d failed vectors would remain under the profile that fits these answers. "+
		"To see it: formatgauge test --profile %s -- ADAPTER. "+
		"To check which sides the answers show: formatgauge fingerprint -- ADAPTER.",
		remain, failed, p)
}

// unsupported says of what each valid input was rejected as unsupported, and what to
// declare. It is empty if there is nothing.
func (r *Run) unsupported() string {
	var parts []string
	advice, ofType := "", ""
	for _, p := range r.Unsupported() {
		parts = append(parts, p.String())
		if p.Value == "" {
			advice = " List such a type in skips of hello, with the reason, or leave it out of types."
		} else {
			ofType = " Hello cannot declare a part of a type: answer skip, with the reason."
		}
	}
	if parts == nil || r.Interrupted {
		return ""
	}
	return "Each valid input was rejected as unsupported: " + strings.Join(parts, "; ") + "." + advice + ofType
}

// fittingProfile searches for the profile under which the fewest vectors fail. It starts
// from the profile of the run and from each base, and takes sides that mend failures until
// none mend any.
func (r *Run) fittingProfile() (best ids.Profile, failed, remain int) {
	var vectors []*judge.Result // that depend on flags
	var moves [][]string        // sides under which a failure is right
	for i := range r.Results {
		res := &r.Results[i]
		if res.Derived || res.Status == judge.Skip {
			continue
		}
		if len(res.Vector.Flags) > 0 {
			vectors = append(vectors, res)
		}
		if res.Status.Failed() {
			best = res.Profile
			failed++
			moves = append(moves, sideNames(res))
		}
	}
	slices.SortFunc(moves, slices.Compare)
	moves = slices.CompactFunc(moves, slices.Equal)
	failing := func(p ids.Profile) (n int) {
		for _, res := range vectors {
			if failsUnder(res, p) {
				n++
			}
		}
		return n
	}
	failedWithFlags := failing(best)
	remain = failed
	for _, p := range []ids.Profile{best, ids.Documented(), ids.Observed()} {
		n := failing(p)
		for last := n + 1; n < last; {
			last = n
			for _, move := range moves {
				if q, err := p.WithSides(move); err == nil && failing(q) < n {
					p, n = q, failing(q)
				}
			}
		}
		n += failed - failedWithFlags // those that depend on no flag
		if n < remain || n == remain && len(p.String()) < len(best.String()) {
			best, remain = p, n
		}
	}
	return best, failed, remain
}

// failsUnder estimates whether the answers to a vector fail under a profile. An answer that
// was right by one section is taken as wrong by another, unless both reject.
func failsUnder(r *judge.Result, p ids.Profile) bool {
	judged, e := judge.Verdict(r.Vector, r.Profile), judge.Verdict(r.Vector, p)
	switch {
	case e == judged:
		return r.Status.Failed()
	case e == nil || judged == nil || r.Side == e.Profile:
		return false
	}
	rejects := judged.Outcome == corpus.Reject
	if r.Status.Disagrees() {
		rejects = !rejects && r.Got != nil && r.Got.Reject != nil
	}
	return !rejects || e.Outcome != corpus.Reject
}
