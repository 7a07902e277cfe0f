package report

import (
	"fmt"
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
	var kinds []string
	numbers := map[string][]int{} // by kind
	for _, s := range suffixes {
		kind := strings.TrimRight(s, "0123456789")
		n, err := strconv.Atoi(s[len(kind):])
		if err != nil {
			kind = s
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if err == nil {
			numbers[kind] = append(numbers[kind], n)
		}
	}
	var out []string
	for _, kind := range kinds {
		all := slices.Compact(slices.Sorted(slices.Values(numbers[kind])))
		if len(all) == 0 {
			out = append(out, kind)
		}
		for i := 0; i < len(all); {
			last := i
			for last+1 < len(all) && all[last+1] == all[last]+1 {
				last++
			}
			text := strconv.Itoa(all[i])
			if last > i {
				text = fmt.Sprintf("%d..%d", all[i], all[last])
			}
			if i == 0 {
				text = kind + text
			}
			out = append(out, text)
			i = last + 1
		}
	}
	for i := range out[min(1, len(out)):] {
		out[i+1] = strings.TrimPrefix(out[i+1], "#")
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
