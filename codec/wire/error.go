package wire

import (
	"fmt"
	"strings"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// Class says why an input or a value is refused. The set is closed. A class
// is an error itself, so that errors.Is(err, wire.Truncated) works.
type Class string

const (
	// Truncated: the input ends before something it promised.
	Truncated Class = "truncated"
	// Trailing: bytes are left over after a complete structure.
	Trailing Class = "trailing"
	// Magic: a fixed tag is not there.
	Magic Class = "magic"
	// Version: a version that the structure does not have.
	Version Class = "version"
	// Kind: a type id or variant that does not exist.
	Kind Class = "kind"
	// Value: a field holds what it must not.
	Value Class = "value"
	// Reference: an index or offset points nowhere, or into something else.
	Reference Class = "reference"
	// Limit: a limit of the reader, not of the format.
	Limit Class = "limit"
	// Noncanonical: refused only because another spelling is required.
	Noncanonical Class = "noncanonical"
	// Unsupported: valid, but not read here.
	Unsupported Class = "unsupported"
	// Range: on writing, the value has no encoding.
	Range Class = "range"
)

// Classes lists all classes.
func Classes() []Class {
	return []Class{Truncated, Trailing, Magic, Version, Kind, Value, Reference, Limit, Noncanonical, Unsupported, Range}
}

func (c Class) Error() string { return string(c) }

// phrase puts the class into a sentence.
func (c Class) phrase() string {
	switch c {
	case Magic, Version, Kind, Value, Reference:
		return "bad " + string(c)
	case Limit:
		return "limit exceeded"
	case Range:
		return "out of range"
	}
	return string(c)
}

// Error is the one type of error of every codec.
type Error struct {
	Type   string     // the type asked for, such as upkg.Package
	Class  Class      // why
	Offset int        // in bytes: into the input; on writing, into what was written so far
	Path   string     // to the field, such as names[3].name.text; empty for the whole value
	Clause ids.Clause // the clause that is not met; empty if none says it
	Detail string     // in words
	Err    error      // a cause, if another package found the fault
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Type)
	if e.Path != "" {
		b.WriteString(" ")
		b.WriteString(e.Path)
	}
	if e.Class == Range {
		fmt.Fprintf(&b, ": %s", e.Class.phrase())
	} else {
		fmt.Fprintf(&b, ": %s at byte %d (0x%x)", e.Class.phrase(), e.Offset, e.Offset)
	}
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Clause != "" {
		fmt.Fprintf(&b, " [%s]", e.Clause)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes a class match every error of that class.
func (e *Error) Is(target error) bool {
	c, ok := target.(Class)
	return ok && c == e.Class
}
