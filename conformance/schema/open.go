package schema

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
)

// Settle replaces the leaves of a value that bounds leave open by those of the expected
// one. It reports whether one of them cannot be compared.
func Settle(open []spec.Bound, want, got tree.Node) (n tree.Node, unstated bool) {
	s := settling{open: open}
	n = s.settle("", want, got)
	return n, s.unstated
}

// LeftOpen reports whether two values of a family differ only as far as its choices leave
// parts of a value open, in any input: not where a vector has to state them.
func LeftOpen(family string, a, b tree.Node) bool {
	f, _ := spec.FindFamily(family)
	var open []spec.Bound
	for i := range f.Clauses {
		open = append(open, f.Clauses[i].Open.Bounds()...)
	}
	for i := range f.Flags {
		for _, side := range f.Flags[i].Sides {
			open = append(open, side.Open.Bounds()...)
		}
	}
	open = slices.DeleteFunc(open, func(b spec.Bound) bool {
		return b.How == spec.Unstated || b.Path == "" && b.How != spec.Charset
	})
	settled, _ := Settle(open, a, b)
	other, _ := Settle(open, b, a)
	return tree.Equal(a, settled) || tree.Equal(b, other)
}

// settling replaces the leaves of a value that bounds leave open by the expected ones.
type settling struct {
	open     []spec.Bound
	unstated bool // a leaf cannot be compared
}

func (s *settling) settle(path string, want, got tree.Node) tree.Node {
	for _, b := range s.open {
		if b.Path != "" && !strings.HasSuffix("."+path, "."+b.Path) || tree.Equal(want, got) {
			continue
		}
		if b.How == spec.Unstated && b.Path != "" {
			s.unstated = true
			return want
		}
		if isNear(b, want, got) {
			return want
		}
	}
	if isText(want) || want.Kind != got.Kind {
		return got
	}
	got.Items, got.Names = slices.Clone(got.Items), slices.Clone(got.Names)
	for i, item := range want.Items {
		switch {
		case want.Kind == tree.List && i < len(got.Items):
			got.Items[i] = s.settle(path, item, got.Items[i])
		case want.Kind == tree.Object:
			name := want.Names[i]
			settled := s.settle(strings.TrimPrefix(path+"."+name, "."), item, got.Field(name))
			if k := slices.Index(got.Names, name); k >= 0 {
				got.Items[k] = settled
			} else if settled.Kind != tree.Null {
				got.Names, got.Items = append(got.Names, name), append(got.Items, settled)
			}
		}
	}
	return got
}

// isNear reports whether a part of a value differs from the expected one by no more than
// a bound.
func isNear(b spec.Bound, want, got tree.Node) bool {
	if b.How == spec.Absent {
		return got.Kind == tree.Null
	}
	if !isText(want) || !isText(got) {
		return false
	}
	x, err1 := tree.TextOf(want)
	y, err2 := tree.TextOf(got)
	if err1 != nil || err2 != nil {
		return false
	}
	switch b.How {
	case spec.Sign:
		return isOtherSign(x, y)
	case spec.Name:
		return true // the form of the value is that of its type
	case spec.Charset:
		return isSameText(x, y)
	}
	return b.ULPs() > 0 && ulps(x, y) <= int64(b.ULPs()) // of floats: great integers are equal as such
}

// isText reports whether a node is a text, or an object with the bytes of one that is
// not UTF-8.
func isText(n tree.Node) bool {
	return n.Kind == tree.Text || n.Kind == tree.Object && slices.Equal(n.Names, []string{"hex"})
}

// isOtherSign reports whether two integers have the same 32 bits.
func isOtherSign(a, b string) bool {
	x, err1 := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	low, high := min(x, y), max(x, y)
	return err1 == nil && err2 == nil && high-low == 1<<32 && low >= math.MinInt32 && high <= math.MaxUint32
}

// ulps returns how many units in the last place of binary32 are between two numbers.
func ulps(a, b string) int64 {
	x, err1 := strconv.ParseFloat(a, 32)
	y, err2 := strconv.ParseFloat(b, 32)
	if err1 != nil || err2 != nil || math.IsInf(x-y, 0) || math.IsNaN(x-y) {
		return math.MaxInt64
	}
	place := func(f float64) int64 {
		n := int64(math.Float32bits(float32(math.Abs(f))))
		if f < 0 {
			return -n
		}
		return n
	}
	d := place(x) - place(y)
	return max(d, -d)
}

// isSameText reports whether a text has the units of the expected one in another character
// set. ASCII is unchanged. Each run of other bytes has one character for each byte, or is
// UTF-8 in which replacement characters stand for what is malformed.
func isSameText(want, got string) bool {
	for want != "" || got != "" {
		a, restA := cutRun(want, true)
		b, restB := cutRun(got, true)
		if a != b {
			return false
		}
		x, _ := cutRun(restA, false)
		y, _ := cutRun(restB, false)
		if utf8.RuneCountInString(y) != len(x) && !isReplaced(x, y) {
			return false
		}
		want, got = restA[len(x):], restB[len(y):]
	}
	return true
}

// cutRun splits a text after the characters at its start that are ASCII, or that are not.
// Malformed bytes are not.
func cutRun(s string, ascii bool) (run, rest string) {
	if i := strings.IndexFunc(s, func(r rune) bool { return r < utf8.RuneSelf != ascii }); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// isReplaced reports whether got is want with one or more replacement characters, but not
// more than bytes, in the place of each run of malformed bytes.
func isReplaced(want, got string) bool {
	const replacement = string(utf8.RuneError)
	for want != "" {
		r, n := utf8.DecodeRuneInString(want)
		if r != utf8.RuneError || n > 1 {
			if !strings.HasPrefix(got, want[:n]) {
				return false
			}
			want, got = want[n:], got[n:]
			continue
		}
		bad, marks := 0, 0
		for ; want != ""; bad, want = bad+1, want[1:] {
			if r, n := utf8.DecodeRuneInString(want); r != utf8.RuneError || n > 1 {
				break
			}
		}
		for ; strings.HasPrefix(got, replacement); marks, got = marks+1, got[len(replacement):] {
		}
		if marks < 1 || marks > bad {
			return false
		}
	}
	return got == ""
}
