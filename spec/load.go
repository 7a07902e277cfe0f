package spec

import (
	"cmp"
	"embed"
	"encoding/hex"
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

// Records holds what the documents say. It does not change once it is made. A family
// is parsed when somebody asks for it.
type Records struct {
	families []family
	views    func() []*View
}

// family is the name of a family, the prefix of its clause ids, and its records.
type family struct {
	name, prefix string
	index        func() *index
}

// families lists the families in the order in which they are shown everywhere.
var families = []family{
	{name: "ubi", prefix: "UBI"},
	{name: "upkg", prefix: "UPKG"},
	{name: "ka", prefix: "KA"},
	{name: "uasset", prefix: "UA"},
}

// index is the records of one family, by their ids.
type index struct {
	family     *Family
	clauses    map[ids.Clause]*Clause
	flags      map[ids.Flag]*Flag
	structures map[string]*Structure
	retired    map[string]*Retired
}

// viewsFile contains the views of all families.
const viewsFile = "records/views.toml"

// embedded are the records of this module. They are part of the program: a test loads
// them first, so errors panic.
var embedded = func() *Records {
	r := &Records{
		families: slices.Clone(families),
		views:    sync.OnceValue(func() []*View { return must(loadViews(files)) }),
	}
	for i := range r.families {
		r.families[i].index = sync.OnceValue(func() *index { return must(loadFamily(files, r.families[i].file())) })
	}
	return r
}()

func must[T any](v T, err error) T {
	if err != nil {
		panic("spec: " + err.Error())
	}
	return v
}

func (f *family) file() string { return "records/" + f.name + ".toml" }

// Embedded returns the records of this module.
func Embedded() *Records { return embedded }

// FS returns the files of the records of this module.
func FS() fs.FS { return files }

// Replace lets the records of other files take the place of those of this module. A
// program that judges by an older edition calls it before it uses any record. Records are
// replaced as a whole. Sides that differ from those of this module are an error: profiles
// would mean something else.
func Replace(fsys fs.FS) error {
	views, err := loadViews(fsys)
	r := &Records{families: slices.Clone(families), views: func() []*View { return views }}
	for i := range r.families {
		t, failed := loadFamily(fsys, r.families[i].file())
		if failed == nil {
			failed = t.checkSides()
		}
		err = cmp.Or(err, failed)
		r.families[i].index = func() *index { return t }
	}
	if err == nil {
		embedded = r
	}
	return err
}

// checkSides returns an error if a flag has other sides than in this program, since
// profiles would not mean the same.
func (t *index) checkSides() error {
	own := ids.Sides(t.family.Name)
	for _, f := range t.family.Flags {
		var sides []string
		for _, s := range f.Sides {
			sides = append(sides, s.Name)
		}
		if !slices.Equal(sides, own[f.ID]) {
			return fmt.Errorf("flag %s has the sides %v; in this program they are %v: use a program of that time", f.ID,
				sides, own[f.ID])
		}
	}
	return nil
}

// Families lists every family with its records, always in the same order. The records
// are shared: callers must not change them.
func (r *Records) Families() []*Family {
	out := make([]*Family, len(r.families))
	for i, f := range r.families {
		out[i] = f.index().family
	}
	return out
}

// With returns records in which change has changed a copy of one family. The original
// remains as it is, and the copy is not checked.
func (r *Records) With(name string, change func(*Family)) *Records {
	out := &Records{families: slices.Clone(r.families), views: r.views}
	i := slices.IndexFunc(out.families, func(f family) bool { return f.name == name })
	f := *out.families[i].index().family
	f.Structures, f.Clauses, f.Flags = slices.Clone(f.Structures), slices.Clone(f.Clauses), slices.Clone(f.Flags)
	for k := range f.Flags {
		f.Flags[k].Sides = slices.Clone(f.Flags[k].Sides)
	}
	change(&f)
	t := indexed(&f)
	out.families[i].index = func() *index { return t }
	return out
}

// of returns the records of the family that an id belongs to, or none: UPKG-CI-5,
// upkg.ci-range, upkg.Name, upkg/Name/padded-zero.
func (r *Records) of(id string) *index {
	if end := strings.IndexAny(id, "-./"); end >= 0 {
		for _, f := range r.families {
			if id[:end] == f.name || id[:end] == f.prefix {
				return f.index()
			}
		}
	}
	return &index{}
}

func loadFamily(fsys fs.FS, name string) (*index, error) {
	var f Family
	if err := parseFile(fsys, name, &f); err != nil {
		return nil, err
	}
	t := indexed(&f)
	if err := t.check(); err != nil {
		return nil, err
	}
	return t, nil
}

func loadViews(fsys fs.FS) ([]*View, error) {
	var v struct {
		Views []*View `toml:"view"`
	}
	if err := parseFile(fsys, viewsFile, &v); err != nil {
		return nil, err
	}
	return v.Views, checkViews(v.Views)
}

func parseFile(fsys fs.FS, name string, into any) error {
	text, err := fs.ReadFile(fsys, name)
	if err == nil {
		err = parse(string(text), into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// parse reads one record file strictly: an unknown key is an error.
func parse(text string, into any) error {
	meta, err := toml.Decode(text, into)
	if err != nil {
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			return errors.New(pe.ErrorWithPosition())
		}
		return err
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return fmt.Errorf("unknown key %q", extra[0].String())
	}
	return nil
}

// indexed makes the index of a family. Of several records with one id they have the
// first.
func indexed(f *Family) *index {
	return &index{
		f,
		byID(f.Clauses, func(c *Clause) ids.Clause { return c.ID }),
		byID(f.Flags, func(fl *Flag) ids.Flag { return fl.ID }),
		byID(f.Structures, func(s *Structure) string { return s.Name }),
		byID(f.Retired, func(r *Retired) string { return r.ID }),
	}
}

func byID[K comparable, R any](records []R, id func(*R) K) map[K]*R {
	out := make(map[K]*R, len(records))
	for i := range slices.Backward(records) {
		out[id(&records[i])] = &records[i]
	}
	return out
}

// check checks what the records of a family say of each other.
func (t *index) check() error {
	f := t.family
	known := slices.IndexFunc(families, func(k family) bool { return k.name == f.Name })
	if known < 0 {
		return fmt.Errorf("family %q is not in the list of families", f.Name)
	}
	prefix := families[known].prefix + "-"
	var errs []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	docs := map[string]bool{Facts.ID: true}
	for _, d := range f.Documents {
		docs[d.ID] = true
		want(allSet(d.Title, d.Address), "document %s: title and address are required", d.ID)
		for _, w := range d.Worst {
			want(t.flags[w.Flag] != nil && w.Text != "", "document %s: no flag %q, or no text", d.ID, w.Flag)
		}
	}
	for i := range f.Structures {
		s := &f.Structures[i]
		want(s.Family() == f.Name && t.structures[s.Name] == s && allSet(s.Title, s.Oracle),
			"structure %q: foreign, double, or without title or oracle", s.Name)
		want(slices.Contains(Proofs, s.Proven), "structure %s: no kind of proof %q", s.Name, s.Proven)
		for _, tag := range s.Tags {
			b, err := hex.DecodeString(tag)
			want(err == nil && len(b) > 0, "structure %s: the tag %q is not hex", s.Name, tag)
		}
	}
	for i := range f.Clauses {
		c := &f.Clauses[i]
		want(strings.HasPrefix(string(c.ID), prefix) && t.clauses[c.ID] == c, "clause %s: foreign or double id", c.ID)
		want(t.structures[c.Structure] != nil, "clause %s: no structure %q", c.ID, c.Structure)
		want(slices.Contains([]Level{Must, Should, Info}, c.Level), "clause %s: no level %q", c.ID, c.Level)
		for d := range strings.SplitSeq(c.Document, ", ") {
			want(docs[d] && (c.Basis != Document || d != Facts.ID), "clause %s: no document %q", c.ID, d)
		}
		what := checkBasis(c.Basis, c.Reason, c.Open)
		want(what == "", "clause %s: %s", c.ID, what)
		want(allSet(c.Text, c.Place), "clause %s: text and place are required", c.ID)
		for _, s := range c.Under {
			flag, name, _ := strings.Cut(s, "=")
			_, ok := t.flags[ids.Flag(flag)].Side(name)
			want(ok && strings.Contains(c.Text, s), "clause %s: under %q: no side, or the text does not say it", c.ID, s)
		}
	}
	for i := range f.Flags {
		fl := &f.Flags[i]
		want(fl.Family() == f.Name && t.flags[fl.ID] == fl, "flag %s: foreign or double id", fl.ID)
		want(slices.Contains(FlagKinds, fl.Kind), "flag %s: no kind %q", fl.ID, fl.Kind)
		want(allSet(fl.Documented, fl.Observed) && len(fl.Evidence) > 0 && len(fl.Clauses) > 0,
			"flag %s: documented, observed, evidence and clauses are required", fl.ID)
		for _, c := range fl.Clauses {
			want(t.clauses[c] != nil, "flag %s: no clause %s", fl.ID, c)
		}
		if !fl.Switchable() {
			continue
		}
		for _, name := range []string{fl.InDocumented, fl.InObserved} {
			_, ok := fl.Side(name)
			want(ok, "flag %s: in-documented and in-observed must name sides, not %q", fl.ID, name)
		}
		want(len(fl.Sides) > 1, "flag %s: a switchable flag has at least two sides", fl.ID)
		seen := map[string]bool{}
		for _, s := range fl.Sides {
			want(allSet(s.Name, s.Reading) && !seen[s.Name], "flag %s: a side is double, or lacks name or reading", fl.ID)
			seen[s.Name] = true
			want(s.Name != ids.SideDocumented || s.Basis == Document,
				"flag %s: no document demands the side documented: name it after what it does", fl.ID)
			what := checkBasis(s.Basis, s.Reason, s.Open)
			want(what == "", "flag %s, side %s: %s", fl.ID, s.Name, what)
		}
	}
	for i := range f.Retired {
		r := &f.Retired[i]
		// Clauses, flags and vectors have different prefixes.
		want(slices.ContainsFunc([]string{prefix, f.Name + ".", f.Name + "/"},
			func(p string) bool { return strings.HasPrefix(r.ID, p) }),
			"retired id %q: not an id of a clause, flag or vector of %s", r.ID, f.Name)
		want(allSet(r.Since, r.Why) && t.retired[r.ID] == r, "retired id %s: listed twice, or without since or why", r.ID)
		want(t.clauses[ids.Clause(r.ID)] == nil && t.flags[ids.Flag(r.ID)] == nil, "retired id %s is in use", r.ID)
	}
	return errors.Join(errs...)
}

func allSet(texts ...string) bool { return !slices.Contains(texts, "") }

// checkBasis returns what is wrong with a basis and the fields beside it, or "".
func checkBasis(b Basis, reason string, open Open) string {
	isChoice, hasReason := b == Choice, reason != ""
	switch {
	case !slices.Contains(Bases, b):
		return fmt.Sprintf("no basis %q", b)
	case isChoice != hasReason:
		return "a choice has a reason, and nothing else has one"
	case open != "" && (!isChoice || slices.ContainsFunc(open.Bounds(), func(b Bound) bool { return !b.valid() })):
		return fmt.Sprintf("%q is not what a choice leaves open", open)
	}
	return ""
}
