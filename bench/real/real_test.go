// Package real has benchmarks of real files and of hostile data. Command ratios runs
// them against the current tree and against an earlier revision, so they use only the
// API that both have.
package real

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

var (
	data  = flag.String("data", "../../../shared/data", "`folder` of the real files")
	peers = flag.String("peers", "../../../shared/peers", "`folder` of the peers")
)

// An input is one file, or several that one pass reads.
type input struct {
	name  string
	files [][]byte
	names []string // of the files
}

func (in input) size() int { return len(slices.Concat(in.files...)) }

func one(name string, content []byte) input { return input{name, [][]byte{content}, []string{name}} }

// withAll appends all inputs together as one more input.
func withAll(inputs []input) []input {
	all := input{name: "all together"}
	for _, in := range inputs {
		all.files, all.names = append(all.files, in.files...), append(all.names, in.name)
	}
	return append(inputs, all)
}

func file(b *testing.B, name string) []byte {
	b.Helper()
	src, err := os.ReadFile(filepath.Join(*data, filepath.FromSlash(name)))
	if err != nil {
		b.Skip(err)
	}
	return src
}

// files returns real files. Their names are shown without a prefix.
func files(prefix string, names ...string) func(*testing.B) []input {
	return func(b *testing.B) (out []input) {
		for _, name := range names {
			out = append(out, one(name, file(b, prefix+name)))
		}
		return withAll(out)
	}
}

var (
	packages = files("upkg/", "TestUC1.u", "TestUC2.u")
	cooked   = files("uasset/hb415_", "Array.uasset", "Map.uasset", "Normal.uasset", "Set.uasset")
)

// spans are the keyed archives inside the real files: offset, length.
var spans = []struct {
	file  string
	parts [][2]int
}{
	{"newTest.dat", [][2]int{{0, 665}}},
	{"oldTest.dat", [][2]int{{0, 282}}},
	{"tanksbox.sc2", [][2]int{{12, 8}, {32, 4550}, {4582, 194}, {4776, 472}, {5248, 1125}}},
	{"shpere.sc2", [][2]int{{12, 8}, {32, 322}, {354, 18134}, {18488, 194}, {18682, 1072}}},
}

// archives returns the real keyed archives.
func archives(b *testing.B) (out []input) {
	for _, s := range spans {
		src := file(b, "ka/"+s.file)
		for _, p := range s.parts {
			name := s.file
			if p[1] < len(src) {
				name = fmt.Sprintf("%s at %d", s.file, p[0])
			}
			out = append(out, one(name, src[p[0]:p[0]+p[1]]))
		}
	}
	return withAll(out)
}

func value(content string) func(*testing.B) []input {
	return func(*testing.B) []input { return []input{one("one value", []byte(content))} }
}

// An operation prepares a pass over src.
type operation func(src []byte) (pass func() error, err error)

var operations = []struct {
	name   string
	inputs func(*testing.B) []input
	operation
}{
	{"ka.Archive read", archives, read(ka.New(wire.Settings{}).Archive())},
	{"ka.Archive append", archives, write(ka.New(wire.Settings{}).Archive())},
	{"upkg.Package read", packages, read(upkg.New(wire.Settings{}).Package())},
	{"uasset.Package read", cooked, read(uasset.New(wire.Settings{}).Package())},
	{"upkg.CompactIndex read", value("\xc0\x80\x80\x01"), read(upkg.New(wire.Settings{}).CompactIndex())},
	{
		"ubi.Vector3 read", value("\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40"),
		read(ubi.New(wire.Settings{}).Vector3()),
	},
	{
		"ubi.Color read", value("\x00\x00\x80\x3f\x00\x00\x00\x3f\x00\x00\x80\x3e\x00\x00\x80\x3f"),
		read(ubi.New(wire.Settings{}).Color()),
	},
}

func read[T any](s wire.Structure[T]) operation {
	return func(src []byte) (func() error, error) {
		v := new(T) // keeps the result alive
		return func() (err error) { *v, err = s.Decode(src); return err }, nil
	}
}

func write[T any](s wire.Structure[T]) operation {
	return func(src []byte) (func() error, error) {
		v, err := s.Decode(src)
		if err != nil {
			return nil, err
		}
		dst := make([]byte, 0, len(src))
		if b, err := s.Append(dst, v); err != nil || !bytes.Equal(b, src) {
			return nil, fmt.Errorf("the encoding differs from the input; error: %v", err)
		}
		return func() error { _, err := s.Append(dst, v); return err }, nil
	}
}

// BenchmarkFiles measures reading and writing of real files and of single values.
func BenchmarkFiles(b *testing.B) {
	for _, o := range operations {
		b.Run(o.name, func(b *testing.B) {
			for _, in := range o.inputs(b) {
				benchmark(b, in, o.operation)
			}
		})
	}
}

// benchmark measures passes over all files of an input.
func benchmark(b *testing.B, in input, op operation) {
	b.Helper()
	var passes []func() error
	for _, src := range in.files {
		pass, err := op(src)
		if err != nil {
			b.Fatalf("%s: %v", in.name, err)
		}
		passes = append(passes, pass)
	}
	b.Run(in.name, func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			for _, pass := range passes {
				if err := pass(); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(in.size()), "input-B")
	})
}

// BenchmarkPeers asks the drivers of other readers, each a process of its own, how fast
// they read real files.
func BenchmarkPeers(b *testing.B) {
	for _, p := range []struct {
		name, interpreter, driver string
		inputs                    func(*testing.B) []input
	}{
		{"wotbtools", "python3", "wotbtools.py", func(b *testing.B) []input {
			all := archives(b)
			return all[len(all)-1:]
		}},
		{"utpackage.js", "node", "utpackage.js.mjs", packages},
		{"ue4-dds-tools", "python3", "ue4-dds-tools.py", cooked},
	} {
		b.Run(p.name, func(b *testing.B) {
			folder := filepath.Join(*peers, p.name)
			if _, err := os.Stat(folder); err != nil {
				b.Skip(err)
			}
			for _, in := range p.inputs(b) {
				line, dir := p.name, b.TempDir()
				for i, src := range in.files {
					name := filepath.Join(dir, in.names[i])
					if err := os.WriteFile(name, src, 0o644); err != nil {
						b.Fatal(err)
					}
					line += "\t" + name
				}
				b.Run(in.name, func(b *testing.B) {
					c := exec.CommandContext(b.Context(), p.interpreter, filepath.Join("..", "peers", p.driver), folder)
					c.Stdin = strings.NewReader(line + "\n")
					out, err := c.Output()
					if err != nil {
						b.Skip(err)
					}
					speed, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
					if err != nil {
						b.Skipf("%s", out)
					}
					b.ReportMetric(float64(in.size())/speed*1e9, "ns/op")
				})
			}
		})
	}
}

// BenchmarkScan measures how fast ka.Scan goes through data that is made to slow it
// down. If it gives up, the bytes that it has read in vain are counted: 1 MiB and 64
// times the input.
func BenchmarkScan(b *testing.B) {
	for _, h := range hostileKinds {
		b.Run("ka.Scan, "+h.name, func(b *testing.B) {
			for _, mebibytes := range []int{1, 4, 16} {
				src := h.data(mebibytes << 20)
				b.Run(fmt.Sprintf("%d MiB", mebibytes), func(b *testing.B) {
					b.ReportAllocs()
					for range b.N {
						if err := scan(src, h.givesUp); err != nil {
							b.Fatal(err)
						}
					}
					b.SetBytes(int64(len(src)))
					if h.givesUp {
						b.SetBytes(1<<20 + 64*int64(len(src)))
					}
					b.ReportMetric(float64(len(src)), "input-B")
				})
			}
		})
	}
}

// TestHostile: one kind of hostile data is rejected everywhere, the other one makes the scan give up.
func TestHostile(t *testing.T) {
	for _, h := range hostileKinds {
		if err := scan(h.data(1<<16), h.givesUp); err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
	}
}

// scan looks for archives in hostile data, which contains none.
func scan(src []byte, givesUp bool) error {
	found, err := ka.New(wire.Settings{}).Scan(src)
	if len(found) > 0 || errors.Is(err, wire.Limit) != givesUp {
		return fmt.Errorf("%d archives found, error %v; expected a limit: %v", len(found), err, givesUp)
	}
	return nil
}

// hostileKinds are data in which each archive is rejected after a few elements, since
// they are one byte too long; and data in which each is read to the end of the file,
// since the arrays have more elements than the file.
var hostileKinds = []struct {
	name    string
	givesUp bool
	data    func(size int) []byte
}{
	{"hostile data", false, func(size int) []byte { return hostile(size, 1, 12288) }},
	{"hostile data, gives up", true, func(size int) []byte { return hostile(size, 0, size/20) }},
}

// hostile returns data of about size bytes in which an archive seems to begin
// every few bytes. Each archive has one value, an array of count elements. Each
// element is a byte array that contains the beginning of the next archive, and
// surplus bytes of the element that follows.
func hostile(size, surplus, count int) []byte {
	head := []byte("KA\x01\x00\x01\x00\x00\x00\x04\x00\x00\x00\x00\x1b")
	head = binary.LittleEndian.AppendUint32(head, uint32(count))
	element := binary.LittleEndian.AppendUint32([]byte{6}, uint32(len(head)+surplus))
	element = append(element, head...)
	src := slices.Clone(head)
	for len(src)+len(element) <= size {
		src = append(src, element...)
	}
	return src
}
