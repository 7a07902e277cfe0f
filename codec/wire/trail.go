package wire

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// A trail is what reading and writing have in common: the path to the current
// field, the depth of nesting, and the first fault. The path is kept only in
// a second pass, after a fault, and while tracing.
type trail struct {
	track  bool // the path is kept
	path   []step
	depth  int
	limits Limits
	err    *Error
}

// step is a field or, without a name, an element.
type step struct {
	name  string
	index int
}

// Failed reports whether a fault has been found.
func (t *trail) Failed() bool { return t.err != nil }

// Enter begins a field that has parts; Leave ends it.
func (t *trail) Enter(name string) { t.enter(step{name: name}) }

// EnterIndex begins element i of an array; Leave ends it.
func (t *trail) EnterIndex(i int) { t.enter(step{index: i}) }

func (t *trail) enter(s step) {
	if t.track && t.err == nil {
		t.path = append(t.path, s)
	}
}

// Leave ends the field or element that was entered last.
func (t *trail) Leave() {
	if t.track && t.err == nil {
		t.path = t.path[:len(t.path)-1]
	}
}

// Ascend ends a level of nesting.
func (t *trail) Ascend() { t.depth-- }

// descend begins a level of nesting and reports whether the limit allows it.
func (t *trail) descend(offset int, clause ids.Clause) bool {
	if limit := t.limits.Depth(); t.depth >= limit {
		t.fail(Limit, offset, "", clause, "expected at most %d levels of nesting, the limit, found more", limit)
		return false
	}
	t.depth++
	return true
}

// fail records a fault, unless there is one already.
func (t *trail) fail(class Class, offset int, field string, clause ids.Clause, format string, args ...any) {
	if t.err != nil {
		return
	}
	t.err = &Error{Class: class, Offset: offset, Clause: clause}
	if t.track {
		t.err.Path = t.pathTo(field)
		t.err.Detail = fmt.Sprintf(format, args...)
	}
}

// pathTo writes the path to a field as a.b[2].c.
func (t *trail) pathTo(field string) string {
	var b strings.Builder
	name := func(s string) {
		if b.Len() > 0 && s != "" && s[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(s)
	}
	for _, s := range t.path {
		if s.name != "" {
			name(s.name)
			continue
		}
		b.WriteByte('[')
		b.WriteString(strconv.Itoa(s.index))
		b.WriteByte(']')
	}
	name(field)
	return b.String()
}
