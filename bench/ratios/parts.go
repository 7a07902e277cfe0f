package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A comparison is a job of ours and one of a peer: another program, or another
// operation of the same one.
type comparison struct {
	what    string
	op      string
	in      input
	against string
	peer    *program // nil: the comparison is left out
	theirs  job
	bars    func(*row)
}

// realFiles compares the codecs with peers and with the revision before.
func realFiles(ctx context.Context, temporary string, r *report) error {
	now := newProgram("now", filepath.Join(temporary, "now"))
	if err := build(ctx, now.command[0]); err != nil {
		return err
	}
	pure := newProgram("purego", filepath.Join(temporary, "purego"))
	if err := build(ctx, pure.command[0], "-tags", "purego"); err != nil {
		return err
	}
	old := newProgram("before", filepath.Join(temporary, "before"))
	if err := buildBefore(ctx, old.command[0], *before, temporary); err != nil {
		r.omit("revision "+*before, err)
		old = nil
	}
	all, err := comparisons(inputs{temporary}, now, old, r)
	if err != nil {
		return err
	}
	programs := []*program{now, pure}
	for _, c := range all {
		now.want(job{c.op, c.in})
		if strings.HasPrefix(c.op, "ka.") { // the codec with a short cut that needs package unsafe
			pure.want(job{c.op, c.in})
		}
		c.peer.want(c.theirs)
		if !slices.Contains(programs, c.peer) {
			programs = append(programs, c.peer)
		}
	}
	for range max(1, *turns) {
		for _, p := range programs {
			if err := p.run(ctx); err != nil {
				return err
			}
		}
	}
	for _, c := range all {
		ours, err := now.result(job{c.op, c.in})
		if err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
		theirs, err := c.peer.result(c.theirs)
		if err != nil {
			r.omit(c.what+" / "+c.against, err)
			continue
		}
		x := newRow(c.what, c.in, ours, c.against, c.theirs.in, theirs)
		if c.bars != nil {
			c.bars(x)
		}
		if p, err := pure.result(job{c.op, c.in}); err != nil {
			return fmt.Errorf("%s, purego: %w", c.what, err)
		} else if p.speed > 0 {
			x.purego = duration(p.seconds(c.in)) + ", " + number(ours.speed/p.speed)
		}
		r.rows = append(r.rows, x)
	}
	return nil
}

// comparisons lists what is compared, with the bars. Files and peers that are
// absent are left out and named in r.
func comparisons(folder inputs, now, old *program, r *report) ([]comparison, error) {
	var all []comparison
	add := func(op string, in input, against string, peer *program, theirs job, bars func(*row)) {
		if peer != nil {
			all = append(all, comparison{op + ", " + in.name, op, in, against, peer, theirs, bars})
		}
	}
	before := func(op string, in input, bars func(*row)) {
		add(op, in, "the revision before", old, job{op, in}, bars)
	}
	peer := func(op string, inputs []input, name, interpreter, driver string, times float64) {
		p, err := findPeer(*peers, name, interpreter, driver)
		if err != nil {
			r.omit(name, err)
		}
		for _, in := range inputs {
			add(op, in, name, p, job{op, in}, func(r *row) { r.fasterAtLeast(times) })
		}
	}

	archives, trees, err := folder.archives(*data)
	if err != nil {
		r.omit("real keyed archives", err)
	}
	const read, write = "ka.Archive read", "ka.Archive append"
	for i, in := range archives {
		add(read, in, "msgp into any", now, job{"msgp read", trees[i]}, func(r *row) {
			switch {
			case in.several():
				return
			case in.size > 4096:
				r.timeAtMost(0.5)
			default:
				r.timeAtMost(0.8)
			}
			if in.size > 64 {
				r.bytesAtMost(5)
			}
		})
	}
	for i, in := range archives {
		add(write, in, "msgp.AppendIntf", now, job{"msgp append", trees[i]}, func(r *row) {
			r.timeAtMost(0.5)
			r.allocsAtMost(0)
		})
	}
	for _, in := range archives {
		if in.several() {
			before(read, in, nil)
			before(write, in, nil)
			peer(read, []input{in}, "wotbtools", "python3", "wotbtools.py", 25)
		}
	}

	packages, err := folder.files(*data, "upkg/TestUC1.u", "upkg/TestUC2.u")
	if err != nil {
		r.omit("real packages of Unreal Engine 1 and 2", err)
	}
	for _, in := range packages {
		before("upkg.Package read", in, func(r *row) {
			r.fasterAtLeast(4)
			if bound := map[string]float64{"TestUC1.u": 120, "TestUC2.u": 150}[in.name]; bound > 0 {
				r.allocsAtMost(bound)
			}
		})
	}
	peer("upkg.Package read", packages, "utpackage.js", "node", "utpackage.js.mjs", 10)

	packages, err = folder.files(*data, "uasset/hb415_Array.uasset", "uasset/hb415_Map.uasset",
		"uasset/hb415_Normal.uasset", "uasset/hb415_Set.uasset")
	if err != nil {
		r.omit("real cooked packages", err)
	}
	for _, in := range packages {
		before("uasset.Package read", in, func(r *row) {
			r.timeAtMost(0.5)
			if !in.several() {
				r.allocsAtMost(25)
			}
		})
	}
	peer("uasset.Package read", packages, "ue4-dds-tools", "python3", "ue4-dds-tools.py", 50)

	for _, v := range []struct{ op, content string }{
		{"upkg.CompactIndex read", "\xc0\x80\x80\x01"},
		{"ubi.Vector3 read", "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40"},
		{"ubi.Color read", "\x00\x00\x80\x3f\x00\x00\x00\x3f\x00\x00\x80\x3e\x00\x00\x80\x3f"},
	} {
		in, err := folder.add(v.op, []byte(v.content))
		if err != nil {
			return nil, err
		}
		in.name = "one value"
		before(v.op, in, func(r *row) {
			r.timeAtMost(0.35)
			r.allocsAtMost(0)
		})
	}
	return all, nil
}

// hostileData measures how fast ka.Scan goes through data that is made to slow
// it down. If it gives up, the bytes that it has read in vain are counted.
func hostileData(ctx context.Context, temporary string, r *report) error {
	now := newProgram("now", filepath.Join(temporary, "now"))
	for _, c := range []struct {
		op   string
		data func(size int) []byte
	}{
		{"ka.Scan", rejectedEarly},
		{"ka.Scan, gives up", readToTheEnd},
	} {
		for _, size := range []int{1, 4, 16} {
			in, err := inputs{temporary}.add(fmt.Sprintf("%s, %d MiB", c.op, size), c.data(size<<20))
			if err != nil {
				return err
			}
			now.want(job{c.op, in})
		}
	}
	if err := now.run(ctx); err != nil {
		return err
	}
	for _, j := range now.jobs {
		res, err := now.result(j)
		if err != nil {
			return fmt.Errorf("%s: %w", j.in.name, err)
		}
		r.rows = append(r.rows, &row{
			what: "hostile data, " + j.op, input: fmt.Sprint(j.in.size, " bytes"), ours: number(res.speed/1e6) + " MB/s",
			memory: &res, size: j.in.size,
			bars: []bar{{value: res.speed / 1e6, least: true, bound: 5, unit: "MB/s"}},
		})
	}
	return nil
}

// layouts is how many layouts of the program compactIndex tries.
const layouts = 9

// compactIndex runs the test of the compact index in several layouts of the
// test program: where the linker puts two short loops decides much of their ratio.
// The row with the median of the ratios counts.
func compactIndex(ctx context.Context, temporary string, r *report) error {
	var all []*row
	for i := range layouts {
		path := filepath.Join(temporary, "layout.test")
		if err := command(ctx, "go", "test", "-c", "-o", path, fmt.Sprint("-ldflags=-randlayout=", i+1), "."); err != nil {
			return err
		}
		rows, _, err := testRows(ctx, path, "-test.v", "-test.run", "Ratios/compact")
		if err != nil {
			return err
		}
		all = append(all, rows...)
	}
	if len(all) != layouts {
		return fmt.Errorf("compact index: %d rows from %d programs", len(all), layouts)
	}
	slices.SortFunc(all, func(a, b *row) int { return cmp.Compare(a.ratio, b.ratio) })
	median := all[layouts/2]
	median.failure = "" // of this one layout
	median.what += fmt.Sprintf(", median of %d layouts", layouts)
	r.rows = append(r.rows, median)
	return nil
}

// tests runs the other tests of the module for their rows.
func tests(ctx context.Context, _ string, r *report) error {
	rows, failures, err := testRows(ctx, "go", "test", "-count", "1", "-p", "1", "-v", "-run", "Ratios", "-skip",
		"Ratios/compact", ".", "./judging")
	r.rows = append(r.rows, rows...)
	r.missed = append(r.missed, failures...)
	return err
}

var (
	testRow = regexp.MustCompile(`(?m)^\| (.*) \| (.*) \| (.*) \| ([0-9.]*) \| (.*) \|$`)
	bothOf  = regexp.MustCompile(`^([0-9.]+) against ([0-9.]+) ?([^,]*)(.*)$`) // ours, theirs, unit, more about ours
	failure = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: (.*)$`)
)

// testRows runs a test program and returns the rows that it prints and the
// failures that belong to no row.
func testRows(ctx context.Context, name string, args ...string) ([]*row, []string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil && !failure.Match(out) {
		return nil, nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	rows, failures := readRows(string(out))
	return rows, failures, nil
}

// readRows reads what a test prints: rows of what, against, measured, ratio and
// bar; failures.
func readRows(out string) (rows []*row, failures []string) {
	for _, m := range testRow.FindAllStringSubmatch(out, -1) {
		x := &row{what: m[1], ours: m[3]}
		x.against, x.input, _ = strings.Cut(m[2], ": ")
		if both := bothOf.FindStringSubmatch(m[3]); both != nil {
			x.ours, x.theirs = strings.TrimSpace(both[1]+" "+both[3]+both[4]), strings.TrimSpace(both[2]+" "+both[3])
		}
		x.ratio, _ = strconv.ParseFloat(m[4], 64)
		x.readBar(m[5])
		rows = append(rows, x)
	}
	for _, m := range failure.FindAllStringSubmatch(out, -1) {
		i := slices.IndexFunc(rows, func(x *row) bool { return strings.HasPrefix(m[1], x.what+": ") })
		if i < 0 {
			failures = append(failures, m[1])
			continue
		}
		rows[i].failure = m[1]
	}
	return rows, failures
}
