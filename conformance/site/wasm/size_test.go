package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostBytes is the most bytes of the module as gzip: people load it before they see
// anything.
const mostBytes = 2_000_000

// forbidden are packages that the module must not link: it shows files, and has
// neither commands, records nor a network.
var forbidden = []string{
	"github.com/BurntSushi/toml", "github.com/spf13/cobra", "github.com/yuin/goldmark",
	"github.com/formatgauge/formatgauge/spec",
	"github.com/formatgauge/formatgauge/corpus", "net/http", "html/template", "regexp", "encoding/json", "crypto/sha256",
}

// build builds the module and returns it.
func build(t *testing.T, flags string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "module.wasm")
	if out, err := goCommand("build", "-trimpath", "-ldflags="+flags, "-gcflags=github.com/formatgauge/...=-l", "-o",
		name, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func goCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	return cmd
}

// TestSize: the module is small and links no forbidden package. With -v it lists the
// size of the code by package.
func TestSize(t *testing.T) {
	deps, err := goCommand("list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(deps)) {
		if slices.Contains(forbidden, name) {
			t.Errorf("the module links %s", name)
		}
	}
	var small bytes.Buffer
	w, _ := gzip.NewWriterLevel(&small, gzip.BestCompression)
	module := build(t, "-s -w")
	if _, err := w.Write(module); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d as gzip", len(module), small.Len())
	if small.Len() > mostBytes {
		t.Errorf("%d bytes as gzip, want at most %d", small.Len(), mostBytes)
	}
	if !testing.Verbose() {
		return
	}
	sizes := codeSizes(t, build(t, ""))
	for _, name := range slices.SortedFunc(maps.Keys(sizes),
		func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], strings.Compare(a, b)) }) {
		if sizes[name] >= 10_000 {
			t.Logf("%8d %s", sizes[name], name)
		}
	}
}

// The sections of a module.
const (
	customSection = 0
	importSection = 2
	codeSection   = 10
	dataSection   = 11
)

// packageOf matches the package in the name of a function, in which _ stands for /.
var packageOf = regexp.MustCompile(`^(?:github\.com_)?[^.]*`)

// codeSizes returns the bytes of code by package, and those of all data.
func codeSizes(t *testing.T, module []byte) map[string]int {
	out := map[string]int{}
	var bodies []int
	names := map[int]string{}
	imports := 0
	for b := module[8:]; len(b) > 0; {
		kind := b[0]
		size, n := binary.Uvarint(b[1:])
		body := b[1+n : 1+n+int(size)]
		b = b[1+n+int(size):]
		number := func() int {
			v, n := binary.Uvarint(body)
			body = body[n:]
			return int(v)
		}
		text := func() string {
			n := number()
			s := string(body[:n])
			body = body[n:]
			return s
		}
		switch kind {
		case importSection:
			imports = number() // all are functions
		case codeSection:
			for range number() {
				n := number()
				bodies = append(bodies, n)
				body = body[n:]
			}
		case dataSection:
			out["(data)"] = int(size)
		case customSection:
			if text() != "name" {
				continue
			}
			for len(body) > 0 {
				kind := body[0]
				body = body[1:]
				number()       // the size
				if kind != 1 { // names of functions
					break
				}
				for range number() {
					i := number()
					names[i] = text()
				}
			}
		}
	}
	for i, n := range bodies {
		name := names[imports+i]
		if name == "" {
			t.Fatalf("function %d has no name", i)
		}
		out[packageOf.FindString(name)] += n
	}
	return out
}
