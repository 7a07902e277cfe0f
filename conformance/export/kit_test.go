package export_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/export"
)

// serverVariable makes this program a server of the protocol, which is right or not.
const serverVariable = "FORMATGAUGE_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serverVariable); kind != "" {
		serve(kind)
		return
	}
	os.Exit(m.Run())
}

// serve answers like the reference, or wrongly.
func serve(kind string) {
	if kind == "reference" {
		if err := adapter.Serve(context.Background(), os.Stdin, os.Stdout, adapter.NewReference()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	in := bufio.NewReader(os.Stdin)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		var q struct {
			ID      int64
			Op, Hex string
		}
		if err != nil || json.Unmarshal(line, &q) != nil {
			return
		}
		answer := fmt.Sprintf(`{"id":%d,"ok":{"hex":"%s"}}`, q.ID, q.Hex)
		switch {
		case q.Op == "hello" && kind == "old":
			answer = fmt.Sprintf(`{"id":%d,"hello":{"protocol":"0","name":"old","types":["a"],"operations":["roundtrip"]}}`,
				q.ID)
		case q.Op == "hello":
			answer = fmt.Sprintf(`{"id":%d,"hello":{"protocol":"1","name":"x","types":["a"],"operations":["roundtrip"],"skips":[{"type":"b","reason":"c"}]}}`, q.ID)
		case kind == "dies", kind == "dies-later" && n == 4:
			os.Exit(3)
		case kind == "hangs":
			if err := os.WriteFile(os.Getenv("FORMATGAUGE_TEST_PID"), []byte(strconv.Itoa(os.Getpid())), 0o666); err != nil {
				os.Exit(1)
			}
			time.Sleep(time.Hour)
		case kind == "twice":
			answer += "\n" + answer
		case kind == "late":
			answer = fmt.Sprintf(`{"id":%d,"ok":{"hex":""}}`, q.ID-1)
		case kind == "endless":
			answer = strings.Repeat("x", 2<<20)
		case kind == "skips":
			answer = fmt.Sprintf(`{"id":%d,"skip":{"reason":"not today"}}`, q.ID)
		case kind == "fails" && q.Hex != "":
			answer = fmt.Sprintf(`{"id":%d,"error":{"message":"out of order"}}`, q.ID)
		case strings.HasPrefix(kind, "rejects-"):
			answer = fmt.Sprintf(`{"id":%d,"reject":{"class":"%s","offset":0}}`, q.ID, strings.TrimPrefix(kind, "rejects-"))
		}
		fmt.Println(answer)
	}
}

// kitFiles returns the kit.
var kitFiles = sync.OnceValues(func() ([]export.File, error) { return export.Kit("sha256:0") })

// writeKit writes the kit with the seeds of one type, and returns its folder.
func writeKit(t *testing.T) string {
	t.Helper()
	files, err := kitFiles()
	if err != nil {
		t.Fatal(err)
	}
	var some []export.File
	for _, f := range files {
		if !strings.HasPrefix(f.Name, "seeds/") || strings.HasPrefix(f.Name, "seeds/upkg.CompactIndex/") {
			some = append(some, f)
		}
	}
	dir := filepath.Join(t.TempDir(), "kit")
	if err := export.Dir(dir, some); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestKit: each file occurs once, and the seeds are those of the types.
func TestKit(t *testing.T) {
	files, err := kitFiles()
	if err != nil {
		t.Fatal(err)
	}
	seen, seeds := map[string]bool{}, 0
	for _, f := range files {
		if seen[f.Name] || len(f.Content) == 0 || strings.ContainsAny(f.Name, "<>:*?,\"\\| ") {
			t.Errorf("%s occurs twice, is empty, or has a name that is no file on some system", f.Name)
		}
		seen[f.Name] = true
		if strings.HasPrefix(f.Name, "seeds/ubi.Pair-uint32-float32/") {
			seeds++
		}
	}
	if want := len(seedsOf(t, "ubi.Pair<uint32,float32>")); seeds != want {
		t.Errorf("%d seeds of ubi.Pair<uint32,float32>, want %d", seeds, want)
	}
	if readme := string(content(t, files, "README.md")); !strings.Contains(readme, "(sha256:0)") {
		t.Error("README.md does not name the corpus")
	}
}

// builder builds programs of the kit's C files.
type builder struct {
	dir, compiler string
	flags         []string
}

func newBuilder(t *testing.T) *builder {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the client needs POSIX")
	}
	b := &builder{
		dir: writeKit(t), compiler: program(t, "cc"),
		flags: []string{"-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", "-O1"},
	}
	sanitize := "-fsanitize=address,undefined"
	probe := exec.CommandContext(t.Context(), b.compiler, sanitize, "-x", "c", "-", "-o", filepath.Join(b.dir, "probe"))
	probe.Stdin = strings.NewReader("int main(void) { return 0; }\n")
	if probe.Run() == nil {
		b.flags = append(b.flags, sanitize, "-fno-sanitize-recover=all")
	} else {
		t.Log("the compiler has no sanitizers")
	}
	return b
}

func (b *builder) build(t *testing.T, name string, args ...string) string {
	t.Helper()
	out := filepath.Join(b.dir, name)
	cmd := exec.CommandContext(t.Context(), b.compiler, append(append(b.flags, "-o", out), args...)...)
	cmd.Dir = filepath.Join(b.dir, "c")
	if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
		t.Fatalf("%v: %v\n%s", args, err, text)
	}
	return out
}

// run runs a harness on files with some environment and returns its output and
// whether it found nothing.
func run(t *testing.T, server, harness string, environment []string, files ...string) (string, bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness, files...)
	cmd.Env = append(os.Environ(), append([]string{
		"FORMATGAUGE_TYPE=upkg.CompactIndex", "FORMATGAUGE_COMMAND='" + os.Args[0] + "'", serverVariable + "=" + server,
		"FORMATGAUGE_TIMEOUT=60",
	}, environment...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// TestKitFinds: the harnesses in C find the planted bugs with the seeds, each the one
// that it can find, and nothing without them.
func TestKitFinds(t *testing.T) {
	b := newBuilder(t)
	seeds := filepath.Join(b.dir, "seeds", "upkg.CompactIndex")
	past := ""
	if slices.Contains(b.flags, "-fno-sanitize-recover=all") {
		past = "heap-buffer-overflow"
	}
	for plant, want := range []struct{ accept, differential string }{
		{"", ""},
		{"what the writer wrote is read as another value", "the value is written as other bytes"},
		{"", "the value is written as other bytes"},
		{past, past},
	} {
		define := "-DPLANT=" + strconv.Itoa(plant)
		for _, h := range []struct{ program, want string }{
			{b.build(t, "accept", define, "fuzz_accept.c", "standalone.c", "sample_index.c"), want.accept},
			{
				b.build(t, "differential", define, "fuzz_differential.c", "reference.c", "standalone.c", "sample_index.c"),
				want.differential,
			},
		} {
			out, passed := run(t, "reference", h.program, nil, seeds)
			if passed != (h.want == "") || !strings.Contains(out, h.want) || passed &&
				!strings.Contains(out, " inputs, no finding") {
				t.Errorf("%s with %s: %.2000s\nwant %q", filepath.Base(h.program), define, out, h.want)
			}
		}
	}
}

// TestKitWithoutWriter: the harness says that it does not compare values.
func TestKitWithoutWriter(t *testing.T) {
	b := newBuilder(t)
	subject := `#include "subject.h"
enum subject_answer subject_read(const uint8_t *data, size_t size, uint8_t **written, size_t *length) {
    (void)written, (void)length;
    return size == 1 && !(data[0] & 0x40) ? SUBJECT_ACCEPT : SUBJECT_REJECT;
}
`
	for name, text := range map[string]string{"reader.c": subject, "zero": "\x00"} {
		if err := os.WriteFile(filepath.Join(b.dir, "c", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := b.build(t, "reader", "fuzz_differential.c", "reference.c", "standalone.c", "reader.c")
	const want = "the reader returns no bytes of a value: values are not compared"
	if out, passed := run(t, "reference", program, nil, filepath.Join(b.dir, "c", "zero")); !passed || !strings.Contains(out, want) {
		t.Errorf("%v, %s", passed, out)
	}
}

// TestKitClient: the client notices whatever a reference does wrong, and what is no
// difference does not end the run.
func TestKitClient(t *testing.T) {
	b := newBuilder(t)
	harness := b.build(t, "differential", "fuzz_differential.c", "reference.c", "standalone.c", "sample_index.c")
	var inputs []string
	// 0, 64, two that the sample rejects, and minus zero
	for i, data := range []string{"\x00", "\x40\x01", "\x40", "", "\x80"} {
		name := filepath.Join(b.dir, "input"+strconv.Itoa(i))
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, name)
	}
	accepted, minusZero := inputs[:2], inputs[4:]
	inputs = inputs[:4]
	const strict = "FORMATGAUGE_PROFILE=observed,upkg.ci-minus-zero=strict"
	for _, c := range []struct {
		server, want string // "" if the harness finds nothing
		environment  []string
		inputs       []string
	}{
		{"echo", "", nil, accepted},
		{"echo", "the reader rejects what the reference accepts", nil, inputs},
		{"rejects-limit", "", nil, accepted},
		{"rejects-unsupported", "", nil, inputs},
		{"rejects-range", "", nil, accepted}, // decoded, and has no encoding
		{"rejects-range", "the reader rejects what the reference accepts", nil, inputs},
		{"rejects-value", "the reader accepts what the reference rejects: value", nil, accepted},
		{"rejects-value", "", []string{"FORMATGAUGE_IGNORE=kind, value"}, accepted},
		{
			"rejects-value", "the reader accepts what the reference rejects: value",
			[]string{"FORMATGAUGE_IGNORE=values,val"},
			accepted,
		},
		{"rejects-nothing", "the answer has an unknown class", nil, accepted},
		{"dies-later", "", nil, slices.Concat(accepted, accepted)},
		{"skips", "not today", nil, accepted}, // already when it starts: the type is unknown
		{"fails", "the reference fails, twice: out of order", nil, accepted},
		{"dies", "the program ended", nil, accepted},
		{"twice", "there are two answers to one request", nil, accepted},
		{"late", "the answer has another id", nil, accepted},
		{"endless", "the answer is too long", nil, accepted},
		{"old", "the program does not speak version 1 of the protocol", nil, accepted},
		{"reference", "", nil, minusZero},
		{"reference", "the reader accepts what the reference rejects: noncanonical", []string{strict}, minusZero},
		{"reference", "", []string{strict, "FORMATGAUGE_IGNORE=noncanonical"}, minusZero},
		{"reference", "no side", []string{"FORMATGAUGE_PROFILE=upkg.ci-range=wrong"}, accepted},
		{"reference", `takes no context "or\"der"`, []string{`FORMATGAUGE_CONTEXT=or"der=big`}, accepted},
		{"reference", "expected key=value;key=value", []string{"FORMATGAUGE_CONTEXT=order"}, accepted},
		{"reference", "FORMATGAUGE_TYPE is not set", []string{"FORMATGAUGE_TYPE="}, accepted},
		{"reference", "FORMATGAUGE_TIMEOUT: expected a number of seconds", []string{"FORMATGAUGE_TIMEOUT=soon"}, accepted},
		{"reference", "", []string{"FORMATGAUGE_PROFILE=documented", "FORMATGAUGE_CONTEXT="}, inputs},
		{"reference", "", []string{"FORMATGAUGE_TYPE=ubi.FileMagic", "FORMATGAUGE_CONTEXT=order=big;"}, inputs[2:]},
		{"reference", "the program ended", []string{"FORMATGAUGE_COMMAND=formatgauge-does-not-exist"}, accepted},
	} {
		out, passed := run(t, c.server, harness, c.environment, c.inputs...)
		if passed != (c.want == "") || !strings.Contains(out, c.want) {
			t.Errorf("%s %q: %.2000s\nwant %q", c.server, c.environment, out, c.want)
		}
		if strings.Contains(out, "Sanitizer") && !strings.Contains(out, "deadly signal") && !strings.Contains(out, "ABRT") {
			t.Errorf("%s %q: %.2000s", c.server, c.environment, out)
		}
	}

	// A reference that does not answer: the client ends it.
	pid := filepath.Join(b.dir, "pid")
	out, passed := run(t, "hangs", harness, []string{"FORMATGAUGE_TIMEOUT=0.5", "FORMATGAUGE_TEST_PID=" + pid},
		accepted...)
	if passed || !strings.Contains(out, "the time is over") {
		t.Errorf("hangs: %.2000s", out)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Skipf("the reference did not start in 5 seconds: %v", err)
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(n)
	stat, _ := os.ReadFile("/proc/" + string(text) + "/stat") // a process that ended may wait for its parent
	if err == nil && p.Signal(syscall.Signal(0)) == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %d is still there", n)
	}
}

// TestKitAnswers: the scanner of the client takes each form of an answer, and nothing
// else.
func TestKitAnswers(t *testing.T) {
	b := newBuilder(t)
	parser := b.build(t, "answers", "-I.", absolute(t, "testdata/answers.c"), "reference.c")
	deep := strings.Repeat("[", 1000)
	cases := []struct{ line, want string }{
		{`{"id":7,"ok":{"hex":"00ff"}}`, "accepts 00ff"},
		{`{"id":7,"ok":{"hex":""}}`, "accepts "},
		{" \t{ \"ok\" : { \"hex\" : \"0A\" } , \"id\" : 7 }\r", "accepts 0a"},
		{`{"\u0069d":7,"o\u006b":{"hex":"\u0030\u0031"}}`, "accepts 01"},
		{`{"id":7,"reject":{"class":"value"}}`, "rejects value"},
		{
			`{"id":7,"reject":{"class":"tr\u0075ncated","offset":12,"path":"a[\"\\]","message":"\ud83d\ude00 \n \/ é"}}`,
			"rejects truncated",
		},
		{`{"id":7,"reject":{"class":"range"}}`, "accepts range"},
		{`{"id":7,"skip":{"reason":"no","url":"u"}}`, "skips no"},
		{`{"id":7,"error":{"message":"a\u0000b\u20acc"}}`, "fails a?b?c"},
		{`{"id":7,"hello":{"protocol":"1","types":["a",{"b":[1,-0.5e+7,true,false,null,{}],"c":[]}]}}`, "hello 1"},

		{`{"id":8,"ok":{"hex":"00"}}`, "broken the answer has another id"},
		{`{"id":70,"ok":{"hex":"00"}}`, "broken the answer has another id"},
		{`{"id":7.0,"ok":{"hex":"00"}}`, "broken the answer has another id"},
		{`{"id":-7,"ok":{"hex":"00"}}`, "broken the answer has another id"},
		{`{"ok":{"hex":"00"}}`, "broken the answer has another id"},
		{`{}`, "broken the answer has another id"},
		{`{"id":7}`, "broken the answer has none of ok, reject, skip, error and hello"},
		{
			`{"id":7,"ok":{"hex":"00"},"skip":{"reason":"x"}}`,
			"broken the answer has two of ok, reject, skip, error and hello",
		},
		{`{"id":7,"ok":{}}`, "broken a field of the answer is missing"},
		{`{"id":7,"reject":{"offset":0}}`, "broken a field of the answer is missing"},
		{`{"id":7,"reject":{"class":"wrong"}}`, "broken the answer has an unknown class"},
		{`{"id":7,"ok":{"hex":"0"}}`, "broken hex of the answer is not pairs of hex digits"},
		{`{"id":7,"ok":{"hex":"0g"}}`, "broken hex of the answer is not pairs of hex digits"},
		{`{"id":7,"ok":{"hex":"00\u000000"}}`, "broken hex of the answer is not pairs of hex digits"},
		{`{"id":7,"ok":{"hex":"00"}} {}`, "broken text follows the answer"},
		{`{"id":7,"ok":{"hex":"00"}}}`, "broken text follows the answer"},
	}
	for _, line := range []string{
		``, ` `, `{`, `}`, `[]`, `null`, `"id"`, `{"id"`, `{"id":`, `{"id":7`, `{"id":7,`, `{"id":7,}`, `{"id" 7}`, `{id:7}`,
		`{'id':7}`, `{"id":7,"ok":{"hex":"00"}`,
		`{"id":7,"id":7,"ok":{"hex":"00"}}`, `{"id":7,"ok":{"hex":"00","hex":"00"}}`, `{"id":7,"ok":{"hex":"00"},"more":1}`,
		`{"id":7,"ok":{"hex":"00","tree":"0"}}`,
		`{"ID":7,"ok":{"hex":"00"}}`, `{"id":"7","ok":{"hex":"00"}}`, `{"id":07,"ok":{"hex":"00"}}`,
		`{"id":+7,"ok":{"hex":"00"}}`, `{"id":7.,"ok":{"hex":"00"}}`, `{"id":7e,"ok":{"hex":"00"}}`,
		`{"id":7,"ok":null}`, `{"id":7,"ok":["hex","00"]}`, `{"id":7,"ok":{"hex":null}}`, `{"id":7,"ok":{"hex":["00"]}}`,
		`{"id":7,"ok":{"hex":0}}`,
		`{"id":7,"ok":{"hex":"00`, `{"id":7,"ok":{"hex":"00\`, `{"id":7,"ok":{"hex":"00\"`, `{"id":7,"ok":{"hex":"00\u`,
		`{"id":7,"ok":{"hex":"00\u00`, `{"id":7,"ok":{"hex":"\x30"}}`, `{"id":7,"ok":{"hex":"\u00g0"}}`,
		"{\"id\":7,\"ok\":{\"hex\":\"0\t0\"}}", "{\"id\":7,\"ok\":{\"hex\":\"0\x000\"}}", "\x00", "\xff",
		`{"id":7,"hello":{"protocol":"1","types":` + deep, `{"id":7,"hello":{"protocol":"1","types":` +
			deep + strings.Repeat("]", 1000) + `}}`,
		`{"id":7,"hello":{"protocol":"1","types":tru}}`, `{"id":7,"hello":{"protocol":"1","types":[1,]}}`,
		`{"id":7,"hello":{"protocol":"1","types":[1}}`, `{"id":7,"hello":{"protocol":"1","types":{"a"}}}`,
		`{"id":7,"hello":{"protocol":"1","types":-}}`,
		`{"id":7,"hello":{"protocol":1}}`,
	} {
		cases = append(cases, struct{ line, want string }{line, "broken the answer is not one of the protocol"})
	}
	var in strings.Builder
	for _, c := range cases {
		in.WriteString(c.line + "\n")
	}
	cmd := exec.CommandContext(t.Context(), parser)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.CombinedOutput()
	got := strings.Split(string(out), "\n")
	if err != nil || len(got) != len(cases)+1 {
		t.Fatalf("%v, %d answers of %d:\n%s", err, len(got)-1, len(cases), out)
	}
	for i, c := range cases {
		if got[i] != c.want {
			t.Errorf("%.200s: got %s, want %s", c.line, got[i], c.want)
		}
	}
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	full, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// TestKitGo: the harness in Go passes on the seeds, and finds the planted bug.
func TestKitGo(t *testing.T) {
	dir := writeKit(t)
	for plant, want := range map[string]string{"0": "ok", "1": "is read as another value"} {
		cmd := exec.CommandContext(t.Context(), program(t, "go"), "test", "-count=1", ".")
		cmd.Dir = filepath.Join(dir, "go")
		cmd.Env = append(os.Environ(), "FORMATGAUGE_PLANT="+plant, "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local")
		out, err := cmd.CombinedOutput()
		if (err == nil) != (plant == "0") || !strings.Contains(string(out), want) {
			t.Errorf("plant %s: %v\n%s", plant, err, out)
		}
	}
}
