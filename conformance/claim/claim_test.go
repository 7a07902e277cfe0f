package claim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/claim"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// fewTypes are types of every family, with each kind of verdict. A claim for all
// types is made in TestReference.
var fewTypes = []string{
	"ka.Archive", "ka.String", "uasset.FString", "uasset.Mip", "ubi.Box", "ubi.BasicString",
	"upkg.CompactIndex", "upkg.Name",
}

// twisted is the reference with modified answers.
type twisted struct {
	*adapter.Reference
	hello  func(*adapter.Hello)
	answer func(adapter.Request, *adapter.Response)
}

func (w twisted) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := adapter.NewReference().Hello(ctx)
	h.Name, h.Version = "twisted", "1.0"
	h.Types = slices.Clone(fewTypes)
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

// vectors returns the vectors of the embedded corpus.
func vectors(t *testing.T) []*corpus.Vector {
	t.Helper()
	all, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func claimOf(t *testing.T, hello func(*adapter.Hello), answer func(adapter.Request, *adapter.Response),
	plants ...judgetest.Plant,
) *claim.Claim {
	t.Helper()
	c, err := claim.Make(context.Background(), twisted{adapter.NewReference(), hello, answer},
		judgetest.Planted(vectors(t), plants...), nil)
	if err != nil {
		t.Fatal(err)
	}
	if faults := c.Check(); faults != nil {
		t.Errorf("a computed claim has faults: %q", faults)
	}
	return c
}

func typeOf(t *testing.T, c *claim.Claim, name string) claim.Type {
	t.Helper()
	i := slices.IndexFunc(c.Types, func(x claim.Type) bool { return x.Type == name })
	if i < 0 {
		t.Fatalf("%s is missing in the claim", name)
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

// TestReference: the reference reaches every level that the corpus tests.
func TestReference(t *testing.T) {
	for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
		c, err := claim.Make(context.Background(), adapter.NewReference(), vectors(t), &p)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Conformant || len(c.Skipped) > 0 || c.Counts.Failed()+c.Counts[judge.Skip] > 0 {
			t.Errorf("%s: %s", p, c.Statement())
		}
		if c.Counts[judge.Pass]+c.Counts[judge.NotApplicable] != c.Corpus.Vectors {
			t.Errorf("%s: %s of %d", p, c.Counts, c.Corpus.Vectors)
		}
		for _, x := range c.Types {
			for _, l := range claim.Levels {
				n := x.Tally(l)
				if n.Failed()+(*n)[judge.Skip] > 0 || slices.Contains(x.Levels, l) != ((*n)[judge.Pass] > 0) {
					t.Errorf("%s under %s: %s: %s", x.Type, p, l, n)
				}
			}
		}
		if faults := c.Check(); faults != nil {
			t.Errorf("%q", faults)
		}
	}
}

// TestNeitherPassedNorFailed: answers that are acceptable, by choice or as unsupported,
// are counted apart. They do not prevent a level that other vectors reach.
func TestNeitherPassedNorFailed(t *testing.T) {
	deviates := func(q adapter.Request, a *adapter.Response) {
		switch {
		case a.Reject == nil:
		case q.Op == adapter.OpDecode && (a.Reject.Class == "limit" || a.Reject.Class == "unsupported"):
			*a = judgetest.Wider(q)
		case q.Type == "upkg.CompactIndex" && a.Reject.Class == "truncated":
			a.Reject.Class = "kind"
		}
	}
	if c := claimOf(t, nil, deviates); c.Conformant || c.Counts.Failed() == 0 || c.Counts[judge.Acceptable] == 0 {
		t.Errorf("without a choice: %s", c.Counts)
	}
	c := claimOf(t, nil, deviates, judgetest.Choice("UPKG-CI-10", "No document says so."))
	if !c.Conformant || c.Counts.Failed() > 0 || c.Counts[judge.Acceptable] == 0 {
		t.Errorf("%s", c.Counts)
	}
	index, archive := typeOf(t, c, "upkg.CompactIndex"), typeOf(t, c, "ka.Archive")
	if index.Rejects[judge.Acceptable] == 0 || index.Rejects[judge.Pass] == 0 ||
		!slices.Contains(index.Levels, claim.Rejects) {
		t.Errorf("%+v", index)
	}
	if archive.Rejects[judge.Acceptable] == 0 || archive.Rejects.Failed() > 0 {
		t.Errorf("%+v", archive)
	}
	if s := c.Statement(); !strings.Contains(s, " acceptable, ") {
		t.Error(s)
	}
	back, err := claim.Read(bytes.NewReader(text(t, c)))
	if err != nil || claim.Differences(back, c) != nil || back.Check() != nil {
		t.Errorf("%v %q %q", err, claim.Differences(back, c), back.Check())
	}
	schema := jsonschema.NewCompiler()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(claim.Schema))
	if err != nil || schema.AddResource("claim.json", doc) != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.MustCompile("claim.json").Validate(v); err != nil {
		t.Error(err)
	}
	back.Counts[judge.Acceptable]--
	if back.Check() == nil {
		t.Error("a wrong number of acceptable vectors is not noticed")
	}
}

// TestLevels: each fault costs exactly the level that it affects.
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
		{"no fault", nil, nil, all, true},
		{"loses the sign", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpDecode && a.OK != nil {
				a.OK.Tree.Text = strings.TrimPrefix(a.OK.Tree.Text, "-")
			}
		}, []claim.Level{claim.Rejects, claim.Identical, claim.Canonical}, false},
		{"accepts everything", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpDecode && a.Reject != nil {
				zero, _ := adapter.NewReference().Do(context.Background(),
					adapter.Request{Op: adapter.OpDecode, Type: typ, Hex: new("00")})
				*a = zero
			}
		}, []claim.Level{claim.Decode, claim.Identical, claim.Canonical}, false},
		{"writes padding in the round trip", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpRoundtrip && a.OK != nil && *a.OK.Hex != *q.Hex {
				a.OK.Hex = q.Hex
			}
		}, []claim.Level{claim.Decode, claim.Rejects, claim.Identical}, false},
		{"writes an extra byte in the round trip", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpRoundtrip && a.OK != nil && *a.OK.Hex == *q.Hex {
				a.OK.Hex = new(*q.Hex + "00")
			}
		}, []claim.Level{claim.Decode, claim.Rejects, claim.Canonical}, false},
		{"skips roundtrip", nil, func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == adapter.OpRoundtrip {
				*a = adapter.Response{Skip: &adapter.Skip{Reason: "not yet"}}
			}
		}, []claim.Level{claim.Decode, claim.Rejects}, true},
		{
			"only decodes", func(h *adapter.Hello) { h.Operations = []adapter.Op{adapter.OpDecode} }, nil,
			[]claim.Level{claim.Decode, claim.Rejects},
			true,
		},
		{
			"has no round trip", func(h *adapter.Hello) { h.Operations = []adapter.Op{adapter.OpDecode, adapter.OpEncode} },
			nil, all, true,
		},
		{
			"only the round trip", func(h *adapter.Hello) { h.Operations = []adapter.Op{adapter.OpRoundtrip} }, nil,
			[]claim.Level{claim.Identical},
			true,
		},
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

// TestSkipped: a type that is not supported is listed with the reason.
func TestSkipped(t *testing.T) {
	c := claimOf(t, func(h *adapter.Hello) {
		h.Types = slices.DeleteFunc(h.Types, func(s string) bool { return strings.HasPrefix(s, "ka.") })
		h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "no boxes"}}
	}, nil)
	if !c.Conformant || c.Counts[judge.Skip] == 0 {
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
	if _, err := claim.Make(context.Background(), twisted{adapter.NewReference(), own, nil}, vectors(t), &p); err == nil {
		t.Error("Make accepts a profile other than the declared one")
	}
}

// TestViews: in a view a level counts the vectors that test it there.
func TestViews(t *testing.T) {
	whole := claimOf(t, nil, nil)
	views := func(h *adapter.Hello) { h.Views = []string{"ka.texts"} }
	c := claimOf(t, views, nil)
	if !c.Conformant || !slices.Equal(c.Views, []string{"ka.texts"}) || whole.Views == nil || len(whole.Views) > 0 {
		t.Errorf("conformant %v, views %q and %q", c.Conformant, c.Views, whole.Views)
	}
	if s := c.Statement(); !strings.Contains(s, " in the view ka.texts, corpus ") {
		t.Error(s)
	}
	in, out := typeOf(t, c, "ka.Archive"), typeOf(t, whole, "ka.Archive")
	if !slices.Equal(in.Levels, claim.Levels) || !maps.Equal(in.Decode, out.Decode) {
		t.Errorf("%+v, without the view %+v", in, out)
	}
	for _, l := range []claim.Level{claim.Rejects, claim.Identical, claim.Canonical} {
		if a, b := *in.Tally(l), *out.Tally(l); a[judge.Pass] == 0 || a[judge.Pass] >= b[judge.Pass] || a[judge.Skip] > 0 ||
			a.Failed() > 0 {
			t.Errorf("%s: %s, without the view %s", l, a, b)
		}
	}
	if in.NotApplicable <= out.NotApplicable {
		t.Errorf("%d not applicable, without the view %d", in.NotApplicable, out.NotApplicable)
	}
	if x, y := typeOf(t, c, "upkg.CompactIndex"), typeOf(t, whole, "upkg.CompactIndex"); !maps.Equal(x.Identical,
		y.Identical) || !maps.Equal(x.Rejects, y.Rejects) {
		t.Errorf("a type of another family: %+v, without the view %+v", x, y)
	}
	// Decoding fails where the value is not the expected one in the view either.
	wrong := claimOf(t, views, func(q adapter.Request, a *adapter.Response) {
		if q.Type == "ka.String" && q.Op == adapter.OpDecode && a.OK != nil {
			a.OK.Tree = &tree.Node{Kind: tree.Object, Names: []string{"text"}, Items: []tree.Node{{Kind: tree.Text, Text: "?"}}}
		}
	})
	if x := typeOf(t, wrong, "ka.String"); wrong.Conformant || x.Decode.Failed() == 0 ||
		slices.Contains(x.Levels, claim.Decode) {
		t.Errorf("%+v", x)
	}
	// What is written is judged in the view, and a failure counts.
	writes := claimOf(t, views, func(q adapter.Request, a *adapter.Response) {
		if q.Type == "ka.Archive" && q.Op != adapter.OpDecode && a.OK != nil {
			a.OK.Hex = new("00")
		}
	})
	if x := typeOf(t, writes, "ka.Archive"); x.Canonical.Failed() <= in.Canonical.Total() ||
		x.Canonical.Failed() != writes.Counts.Failed() {
		t.Errorf("%+v, %s", x, writes.Counts)
	}
	// An error where acceptance and rejection are both right is a failure of its level.
	errs := claimOf(t, views, func(q adapter.Request, a *adapter.Response) {
		if q.Type == "ka.Archive" && q.Op == adapter.OpDecode && a.Reject != nil {
			*a = adapter.Response{ID: a.ID, Error: &adapter.Fault{Message: "KeyError"}}
		}
	})
	if x := typeOf(t, errs, "ka.Archive"); x.NotApplicable >= in.NotApplicable ||
		x.Rejects.Failed() != errs.Counts.Failed() {
		t.Errorf("%+v, %s", x, errs.Counts)
	}
}

// TestReadBack: a claim is the same after writing and reading, and matches its
// schema.
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
			t.Error("writing the claim that was read gives another file")
		}
		if d := claim.Differences(c, back); d != nil {
			t.Errorf("%q", d)
		}
	}
}

// TestForged: an edited claim is detected with the implementation, and without
// it if the claim contradicts itself or the corpus.
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
		"other version": {
			func(c *claim.Claim) { c.Implementation.Version = "2.0" }, false,
			"version: claimed 2.0, computed 1.0",
		},
		"no version": {func(c *claim.Claim) { c.Implementation.Version = "" }, false, "version: claimed nothing"},
		"another corpus": {
			func(c *claim.Claim) { c.Corpus.Hash = "sha256:" + strings.Repeat("0", 64) }, true,
			"corpus: claimed sha256:000",
		},
		"another profile": {func(c *claim.Claim) { c.Profile = "documented" }, true, "profile: claimed documented"},
		"another view": {
			func(c *claim.Claim) { c.Views = []string{"ka.texts"} }, true,
			"views: claimed [ka.texts], computed []",
		},
		"an unknown view": {func(c *claim.Claim) { c.Views = []string{"ka.maps"} }, true, ""},
		"flags": {
			func(c *claim.Claim) { c.Flags = map[ids.Flag]string{"upkg.ci-minus-zero": "strict"} }, true,
			"",
		},
		"a missing skip": {
			func(c *claim.Claim) { c.Counts[judge.Skip]--; c.Counts[judge.Pass]++ }, false,
			"counts: claimed",
		},
		"a missing type": {func(c *claim.Claim) { c.Types = c.Types[1:] }, true, "claimed missing"},
		"an extra type": {func(c *claim.Claim) {
			c.Types = append(c.Types, claim.Type{
				Type: "ubi.Box", Levels: []claim.Level{claim.Decode},
				Decode: claim.Tally{judge.Pass: 3},
			})
			c.Skipped = nil
		}, true, "ubi.Box: claimed levels [decode], computed skipped, "},
		"an extra level": {
			func(c *claim.Claim) { c.Types[0].Levels = append(c.Types[0].Levels, "fast") }, true,
			"fast], computed levels [decode rejects identical canonical]",
		},
		"a missing vector": {func(c *claim.Claim) { c.Types[0].Decode[judge.Pass]-- }, true, "decode: claimed"},
		"not conformant": {
			func(c *claim.Claim) { c.Conformant = false }, true,
			"conformant: claimed false, computed true",
		},
		"a failing level": {func(c *claim.Claim) {
			d := c.Types[0].Decode
			d[judge.Fail], d[judge.Pass], c.Types[0].Levels = 1, d[judge.Pass]-1, c.Types[0].Levels[1:]
		}, true, "1 failed"},
		"an invented type":       {func(c *claim.Claim) { c.Types[0].Type = "ubi.NoSuch" }, true, "ubi.NoSuch"},
		"skipped without reason": {func(c *claim.Claim) { c.Skipped[0].Reason = "" }, true, honest.Skipped[0].Type},
	} {
		forged := edit(c.edit)
		if faults := forged.Check(); (faults != nil) != c.inside {
			t.Errorf("%s: faults without the implementation: %q", what, faults)
		}
		found := strings.Join(claim.Differences(forged, honest), "\n")
		if c.says != "" && !strings.Contains(found, c.says) {
			t.Errorf("%s: %q, want %q", what, found, c.says)
		}
	}
}

func TestReadRejects(t *testing.T) {
	good := string(text(t, claimOf(t, nil, nil)))
	for what, s := range map[string]string{
		"nothing":         "",
		"another format":  strings.Replace(good, "formatgauge-claim", "other-claim", 1),
		"another version": strings.Replace(good, `"version": 2`, `"version": 1`, 1),
		"an unknown key":  strings.Replace(good, `"format"`, `"x": 1, "format"`, 1),
		"two claims":      good + good,
	} {
		if _, err := claim.Read(strings.NewReader(s)); err == nil {
			t.Errorf("%s: Read accepts it", what)
		}
	}
}

// TestInterrupted: an interrupted run gives no claim.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if c, err := claim.Make(ctx, adapter.NewReference(), vectors(t), nil); !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("%v, %v", c, err)
	}
}
