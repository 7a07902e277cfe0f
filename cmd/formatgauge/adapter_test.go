package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// skeletonTests has a row per language: the program that it needs; the file; the
// command that builds it, if any; the command that runs it; and the bodies of the
// functions of upkg.Integer<uint8>, ka.Float and ka.FastNameString, two for each, which
// the test writes in the place of the first ones.
var skeletonTests = []struct {
	lang, program, file string
	build, command      []string
	stub                string
	bodies              []string
}{
	{
		lang: "python", program: "python3", file: "adapter.py", command: []string{"python3", "adapter.py"},
		stub: `raise Skip("not implemented")`,
		bodies: []string{
			`if len(data) != 1:
        raise Reject("trailing", 1) if data else Reject("truncated", 0)
    return str(data[0])`, `if not 0 <= int(tree) < 256:
        raise Reject("range")
    return bytes([int(tree)])`, `if len(data) != 4:
        raise Reject("trailing", 4) if len(data) > 4 else Reject("truncated", 0)
    return float_tree(data)`, `return float_bytes(tree, 4)`,
			`if len(data) < 2 or len(data) != 2 + data[0] + 256 * data[1]:
        raise Reject("truncated" if len(data) < 2 or len(data) < 2 + data[0] + 256 * data[1] else "trailing")
    return text_tree(data[2:])`, `text = text_bytes(tree)
    if len(text) > 65535:
        raise Reject("range")
    return struct.pack("<H", len(text)) + text`,
		},
	},
	{
		lang: "javascript", program: "node", file: "adapter.mjs", command: []string{"node", "adapter.mjs"},
		stub: `throw new Skip('not implemented');`,
		bodies: []string{
			`if (data.length !== 1) throw data.length ? new Reject('trailing', 1) : new Reject('truncated', 0); return String(data[0]);`,
			`if (!(tree >= 0 && tree < 256)) throw new Reject('range'); return Buffer.from([Number(tree)]);`,
			`if (data.length !== 4) throw data.length > 4 ? new Reject('trailing', 4) : new Reject('truncated', 0); return floatTree(data);`,
			`return floatBytes(tree, 4);`,
			`const end = data.length < 2 ? 2 : 2 + data.readUInt16LE(); if (data.length !== end) throw new Reject(data.length < end ? 'truncated' : 'trailing'); return textTree(data.subarray(2));`,
			`const text = textBytes(tree); if (text.length > 65535) throw new Reject('range'); return Buffer.concat([Buffer.from([text.length & 255, text.length >> 8]), text]);`,
		},
	},
	{
		lang: "go", program: "go", file: "main.go", build: []string{"go", "build", "-o", "adapter", "main.go"},
		command: []string{"./adapter"},
		stub:    `return nil, skip("not implemented")`,
		bodies: []string{
			`if len(data) == 0 { return nil, reject{"truncated", 0} }; if len(data) > 1 { return nil, reject{"trailing", 1} }; return fmt.Sprint(data[0]), nil`,
			`var n int; fmt.Sscan(tree.(string), &n); if n < 0 || n > 255 { return nil, reject{"range", -1} }; return []byte{byte(n)}, nil`,
			`if len(data) < 4 { return nil, reject{"truncated", 0} }; if len(data) > 4 { return nil, reject{"trailing", 4} }; bits := uint64(data[0]) | uint64(data[1])<<8 | uint64(data[2])<<16 | uint64(data[3])<<24; return floatTree(bits, 32), nil`,
			`if nan, _ := floatBits("nan", 64); nan != 0x7ff8<<48 { panic(nan) }; bits, err := floatBits(tree.(string), 32); return []byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)}, err`,
			`if len(data) < 2 { return nil, reject{"truncated", -1} }; n := 2 + int(data[0]) + int(data[1])<<8; if len(data) < n { return nil, reject{"truncated", -1} }; if len(data) > n { return nil, reject{"trailing", n} }; return textTree(data[2:]), nil`,
			`text, err := textBytes(tree); if len(text) > 65535 { return nil, reject{"range", -1} }; return append([]byte{byte(len(text)), byte(len(text) >> 8)}, text...), err`,
		},
	},
	{
		lang: "c", program: "gcc", file: "adapter.c",
		build:   []string{"gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-o", "adapter", "adapter.c"},
		command: []string{"./adapter"},
		stub:    "(void)q, (void)out;\n    return skip(\"not implemented\");",
		bodies: []string{
			`if (q->size != 1) return q->size == 0 ? reject("truncated", 0) : reject("trailing", 1);
    fprintf(out, "\"%d\"", q->data[0]); return ok();`,
			`if (q->size != 1) return q->size == 0 ? reject("truncated", 0) : reject("trailing", 1);
    putc(q->data[0], out); return ok();`, `float x;
    if (q->size != 4) return q->size < 4 ? reject("truncated", 0) : reject("trailing", 4);
    memcpy(&x, q->data, 4); print_float32(out, x); return ok();`,
			`if (q->size != 4) return q->size < 4 ? reject("truncated", 0) : reject("trailing", 4);
    fwrite(q->data, 1, 4, out); return ok();`, `size_t n = q->size < 2 ? 2 : 2 + q->data[0] + 256u * q->data[1];
    if (q->size != n) return reject_somewhere(q->size < n ? "truncated" : "trailing");
    print_text(out, q->data + 2, n - 2); return ok();`,
			`size_t n = q->size < 2 ? 2 : 2 + q->data[0] + 256u * q->data[1];
    if (q->size != n) return reject_somewhere(q->size < n ? "truncated" : "trailing");
    fwrite(q->data, 1, n, out); return ok();`,
		},
	},
}

// TestSkeletons: the skeleton of an adapter for all types can be built, keeps to the
// protocol and skips everything. With the code of one type it conforms; with wrong
// code it does not.
func TestSkeletons(t *testing.T) {
	for _, c := range skeletonTests {
		t.Run(c.lang, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, c.file)
			types := "upkg.Integer<uint8>,ka.Float,ka.FastNameString,ubi.PairArray<BasicString,Array<Vector3>>,ubi,upkg,ka,uasset"
			if code, _, stderr := runIn("adapter", "new", "--lang", c.lang, "--types", types, "-o", file); code != exitOK {
				t.Fatal(stderr)
			}
			plain, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(plain), c.stub); n != len(codec.Types())*2 {
				t.Errorf("%d functions", n)
			}
			t.Chdir(dir)
			// The answers of the adapter with some text in the place of the first stubs.
			built := ""
			judge := func(bodies []string, command ...string) (int, string) {
				text := string(plain)
				for _, b := range bodies {
					text = strings.Replace(text, c.stub, b, 1)
				}
				if text != built {
					if err := os.WriteFile(c.file, []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
					if c.build != nil {
						if out, err := exec.Command(c.build[0], c.build[1:]...).CombinedOutput(); err != nil {
							t.Fatalf("%v\n%s", err, out)
						}
					}
					built = text
				}
				code, out, stderr := runIn(slices.Concat(command, []string{"--"}, c.command)...)
				return code, out + stderr
			}
			test := []string{
				"test", "--run", "upkg/Integer/*", "--run", "ka.Float", "--run", "ka.FastNameString",
				"--run", "ubi/Pair*/*",
			}
			if code, out := judge(nil, test...); code != exitFailed || !strings.Contains(out, "\n0 passed, 0 failed, ") ||
				!strings.Contains(out, ": nothing was judged") {
				t.Errorf("not filled: exit code %d\n%s", code, out)
			}
			if code, out := judge(nil, "smoke"); code != exitOK {
				t.Errorf("smoke: exit code %d\n%s", code, out)
			}
			code, out := judge(c.bodies, test...)
			if code != exitOK || !strings.Contains(out, " passed, 0 failed, ") || strings.Contains(out, "\n0 passed") {
				t.Errorf("filled: exit code %d\n%s", code, out)
			}
			if c.build != nil && !testrun.Exhaustive {
				return
			}
			wrong := slices.Clone(c.bodies)
			wrong[0] = strings.Replace(wrong[0], "trailing", "truncated", 1)
			if code, out := judge(wrong, test...); code != exitFailed || !strings.Contains(out, ": not conformant;") {
				t.Errorf("filled wrongly: exit code %d\n%s", code, out)
			}
		})
	}
}

// runIn runs a command line.
func runIn(args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &errOut)
	return code, out.String(), errOut.String()
}

// TestSkeletonNames: the functions of two types have different names.
func TestSkeletonNames(t *testing.T) {
	text, err := skeleton("python", []string{"ubi", "upkg", "ka", "uasset"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "def decode_"); ok {
			if name = strings.ToLower(strings.ReplaceAll(name, "_", "")); seen[name] {
				t.Errorf("%s occurs twice", name)
			}
			seen[name] = true
		}
	}
	if len(seen) != len(codec.Types()) {
		t.Errorf("%d functions", len(seen))
	}
}

func TestSplitTypes(t *testing.T) {
	got := splitTypes("ubi.Box, ubi.PairArray<BasicString,Array<Vector3>>,,upkg.*")
	if want := []string{"ubi.Box", "ubi.PairArray<BasicString,Array<Vector3>>", "upkg.*"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
