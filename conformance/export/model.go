package export

import (
	"encoding/json"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// FormatName identifies the form of the export.
const FormatName = "formatgauge-corpus-1"

// Manifest is corpus.json: what the export is.
type Manifest struct {
	Format      string            `json:"format"`
	Number      int               `json:"number"` // of the corpus
	Hash        string            `json:"hash"`   // of the vector files; see [corpus.Hash]
	Formatgauge string            `json:"formatgauge"`
	Protocol    string            `json:"protocol"`
	Profiles    []string          `json:"profiles"`
	Vectors     int               `json:"vectors"`
	Derived     map[string]int    `json:"derived"` // number of derived cases by profile
	Licences    map[string]string `json:"licences"`
	Files       []FileEntry       `json:"files"`
}

// FileEntry names a JSON file of the export.
type FileEntry struct {
	Name   string `json:"name"`
	Schema string `json:"schema"`
	SHA256 string `json:"sha256"`
}

// Vector is a vector with its verdicts.
type Vector struct {
	ID      string            `json:"id"`
	Type    string            `json:"type"`
	Comment string            `json:"comment"`
	Clauses []ids.Clause      `json:"clauses"`
	Flags   []ids.Flag        `json:"flags,omitempty"`
	Decided []string          `json:"decided,omitempty"` // clauses, or flag=side; for sections without their own
	Context map[string]string `json:"context,omitempty"`
	Source  string            `json:"source"`
	Hex     *string           `json:"hex,omitempty"`   // the input
	Tree    json.RawMessage   `json:"tree,omitempty"`  // the value to encode, if there is no input in bytes
	Spans   []Span            `json:"spans,omitempty"` // what the bytes mean
	// Sections are the verdicts; Verdicts says which of them applies under a base
	// profile. To a profile that Verdicts lacks the vector is not applicable.
	Sections []Section          `json:"sections"`
	Verdicts map[string]Verdict `json:"verdicts"`
}

// Span is an annotated range of the input.
type Span struct {
	Start int         `json:"start"`
	End   int         `json:"end"`
	Note  string      `json:"note"`
	Mark  corpus.Mark `json:"mark,omitempty"`
	Width int         `json:"width,omitempty"` // of the marked field at the start
}

// Section is a verdict and the sides under which it applies.
type Section struct {
	Profile   string              `json:"profile"`
	Sides     map[ids.Flag]string `json:"sides,omitempty"` // absent in the section expect
	Basis     spec.Basis          `json:"basis"`           // see [corpus.Vector.SectionBasis]
	Decided   []string            `json:"decided,omitempty"`
	Outcome   corpus.Outcome      `json:"outcome"`
	Canonical *bool               `json:"canonical,omitempty"` // of an accepted input
	Decode    *Want               `json:"decode,omitempty"`    // the answer to decode
	Encode    *Want               `json:"encode,omitempty"`    // to encode and roundtrip, unless it is the input
}

// Want is an expected answer: one of the fields.
type Want struct {
	Tree   json.RawMessage `json:"tree,omitempty"`
	Hex    *string         `json:"hex,omitempty"`
	Reject *Reject         `json:"reject,omitempty"`
}

// Reject is an expected rejection.
type Reject struct {
	Classes []string `json:"classes"`        // each of them is valid; all classes if empty
	From    *int     `json:"from,omitempty"` // the first and the last valid offset in a rejection of an input
	To      *int     `json:"to,omitempty"`   // if it is absent beside From: the end of the input
	// Acceptable says why acceptance is no failure: limit or unsupported.
	Acceptable judge.Reason `json:"acceptable,omitempty"`
}

// Verdict says which section applies under a base profile, and who demands it.
type Verdict struct {
	Section int        `json:"section"`
	Basis   spec.Basis `json:"basis"`
	// Choices decide the verdict if nothing stronger does: then a rejection is
	// acceptable, and so is what Open permits.
	Choices []string `json:"choices,omitempty"`
	// Open is the most that one of the choices leaves open.
	Open spec.Open `json:"open,omitempty"`
	// Writing are the choices that decide only the answers to encode and roundtrip.
	Writing []string `json:"writing,omitempty"`
}

// Derived are the cases derived from a vector under some profiles.
type Derived struct {
	Vector   string   `json:"vector"`
	Profiles []string `json:"profiles"`
	Cases    []Recipe `json:"cases"`
}

// Recipe says how to make the input of a derived case from that of its vector, and
// which answer is expected.
type Recipe struct {
	Case string     `json:"case"` // what follows # in the id; for several prefixes, -N is to be appended
	Rule judge.Rule `json:"rule"`
	// Cut says that the input is a prefix of the vector's: for each of the ranges,
	// one case per length from the first to the last.
	Cut     [][2]int          `json:"cut,omitempty"`
	Append  string            `json:"append,omitempty"` // in hex
	At      *int              `json:"at,omitempty"`     // where Hex replaces bytes
	Hex     string            `json:"hex,omitempty"`
	Context map[string]string `json:"context,omitempty"` // instead of that of the vector
	// Value is same or other: the decoded value must be that of the vector, or
	// another one or a rejection.
	Value  string  `json:"value,omitempty"`
	Reject *Reject `json:"reject,omitempty"`
}

// Flag is a flag with its sides.
type Flag struct {
	ID         ids.Flag          `json:"id"`
	Kind       spec.Kind         `json:"kind"`
	Clauses    []ids.Clause      `json:"clauses,omitempty"`
	Documented string            `json:"documented"`
	Observed   string            `json:"observed"`
	Sides      []Side            `json:"sides,omitempty"` // none if the flag changes no bytes
	Profiles   map[string]string `json:"profiles,omitempty"`
}

// Side is a side of a flag.
type Side struct {
	Name    string     `json:"name"`
	Reading string     `json:"reading"`
	Basis   spec.Basis `json:"basis"`
	Reason  string     `json:"reason,omitempty"`  // of a choice
	Lenient string     `json:"lenient,omitempty"` // why no cases are derived under this side
	View    string     `json:"view,omitempty"`    // in which vectors are judged under this side
}

// Clause is a clause.
type Clause struct {
	ID        ids.Clause `json:"id"`
	Structure string     `json:"structure"`
	Level     spec.Level `json:"level"`
	Basis     spec.Basis `json:"basis"`
	Text      string     `json:"text"`
	Reason    string     `json:"reason,omitempty"` // of a choice
}
