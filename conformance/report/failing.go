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
func (r *Run) Failing() []string {
	var folders, vectors []string
	own, derived := map[string][]string{}, map[string][]string{} // by folder and by vector
	seen := map[string]bool{}
	for i := range r.Results {
		res := &r.Results[i]
		if !StatusOf(res).Failed() || seen[res.ID] {
			continue
		}
		seen[res.ID] = true
		if id := res.Vector.ID; res.Derived {
			if derived[id] == nil {
				vectors = append(vectors, id)
			}
			derived[id] = append(derived[id], idSuffix(res))
			continue
		}
		folder, name := cutID(res.ID)
		if own[folder] == nil {
			folders = append(folders, folder)
		}
		own[folder] = append(own[folder], name)
	}
	var out []string
	for _, f := range folders {
		out = append(out, f+strings.Join(own[f], ", "))
	}
	for _, v := range vectors {
		out = append(out, v+ranges(derived[v]))
	}
	return out
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
