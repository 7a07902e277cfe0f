package power

import (
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

//go:embed rules.toml
var rulesText string

// ruleTable says how to break clauses for which no change of answers follows from
// the reference.
type ruleTable struct {
	// Changes lists, for a clause, operators on the vectors that cite it (accepted,
	// rejected, echoed), or other mutants as "subject: operator", in which * matches
	// any text.
	Changes map[ids.Clause][]string `toml:"changes"`
	// Untestable says why no answer shows whether a clause is met.
	Untestable map[ids.Clause]string `toml:"untestable"`
}

func readRules(text string) (ruleTable, error) {
	var t ruleTable
	meta, err := toml.Decode(text, &t)
	if keys := meta.Undecoded(); err == nil && len(keys) > 0 {
		err = fmt.Errorf("unknown key %s", keys[0])
	}
	return t, err
}

// citing are the operators of the table on the vectors that cite a clause.
var citing = map[string]struct {
	needs  string
	change change
}{
	"accepted": {"a vector that cites the clause and is rejected", func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
		wrong := op == adapter.OpDecode && tc.readErr != nil || op != adapter.OpDecode && tc.writeErr != nil
		return accepted(op), wrong
	}},
	"rejected": {"a vector that cites the clause and is accepted", func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
		wrong := op == adapter.OpDecode && tc.readErr == nil || op != adapter.OpDecode && tc.writeErr == nil
		return rejects(string(wire.Value), 0), wrong
	}},
	"echoed": {"a noncanonical vector that cites the clause", echo},
}

const rulesKind = "rules"

// ruleMutants makes the mutants that break one clause of level must. Those that
// follow from the reference: what it rejects because of the clause is accepted;
// the parts that the clause describes are read or written wrong. The others are in
// rules.toml.
func ruleMutants(cases []*testCase) ([]*Mutant, error) {
	table, err := readRules(rulesText)
	if err != nil {
		return nil, err
	}
	rejecting, describing, cited := map[ids.Clause][]*testCase{}, map[ids.Clause][]*testCase{}, map[ids.Clause][]*testCase{}
	put := func(m map[ids.Clause][]*testCase, c ids.Clause, tc *testCase) {
		if n := len(m[c]); c != "" && (n == 0 || m[c][n-1] != tc) {
			m[c] = append(m[c], tc)
		}
	}
	for _, tc := range cases {
		for _, e := range []*wire.Error{tc.readErr, tc.writeErr} {
			if e != nil {
				put(rejecting, e.Clause, tc)
			}
		}
		if tc.read != nil {
			_, tc.spans, _ = tc.codec.Trace(tc.Input) // the reference accepts the input
			for _, s := range tc.spans {
				put(describing, s.Clause, tc)
			}
		}
		for _, c := range tc.Vector.Clauses {
			put(cited, c, tc)
		}
	}
	var out []*Mutant
	for _, f := range spec.Families() {
		for i := range f.Clauses {
			c := &f.Clauses[i]
			if c.Level != spec.Must {
				continue
			}
			before := len(out)
			add := func(operator, needs string, cases []*testCase, change change) {
				out = append(out, &Mutant{Family: f.Name, Kind: rulesKind, Subject: string(c.ID), Operator: operator, Needs: needs, cases: cases, change: change})
			}
			if found := rejecting[c.ID]; found != nil {
				add("not checked", "an input or value that only this clause rejects", found, func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
					e := tc.writeErr
					if op == adapter.OpDecode {
						e = tc.readErr
					}
					return accepted(op), e != nil && e.Clause == c.ID
				})
			}
			if found := describing[c.ID]; found != nil {
				readable := slices.DeleteFunc(slices.Clone(found), func(tc *testCase) bool { return !tc.describes(c.ID) })
				writable := slices.DeleteFunc(slices.Clone(found), func(tc *testCase) bool { return tc.Expect.Outcome != corpus.Accept })
				if len(readable) > 0 {
					add("read wrong", "an accepted input", readable, func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
						root, ok := tc.read.with(tc.wrongAt(c.ID))
						if op != adapter.OpDecode || !ok {
							return adapter.Response{}, false
						}
						return decoded(tc.typ, root), true
					})
				}
				if len(writable) > 0 {
					add("written wrong", "an accepted input", writable, func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
						return okBytes(tc.wrongBytes(c.ID)), op == adapter.OpRoundtrip
					})
				}
			}
			for _, text := range table.Changes[c.ID] {
				if by, ok := citing[text]; ok {
					add(text, by.needs, cited[c.ID], by.change)
					continue
				}
				out = append(out, &Mutant{Family: f.Name, Kind: rulesKind, Subject: string(c.ID), Operator: text, Needs: "what the mutant needs that is named here", same: text})
			}
			reason := table.Untestable[c.ID]
			switch {
			case len(out) == before && reason == "":
				add("no change of answers is known", "a vector that shows the clause, or an entry in rules.toml", nil, nil)
			case len(out) == before:
				out = append(out, &Mutant{Family: f.Name, Kind: rulesKind, Subject: string(c.ID), Operator: "untestable", Needs: "", excuse: reason})
			case reason != "":
				err = errors.Join(err, fmt.Errorf("rules.toml: %s is untestable and has a change", c.ID))
			}
			delete(table.Changes, c.ID)
			delete(table.Untestable, c.ID)
		}
	}
	for c := range table.Changes {
		err = errors.Join(err, fmt.Errorf("rules.toml: no clause %s of level must", c))
	}
	for c := range table.Untestable {
		err = errors.Join(err, fmt.Errorf("rules.toml: no clause %s of level must", c))
	}
	return out, err
}

// wrongAt returns a wrong value for each part that a clause describes. A length, a
// count or a tag has no part of its own: it belongs to the part around it.
func (tc *testCase) wrongAt(c ids.Clause) map[int]reflect.Value {
	at := map[string]bool{}
	for _, s := range tc.spans {
		if s.Clause == c {
			at[s.Path] = true
		}
	}
	own := map[string]bool{}
	for _, p := range tc.read.parts {
		own[p.path] = true
	}
	for path := range at {
		if !own[path] {
			at[path[:max(0, strings.LastIndexByte(path, '.'))]] = true
		}
	}
	wrong := map[int]reflect.Value{}
	for _, p := range tc.read.parts {
		if at[p.path] {
			if v, ok := wrongValue(p.v); ok {
				wrong[p.number] = v
			}
		}
	}
	return wrong
}

// describes reports whether a clause describes a part of the value.
func (tc *testCase) describes(c ids.Clause) bool { return len(tc.wrongAt(c)) > 0 }

// wrongValue returns another value of the type of a leaf.
func wrongValue(v reflect.Value) (reflect.Value, bool) {
	out := clone(v)
	switch kindOf(v.Type()) {
	case number, float:
		return withBits(v.Type(), bitsOf(v)^1), true
	case boolean:
		out.SetBool(!v.Bool())
	case enumeration:
		switch {
		case v.Kind() == reflect.String && v.String() != namedTexts[v.Type().String()]:
			out.SetString(namedTexts[v.Type().String()])
		case v.CanUint() && v.Uint() > 0:
			out.SetZero()
		case v.CanUint():
			out.SetUint(1)
		default:
			return v, false
		}
	case list:
		if v.Len() == 0 {
			return v, false
		}
		out.Set(v.Slice(0, v.Len()-1))
	case text:
		out.SetString(v.String() + "x")
	case opaque:
		if v.Kind() == reflect.Slice {
			out.SetBytes(append(slices.Clone(v.Bytes()), 0))
			break
		}
		out.Index(0).SetUint(v.Index(0).Uint() ^ 1)
	default:
		return v, false
	}
	return out, true
}

// wrongBytes returns the input with one bit changed in each part that a clause
// describes.
func (tc *testCase) wrongBytes(c ids.Clause) []byte {
	b := slices.Clone(tc.Input)
	for _, s := range tc.spans {
		if s.Clause == c && s.End > s.Start {
			b[s.Start] ^= 1
		}
	}
	return b
}

// resolve gives mutants that name other ones the state of these.
func resolve(mutants []*Mutant, all bool) error {
	var errs []error
	for _, m := range mutants {
		if m.same == "" {
			continue
		}
		m.State, m.Killers = Survived, nil
		found := false
		for _, o := range mutants {
			if o.same != "" || o.Family != m.Family || o.Kind == rulesKind || !matches(m.same, o.String()) {
				continue
			}
			found = true
			switch {
			case o.State == Killed && len(m.Killers) < len(o.Killers):
				m.State, m.Killers = Killed, o.Killers
			case o.State == Acceptable && m.State == Survived:
				m.State = Acceptable
			case o.State == Equivalent && m.State == Survived:
				m.State, m.Reason = Equivalent, o.Reason
			}
		}
		if !found && all {
			errs = append(errs, fmt.Errorf("rules.toml: %s names a mutant that does not exist: %s", m.Subject, m.same))
		}
	}
	return errors.Join(errs...)
}
