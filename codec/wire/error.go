package wire

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// Class says why an input or a value is rejected. The set is closed: [Classes]. A
// class is an error itself, so that errors.Is(err, wire.Truncated) works.
type Class string

// Error returns the name of the class.
func (c Class) Error() string { return string(c) }

// phrase returns the class as part of a sentence.
func (c Class) phrase() string {
	switch c {
	case Magic, Version, Kind, Value, Reference:
		return "invalid " + string(c)
	case Limit:
		return "limit exceeded"
	case Range:
		return "cannot be encoded"
	}
	return string(c)
}

// Error is the error type of all codecs.
type Error struct {
	Type   string     // the type that was asked for, such as upkg.Package
	Class  Class      // why
	Offset int        // in bytes: in the input or, on writing, in the bytes written so far
	Path   string     // to the field, such as names[3].name.text; empty for the whole value
	Clause ids.Clause // the clause that is violated; empty if there is none
	Detail string     // what was expected and what was found
	Err    error      // a cause, if another package found the fault
}

// Error returns the structure, the path, the class, the offset, the fault and the clause.
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

// Inside returns an [Error] as that of a type which contains the part with the fault at
// a path, and any other error as it is.
func Inside(err error, typ, path string) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	in := *e
	if in.Path != "" && in.Path[0] != '[' {
		path += "."
	}
	in.Type, in.Path = typ, path+in.Path
	return &in
}

// TypeName returns the type of a value for the text of an error: null for nil.
func TypeName(v any) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprintf("%T", v)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the error's class, or [io.ErrUnexpectedEOF] for
// class [Truncated].
func (e *Error) Is(target error) bool {
	return target == e.Class || target == io.ErrUnexpectedEOF && e.Class == Truncated
}
