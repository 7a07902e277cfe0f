package tree

import (
	"slices"
	"strconv"
	"strings"
)

// Steps returns the steps of a path: names of fields, and indices as in "[0]".
func Steps(path string) []string {
	out := strings.Split(strings.ReplaceAll(path, "[", ".["), ".")
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// IndexOf returns the index that a step is; false if the step is a name.
func IndexOf(step string) (int, bool) {
	if !strings.HasPrefix(step, "[") {
		return 0, false
	}
	i, err := strconv.Atoi(strings.Trim(step, "[]"))
	return i, err == nil
}

// Below reports whether a path leads to the part at another path, or to a part of it.
func Below(path, of string) bool {
	rest, in := strings.CutPrefix(path, of)
	return in && (rest == "" || of == "" || rest[0] == '.' || rest[0] == '[')
}

// Around returns the path of what contains the part at a path.
func Around(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

const shapeSteps = 8

// Shape returns a path without indices. A deep path is reduced to its last
// steps: depth alone is no new behaviour.
func Shape(path string) string {
	var out []byte
	if extra := strings.Count(path, ".") + 1 - shapeSteps; extra > 0 {
		for range extra {
			_, path, _ = strings.Cut(path, ".")
		}
		out = append(out, "…"...)
	} else if !strings.Contains(path, "[") {
		return path
	}
	for i := 0; i < len(path); i++ {
		if out = append(out, path[i]); path[i] != '[' {
			continue
		}
		if digits, _, ok := strings.Cut(path[i+1:], "]"); ok && strings.Trim(digits, "0123456789") == "" {
			i += len(digits)
		}
	}
	return string(out)
}

// LastName returns the last name of a path with the brackets of indices after it, but
// without the indices.
func LastName(path string) string {
	s := Shape(path)
	return s[strings.LastIndexByte(s, '.')+1:]
}
