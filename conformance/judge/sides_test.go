package judge

import (
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/internal/testrun"
)

// TestCheapest compares the search with the cost of every assignment.
func TestCheapest(t *testing.T) {
	rng := testrun.Rand(t)
	for n := range 300 {
		domain := make([][]int, 1+rng.IntN(7))
		all := []assignment{{}}
		for f := range domain {
			domain[f] = rng.Perm(3)[:1+rng.IntN(3)]
			var longer []assignment
			for _, a := range all {
				for _, side := range domain[f] {
					longer = append(longer, append(slices.Clone(a), side))
				}
			}
			all = longer
		}
		var terms []term
		for range 2 * len(domain) {
			flags := rng.Perm(len(domain))[:1+rng.IntN(min(3, len(domain)))]
			costs := map[int]int64{}
			terms = append(terms, term{flags, func(sides assignment) int64 {
				key := 0
				for _, f := range flags {
					key = 3*key + sides[f]
				}
				if _, ok := costs[key]; !ok {
					costs[key] = rng.Int64N(4)
				}
				return costs[key]
			}})
		}
		costOf := func(a assignment) int64 {
			sum := total(terms, a)
			for f, side := range a {
				if side != domain[f][0] {
					sum += costException
				}
			}
			return sum
		}
		least := costOf(all[0])
		for _, a := range all {
			least = min(least, costOf(a))
		}
		if best, cost := cheapest(terms, domain); cost != least || costOf(best) != least {
			t.Errorf("%d: %v costs %d, found as %d; the least cost is %d", n, best, costOf(best), cost, least)
		}
	}
}
