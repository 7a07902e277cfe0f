// Package golden contains a snapshot per type: trees, spans and texts of
// errors. Vectors decide what is correct; snapshots show what has changed.
//
// After an intended change, run GOLDIE_UPDATE=1 go test ./golden and review
// the difference.
package golden

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sebdah/goldie/v2"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// A snapshot contains every rejected input and some of the accepted ones.
const (
	shown    = 3    // accepted inputs per type
	readable = 1024 // greatest size in bytes of an accepted input that is shown
)

func TestGolden(t *testing.T) {
	for _, typ := range codec.Types() {
		t.Run(corpus.FolderOf(typ.Name), func(t *testing.T) {
			t.Parallel()
			var trees, spans, faults bytes.Buffer
			accepted := 0
			for _, v := range corpustest.Of(t, typ.Name) {
				if v.EncodeOnly() {
					continue
				}
				value, traced, err := testrun.Must(typ.Bind(wire.Settings{}, v.Context)).Trace(v.Bytes)
				if err != nil {
					fmt.Fprintf(&faults, "%s\n  %v\n", v.ID, err)
					continue
				}
				if len(v.Bytes) > readable {
					continue
				}
				if accepted++; accepted > shown {
					continue
				}
				fmt.Fprintf(&trees, "%s\n%s\n", v.ID, testrun.Must(tree.FromModel(value)).Indent())
				fmt.Fprintf(&spans, "%s\n", v.ID)
				if err := hexdump.Spans(&spans, v.Bytes, traced, hexdump.Style{}); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintln(&spans)
			}
			g := goldie.New(t, goldie.WithFixtureDir("."), goldie.WithNameSuffix(".txt"))
			folder := corpus.FolderOf(typ.Name)
			g.Assert(t, folder+"/tree", trees.Bytes())
			g.Assert(t, folder+"/spans", spans.Bytes())
			g.Assert(t, folder+"/errors", faults.Bytes())
		})
	}
}

// TestNoStraySnapshots: each folder belongs to a type.
func TestNoStraySnapshots(t *testing.T) {
	known := map[string]bool{}
	for _, typ := range codec.Types() {
		known[corpus.FolderOf(typ.Name)] = true
	}
	for _, e := range testrun.Must(os.ReadDir(".")) {
		if e.IsDir() && !known[e.Name()] {
			files, _ := filepath.Glob(filepath.Join(e.Name(), "*"))
			t.Errorf("folder %s belongs to no type (%s)", e.Name(), strings.Join(files, ", "))
		}
	}
}
