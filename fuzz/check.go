package fuzz

import (
	"fmt"
	"hash/crc32"
	"runtime/debug"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/props"
)

// CheckVariable is the environment variable that selects the check: quick or full.
const CheckVariable = "FORMATGAUGE_CHECK"

// Check returns the check with a name: quick or full.
func Check(name string) (func([]Subject, []byte) error, error) {
	switch name {
	case "quick":
		return Quick, nil
	case "full":
		return Full, nil
	}
	return nil, fmt.Errorf("expected quick or full, found %q", name)
}

// shortInput is the length in bytes from which the quick check uses one subject. A
// shorter input is cheap, so it is checked with all of them.
const shortInput = 32

// Quick makes the quick check of an input: decode, encode, compare. The checksum of
// the input chooses one of the subjects, so that the same input gives the same
// result.
func Quick(subjects []Subject, src []byte) error {
	if len(src) >= shortInput && len(subjects) > 1 {
		i := int(crc32.ChecksumIEEE(src) % uint32(len(subjects)))
		subjects = subjects[i : i+1]
	}
	return checkAll(subjects, src, func(t props.TB, s *Subject, src []byte) {
		props.CheckRoundTrip(t, s.Type, s.Codec, src)
	})
}

// Full makes the full check of an input, with each subject.
func Full(subjects []Subject, src []byte) error {
	return checkAll(subjects, src, func(t props.TB, s *Subject, src []byte) {
		props.CheckBytes(t, s.Type, s.Codec, src)
		CheckOracle(t, s.oracle(), s.Codec, src)
	})
}

// CheckOracle asks the oracle about an input. It reports whether the codec accepts
// the input.
func CheckOracle(t props.TB, o *Oracle, c codec.Codec, src []byte) bool {
	t.Helper()
	v, spans, err := c.Trace(src)
	if err != nil {
		return false
	}
	n, err := tree.FromModel(v)
	if err == nil {
		err = o.Check(src, spans, n)
	}
	if err != nil {
		t.Fatalf("%.200x is accepted, but %v", src, err)
	}
	return true
}

type checkFunc func(props.TB, *Subject, []byte)

func checkAll(subjects []Subject, src []byte, check checkFunc) error {
	for i := range subjects {
		if err := subjects[i].check(src, check); err != nil {
			return err
		}
	}
	return nil
}

// A Finding is an input with which a property does not hold.
type Finding struct {
	Subject *Subject
	Message string
	Input   []byte
}

// shownInput is the number of bytes of an input that the text of a finding contains.
// The engine keeps all of them in a file.
const shownInput = 4096

// Error says which step failed, and how to repeat it.
func (f *Finding) Error() string {
	shown, more := f.Input, ""
	if len(shown) > shownInput {
		shown, more = shown[:shownInput], fmt.Sprintf(" (the first %d of %d bytes)", shownInput, len(f.Input))
	}
	return fmt.Sprintf("%s\ninput: %x%s\nreproduce with the input in FILE: formatgauge inspect %s FILE", f.Message, shown,
		more, f.Subject)
}

func (s *Subject) check(src []byte, check checkFunc) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fatal:
			err = &Finding{s, string(r), src}
		default:
			err = &Finding{s, fmt.Sprintf("panic: %v\n%s", r, debug.Stack()), src}
		}
	}()
	check(failing{}, s, src)
	return nil
}

// failing is a [props.TB] outside of tests.
type failing struct{}

// fatal is what a check that fails panics with.
type fatal string

func (failing) Helper() {}

func (failing) Fatalf(format string, args ...any) { panic(fatal(fmt.Sprintf(format, args...))) }
