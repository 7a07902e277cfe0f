package opinion

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/diff"
	"github.com/formatgauge/formatgauge/corpus"
)

func FuzzUbiPairArray(f *testing.F)    { fuzz(f, "ubi.PairArray<BasicString,Array<Vector3>>") }
func FuzzUbiBasicWString(f *testing.F) { fuzz(f, "ubi.BasicWString") }
func FuzzUpkgPackage(f *testing.F)     { fuzz(f, "upkg.Package") }
func FuzzKaArchive(f *testing.F)       { fuzz(f, "ka.Archive") }
func FuzzUassetPackage(f *testing.F)   { fuzz(f, "uasset.Package") }
func FuzzUassetProperty(f *testing.F)  { fuzz(f, "uasset.PropertyList") }

// An opinion is an adapter and the command that starts it.
type opinion struct {
	file string
	impl adapter.Implementation
}

// fuzz compares the answers of the reference with those of the adapters.
func fuzz(f *testing.F, name string) {
	typ, ok := codec.Find(name)
	if !ok {
		f.Fatalf("type %s does not exist", name)
	}
	vectors, err := corpus.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range vectors {
		if v.Type == name && !v.EncodeOnly() && len(v.Bytes) <= 4096 {
			f.Add(v.Bytes)
		}
	}
	opinions := opinionsOf(f, typ)
	if len(opinions) == 0 {
		f.Skip("neither python3 nor node is installed")
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, o := range opinions {
			compare(t, o, typ, src)
		}
	})
}

// opinionsOf starts the adapters of the family of a type. Each process of a fuzz
// target has its own.
func opinionsOf(f *testing.F, typ *codec.Type) (out []opinion) {
	f.Helper()
	for _, language := range []struct{ command, dir, suffix string }{
		{"python3", "python", ".py"},
		{"node", "javascript", ".mjs"},
	} {
		file := filepath.Join("..", "..", "examples", "adapters", language.dir, typ.Family()+language.suffix)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if _, err := exec.LookPath(language.command); err != nil {
			continue
		}
		child, err := adapter.NewChild([]string{language.command, file}, adapter.Options{Timeout: time.Hour})
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { child.Close() })
		out = append(out, opinion{file, child})
	}
	return out
}

// compare reports a difference between the answers about one input.
func compare(t *testing.T, o opinion, typ *codec.Type, src []byte) {
	t.Helper()
	report, err := diff.Run(context.Background(), o.impl, adapter.NewReference(), diff.Options{
		Types: []*codec.Type{typ}, Seeds: [][]byte{src}, Count: 1, Max: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range report.Findings {
		t.Fatalf("%s and the reference give different answers (%s) about %x, for example about %x", o.file, finding.Kind,
			src, finding.Input)
	}
	if report.Stopped != "" {
		t.Fatal(report.Stopped)
	}
}

// TestDifferenceIsFound: an adapter with a planted bug gives another answer.
func TestDifferenceIsFound(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is missing")
	}
	t.Setenv("FORMATGAUGE_PLANT", "sign")
	typ, _ := codec.Find("upkg.CompactIndex")
	child, err := adapter.NewChild([]string{"python3", filepath.Join("..", "..", "examples", "adapters", "python",
		"minimal.py")}, adapter.Options{Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	report, err := diff.Run(t.Context(), child, adapter.NewReference(),
		diff.Options{Types: []*codec.Type{typ}, Seeds: [][]byte{{0x81}}, Count: 1})
	if err != nil || len(report.Findings) != 1 {
		t.Fatalf("%d findings, %v", len(report.Findings), err)
	}
}
