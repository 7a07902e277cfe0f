package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// skeletonTests has a row per language: the file; the command that builds it, if any; the
// command that runs it; the most lines of the frame; what stands for the two functions of a type, and what names those numbered N; and
// these functions of upkg.Integer<uint8>, ka.Float and ka.FastNameString, with the line
// before which they are written.
var skeletonTests = []struct {
	lang, file, build, command string
	frame                      int
	stub, names                string
	before, functions          string
}{
	{
		lang: "python", file: "adapter.py", command: "python3 adapter.py", frame: 120,
		stub: "skip, skip", names: "dN, eN", before: "TYPES = {",
		functions: `
def d0(data, context):
    if len(data) != 1:
        raise Reject("trailing", 1, "more") if data else Reject("truncated", 0)
    return str(data[0])
def e0(tree, context):
    if not 0 <= int(tree) < 256:
        raise Reject("range", None, "great")
    return bytes([int(tree)])
def d1(data, context):
    if len(data) != 4:
        raise Reject("trailing", 4) if len(data) > 4 else Reject("truncated", 0)
    return float_tree(data)
def e1(tree, context): return float_bytes(tree, 4)
def d2(data, context):
    if len(data) < 2 or len(data) != 2 + data[0] + 256 * data[1]:
        raise Reject("truncated" if len(data) < 2 or len(data) < 2 + data[0] + 256 * data[1] else "trailing")
    return text_tree(data[2:])
def e2(tree, context):
    text = text_bytes(tree)
    if len(text) > 65535:
        raise Reject("range")
    return struct.pack("<H", len(text)) + text
`,
	},
	{
		lang: "javascript", file: "adapter.mjs", command: "node adapter.mjs", frame: 120,
		stub: "skip, skip", names: "dN, eN", before: "const types = {",
		functions: `
const d0 = (data) => { if (data.length !== 1) throw data.length ? new Reject('trailing', 1, 'more') : new Reject('truncated', 0); return String(data[0]); };
const e0 = (tree) => { if (!(tree >= 0 && tree < 256)) throw new Reject('range', undefined, 'great'); return Buffer.from([Number(tree)]); };
const d1 = (data) => { if (data.length !== 4) throw data.length > 4 ? new Reject('trailing', 4) : new Reject('truncated', 0); return floatTree(data); };
const e1 = (tree) => floatBytes(tree, 4);
const d2 = (data) => { const end = data.length < 2 ? 2 : 2 + data.readUInt16LE(); if (data.length !== end) throw new Reject(data.length < end ? 'truncated' : 'trailing'); return textTree(data.subarray(2)); };
const e2 = (tree) => { const text = textBytes(tree); if (text.length > 65535) throw new Reject('range'); return Buffer.concat([Buffer.from([text.length & 255, text.length >> 8]), text]); };
`,
	},
	{
		lang: "go", file: "main.go", build: "go build -o adapter main.go", command: "./adapter", frame: 220,
		stub: "nil, nil}", names: "dN, eN}", before: "var types = []struct {",
		functions: `
type ctx = map[string]string
func d0(data []byte, _ ctx) (any, error) { if len(data) == 0 { return nil, reject{"truncated", 0, ""} }; if len(data) > 1 { return nil, reject{"trailing", 1, "more"} }; return fmt.Sprint(data[0]), nil }
func e0(tree any, _ ctx) ([]byte, error) { var n int; fmt.Sscan(tree.(string), &n); if n < 0 || n > 255 { return nil, reject{"range", -1, "great"} }; return []byte{byte(n)}, nil }
func d1(data []byte, _ ctx) (any, error) { if len(data) < 4 { return nil, reject{"truncated", 0, ""} }; if len(data) > 4 { return nil, reject{"trailing", 4, ""} }; bits := uint64(data[0]) | uint64(data[1])<<8 | uint64(data[2])<<16 | uint64(data[3])<<24; return floatTree(bits, 32), nil }
func e1(tree any, _ ctx) ([]byte, error) { if nan, _ := floatBits("nan", 64); nan != 0x7ff8<<48 { panic(nan) }; bits, err := floatBits(tree.(string), 32); return []byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)}, err }
func d2(data []byte, _ ctx) (any, error) { if len(data) < 2 { return nil, reject{"truncated", -1, ""} }; n := 2 + int(data[0]) + int(data[1])<<8; if len(data) < n { return nil, reject{"truncated", -1, ""} }; if len(data) > n { return nil, reject{"trailing", n, ""} }; return textTree(data[2:]), nil }
func e2(tree any, _ ctx) ([]byte, error) { text, err := textBytes(tree); if len(text) > 65535 { return nil, reject{"range", -1, ""} }; return append([]byte{byte(len(text)), byte(len(text) >> 8)}, text...), err }
`,
	},
	{
		lang: "c", file: "adapter.c", build: "gcc -std=c99 -O2 -Wall -Wextra -Werror -o adapter adapter.c -lm",
		command: "./adapter", frame: 330,
		stub: "unwritten, unwritten}", names: "dN, eN}", before: "static struct answer unwritten(",
		functions: `
#define DECODER(name) static struct answer name(const struct request *q, FILE *out)
DECODER(d0) {
    if (q->size != 1) return q->size == 0 ? reject("truncated", 0, "none") : reject("trailing", 1, "more \"bytes\"");
    fprintf(out, "\"%d\"", q->data[0]); return ok();
}
DECODER(e0) {
    if (q->size != 1) return q->size == 0 ? reject("truncated", 0, "") : reject("trailing", 1, "");
    putc(q->data[0], out); return ok();
}
DECODER(d1) {
    float x;
    if (q->size != 4) return q->size < 4 ? reject("truncated", 0, "") : reject("trailing", 4, "");
    memcpy(&x, q->data, 4); print_float32(out, x); return ok();
}
DECODER(e1) {
    if (q->size != 4) return q->size < 4 ? reject("truncated", 0, "") : reject("trailing", 4, "");
    fwrite(q->data, 1, 4, out); return ok();
}
DECODER(d2) {
    size_t n = q->size < 2 ? 2 : 2 + q->data[0] + 256u * q->data[1];
    if (q->size != n) return reject_somewhere(q->size < n ? "truncated" : "trailing", "size");
    print_text(out, q->data + 2, n - 2); return ok();
}
DECODER(e2) {
    size_t n = q->size < 2 ? 2 : 2 + q->data[0] + 256u * q->data[1];
    if (q->size != n) return reject_somewhere(q->size < n ? "truncated" : "trailing", "size");
    fwrite(q->data, 1, n, out); return ok();
}
`,
	},
	{
		lang: "java", file: "Adapter.java",
		build:   "javac -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -Xlint:all -Werror Adapter.java",
		command: "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 Adapter", frame: 330,
		stub: "Adapter::skip, Adapter::skip", names: "Adapter::dN, Adapter::eN",
		before: "  static final List<String> OPERATIONS",
		functions: `
  static Object d0(byte[] b, Map<String, Object> c) { if (b.length != 1) throw b.length > 1 ? new Reject("trailing", 1, "more") : new Reject("truncated", 0, null); return "" + (b[0] & 255); }
  static byte[] e0(Object t, Map<String, Object> c) { int n = new java.math.BigInteger((String) t).min(java.math.BigInteger.valueOf(256)).intValue(); if (n < 0 || n > 255) throw new Reject("range", -1, "great"); return new byte[] {(byte) n}; }
  static Object d1(byte[] b, Map<String, Object> c) { if (b.length != 4) throw b.length > 4 ? new Reject("trailing", 4, "more") : new Reject("truncated", 0, ""); return floatTree(b); }
  static byte[] e1(Object t, Map<String, Object> c) { return floatBytes((String) t, 4); }
  static Object d2(byte[] b, Map<String, Object> c) { int n = b.length < 2 ? 2 : 2 + (b[0] & 255) + 256 * (b[1] & 255); if (b.length != n) throw new Reject(b.length < n ? "truncated" : "trailing", -1, "size"); return textTree(java.util.Arrays.copyOfRange(b, 2, n)); }
  static byte[] e2(Object t, Map<String, Object> c) { byte[] b = textBytes(t); if (b.length > 65535) throw new Reject("range", -1, "long"); return ByteBuffer.allocate(2 + b.length).put((byte) b.length).put((byte) (b.length >> 8)).put(b).array(); }
`,
	},
	{
		lang: "rust", file: "adapter.rs", build: "rustc --edition 2021 -D warnings -o adapter adapter.rs",
		command: "./adapter", frame: 330,
		stub: "no_decoder, no_encoder)", names: "dN, eN)", before: "const OPERATIONS",
		functions: `
fn no<T>(class: &'static str, at: Option<usize>) -> Result<T, Fault> { Err(Fault::Reject(class, at, "wrong \"size\"".into())) }
fn as_text(tree: &Json) -> &str { if let Json::Text(t) = tree { t } else { "?" } }
fn d0(b: &[u8], _: &Json) -> Result<Json, Fault> { match b { [n] => Ok(n.to_string().into()), [] => no("truncated", Some(0)), _ => no("trailing", Some(1)) } }
fn e0(t: &Json, _: &Json) -> Result<Vec<u8>, Fault> { as_text(t).parse().map(|n| vec![n]).or_else(|_| no("range", None)) }
fn d1(b: &[u8], _: &Json) -> Result<Json, Fault> { match b.try_into() { Ok(b) => Ok(float32_tree(u32::from_le_bytes(b))), _ if b.len() < 4 => no("truncated", Some(0)), _ => no("trailing", Some(4)) } }
fn e1(t: &Json, _: &Json) -> Result<Vec<u8>, Fault> { Ok(float32_bits(as_text(t))?.to_le_bytes().into()) }
fn d2(b: &[u8], _: &Json) -> Result<Json, Fault> {
    let n = if b.len() < 2 { 2 } else { 2 + b[0] as usize + 256 * b[1] as usize };
    if b.len() == n { Ok(text_tree(&b[2..])) } else { no(if b.len() < n { "truncated" } else { "trailing" }, None) }
}
fn e2(t: &Json, _: &Json) -> Result<Vec<u8>, Fault> {
    let b = text_bytes(t)?;
    if b.len() > 65535 { no("range", None) } else { Ok([&(b.len() as u16).to_le_bytes(), &b[..]].concat()) }
}
`,
	},
}

// TestSkeletons: the skeleton of an adapter for all types can be built, keeps to the
// protocol and skips everything. With the code of one type it conforms; with wrong
// code it does not.
func TestSkeletons(t *testing.T) {
	for _, c := range skeletonTests {
		t.Run(c.lang, func(t *testing.T) {
			build, command := strings.Fields(c.build), strings.Fields(c.command)
			if _, err := exec.LookPath(append(slices.Clip(build), command...)[0]); err != nil {
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
			count := len(codec.Types())
			if n := strings.Count(string(plain), c.stub); n != count {
				t.Errorf("%d pairs of functions", n)
			}
			if n := strings.Count(string(plain), "\n"); n > c.frame+3*count {
				t.Errorf("%d lines; %d are more than the frame", n, n-3*count)
			}
			t.Chdir(dir)
			// The answers of the adapter with functions in the place of the first stubs.
			built := ""
			judge := func(functions string, args ...string) (int, string) {
				text := string(plain)
				for i := 0; functions != "" && i < 3; i++ {
					text = strings.Replace(text, c.stub, strings.ReplaceAll(c.names, "N", strconv.Itoa(i)), 1)
				}
				text = strings.Replace(text, c.before, functions+c.before, 1)
				if text != built {
					if err := os.WriteFile(c.file, []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
					if len(build) > 0 {
						if out, err := exec.Command(build[0], build[1:]...).CombinedOutput(); err != nil {
							t.Fatalf("%v\n%s", err, out)
						}
					}
					built = text
				}
				code, out, stderr := runIn(slices.Concat(args, []string{"--"}, command)...)
				return code, out + stderr
			}
			test := []string{
				"test", "--run", "upkg/Integer/*", "--run", "ka.Float", "--run", "ka.FastNameString",
				"--run", "ubi/Pair/*", "--run", "ubi/PairArray/key-*",
				"--skip", "ka/FastNameString/longer-than-1024", // longest is longer, and has fewer derived cases
			}
			thorough := c.lang == "javascript" || testrun.Exhaustive // .ci/languages tries all without functions
			if thorough {
				if code, out := judge("", append(test, "--no-derived")...); code != exitFailed || !strings.Contains(out, "\n0 passed, 0 failed, ") ||
					!strings.Contains(out, ": nothing was judged") {
					t.Errorf("not filled: exit code %d\n%s", code, out)
				}
				if code, out := judge("", "smoke"); code != exitOK {
					t.Errorf("smoke: exit code %d\n%s", code, out)
				}
			}
			code, out := judge(c.functions, test...)
			if code != exitOK || !strings.Contains(out, " passed, 0 failed, ") || strings.Contains(out, "\n0 passed") {
				t.Errorf("filled: exit code %d\n%s", code, out)
			}
			if !thorough {
				return
			}
			wrong := strings.Replace(c.functions, "trailing", "truncated", 1)
			if code, out := judge(wrong, "test", "--run", "upkg.Integer<uint8>"); code != exitFailed || !strings.Contains(out, ": not conformant\n") {
				t.Errorf("filled wrongly: exit code %d\n%s", code, out)
			}
		})
	}
}
