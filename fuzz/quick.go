package fuzz

import (
	"fmt"
	"hash/crc32"
	"runtime/debug"

	"github.com/formatgauge/formatgauge/props"
)

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
	for i := range subjects {
		if err := subjects[i].quick(src); err != nil {
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

func (f *Finding) Error() string {
	shown, more := f.Input, ""
	if len(shown) > shownInput {
		shown, more = shown[:shownInput], fmt.Sprintf(" (the first %d of %d bytes)", shownInput, len(f.Input))
	}
	return fmt.Sprintf("%s\ninput: %x%s\nreproduce with the input in FILE: formatgauge inspect %s FILE", f.Message, shown, more, f.Subject)
}

func (s *Subject) quick(src []byte) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = &Finding{s, string(r), src}
		default:
			err = &Finding{s, fmt.Sprintf("panic: %v\n%s", r, debug.Stack()), src}
		}
	}()
	props.CheckRoundTrip(failing{}, s.Type, s.Codec, src)
	return nil
}

// failing is a [props.TB] outside of tests.
type failing struct{}

type failure string

func (failing) Helper() {}

func (failing) Fatalf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }
