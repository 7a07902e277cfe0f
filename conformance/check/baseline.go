package check

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/formatgauge/formatgauge/internal/version"
)

// Schema is the JSON Schema of each line that [Write] and [Header] give.
//
//go:embed schema.json
var Schema []byte

const (
	format        = "formatgauge-check"
	formatVersion = 1
)

// A Header is the first line of the JSON form and of a baseline.
type Header struct {
	Kind        string `json:"kind"` // header
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Formatgauge string `json:"formatgauge"`
	Profile     string `json:"profile"`
	Adapter     string `json:"adapter,omitempty"`
}

// NewHeader returns the header of this version.
func NewHeader(profile, adapter string) Header {
	return Header{"header", format, formatVersion, version.String(), profile, adapter}
}

// A Summary is the last line of the JSON form. Changes is not nil if there is a baseline.
type Summary struct {
	Kind    string          `json:"kind"` // summary
	Files   int             `json:"files"`
	Counts  map[Outcome]int `json:"counts"`
	Changes map[Change]int  `json:"changes,omitempty"`
	Passed  bool            `json:"passed"`
}

// Failed reports whether a result is a failure. With a baseline only a change is one.
func (s *Summary) Failed(f File) bool {
	if s.Changes != nil {
		return f.Change != ""
	}
	return slices.Contains([]Outcome{Inconsistent, Invalid, Rewritten, Differs, LFS}, f.Outcome)
}

// Add counts a result.
func (s *Summary) Add(f File) {
	if f.Change != "" {
		s.Changes[f.Change]++
	}
	if f.Change != Gone {
		s.Files++
		s.Counts[f.Outcome]++
	}
	s.Passed = s.Passed && !s.Failed(f)
}

// NewSummary returns the summary of no files.
func NewSummary() *Summary { return &Summary{Kind: "summary", Counts: map[Outcome]int{}, Passed: true} }

// Recorded returns what a baseline keeps of a result.
func Recorded(f File) File {
	return File{Kind: f.Kind, Path: f.Path, Size: f.Size, SHA256: f.SHA256, Outcome: f.Outcome}
}

// A Baseline compares results with those of an earlier run. It parses them while it
// compares.
type Baseline struct {
	lines *json.Decoder
	next  *File // nil at the end
	line  int
}

// NewBaseline reads the header.
func NewBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{lines: json.NewDecoder(r), line: 1}
	var h Header
	if err := b.lines.Decode(&h); err != nil || h.Format != format || h.Version != formatVersion {
		return nil, fmt.Errorf("expected a header with the format %s, version %d", format, formatVersion)
	}
	b.next = &File{}
	return b, b.advance()
}

func (b *Baseline) advance() error {
	last := *b.next
	b.line++
	b.next = &File{}
	err := b.lines.Decode(b.next)
	switch {
	case errors.Is(err, io.EOF):
		b.next = nil
		return nil
	case err != nil:
		return fmt.Errorf("line %d: %w", b.line, err)
	case b.next.Kind != "file" || orderOf(b.next.Path) <= orderOf(last.Path):
		return fmt.Errorf("line %d: expected a file after %q, found %s %q", b.line, last.Path, b.next.Kind, b.next.Path)
	}
	return nil
}

// Compare sets the change of a result, and calls each with the files that are gone and
// with the result. A nil result stands for the end.
func (b *Baseline) Compare(f *File, each func(File) error) error {
	for b.next != nil && (f == nil || orderOf(b.next.Path) < orderOf(f.Path)) {
		gone := *b.next
		gone.Change = Gone
		if err := errors.Join(b.advance(), each(gone)); err != nil {
			return err
		}
	}
	if f == nil {
		return nil
	}
	if b.next == nil || b.next.Path != f.Path {
		f.Change = New
		return each(*f)
	}
	if was := b.next; f.Size != was.Size || f.SHA256 != was.SHA256 || f.Outcome != was.Outcome {
		f.Change, f.Was = Changed, b.next.Outcome
	}
	return errors.Join(b.advance(), each(*f))
}
