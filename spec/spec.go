// Package spec holds what the documents say, and where they go wrong, as
// records that people and programs read alike.
//
// A [Structure] is one thing a document describes. A [Clause] is one
// checkable statement about it, restated in our words. A [Flag] is one place
// where a document contradicts itself, another document or reality, leaves a
// choice open, or invites undefined behaviour. Flags with [Side]s are
// switchable: a [ids.Profile] chooses a side for each of them.
//
// The package knows no bytes and no models: codecs cite it, never the
// reverse.
package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// Level says how binding a clause is.
type Level string

const (
	// Must marks a clause that every implementation has to meet; each has at
	// least one vector.
	Must Level = "must"
	// Should marks advice that an implementation may depart from.
	Should Level = "should"
	// Info marks a statement that changes no bytes.
	Info Level = "info"
)

// Basis says who demands a clause or a side.
type Basis string

const (
	// Document: one of the documents says so, at a given place.
	Document Basis = "document"
	// Engine: the engines or the tools of the format's makers behave so.
	Engine Basis = "engine"
	// Files: real files show it, or no reader could find the next field
	// otherwise.
	Files Basis = "files"
	// Choice: only this reference demands it, for a reason that the record gives.
	// An implementation that differs is not wrong.
	Choice Basis = "choice"
)

// Open says where, and how far, an answer may differ from the expected one if a choice
// decides: one or more bounds, separated by commas. See [Bound].
type Open string

// A Bound is a word, or a path and a distance, such as "w: 1 ulp". The path has the last
// names on the way to a part of the value, without the indices of lists.
type Bound struct{ Path, How string }

// The bounds without a path.
const (
	// Rejection permits a rejection, also one of another class or at another offset.
	Rejection = "rejection"
	// Stated permits what the vector states in a section permitted.
	Stated = "stated"
	// Unstated permits acceptance, but no vector states the value, because nothing says
	// what it is. If the value has the form of its type, there is no verdict. With a path,
	// this applies to one part of the value.
	Unstated = "unstated"
	// OtherSide permits the whole verdict of another section of the vector.
	OtherSide = "side"
	// OtherBytes permits other bytes that are read back as the same value.
	OtherBytes = "bytes"
	// Charset permits the units of a text in another character set.
	Charset = "charset"
)

// The distances at a path. ULP follows a number.
const (
	ULP    = " ulp"   // that many units in the last place of binary32
	Sign   = "sign"   // the same 32 bits, signed or unsigned
	Absent = "absent" // null in place of the value
	Name   = "name"   // another name of the enumeration
)

var boundTexts = map[string]string{
	Rejection:  "a rejection of any class",
	Stated:     "the answer that the vector states as permitted",
	Unstated:   "an accepted value, whatever it is",
	OtherSide:  "the verdict of another side",
	OtherBytes: "other bytes that are read back as the same value",
	Charset:    "the same text in another character set",
	Sign:       "the same 32 bits as an integer with or without sign",
	Absent:     "null",
	Name:       "another name of the same enumeration",
}

// Bounds lists the bounds.
func (o Open) Bounds() (out []Bound) {
	for text := range strings.SplitSeq(string(o), ", ") {
		path, how, ok := strings.Cut(text, ": ")
		if !ok {
			path, how = "", text
		}
		out = append(out, Bound{path, how})
	}
	return out
}

// Leaves reports whether one of the bounds is a word.
func (o Open) Leaves(word string) bool { return slices.Contains(o.Bounds(), Bound{How: word}) }

// LeavesAcceptance reports whether an input may be accepted that the choice rejects.
func (o Open) LeavesAcceptance() bool {
	return o.Leaves(Stated) || o.Leaves(Unstated) || o.Leaves(OtherSide)
}

// ULPs returns the distance in units in the last place; 0 if the bound is another one.
func (b Bound) ULPs() int {
	number, ok := strings.CutSuffix(b.How, ULP)
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0
	}
	return n
}

// valid reports whether the bound is one of the vocabulary.
func (b Bound) valid() bool {
	if b.Path == "" {
		return slices.Contains([]string{Rejection, Stated, Unstated, OtherSide, OtherBytes, Charset}, b.How)
	}
	return b.ULPs() > 0 || slices.Contains([]string{Sign, Absent, Name, Unstated}, b.How)
}

// String says what the bound permits.
func (b Bound) String() string {
	text := cmp.Or(boundTexts[b.How], b.How)
	switch {
	case b.Path == "":
		return text
	case b.How == Unstated:
		return "a tree that differs only in the members " + b.Path + ", or bytes that encode such a tree"
	}
	return text + " at " + b.Path
}

// Permits says which answers besides the expected one are acceptable. A choice that decides
// no vector leaves nothing open, nor does a side that no profile takes: who declares it asks
// to be judged by it.
func (o Open) Permits() string {
	if o == "" {
		return "no other answer"
	}
	var out, hows []string
	paths := map[string][]string{}
	for _, b := range o.Bounds() {
		if b.Path == "" {
			out = append(out, b.String())
			continue
		}
		if paths[b.How] == nil {
			hows = append(hows, b.How)
		}
		paths[b.How] = append(paths[b.How], b.Path)
	}
	for _, how := range hows {
		out = append(out, Bound{strings.Join(paths[how], ", "), how}.String())
	}
	return strings.Join(out, "; ")
}

// Permits says which other answers are acceptable if the clause is a choice.
func (c *Clause) Permits() string {
	if c.Open == "" && len(c.Under) == 0 {
		return "no vector is decided by this clause alone"
	}
	return "at a vector that this choice decides: " + c.Open.Permits()
}

// Bases lists every basis, the strongest first.
var Bases = []Basis{Document, Engine, Files, Choice}

// FlagKind says what is wrong with a document at a flag.
type FlagKind string

const (
	// Contradiction: two statements cannot both hold.
	Contradiction FlagKind = "contradiction"
	// Erratum: the statement is wrong on real files.
	Erratum FlagKind = "erratum"
	// Omission: something needed is not said.
	Omission FlagKind = "omission"
	// Ambiguity: the words allow more than one reading.
	Ambiguity FlagKind = "ambiguity"
	// Hazard: following the words invites undefined or unsafe behaviour.
	Hazard FlagKind = "hazard"
	// Misnomer: the name misleads, the bytes are right.
	Misnomer FlagKind = "misnomer"
)

// FlagKinds lists every kind of flag.
var FlagKinds = []FlagKind{Contradiction, Erratum, Omission, Ambiguity, Hazard, Misnomer}

// A Family is one group of formats with its documents and records.
type Family struct {
	Name       string      `toml:"family"`    // lower case, the prefix of every type and flag
	Title      string      `toml:"title"`     // for people
	Found      string      `toml:"found"`     // games, engines and file endings, as people search for them
	Also       string      `toml:"also"`      // other words by which people search for it
	Documents  []Source    `toml:"document"`  // in the order of their numbers
	Structures []Structure `toml:"structure"` // in the order of the document
	Clauses    []Clause    `toml:"clause"`    // in the order of the document
	Flags      []Flag      `toml:"flag"`      // by subject
	Retired    []Retired   `toml:"retired"`   // ids that must not be used again
}

// A Source is one of the documents that the records restate.
type Source struct {
	ID      string  `toml:"id"`      // three digits
	Title   string  `toml:"title"`   // of the page
	About   string  `toml:"about"`   // which revision, what it covers
	Address string  `toml:"address"` // of the page; empty for [Facts]
	Worst   []Fault `toml:"worst"`   // the errors that cost a reader most, the first ones first
}

// A Fault is an error of a document, in one sentence.
type Fault struct {
	Flag ids.Flag `toml:"flag"`
	Text string   `toml:"text"`
}

// Facts is the source of what only real files and engines show.
var Facts = Source{ID: "facts", Title: "Real files and engines"}

// Proof says how strongly a structure is proven, by the best there is.
type Proof string

const (
	// ProvenHere: the tests read real files that contain it.
	ProvenHere Proof = "files"
	// ProvenElsewhere: it was compared with real files that the tests do not have.
	ProvenElsewhere Proof = "elsewhere"
	// ProvenByComputation: only an independent computation confirms it.
	ProvenByComputation Proof = "computation"
	// NotProven: its vectors are written by hand, and nothing else confirms them.
	NotProven Proof = "none"
)

// Proofs lists every kind of proof, the strongest first.
var Proofs = []Proof{ProvenHere, ProvenElsewhere, ProvenByComputation, NotProven}

// A Structure is one documented thing: a record, a value, an operation.
type Structure struct {
	Name      string `toml:"name"`      // full name, ubi.Box
	Title     string `toml:"title"`     // one line for people
	Also      string `toml:"also"`      // other words by which people search for it
	Extension bool   `toml:"extension"` // true if no document describes it and it is here to try the others on real files
	// Oracle names the real files or the independent computation that the
	// structure is checked against, or says that none exists.
	Oracle string `toml:"oracle"`
	// Proven is the kind of what Oracle names.
	Proven Proof `toml:"proven"`
	// OneSpelling says why no input can be noncanonical, where that is so;
	// otherwise the structure needs a noncanonical vector.
	OneSpelling string `toml:"one-spelling"`
	// TakesAll says why the structure uses up whatever it is given, where that
	// is so: then nothing can be trailing, and a shorter input may be valid too.
	TakesAll string `toml:"takes-all"`
	// LooseCounts says why a count may exceed what there is, where that
	// is so: then raising one is no fault that every reader has to find.
	LooseCounts string `toml:"loose-counts"`
	// NeverRejects says why no input of sufficient length can be rejected, where that is so.
	NeverRejects string `toml:"never-rejects"`
	// Tags are the fixed bytes with which the structure begins, in hex, wherever it is
	// in a value. An input that ends before or inside them may be reported as one that
	// ends early, or as one with another tag.
	Tags []string `toml:"tags"`
	// TruncatedFrom lists the offsets where a range of offsets of the class truncated can
	// begin, where the clauses say so of every input that ends early: then an
	// implementation may report the first of them that applies, and vectors permit it.
	TruncatedFrom []int `toml:"truncated-from"`
	// Support lists what decides whether a reader supports an input: parameters of the
	// context, and fields by the last step of their paths. Those of one entry, separated
	// by blanks, decide together. FIELD<0 is one value of a field: below 0.
	Support []string `toml:"support"`
}

// Family returns the part of the name before the dot.
func (s Structure) Family() string { return FamilyOf(s.Name) }

// FamilyOf returns the part of the name of a structure, type or flag before the dot.
func FamilyOf(name string) string { f, _, _ := strings.Cut(name, "."); return f }

// StructureOf strips the type arguments from a type's name: it gives
// ubi.Array for ubi.Array<Vector3>.
func StructureOf(typ string) string { s, _, _ := strings.Cut(typ, "<"); return s }

// A Clause is one checkable statement of a document.
type Clause struct {
	ID        ids.Clause `toml:"id"`
	Structure string     `toml:"structure"` // full name
	Level     Level      `toml:"level"`
	Text      string     `toml:"text"`     // in our words
	Basis     Basis      `toml:"basis"`    // who demands it
	Document  string     `toml:"document"` // ids of documents, or "facts" for what only real files and engines show
	Place     string     `toml:"place"`    // heading, table row or snippet; the engine, tool or files that show it
	Reason    string     `toml:"reason"`   // of a choice
	Open      Open       `toml:"open"`     // of a choice that decides a vector
	Under     []string   `toml:"under"`    // flag=side: it applies only under one of the sides of each flag that is named
}

// Applies reports whether a clause says anything under a profile.
func (c *Clause) Applies(p ids.Profile) bool {
	return !slices.ContainsFunc(c.Under, func(s string) bool {
		flag, _, _ := strings.Cut(s, "=")
		return !slices.Contains(c.Under, flag+"="+p.Side(ids.Flag(flag)))
	})
}

// A Flag is one place where reading the document literally and reading real
// files part, or could.
type Flag struct {
	ID         ids.Flag     `toml:"id"`
	Kind       FlagKind     `toml:"kind"`
	Clauses    []ids.Clause `toml:"clauses"`    // the clauses it touches
	Documented string       `toml:"documented"` // what the document says
	Observed   string       `toml:"observed"`   // what engines, tools and files do
	Evidence   []string     `toml:"evidence"`   // how that is known
	Sides      []Side       `toml:"sides"`      // empty if the bytes come out the same either way
	// InDocumented and InObserved are the sides that the profiles documented and
	// observed take. The former is a default where no document demands a side.
	InDocumented string `toml:"in-documented"`
	InObserved   string `toml:"in-observed"`
}

// A Side is one reading of a switchable flag.
type Side struct {
	Name    string `toml:"name"`    // documented if a document demands it, observed, or what it does
	Reading string `toml:"reading"` // what a reader or writer then does
	Basis   Basis  `toml:"basis"`   // who demands it
	Reason  string `toml:"reason"`  // of a choice
	Open    Open   `toml:"open"`    // of a choice that decides a vector under a profile that does not name the side
	// Lenient says why a reader on this side may accept an input that is cut
	// short or whose lengths do not fit, where that is so: then the judge
	// derives no cases from cuts and lengths in the flag's family.
	Lenient string `toml:"lenient"`
	// View is the view in which the vectors that list the flag are judged under
	// this side, where nobody demands what the view loses. Only decoding is then
	// judged.
	View string `toml:"view"`
}

// A Retired id belonged to a clause, flag or vector of an earlier release. It
// stays listed so that it is never used again.
type Retired struct {
	ID    string `toml:"id"`
	Since string `toml:"since"` // the first release without it, such as 0.2.0
	Why   string `toml:"why"`   // with the id that replaces it, if there is one
}

// Switchable reports whether the flag has sides to choose from.
func (f *Flag) Switchable() bool { return len(f.Sides) > 0 }

// ProfileSides says which sides the two profiles take.
func (f *Flag) ProfileSides() string {
	taken := "Both profiles take the side " + f.InDocumented + "."
	if f.InObserved != f.InDocumented {
		taken = "The profile documented takes the side " + f.InDocumented + ", the profile observed the side " +
			f.InObserved + "."
	}
	if s, _ := f.Side(f.InDocumented); s.Basis != Document {
		taken += " No document demands a side of this flag: " + f.InDocumented + " is a default."
	}
	return taken
}

// NamedSides returns the profile observed with each side of the flag that is neither documented
// nor observed.
func (f *Flag) NamedSides() (out []ids.Profile) {
	for _, s := range f.Sides {
		p, err := ids.Observed().With(f.ID, s.Name)
		if err == nil && s.Name != f.InDocumented && s.Name != f.InObserved { // a test of ids compares the tables
			out = append(out, p)
		}
	}
	return out
}

// Side finds a side by its name. A nil Flag has none.
func (f *Flag) Side(name string) (Side, bool) {
	if f != nil {
		for _, s := range f.Sides {
			if s.Name == name {
				return s, true
			}
		}
	}
	return Side{}, false
}

// Family returns the part of the id before the dot.
func (f *Flag) Family() string { return FamilyOf(string(f.ID)) }

// Clause finds a clause by its id.
func (r *Records) Clause(id ids.Clause) (*Clause, bool) {
	c, ok := r.of(string(id)).clauses[id]
	return c, ok
}

// Flag finds a flag by its id.
func (r *Records) Flag(id ids.Flag) (*Flag, bool) {
	f, ok := r.of(string(id)).flags[id]
	return f, ok
}

// Structure finds a structure by its full name.
func (r *Records) Structure(name string) (*Structure, bool) {
	s, ok := r.of(name).structures[name]
	return s, ok
}

// Retired finds the record of a retired id.
func (r *Records) Retired(id string) (*Retired, bool) {
	x, ok := r.of(id).retired[id]
	return x, ok
}

// Family finds a family by its name.
func (r *Records) Family(name string) (*Family, bool) {
	t := r.of(name + ".")
	return t.family, t.family != nil && t.family.Name == name
}

// ClausesOf lists the clauses of one structure in the order of the document.
func (r *Records) ClausesOf(structure string) []*Clause {
	var out []*Clause
	if f := r.of(structure).family; f != nil {
		for i := range f.Clauses {
			if f.Clauses[i].Structure == structure {
				out = append(out, &f.Clauses[i])
			}
		}
	}
	return out
}

// FlagsOf lists the flags that touch a clause of one structure.
func (r *Records) FlagsOf(structure string) []*Flag {
	var out []*Flag
	t := r.of(structure)
	if t.family == nil {
		return nil
	}
	for i := range t.family.Flags {
		f := &t.family.Flags[i]
		if slices.ContainsFunc(f.Clauses, func(id ids.Clause) bool { return t.clauses[id].Structure == structure }) {
			out = append(out, f)
		}
	}
	return out
}

// Families lists the families of the embedded records: see [Records.Families].
func Families() []*Family { return embedded.Families() }

// Flags lists the flags of all families in the embedded records.
func Flags() (out []*Flag) {
	for _, f := range Families() {
		for i := range f.Flags {
			out = append(out, &f.Flags[i])
		}
	}
	return out
}

// FindClause finds a clause of the embedded records by its id.
func FindClause(id ids.Clause) (*Clause, bool) { return embedded.Clause(id) }

// FindChoice finds a clause that only this reference demands.
func FindChoice(id ids.Clause) (*Clause, bool) {
	c, ok := FindClause(id)
	return c, ok && c.Basis == Choice
}

// FindFlag finds a flag of the embedded records by its id.
func FindFlag(id ids.Flag) (*Flag, bool) { return embedded.Flag(id) }

// FindStructure finds a structure of the embedded records by its full name.
func FindStructure(name string) (*Structure, bool) { return embedded.Structure(name) }

// FindRetired finds the record of a retired id in the embedded records.
func FindRetired(id string) (*Retired, bool) { return embedded.Retired(id) }

// FindFamily finds a family of the embedded records by its name.
func FindFamily(name string) (*Family, bool) { return embedded.Family(name) }

// ClausesOf lists the clauses of one structure in the embedded records.
func ClausesOf(structure string) []*Clause { return embedded.ClausesOf(structure) }

// FlagsOf lists the flags that touch a clause of one structure in the embedded records.
func FlagsOf(structure string) []*Flag { return embedded.FlagsOf(structure) }

// Sources returns the documents that a clause of the family cites, or [Facts].
func (f *Family) Sources(c *Clause) (out []Source) {
	for id := range strings.SplitSeq(c.Document, ", ") {
		i := slices.IndexFunc(f.Documents, func(s Source) bool { return s.ID == id })
		if i < 0 {
			out = append(out, Facts)
		} else if n := len(out); n == 0 || out[n-1].Address != f.Documents[i].Address { // revisions of one page
			out = append(out, f.Documents[i])
		}
	}
	return out
}

// Departures lists the profiles that leave the documented or the observed one
// at a single flag of the family, in the order of the records.
func (f *Family) Departures() []ids.Profile {
	var out []ids.Profile
	for i := range f.Flags {
		for _, side := range f.Flags[i].Sides {
			for _, base := range []ids.Profile{ids.Documented(), ids.Observed()} {
				if p, err := base.With(f.Flags[i].ID, side.Name); err == nil && p.String() != base.String() {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// String returns the name and the title.
func (f *Family) String() string { return fmt.Sprintf("%s (%s)", f.Name, f.Title) }
