package check_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/check"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	emptyArchive = "KA\x01\x00\x00\x00\x00\x00"
	oneArchive   = "KA\x01\x00\x01\x00\x00\x00\x04\x01\x00\x00\x00a\x02\x01\x00\x00\x00"
	tag          = "\xc1\x83\x2a\x9e"
)

// vector returns the bytes of a vector.
func vector(t *testing.T, id string) string {
	t.Helper()
	return string(corpustest.Find(t, id).Bytes)
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777),
		os.WriteFile(file, []byte(content), 0o666)); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, opts check.Options) (out []check.File) {
	t.Helper()
	if opts.MaxInput == 0 {
		opts.MaxInput = 1 << 20
	}
	opts.Profile = ids.Observed()
	each := func(f check.File) error { out = append(out, f); return nil }
	if err := check.Run(t.Context(), []check.Root{{Path: dir}}, opts, each); err != nil {
		t.Fatal(err)
	}
	return out
}

// compare compares the outcomes of files with those by path.
func compare(t *testing.T, files []check.File, want map[string]check.Outcome) {
	t.Helper()
	got := map[string]check.Outcome{}
	for _, f := range files {
		if got[f.Path] = f.Outcome; f.Outcome != want[f.Path] {
			t.Errorf("%s is %s (%s, %s), want %s", f.Path, f.Outcome, f.What, f.Detail, want[f.Path])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d: %v", len(got), len(want), want)
	}
}

// dvpl returns data with the footer of a DVPL file.
func dvpl(data string, how byte) string {
	b := binary.LittleEndian.AppendUint32([]byte(data), uint32(len(data)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(data)))
	return string(append(b, how, 0, 0, 0)) + "DVPL"
}

// TestOutcomes: the outcome of one file of each kind. What the files are, and whether
// they are sound, is stated here, not computed.
func TestOutcomes(t *testing.T) {
	old, cooked := vector(t, "upkg/Package/import-count-needs-two-bytes"), vector(t, "uasset/Package/bool-above-one")
	dir := t.TempDir()
	want := map[string]check.Outcome{}
	for _, f := range []struct {
		name, content string
		outcome       check.Outcome
	}{
		{"archive", emptyArchive, check.Sound},
		{"archive-cut", emptyArchive[:5], check.Invalid},
		{"archive-and-more", emptyArchive + "\x00", check.Invalid},
		{"archive-version-3", "KA\x03\x00\x00\x00\x00\x00", check.Invalid},
		{"text-with-ka", "KARMA", check.Foreign},
		{"package", old, check.Sound},
		{"package-odd", vector(t, "upkg/Package/class-beyond-the-imports"), check.Inconsistent},
		{"package-cut", old[:len(old)/2], check.Invalid},
		{"package-tag", tag, check.Invalid},
		{"package-3", tag + "\x00\x02\x00\x00", check.Unsupported},
		{"package-compressed", tag + "\x00\x00\x02\x00\x10\x00\x00\x00", check.Unsupported},
		{"package-swapped", "\x9e\x2a\x83\xc1\x02\x00\x00\x00", check.Unsupported},
		{"package-licensed", vector(t, "upkg/Package/licensee-pariah"), check.Unsupported},
		{"package-encrypted", "L\x00i\x00n\x00e\x00a\x00g\x00e\x002\x00V\x00e\x00r\x001\x00", check.Unsupported},
		{"cooked-noncanonical", cooked, check.Rewritten},
		{"cooked-cut", cooked[:len(cooked)-30], check.Invalid},
		{"cooked-split", vector(t, "uasset/Package/split"), check.Unsupported},
		{"cooked-5", tag + "\xf8\xff\xff\xff" + strings.Repeat("\x00", 200), check.Unsupported},
		{"objects.uexp", "\x00\x00\x00\x00\x07\x00\x00\x00" + tag, check.Unsupported},
		{"ubi", "ubi/b0-l\x01\x02\x03", check.Partial},
		{"ubi-cut", "ubi/b0", check.Invalid},
		{"ubi-other", "ubi/b1-l\x01", check.Invalid},
		{"scene", "SFV2\x16\x00\x00\x00" + emptyArchive + oneArchive, check.Partial},
		{"packed.dvpl", dvpl("\x50abcde", 2), check.Unsupported},
		{"stored.dvpl", dvpl(emptyArchive, 0), check.Partial},
		{"changed.dvpl", strings.Replace(dvpl(emptyArchive+emptyArchive, 0), "\x00\x00KA", "\x00\x01KA", 1), check.Inconsistent},
		{"changed-packed.dvpl", strings.Replace(dvpl("\x50abcde", 2), "a", "b", 1), check.Inconsistent},
		{"longer.dvpl", "\x00" + dvpl("\x50abcde", 2), check.Inconsistent},
		{"pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", check.LFS},
		{"two.ubulk", "\x00\x01\x00\x00\x00", check.Unsupported}, // begins like a font
		{"two.uasset", "version https://git-lfs.github.com/spec/v1\n", check.LFS},
		{"two-pointer.ubulk", "version https://git-lfs.github.com/spec/v1\n", check.LFS},
		{"two-pointer.uasset", tag + "\xf8\xff\xff\xff", check.Unsupported},
		{"alone.ubulk", "\x01\x02\x03\x04", check.Unknown},
		{"packed.uz2", "\x10\x00\x00\x00\x20\x00\x00\x00\x78\x9c\x01", check.Unsupported},
		{"archive.pak", "\x07" + "\xe1\x12\x6f\x5a" + strings.Repeat("\x01", 40), check.Unsupported},
		{"archive.zip", "PK\x03\x04\x14\x00", check.Foreign},
		{"picture.png", "\x89PNG\r\n\x1a\n\x00", check.Foreign},
		{"sound.ogg", "OggS\x00", check.Foreign},
		{"text", "a text\n", check.Foreign},
		{"nothing", "", check.Foreign},
		{"noise", "\x01\x02\x03\x04", check.Unknown},
		{"sub/archive", "KA\x02\xff", check.Sound},
		{"sub.archive", "KA\x02\xff", check.Sound},
		{"long", emptyArchive + strings.Repeat("\x00", 1<<12), check.Unreadable},
	} {
		write(t, dir, f.name, f.content)
		want[f.name] = f.outcome
	}
	all := run(t, dir, check.Options{MaxInput: 1 << 12})
	compare(t, all, want)
	for _, f := range all {
		if (f.Outcome == check.Inconsistent) != (len(f.Inconsistencies) > 0) {
			t.Errorf("%s is %s with the inconsistencies %v", f.Path, f.Outcome, f.Inconsistencies)
		}
		if f.Outcome == check.Invalid && (f.Class == "" || f.Offset == nil) {
			t.Errorf("%s: no error", f.Path)
		}
		if f.Path == "scene" && f.Archives != 2 {
			t.Errorf("%d archives in a scene with 2", f.Archives)
		}
	}
	for _, jobs := range []int{2, 7} {
		if again := run(t, dir, check.Options{MaxInput: 1 << 12, Jobs: jobs}); !slices.EqualFunc(all, again, same) {
			t.Errorf("other results with %d jobs", jobs)
		}
	}
}

// TestInconsistencies: a file with more inconsistencies than are kept, and one with one in a
// property.
func TestInconsistencies(t *testing.T) {
	dir := t.TempDir()
	p := upkg.Package{
		Header: upkg.Header{
			Signature: upkg.Signature, Version: 69, ExportCount: 600, ExportOffset: 64,
			Identity: &upkg.Identity{Generations: []upkg.Generation{{}}},
		},
		Exports: make([]upkg.ExportEntry, 600),
	}
	for i := range p.Exports {
		p.Exports[i].Class = upkg.ObjectReference{Table: upkg.Import, Entry: 1}
	}
	b, err := upkg.New(upkg.Settings{}).Package().Append(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "many", string(b))
	f, err := texturesample.Package(texturesample.Texture{Name: "T", Format: uasset.DXT1, Width: 4, Height: 4})
	if err != nil {
		t.Fatal(err)
	}
	uasset.AddName(&f, "ObjectProperty")
	*f.Objects[0].Properties = append(*f.Objects[0].Properties, uasset.Property{Value: uasset.ObjectProperty(77)})
	c := uasset.New(uasset.Settings{})
	if f, _, err = c.RebuildUnread(f); err != nil {
		t.Fatal(err)
	}
	if b, err = c.Package().Append(nil, f); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "property", string(b))
	all := run(t, dir, check.Options{})
	if many := all[0]; many.Outcome != check.Inconsistent || len(many.Inconsistencies) != check.MaxInconsistencies ||
		many.Detail != "more than 1000 inconsistencies, of which these are the first" {
		t.Errorf("%s: %d inconsistencies, %s", many.Outcome, len(many.Inconsistencies), many.Detail)
	}
	if f := all[1]; f.Outcome != check.Inconsistent || f.What != "a package of Unreal Engine 4.15" || len(f.Inconsistencies) != 1 ||
		f.Inconsistencies[0].Detail != "refers to export 76, counted from 0, and the table has 1 entry" {
		t.Errorf("%+v", f)
	}
}

func same(a, b check.File) bool {
	x, _ := json.Marshal(a) // it has no part that fails
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// TestWhatIsNoFile: links, circles, pipes, sockets and what cannot be read are results.
func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "sub/archive", emptyArchive)
	want := map[string]check.Outcome{"sub/archive": check.Sound}
	for link, to := range map[string]string{
		"circle": "circle", "nowhere": "no-such-file", "parent": ".", "sub/up": "..",
		"file": "sub/archive",
	} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skipf("no links: %v", err)
		}
		want[link] = check.Skipped
	}
	want["file"] = check.Sound
	if socket, err := net.Listen("unix", filepath.Join(dir, "socket")); err == nil {
		defer socket.Close()
		want["socket"] = check.Skipped
	}
	if makePipe(filepath.Join(dir, "pipe")) == nil {
		want["pipe"] = check.Skipped
	}
	if runtime.GOOS == "linux" {
		want["memory"] = check.Unreadable // a regular file whose first byte cannot be read
		if err := os.Symlink("/proc/self/mem", filepath.Join(dir, "memory")); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() > 0 { // root may read everything
		write(t, dir, "closed/archive", emptyArchive)
		if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(dir, "closed"), 0o777)
		want["closed"] = check.Unreadable
	}
	compare(t, run(t, dir, check.Options{Hash: true}), want)
}

// compared returns the changes since a baseline.
func compared(t *testing.T, baseline string, files []check.File) (changes []string, err error) {
	t.Helper()
	b, err := check.NewBaseline(strings.NewReader(baseline))
	each := func(f check.File) error {
		if f.Change != "" {
			changes = append(changes, strings.TrimSpace(fmt.Sprint(f.Change, " ", f.Path, " ", f.Was)))
		}
		return nil
	}
	for i := range files {
		if err == nil {
			err = b.Compare(&files[i], each)
		}
	}
	if err == nil {
		err = b.Compare(nil, each)
	}
	return changes, err
}

func recorded(files []check.File) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	_ = e.Encode(check.NewHeader("observed", "")) // to memory
	for _, f := range files {
		_ = e.Encode(check.Recorded(f))
	}
	return out.String()
}

// TestBaseline: what has changed since a baseline, and nothing else.
func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/x", "a/y", "a-b", "a.c", "b"} {
		write(t, dir, name, emptyArchive)
	}
	write(t, dir, "bad", "KA\x01")
	before := run(t, dir, check.Options{Hash: true})
	baseline := recorded(before)
	if got, err := compared(t, baseline, before); err != nil || got != nil {
		t.Errorf("nothing has changed: %v, %v", got, err)
	}
	write(t, dir, "a/y", "KA\x01\x00\x00\x00\x00\x01") // a flipped bit
	write(t, dir, "bad", "KA\x02")                     // as bad as before, with other bytes
	write(t, dir, "a!", emptyArchive)
	write(t, dir, "c", emptyArchive)
	for _, name := range []string{"a/x", "a.c"} {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	got, err := compared(t, baseline, run(t, dir, check.Options{Hash: true}))
	want := []string{"gone a/x", "changed a/y sound", "new a!", "gone a.c", "changed bad invalid", "new c"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q (%v)", got, want, err)
	}
	// Another outcome of the same bytes is a change, as with another version.
	if got, err := compared(t, strings.Replace(baseline, `"sound"`, `"rewritten"`, 1), before); err != nil ||
		!slices.Equal(got, []string{"changed a/x rewritten"}) {
		t.Errorf("%q, %v", got, err)
	}
	lines := strings.SplitAfter(baseline, "\n")
	for text, want := range map[string]string{
		"":       "expected a header",
		lines[1]: "expected a header",
		strings.Replace(lines[0], ":1,", ":2,", 1): "version 1",
		lines[0] + lines[2] + lines[1]:             `line 3: expected a file after "a/y", found file "a/x"`,
		lines[0] + lines[1] + lines[1]:             "line 3: expected a file after",
		lines[0] + lines[1] + "{":                  "line 3: unexpected EOF",
		lines[0] + lines[0]:                        "line 2: expected a file after",
	} {
		if _, err := compared(t, text, before); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// skipsEmpty skips an archive without pairs.
type skipsEmpty struct{ adapter.Implementation }

func (s skipsEmpty) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	if q.Hex != nil && *q.Hex == fmt.Sprintf("%x", emptyArchive) {
		return adapter.Response{ID: q.ID, Skip: &adapter.Skip{Reason: "empty"}}, nil
	}
	return s.Implementation.Do(ctx, q)
}

// TestReader: the reference differs nowhere, and a reader that gives one value that no file has
// differs in each archive. What a reader skips is not compared.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "empty", emptyArchive)
	write(t, dir, "one", oneArchive)
	write(t, dir, "scene", "SFV2"+oneArchive)
	write(t, dir, "cut", "KA\x01\x00\x01")
	write(t, dir, "text", "abcd")
	opts := check.Options{Reader: adapter.NewReference(), Reference: adapter.NewReference(), Jobs: 3}
	for _, f := range run(t, dir, opts) {
		if f.Outcome == check.Differs || f.Compared != (f.Path != "text") {
			t.Errorf("%+v", f)
		}
	}
	write(t, dir, "two", "SFV2"+emptyArchive+oneArchive)
	opts.Reader = skipsEmpty{adapter.NewReference()}
	for _, f := range run(t, dir, opts) {
		if f.Compared == slices.Contains([]string{"empty", "text", "two"}, f.Path) {
			t.Errorf("an empty archive is not compared: %+v", f)
		}
	}
	os.Remove(filepath.Join(dir, "two"))
	opts.Reader = judgetest.Adapter("schema")
	compare(t, run(t, dir, opts), map[string]check.Outcome{
		"empty": check.Differs, "one": check.Differs, "scene": check.Differs, "cut": check.Differs, "text": check.Foreign,
	})
}

// TestEnd: an error of each and the end of the context end the run.
func TestEnd(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		write(t, dir, fmt.Sprint(i), emptyArchive)
	}
	opts := check.Options{Profile: ids.Observed(), MaxInput: 100, Jobs: 3}
	full := errors.New("full")
	n := 0
	err := check.Run(t.Context(), []check.Root{{Path: dir}}, opts, func(check.File) error { n++; return full })
	if !errors.Is(err, full) || n != 1 {
		t.Errorf("%v after %d results", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = check.Run(ctx, []check.Root{{Path: dir}}, opts, func(check.File) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestMemory: what is kept does not grow with the number of files.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	const folders, files = 20, 100
	content := emptyArchive[:4] + strings.Repeat("x", 2000)
	for i := range folders * files {
		write(t, dir, fmt.Sprintf("%d/%d-%s", i/files, i, strings.Repeat("n", 230)), content)
	}
	n, first, last := 0, uint64(0), uint64(0)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // pools keep what is not used until the second collection
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	err := check.Run(t.Context(), []check.Root{{Path: dir}},
		check.Options{Profile: ids.Observed(), MaxInput: 1 << 20, Jobs: 2, Hash: true}, func(check.File) error {
			switch n++; n {
			case files / 2:
				first = heap()
			case folders*files - files/2:
				last = heap()
			}
			return nil
		})
	// Each of the 1,800 results between has more than 450 bytes, half of them its path.
	if err != nil || n != folders*files || last > first+600<<10 {
		t.Errorf("%d files, %d bytes, then %d (%v)", n, first, last, err)
	}
}

// TestRealFiles: every real file, as the list beside the files describes it.
func TestRealFiles(t *testing.T) {
	dir := filepath.Dir(filepath.Dir(realfile.Path(t, "upkg/TestUC1.u")))
	got := map[string]string{}
	for _, f := range run(t, dir,
		check.Options{Jobs: 2, Reader: adapter.NewReference(), Reference: adapter.NewReference()}) {
		got[f.Path] = fmt.Sprint(f.Outcome, " ", f.Archives)
	}
	for name, want := range map[string]string{
		"README.md": "foreign 0", "ka/newTest.dat": "sound 0", "ka/oldTest.dat": "sound 0", "ka/tanksbox.sc2": "partial 5",
		"ka/shpere.sc2":  "partial 5",
		"upkg/TestUC1.u": "sound 0", "upkg/TestUC2.u": "sound 0", "upkg/load_umx_invalid_objname.umx": "invalid 0",
		"uasset/hb415_Array.uasset": "sound 0", "uasset/hb415_Map.uasset": "sound 0",
		"uasset/hb415_Normal.uasset": "sound 0", "uasset/hb415_Set.uasset": "sound 0",
		"made/a01-truncated-download.utx": "invalid 0", "made/a10-v275-lic0.u": "unsupported 0",
		"made/a20-splintercell1-v100-lic17.uax":   "unsupported 0",
		"made/a23-adventrising-v145-lic61447.utx": "unsupported 0",
		"made/a50-killingfloor-tag.rom":           "sound 0", "made/b02-one-chunkid-consistent.uasset": "sound 0",
		"made/b03-customversions-garbage.uasset": "unsupported 0", "made/b04-versioned-510.uasset": "unsupported 0",
		"made/b06-swapped-tag.uasset": "unsupported 0",
		"made/a02-textbuffer-size0.u": "sound 0", "made/a04-export-index-equals-count.unr": "inconsistent 0",
		"made/a07-object-past-end.utx": "inconsistent 0", "made/a29-uz2.uz2": "unsupported 0",
		"made/a30-import-added.u": "sound 0", "made/a40-beta-umx-v37.umx": "sound 0", "made/a41-umx-v69.umx": "sound 0",
		"made/b20-format-PF_BC7.uasset": "sound 0", "made/b32-texture-none-with-hash-zero.uasset": "sound 0",
		"made/c02-dvpl-type0-wrong-crc.ka.dvpl":  "inconsistent 1",
		"made/c03-dvpl-type0-wrong-size.ka.dvpl": "inconsistent 1",
		"uasset/ue418_T_Worm_D.uasset":           "unsupported 0", "uasset/ue418_T_Worm_N.uasset": "unsupported 0",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
		delete(got, name)
	}
	for name, outcome := range got {
		if strings.HasPrefix(outcome, string(check.Unknown)) {
			t.Errorf("%s is %s", name, outcome)
		}
	}
}
