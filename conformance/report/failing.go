package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
)

// Failing returns the ids of all failures, of every profile together: a line for the vectors
// of each folder, such as "ka/Archive/a, b", then one for the derived cases of each vector,
// such as "ka/Archive/a#truncated-3..17, 21".
func (r *Run) Failing() (out []string) {
	folder := func(res *judge.Result) string { folder, _ := cutID(res.ID); return folder }
	for _, g := range groupBy(r.failing(false), folder) {
		var names []string
		for _, res := range g {
			names = append(names, strings.TrimPrefix(res.ID, folder(res)))
		}
		out = append(out, folder(g[0])+strings.Join(names, ", "))
	}
	for _, g := range groupBy(r.failing(true), func(res *judge.Result) string { return res.Vector.ID }) {
		out = append(out, g[0].Vector.ID+ranges(suffixesOf(g)))
	}
	return out
}

// failing returns the failures of vectors, or of derived cases, each id once.
func (r *Run) failing(derived bool) []*judge.Result {
	seen := map[string]bool{}
	return r.pick(func(res *judge.Result) bool {
		first := res.Derived == derived && StatusOf(res).Failed() && !seen[res.ID]
		seen[res.ID] = seen[res.ID] || first
		return first
	})
}

// ranges shortens the suffixes of derived cases: #truncated-3..17, 21.
func ranges(suffixes []string) string {
	var out []string
	kindOf := func(suffix string) string { return strings.TrimRight(suffix, "0123456789") }
	for i, g := range groupBy(suffixes, kindOf) {
		kind := kindOf(g[0])
		var numbers []int
		for _, s := range g {
			if n, err := strconv.Atoi(s[len(kind):]); err == nil {
				numbers = append(numbers, n)
			}
		}
		if i > 0 {
			kind = strings.TrimPrefix(kind, "#")
		}
		out = append(out, kind+numberRanges(numbers))
	}
	return strings.Join(out, ", ")
}

// numberRanges lists numbers in order: 3..17, 21.
func numberRanges(numbers []int) string {
	var out []string
	all := slices.Compact(slices.Sorted(slices.Values(numbers)))
	for i := 0; i < len(all); {
		text := strconv.Itoa(all[i])
		first := i
		for i++; i < len(all) && all[i] == all[i-1]+1; i++ {
		}
		if i > first+1 {
			text += ".." + strconv.Itoa(all[i-1])
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// suffixesOf returns the suffixes of derived cases.
func suffixesOf(results []*judge.Result) (out []string) {
	for _, r := range results {
		out = append(out, idSuffix(r))
	}
	return out
}
