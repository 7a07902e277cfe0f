package spec

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// One record file per family, and one with the views. TOML, because its tables read as records, its
// comments survive editors, and its parser names keys it did not expect.
//
//go:embed records/*.toml
var files embed.FS

// familyOrder is the order in which families are shown everywhere.
var familyOrder = []string{"ubi", "upkg", "ka", "uasset"}

type tables struct {
	families   []*Family
	clauses    map[ids.Clause]*Clause
	flags      map[ids.Flag]*Flag
	structures map[string]*Structure
	retired    map[string]*Retired
	views      []*View
}

// viewsFile contains the views of all families.
const viewsFile = "records/views.toml"

var index = sync.OnceValue(func() *tables {
	t, err := load(files)
	if err != nil {
		// The records are part of the program: a test loads them first.
		panic("spec: " + err.Error())
	}
	return t
})

// Families lists every family with its records, always in the same order.
// The records are shared: callers must not change them.
func Families() []*Family { return index().families }

func load(fsys fs.FS) (*tables, error) {
	names, err := fs.Glob(fsys, "records/*.toml")
	if err != nil {
		return nil, err
	}
	t := &tables{clauses: map[ids.Clause]*Clause{}, flags: map[ids.Flag]*Flag{}, structures: map[string]*Structure{}, retired: map[string]*Retired{}}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		var f Family
		var v struct {
			Views []*View `toml:"view"`
		}
		if name == viewsFile {
			err = parse(string(text), &v)
			t.views = v.Views
		} else {
			err = parse(string(text), &f)
			t.families = append(t.families, &f)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	slices.SortFunc(t.families, func(a, b *Family) int {
		return slices.Index(familyOrder, a.Name) - slices.Index(familyOrder, b.Name)
	})
	return t, t.link()
}

// parse reads one record file strictly: an unknown key is an error.
func parse(text string, into any) error {
	meta, err := toml.Decode(text, into)
	if err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return errors.New(pe.ErrorWithPosition())
		}
		return err
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return fmt.Errorf("unknown key %q", extra[0].String())
	}
	return nil
}

// link indexes the records and checks what they say of each other.
func (t *tables) link() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, f := range t.families {
		if !slices.Contains(familyOrder, f.Name) {
			bad("family %q is not in the list of families", f.Name)
		}
		docs := map[string]bool{"facts": true}
		for _, d := range f.Documents {
			docs[d.ID] = true
		}
		for i := range f.Structures {
			s := &f.Structures[i]
			if s.Family() != f.Name || t.structures[s.Name] != nil || s.Title == "" || s.Oracle == "" {
				bad("structure %q: foreign, double, or without title or oracle", s.Name)
			}
			t.structures[s.Name] = s
		}
		for i := range f.Clauses {
			c := &f.Clauses[i]
			if !strings.HasPrefix(string(c.ID), f.Prefix+"-") || t.clauses[c.ID] != nil {
				bad("clause %s: foreign or double id", c.ID)
			}
			if t.structures[c.Structure] == nil {
				bad("clause %s: no structure %q", c.ID, c.Structure)
			}
			if !slices.Contains([]Level{Must, Should, Info}, c.Level) {
				bad("clause %s: no level %q", c.ID, c.Level)
			}
			for d := range strings.SplitSeq(c.Document, ", ") {
				if !docs[d] || c.Basis == Document && d == "facts" {
					bad("clause %s: no document %q", c.ID, d)
				}
			}
			if what := checkBasis(c.Basis, c.Reason); what != "" {
				bad("clause %s: %s", c.ID, what)
			}
			if c.Text == "" || c.Place == "" {
				bad("clause %s: text and place are required", c.ID)
			}
			t.clauses[c.ID] = c
		}
		for i := range f.Flags {
			fl := &f.Flags[i]
			if fl.Family() != f.Name || t.flags[fl.ID] != nil {
				bad("flag %s: foreign or double id", fl.ID)
			}
			if !slices.Contains(Kinds, fl.Kind) {
				bad("flag %s: no kind %q", fl.ID, fl.Kind)
			}
			if fl.Documented == "" || fl.Observed == "" || len(fl.Evidence) == 0 || len(fl.Clauses) == 0 {
				bad("flag %s: documented, observed, evidence and clauses are required", fl.ID)
			}
			for _, c := range fl.Clauses {
				if t.clauses[c] == nil {
					bad("flag %s: no clause %s", fl.ID, c)
				}
			}
			if fl.Switchable() {
				if _, ok := fl.Side(ids.SideDocumented); !ok || len(fl.Sides) < 2 {
					bad("flag %s: a switchable flag has a documented side and at least one other", fl.ID)
				}
				seen := map[string]bool{}
				for _, s := range fl.Sides {
					if s.Name == "" || s.Reading == "" || seen[s.Name] {
						bad("flag %s: a side is double, or lacks name or reading", fl.ID)
					}
					seen[s.Name] = true
					if what := checkBasis(s.Basis, s.Reason); what != "" {
						bad("flag %s, side %s: %s", fl.ID, s.Name, what)
					}
				}
			}
			t.flags[fl.ID] = fl
		}
		for i := range f.Retired {
			r := &f.Retired[i]
			// Clauses, flags and vectors have different prefixes.
			if !slices.ContainsFunc([]string{f.Prefix + "-", f.Name + ".", f.Name + "/"}, func(p string) bool { return strings.HasPrefix(r.ID, p) }) {
				bad("retired id %q: not an id of a clause, flag or vector of %s", r.ID, f.Name)
			}
			if r.Since == "" || r.Why == "" || t.retired[r.ID] != nil {
				bad("retired id %s: listed twice, or without since or why", r.ID)
			}
			if t.clauses[ids.Clause(r.ID)] != nil || t.flags[ids.Flag(r.ID)] != nil {
				bad("retired id %s is in use", r.ID)
			}
			t.retired[r.ID] = r
		}
	}
	t.linkViews(bad)
	return errors.Join(errs...)
}

// checkBasis returns what is wrong with a basis and the reason beside it, or "".
func checkBasis(b Basis, reason string) string {
	switch {
	case !slices.Contains(Bases, b):
		return fmt.Sprintf("no basis %q", b)
	case (b == Choice) != (reason != ""):
		return "a choice has a reason, and nothing else has one"
	}
	return ""
}
