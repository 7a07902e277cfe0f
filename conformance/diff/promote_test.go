package diff

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func newPromoter(t *testing.T, name string) *Promoter {
	t.Helper()
	return NewPromoter(types(t, name)[0], []ids.Profile{ids.Observed(), ids.Documented()}, vectors(t), nil)
}

// TestPromote: an input becomes as short as possible, and what it shows remains.
func TestPromote(t *testing.T) {
	big := map[string]string{"order": "big"}
	for _, c := range []struct {
		name, typ, in string
		context       map[string]string
		want          string
		id            string // before the hash
		clauses       []ids.Clause
		flags         []ids.Flag
	}{
		// The length does not count the NUL, whose absence is the fault.
		{
			"fault", "upkg.Name", "\x05abcdefgh", nil, "\x01\x01", "upkg/Name/fuzz-value-name-6-",
			[]ids.Clause{"UPKG-NAME-6"},
			[]ids.Flag{"upkg.name-terminator"},
		},
		{"trailing", "upkg.CompactIndex", "\x05\x01\x02", nil, "\x00\x00", "upkg/CompactIndex/fuzz-trailing-", nil, nil},
		// The index has a byte that its value does not need.
		{
			"noncanonical", "upkg.CompactIndex", "\x45\x00", nil, "\x40\x00",
			"upkg/CompactIndex/fuzz-noncanonical-ci-", nil, nil,
		},
		{
			"needless context", "ubi.Array<Vector3>", "\x00\x00\x00\x00", big, "\x00\x00\x00\x00",
			"ubi/Array/fuzz-accept-arr-1-", nil, nil,
		},
		{
			"needed context", "ubi.Array<uint32>", "\x00\x00\x00\x02abcdefgh", big,
			"\x00\x00\x00\x01\x00\x00\x00\x00", "ubi/Array/fuzz-accept-", nil, nil,
		},
	} {
		p := newPromoter(t, c.typ)
		in := Input{Type: types(t, c.typ)[0], Context: c.context, Bytes: []byte(c.in)}
		if !p.IsNew(in) {
			t.Errorf("%s: nothing is new without vectors", c.name)
		}
		before := p.reaction(in)
		m := p.Promote(in, "a file\nof a fuzzer")
		if string(m.Input.Bytes) != c.want || !strings.HasPrefix(m.ID(), c.id) || m.Size != len(c.in) {
			t.Errorf("%s: %q in %v, %s of %d bytes", c.name, m.Input.Bytes, m.Input.Context, m.ID(), m.Size)
		}
		if (m.Input.Context["order"] == "big") != (c.name == "needed context") {
			t.Errorf("%s: the context is %v", c.name, m.Input.Context)
		}
		after := p.reaction(m.Input)
		if !slices.Equal(before.verdicts, after.verdicts) || !containsAll(after.code, m.New) || len(m.New) == 0 {
			t.Errorf("%s: %v became %v", c.name, before, after)
		}
		d := m.Draft()
		if c.clauses != nil && !slices.Equal(d.Clauses, c.clauses) || c.flags != nil && !slices.Equal(d.Flags, c.flags) {
			t.Errorf("%s: clauses %v, flags %v", c.name, d.Clauses, d.Flags)
		}
		if p.IsNew(in) || p.IsNew(m.Input) {
			t.Errorf("%s: still new", c.name)
		}
		if v := vectorOf(t, d, "reject value @0"); string(v.Bytes) != c.want || v.Type != c.typ {
			t.Errorf("%s: the vector is %+v", c.name, v)
		}
	}
}

// TestPromoteKnown: an input that shows nothing new keeps all its behaviours.
func TestPromoteKnown(t *testing.T) {
	in := Input{
		Type: types(t, "ubi.Array<BasicString>")[0], Context: map[string]string{},
		Bytes: []byte("\x02\x00\x00\x00\x01\x00\x00\x00a\x05\x00\x00\x00hello"),
	}
	p := NewPromoter(in.Type, []ids.Profile{ids.Observed()}, vectors(t), []Input{in})
	if p.IsNew(in) {
		t.Error("the input is new")
	}
	// Two strings, of one byte and of four to seven bytes.
	const want = "\x02\x00\x00\x00\x01\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00"
	if m := p.Promote(in, "x"); string(m.Input.Bytes) != want || len(m.New) > 0 {
		t.Errorf("%q, new: %v", m.Input.Bytes, m.New)
	}
}

// TestPromoteSame: the vector with the same bytes is named.
func TestPromoteSame(t *testing.T) {
	m := newPromoter(t, "upkg.CompactIndex").Promote(Input{Type: types(t, "upkg.CompactIndex")[0], Bytes: []byte{7}}, "x")
	if string(m.Input.Bytes) != "\x00" || m.SameAs != "upkg/CompactIndex/zero" {
		t.Errorf("%x is the same as %q", m.Input.Bytes, m.SameAs)
	}
}

// wrongBit is a codec of indices whose writer sets the lowest bit of the second byte.
type wrongBit struct{ codec.Codec }

func (w wrongBit) Append(dst []byte, v any) ([]byte, error) {
	out, err := w.Codec.Append(dst, v)
	if len(out) > 1 {
		out[1] ^= 1
	}
	return out, err
}

// TestPromoteKeepsTheFault: an input that shows a fault of a value does not become one
// that is noncanonical for another reason, and an input can be kept as it is.
func TestPromoteKeepsTheFault(t *testing.T) {
	in := Input{Type: types(t, "upkg.CompactIndex")[0], Bytes: []byte("\x5a\xb9\x30")}
	p := newPromoter(t, "upkg.CompactIndex")
	p.bind = func(t *codec.Type, profile string, context map[string]string) (codec.Codec, error) {
		c, err := p.ref.Bind(t, profile, context)
		return wrongBit{c}, err
	}
	m := p.Promote(in, "x")
	if b := m.Input.Bytes; len(b) < 2 || b[len(b)-1] == 0 || m.SameAs == "upkg/CompactIndex/padded-zero" {
		t.Errorf("%x became %x, the same as %q", in.Bytes, b, m.SameAs)
	}
	p.AsIs = true
	if m := p.Promote(in, "x"); string(m.Input.Bytes) != string(in.Bytes) {
		t.Errorf("%x became %x", in.Bytes, m.Input.Bytes)
	}
}

// TestPromoteProfile: the draft describes the profile under which something is
// new. Only the document rejects a name of length 0.
func TestPromoteProfile(t *testing.T) {
	in := Input{Type: types(t, "upkg.Name")[0], Bytes: []byte{0}}
	p := newPromoter(t, "upkg.Name")
	for _, c := range p.reaction(in).code {
		p.seen[c] = strings.HasPrefix(c, "observed ")
	}
	m := p.Promote(in, "x")
	if d := m.Draft(); !strings.HasPrefix(d.ID, "upkg/Name/fuzz-value-") || len(d.Lines) != 1 ||
		!strings.Contains(d.Lines[0].Note, "rejected by the reference") {
		t.Errorf("%s %v, new: %v", d.ID, d.Lines, m.New)
	}
}

// faulty is a codec with faults.
type faulty struct {
	codec.Codec
	appended []byte
	err      error
}

func (f faulty) Trace([]byte) (any, []wire.Span, error) {
	if f.appended == nil && f.err == nil {
		panic("index 12 out of range")
	}
	return true, []wire.Span{{Start: 0, End: 2, Path: "a[1].b", Clause: "X-1"}}, nil
}
func (f faulty) Append([]byte, any) ([]byte, error) { return f.appended, f.err }
func (f faulty) Decode(src []byte) (any, error)     { return len(src) > 1, nil }

// TestObserveBytes: faults of the reference are behaviours.
func TestObserveBytes(t *testing.T) {
	for want, c := range map[string]faulty{
		"panic index # out of range": {},
		"not encoded again":          {err: errors.New("no")},
		canonical:                    {appended: []byte("ab")},
		"noncanonical a[].b X-1 bits 00000001, +0 bytes":                    {appended: []byte("ac")},
		"noncanonical with another value a[].b X-1 bits 00000011, -1 bytes": {appended: []byte("b")},
		"noncanonical   +1 bytes":                                           {appended: []byte("abc")},
	} {
		if o := observeBytes(c, []byte("ab")); o.verdict != want {
			t.Errorf("%q, want %q", o.verdict, want)
		}
	}
}

// TestSameAs: the input of a vector, with its context or what differs from the default, is that
// of the vector.
func TestSameAs(t *testing.T) {
	p := newPromoter(t, "upkg.Name")
	p.AsIs = true
	for _, v := range p.vectors {
		if len(v.Bytes) < 100 && p.Promote(NewInput(p.t, v.Bytes, v.Context), "a fuzzer").SameAs == "" {
			t.Errorf("%s in the context %v", v.ID, v.Context)
		}
	}
}

// TestComparer: a difference says which one accepts, and shows the rejection of the other one.
func TestComparer(t *testing.T) {
	c := testrun.Must(NewComparer(t.Context(), adapter.NewReferenceUnder(ids.Documented()), adapter.NewReferenceUnder(ids.Observed())))
	text, compared, err := c.Compare(t.Context(), types(t, "upkg.Name")[0], []byte("\x46\x00\x00\x00\x00\x00\x00\x00"))
	want := "A rejects it as truncated, B accepts it; A: reject truncated @0: upkg.Name length: truncated"
	if !strings.HasPrefix(text, want) || !compared || err != nil {
		t.Errorf("%q, %v, %v", text, compared, err)
	}
}
