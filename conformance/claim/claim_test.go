package claim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/claim"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// twisted is the reference with something changed.
type twisted struct {
	*adapter.Reference
	hello  func(*adapter.Hello)
	answer func(adapter.Request, *adapter.Response)
}

func (w twisted) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := adapter.NewReference().Hello(ctx)
	h.Name, h.Version = "twisted", "1.0"
	if w.hello != nil {
		w.hello(&h)
	}
	return h, err
}

func (w twisted) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := w.Reference.Do(ctx, q)
	if w.answer != nil {
		w.answer(q, &a)
	}
	return a, err
}

func claimOf(t *testing.T, hello func(*adapter.Hello), answer func(adapter.Request, *adapter.Response)) *claim.Claim {
	t.Helper()
	c, err := claim.Make(context.Background(), twisted{adapter.NewReference(), hello, answer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := c.Check(); wrong != nil {
		t.Errorf("a claim that was computed does not fit itself: %q", wrong)
	}
	return c
}

func typeOf(t *testing.T, c *claim.Claim, name string) claim.Type {
	t.Helper()
	i := slices.IndexFunc(c.Types, func(x claim.Type) bool { return x.Type == name })
	if i < 0 {
		t.Fatalf("%s is not claimed", name)
	}
	return c.Types[i]
}

func text(t *testing.T, c *claim.Claim) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReference: the reference reaches every level that anything shows.
func TestReference(t *testing.T) {
	for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
		c, err := claim.Make(context.Background(), adapter.NewReference(), &p)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Conformant || len(c.Skipped) > 0 || c.Counts.Fail+c.Counts.Skip > 0 {
			t.Errorf("%s: %s", p, c.Statement())
		}
		if c.Counts.Pass+c.Counts.Open != c.Corpus.Vectors {
			t.Errorf("%s: %s of %d", p, c.Counts, c.Corpus.Vectors)
		}
		for _, x := range c.Types {
			for _, l := range claim.Levels {
				n := x.Tally(l)
				if n.Fail+n.Skip > 0 || slices.Contains(x.Levels, l) != (n.Pass > 0) {
					t.Errorf("%s under %s: %s: %s", x.Type, p, l, n)
				}
			}
		}
		if wrong := c.Check(); wrong != nil {
			t.Errorf("%q", wrong)
		}
	}
}

// TestLevels: each fault costs the level that it is about, and no other.
func TestLevels(t *testing.T) {
	const typ = "upkg.CompactIndex"
	all := claim.Levels
	for _, c := range []struct {
		name   string
		hello  func(*adapter.Hello)
		answer func(adapter.Request, *adapter.Response)
		want   []claim.Level
		ok     bool
	}{
		{"nothing wrong", nil, nil, all, true},
		{"forgets the sign", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpDecode && a.OK != nil {
				a.OK.Tree.Text = strings.TrimPrefix(a.OK.Tree.Text, "-")
			}
		}, []claim.Level{claim.Rejects, claim.Identical, claim.Canonical}, false},
		{"takes everything", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpDecode && a.Reject != nil {
				zero, _ := adapter.NewReference().Do(context.Background(), adapter.Request{Op: adapter.OpDecode, Type: typ, Hex: new("00")})
				*a = zero
			}
		}, []claim.Level{claim.Decode, claim.Identical, claim.Canonical}, false},
		{"keeps the padding when it writes what it has read", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpRecode && a.OK != nil && *a.OK.Hex != *q.Hex {
				a.OK.Hex = q.Hex
			}
		}, []claim.Level{claim.Decode, claim.Rejects, claim.Identical}, false},
		{"spoils what it writes back", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpRecode && a.OK != nil && *a.OK.Hex == *q.Hex {
				a.OK.Hex = new(*q.Hex + "00")
			}
		}, []claim.Level{claim.Decode, claim.Rejects, claim.Canonical}, false},
		{"skips writing back", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpRecode {
				*a = adapter.Response{Skip: &adapter.Skip{Reason: "not yet"}}
			}
		}, []claim.Level{claim.Decode, claim.Rejects}, true},
		{
			"only decodes", func(h *adapter.Hello) { h.Operations = []adapter.Op{adapter.OpDecode} }, nil,
			[]claim.Level{claim.Decode, claim.Rejects},
			true,
		},
		{"does not recode", func(h *adapter.Hello) { h.Operations = []adapter.Op{adapter.OpDecode, adapter.OpEncode} }, nil, all, true},
		{"only recodes", func(h *adapter.Hello) { h.Operations = []adapter.Op{adapter.OpRecode} }, nil, []claim.Level{claim.Identical}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := claimOf(t, c.hello, c.answer)
			x := typeOf(t, got, typ)
			if !slices.Equal(x.Levels, c.want) || got.Conformant != c.ok {
				t.Errorf("levels %v, conformant %v; want %v, %v\n%+v", x.Levels, got.Conformant, c.want, c.ok, x)
			}
		})
	}
}

// TestSkipped: a type that is left out is named with the reason.
func TestSkipped(t *testing.T) {
	c := claimOf(t, func(h *adapter.Hello) {
		h.Types = slices.DeleteFunc(h.Types, func(s string) bool { return strings.HasPrefix(s, "ka.") })
		h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "no boxes"}}
	}, nil)
	if !c.Conformant || c.Counts.Skip == 0 {
		t.Errorf("%+v", c.Counts)
	}
	if !slices.ContainsFunc(c.Skipped, func(s claim.Skipped) bool {
		return s.Type == "ubi.Box" && s.Reason == "no boxes" && s.Vectors > 0
	}) {
		t.Errorf("%+v", c.Skipped)
	}
	if s := c.Statement(); !strings.Contains(s, "all of ka (") || !strings.Contains(s, "ubi.Box") {
		t.Error(s)
	}
}

// TestDeclared: a claim is made under the profile that the adapter declares.
func TestDeclared(t *testing.T) {
	own := func(h *adapter.Hello) {
		h.AnyProfile, h.Profile = false, "observed,upkg.ci-minus-zero=strict"
	}
	c := claimOf(t, own, nil)
	if !c.Conformant || c.Profile != "observed,upkg.ci-minus-zero=strict" || c.Flags["upkg.ci-minus-zero"] != "strict" {
		t.Errorf("profile %s, flags %v: %s", c.Profile, c.Flags, c.Statement())
	}
	p := ids.Documented()
	if _, err := claim.Make(context.Background(), twisted{adapter.NewReference(), own, nil}, &p); err == nil {
		t.Error("a claim was made under another profile")
	}
}

// TestReadBack: a claim that is written and read is the same, and fits its schema.
func TestReadBack(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(claim.Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("claim.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("claim.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*claim.Claim{
		claimOf(t, nil, nil),
		claimOf(t, func(h *adapter.Hello) { h.Types = h.Types[:3]; h.Language = "" }, nil),
		claimOf(t, func(h *adapter.Hello) { h.Types = nil }, nil),
	} {
		b := text(t, c)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Error(err)
		}
		back, err := claim.Read(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text(t, back), b) {
			t.Error("written once more, it is another file")
		}
		if d := claim.Differences(c, back); d != nil {
			t.Errorf("%q", d)
		}
	}
}

// TestForged: an edited claim is found out, without its implementation if
// that can be, and with it always.
func TestForged(t *testing.T) {
	honest := claimOf(t, func(h *adapter.Hello) { h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "no boxes"}} }, nil)
	edit := func(f func(*claim.Claim)) *claim.Claim {
		var c claim.Claim
		if err := json.Unmarshal(text(t, honest), &c); err != nil {
			t.Fatal(err)
		}
		f(&c)
		return &c
	}
	for what, c := range map[string]struct {
		edit   func(*claim.Claim)
		inside bool // found without the implementation
		says   string
	}{
		"another version": {func(c *claim.Claim) { c.Implementation.Version = "2.0" }, false, "version: the claim says 2.0, it is 1.0"},
		"no version":      {func(c *claim.Claim) { c.Implementation.Version = "" }, false, "version: the claim says nothing"},
		"another corpus":  {func(c *claim.Claim) { c.Corpus.Hash = "sha256:" + strings.Repeat("0", 64) }, true, "corpus: the claim says sha256:000"},
		"another profile": {func(c *claim.Claim) { c.Profile = "documented" }, true, "profile: the claim says documented"},
		"flags":           {func(c *claim.Claim) { c.Flags = map[ids.Flag]string{"upkg.ci-minus-zero": "strict"} }, true, ""},
		"a failure less":  {func(c *claim.Claim) { c.Counts.Skip--; c.Counts.Pass++ }, false, "counts: the claim says"},
		"a type dropped":  {func(c *claim.Claim) { c.Types = c.Types[1:] }, true, "the claim says not there"},
		"a type promised": {func(c *claim.Claim) {
			c.Types = append(c.Types, claim.Type{Type: "ubi.Box", Levels: []claim.Level{claim.Decode}, Decode: claim.Tally{Pass: 3}})
			c.Skipped = nil
		}, true, "ubi.Box: the claim says claimed, levels [decode], it is skipped, 5 vectors (no boxes)"},
		"a level more":       {func(c *claim.Claim) { c.Types[0].Levels = append(c.Types[0].Levels, "fast") }, true, "levels: the claim says"},
		"a vector less":      {func(c *claim.Claim) { c.Types[0].Decode.Pass-- }, true, "decode: the claim says"},
		"not conformant":     {func(c *claim.Claim) { c.Conformant = false }, true, "conformant: the claim says false, it is true"},
		"an invented type":   {func(c *claim.Claim) { c.Types[0].Type = "ubi.Sphere" }, true, "ubi.Sphere"},
		"skipped for naught": {func(c *claim.Claim) { c.Skipped[0].Reason = "" }, true, "ubi.Box"},
	} {
		forged := edit(c.edit)
		if wrong := forged.Check(); (wrong != nil) != c.inside {
			t.Errorf("%s: without the implementation: %q", what, wrong)
		}
		found := strings.Join(claim.Differences(forged, honest), "\n")
		if c.says != "" && !strings.Contains(found, c.says) {
			t.Errorf("%s: %q, want %q", what, found, c.says)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(text(t, claimOf(t, nil, nil)))
	for what, s := range map[string]string{
		"nothing":         "",
		"another format":  strings.Replace(good, "formatgauge-claim", "other-claim", 1),
		"another version": strings.Replace(good, `"version": 1`, `"version": 2`, 1),
		"an unknown key":  strings.Replace(good, `"format"`, `"x": 1, "format"`, 1),
		"two claims":      good + good,
	} {
		if _, err := claim.Read(strings.NewReader(s)); err == nil {
			t.Errorf("%s: it is read", what)
		}
	}
}

// TestInterrupted: half a claim is none.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if c, err := claim.Make(ctx, adapter.NewReference(), nil); !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("%v, %v", c, err)
	}
}
