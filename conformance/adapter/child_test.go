package adapter

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/internal/testrun"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "adapter" {
		runAdapter(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runAdapter rejects each input. The mode selects a fault, which the input 80 triggers.
func runAdapter(mode string) {
	if mode == "hangs" {
		time.Sleep(time.Minute)
	}
	var last []byte
	requests := bufio.NewScanner(os.Stdin)
	if mode == "one-block" { // takes what one call returns for one line
		requests.Split(func(data []byte, _ bool) (int, []byte, error) {
			return len(data), append([]byte(nil), data...), nil // nil at the end
		})
	}
	for requests.Scan() {
		var q Request
		if scanMessage(requests.Bytes(), &q) != nil {
			os.Exit(4)
		}
		if q.Op == OpHello {
			os.Stdout.Write(appendMessage(nil, &Response{ID: q.ID, Hello: &Hello{
				Protocol: Version, Name: "n", Types: []string{"upkg.CompactIndex"}, Operations: []Op{OpDecode},
			}}))
			continue
		}
		answer := appendMessage(nil, &Response{ID: q.ID, Reject: &Reject{Class: "value"}})
		switch isTrigger := *q.Hex == "80"; {
		case mode == "half" && isTrigger:
			os.Stdout.Write(answer[:9])
			fmt.Fprintln(os.Stderr, "Segmentation fault")
			os.Exit(3)
		case mode == "no-newline" && isTrigger:
			os.Stdout.Write(bytes.TrimSpace(answer))
			os.Exit(0)
		case mode == "two-faults" && isTrigger:
			os.Exit(3)
		case mode == "two-faults":
			answer = []byte("-\n")
		case mode == "twice" && isTrigger:
			number := fmt.Appendf(nil, "%d", q.ID)
			answer = slices.Concat(answer, bytes.Replace(answer, number, fmt.Appendf(number, ".0"), 1))
		case mode == "stderr":
			if _, err := fmt.Fprintln(os.Stderr, "decoding"); err != nil {
				os.Exit(1)
			}
		}
		os.Stdout.Write(answer)
		last = answer
	}
	switch mode {
	case "last-twice":
		os.Stdout.Write(last)
	case "farewell":
		fmt.Println("bye")
	case "farewell-without-newline":
		fmt.Print("bye")
	case "fails-at-the-end":
		os.Exit(5)
	}
}

// executable returns this program, which is an adapter too.
func executable(t *testing.T) string {
	t.Helper()
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// fullDisk fails to write.
type fullDisk struct{ writes int }

func (f *fullDisk) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("no space left")
}

// TestFaultsOfProcesses: what is wrong, at which request, and at the end.
func TestFaultsOfProcesses(t *testing.T) {
	self := executable(t)
	inputs := []string{"00", "80", "01", "02"}
	for _, c := range []struct {
		mode  string
		at    int // index of the input with the fault
		fault string
		end   string
	}{
		{"half", 1, `crash: the process ended: exit status 3; received "{\"id\":…` +
			` without a newline; stderr: Segmentation fault`, ""},
		{"no-newline", 1, "crash: the process ended before its input did: an adapter reads requests until its input ends" +
			`; received "{\"id\":…\"value\"}}" without a newline`, ""},
		{"twice", 2, `protocol: expected id …, found a second answer to "{\"id\":…\"hex\":\"80\"}": "{\"id\":`, ""},
		{"last-twice", -1, "", `protocol: second answer to "{\"id\":…\"hex\":\"02\"}": "{\"id\":`},
		{"one-block", 0, "crash: the process ended: exit status 4", ""},
		{"stderr", -1, "", ""},
		{"farewell", -1, "", `protocol: output after the end of the input: "bye\n"`},
		{
			"farewell-without-newline", -1, "",
			`protocol: output after the end of the input; received "bye" without a newline`,
		},
		{"fails-at-the-end", -1, "", "crash: after the end of its input the process ended: exit status 5"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			child, err := NewChild([]string{self, "adapter", c.mode}, Options{Timeout: testrun.Answer, Stderr: &fullDisk{}})
			if err != nil {
				t.Fatal(err)
			}
			var qs []Request
			rounds := 1
			if c.mode == "half" {
				rounds = 6 // more faults than make the judge give an adapter up that never answers
			}
			for range rounds {
				for i := range inputs {
					qs = append(qs, Request{Op: OpDecode, Type: "upkg.CompactIndex", Hex: &inputs[i]})
				}
				child.DoAll(t.Context(), qs[len(qs)-len(inputs):], func(i int, _ Response, err error) {
					if i != c.at && err != nil || i == c.at && !matches(err, c.fault) {
						t.Errorf("input %s: %v", inputs[i], err)
					}
				})
			}
			if err := child.Close(); c.end != "" && !matches(err, c.end) || c.end == "" && err != nil {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

// matches reports whether an error begins with a text, in which … is any text.
func matches(err error, text string) bool {
	if err == nil {
		return false
	}
	parts := strings.Split(text, "…")
	rest, ok := strings.CutPrefix(err.Error(), parts[0])
	for _, part := range parts[1:] {
		var found bool
		_, rest, found = strings.Cut(rest, part)
		ok = ok && found
	}
	return ok
}

// TestGivenUp: after five faults of any kind without an answer, and after 200
// timeouts of a command that runs once per case, nothing more is asked.
func TestGivenUp(t *testing.T) {
	self := executable(t)
	child, err := NewChild([]string{self, "adapter", "two-faults"}, Options{Timeout: testrun.Answer})
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	once, err := NewOneshot("'"+self+"' adapter hangs", "observed", Options{Timeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		impl Implementation
		kind BrokenKind // of the faults that count; empty for all
		want int
		text string
	}{
		{child, "", 5, "the adapter was given up after 5 faults without an answer; the last one: the process ended"},
		{once, Timeout, maxFaults, "the adapter was given up after 200 timeouts"},
	} {
		asked, last := 0, &Broken{}
		for i := 0; i < 5*maxFaults && !last.NotAsked; i++ {
			input := []string{"80", "00"}[i%2]
			_, err := c.impl.Do(t.Context(), Request{Op: OpDecode, Type: "upkg.CompactIndex", Hex: &input})
			if !errors.As(err, &last) {
				t.Fatal(err)
			}
			if !last.NotAsked && (c.kind == "" || c.kind == last.Kind) {
				asked++
			}
		}
		if asked != c.want || !strings.HasPrefix(last.Detail, c.text) {
			t.Errorf("after %d faults: %v", asked, last)
		}
	}
}
