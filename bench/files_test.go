package bench

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
	"time"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

var (
	data  = flag.String("data", "../../shared/data", "`folder` of the real files")
	peers = flag.String("peers", "../../shared/peers", "`folder` of the peers")
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

func together(inputs []input) input { return inputs[len(inputs)-1] }

func file(tb testing.TB, name string) []byte {
	tb.Helper()
	src, err := os.ReadFile(filepath.Join(*data, filepath.FromSlash(name)))
	if err != nil {
		tb.Skip(err)
	}
	return src
}

// files returns real files. Their names are shown without a prefix.
func files(prefix string, names ...string) func(testing.TB) []input {
	return func(tb testing.TB) (out []input) {
		for _, name := range names {
			out = append(out, one(name, file(tb, prefix+name)))
		}
		return withAll(out)
	}
}

var (
	packages = files("upkg/", "TestUC1.u", "TestUC2.u")
	cooked   = files("uasset/hb415_", "Array.uasset", "Map.uasset", "Normal.uasset", "Set.uasset")
)

// archives returns the keyed archives inside the real files.
func archives(tb testing.TB) (out []input) {
	for _, name := range []string{"newTest.dat", "oldTest.dat", "tanksbox.sc2", "shpere.sc2"} {
		src := file(tb, "ka/"+name)
		found, err := ka.New(wire.Settings{}).Scan(src)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range found {
			at := name
			if f.Length < len(src) {
				at = fmt.Sprintf("%s at %d", name, f.Offset)
			}
			out = append(out, one(at, src[f.Offset:][:f.Length]))
		}
	}
	return withAll(out)
}

func value(content string) func(testing.TB) []input {
	return func(testing.TB) []input { return []input{one("one value", []byte(content))} }
}

// An operation prepares a pass over src.
type operation func(src []byte) (pass func() error, err error)

type measured struct {
	name   string
	inputs func(testing.TB) []input
	operation
}

var operations = []measured{
	{"ka.Archive read", archives, read(ka.New(wire.Settings{}).Archive())},
	{"ka.Archive append", archives, write(ka.New(wire.Settings{}).Archive())},
	{"upkg.Package read", packages, read(upkg.New(wire.Settings{}).Package())},
	{"upkg.Package append", packages, write(upkg.New(wire.Settings{}).Package())},
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

func operationOf(name string) operation {
	return operations[slices.IndexFunc(operations, func(o measured) bool { return o.name == name })].operation
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
				b.Run(in.name, func(b *testing.B) { benchmark(b, in.size(), in.pass(b, o.operation)) })
			}
		})
	}
}

func benchmark(b *testing.B, size int, run func()) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

// pass returns a pass of an operation over all files of an input.
func (in input) pass(tb testing.TB, op operation) func() {
	tb.Helper()
	var passes []func() error
	for _, src := range in.files {
		pass, err := op(src)
		if err != nil {
			tb.Fatalf("%s: %v", in.name, err)
		}
		passes = append(passes, pass)
	}
	return func() {
		for _, pass := range passes {
			if err := pass(); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

const noBar = -1

// realFiles compares with readers of others on all real files of a kind together, and goes
// through hostile data.
func realFiles(t *testing.T, out *table) {
	for _, c := range []struct {
		what         string
		inputs       func(testing.TB) []input
		ours, peer   string
		theirs       operation
		time, allocs float64 // at most of those of the peer
	}{
		{"real keyed archives, read", archives, "ka.Archive read", "msgp into any", readMsgp, 0.8, 0.7},
		{"real keyed archives, append", archives, "ka.Archive append", "msgp.AppendIntf", appendMsgp, 0.8, noBar},
		{"real old packages, read", packages, "upkg.Package read", "a plain loop", loopRead, 2, noBar},
		{"real old packages, append", packages, "upkg.Package append", "a plain loop", loopWrite, 2, noBar},
	} {
		t.Run(c.what, func(t *testing.T) {
			in := together(c.inputs(t))
			ours, theirs := in.pass(t, operationOf(c.ours)), in.pass(t, c.theirs)
			d := best(ours, theirs)
			atMost(t, out, c.what, c.peer, fmt.Sprintf("%v against %v", d[0], d[1]), float64(d[0])/float64(d[1]), c.time)
			if c.allocs == noBar {
				return
			}
			n, m := allocs(ours), allocs(theirs)
			atMost(t, out, c.what+", allocations", c.peer, fmt.Sprintf("%.0f against %.0f", n, m), n/max(m, 1), c.allocs)
		})
	}
	for _, p := range drivers {
		t.Run(p.name, func(t *testing.T) {
			in := together(p.inputs(t))
			theirs := p.pass(t, in)
			ours := best(in.pass(t, operationOf(p.ours)))[0]
			atLeast(t, out, "real files, "+p.ours, p.name, fmt.Sprintf("%v against %v", ours, theirs),
				float64(theirs)/float64(ours), p.bar)
		})
	}
	for _, h := range hostileKinds {
		src := h.data(4 << 20)
		d := best(func() {
			if err := scan(src, h.givesUp); err != nil {
				t.Fatal(err)
			}
		})[0]
		size := len(src)
		if h.givesUp {
			size = 1<<20 + 64*size
		}
		speed := float64(size) / 1e6 / d.Seconds()
		atLeast(t, out, "ka.Scan, "+h.name+", MB a second", "", d.String(), speed, 5)
	}
}

// A driver runs another reader, a process of its own that measures itself.
type driver struct {
	name, interpreter, driver string
	inputs                    func(testing.TB) []input
	ours                      string  // the operation
	bar                       float64 // how many times as fast we are at least
}

var drivers = []driver{
	{"wotbtools", "python3", "wotbtools.py", archives, "ka.Archive read", 25},
	{"utpackage.js", "node", "utpackage.js.mjs", packages, "upkg.Package read", 10},
	{"ue4-dds-tools", "python3", "ue4-dds-tools.py", cooked, "uasset.Package read", 50},
}

// pass returns the time of one pass over the files of an input.
func (p *driver) pass(t *testing.T, in input) time.Duration {
	t.Helper()
	folder := filepath.Join(*peers, p.name)
	if _, err := os.Stat(folder); err != nil {
		t.Skip(err)
	}
	line, dir := p.name, t.TempDir()
	for i, src := range in.files {
		name := filepath.Join(dir, in.names[i])
		if err := os.WriteFile(name, src, 0o644); err != nil {
			t.Fatal(err)
		}
		line += "\t" + name
	}
	c := exec.CommandContext(t.Context(), p.interpreter, filepath.Join("peers", p.driver), folder)
	c.Stdin = strings.NewReader(line + "\n")
	text, err := c.Output()
	if err != nil {
		t.Skip(err)
	}
	speed, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		t.Skipf("%s", text)
	}
	return time.Duration(float64(in.size()) / speed * 1e9)
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
