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
	if failed < manyFailures || remain >= failed {
		return ""
	}
	return fmt.Sprintf("About %d of the %d failed vectors would remain under the profile that fits these answers. "+
		"To see it: formatgauge test --profile %s -- ADAPTER. "+
		"To check which sides the answers show: formatgauge fingerprint -- ADAPTER.",
		remain, failed, p)
}

// fittingProfile searches for the profile under which the fewest vectors fail. It starts
// from the profile of the run and from each base, and takes the sides that mend most until
// none mend anything.
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
		if !res.Status.Failed() {
			continue
		}
		best = res.Profile
		failed++
		move := sideNames(res)
		if len(move) > 0 && !slices.ContainsFunc(moves, func(m []string) bool { return slices.Equal(m, move) }) {
			moves = append(moves, move)
		}
	}
	declared := best
	remain = failed
	for _, p := range []ids.Profile{declared, ids.Documented(), ids.Observed()} {
		n := failed - mended(declared, p, vectors)
		for {
			next, gain := p, 0
			for _, move := range moves {
				touched := slices.DeleteFunc(slices.Clone(vectors), func(res *judge.Result) bool {
					return !slices.ContainsFunc(move, func(side string) bool {
						id, _, _ := strings.Cut(side, "=")
						return slices.Contains(res.Vector.Flags, ids.Flag(id))
					})
				})
				if q, err := p.WithSides(move); err == nil {
					if g := mended(p, q, touched); g > gain {
						next, gain = q, g
					}
				}
			}
			if gain == 0 {
				break
			}
			p, n = next, n-gain
		}
		if n < remain || n == remain && len(p.String()) < len(best.String()) {
			best, remain = p, n
		}
	}
	return best, failed, remain
}

// mended returns how many results fewer fail under a profile than under another.
func mended(from, to ids.Profile, results []*judge.Result) (n int) {
	for _, r := range results {
		if failsUnder(r, from) {
			n++
		}
		if failsUnder(r, to) {
			n--
		}
	}
	return n
}

// failsUnder estimates whether the answers to a vector fail under a profile. An answer that
// was right by one section is taken as wrong by another, unless both reject.
func failsUnder(r *judge.Result, p ids.Profile) bool {
	judged, e := r.Vector.Select(r.Profile), r.Vector.Select(p)
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
