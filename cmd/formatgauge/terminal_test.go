package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// TestBinaryToTerminal: bytes are not printed to a terminal, unless that is asked for.
func TestBinaryToTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal: ", err)
	}
	defer terminal.Close()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"encode", "upkg.CompactIndex"}, exitTrouble, "the output is not text: name a file with --output"},
		{[]string{"encode", "upkg.CompactIndex", "-o", "-"}, exitOK, ""},
	} {
		var stderr bytes.Buffer
		if code := run(c.args, strings.NewReader(`"64"`), terminal, &stderr); code != c.code ||
			!strings.Contains(stderr.String(), c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, code, &stderr)
		}
	}
}

// TestTerminalAsInput: a command that waits for a terminal says so.
func TestTerminalAsInput(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal: ", err)
	}
	said, stderr := io.Pipe()
	go func() {
		run([]string{"decode", "upkg.CompactIndex"}, terminal, io.Discard, stderr)
		stderr.Close()
	}()
	line, _ := bufio.NewReader(said).ReadString('\n')
	if !strings.Contains(line, "reading standard input, a terminal") {
		t.Errorf("stderr begins with %q", line)
	}
	terminal.Close()
	said.Close()
}
