package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a terminal with a width.
func openTerminal(width uint16) (terminal, other *os.File, err error) {
	if terminal, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	fd := int(terminal.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width})
	}
	if err != nil {
		return nil, nil, err
	}
	other, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR, 0)
	return terminal, other, err
}

// TestListFits: on a terminal a list has a line of its width for each entry; a pipe gets
// whole lines.
func TestListFits(t *testing.T) {
	terminal, other, err := openTerminal(60)
	if err != nil {
		t.Skip("no terminal: ", err)
	}
	defer terminal.Close()
	defer other.Close()
	go run([]string{"list", "clauses", "UPKG-CI"}, strings.NewReader(""), other, os.Stderr)
	_, whole, _ := runIn("list", "clauses", "UPKG-CI")
	lines := bufio.NewScanner(terminal)
	for want := range strings.Lines(whole) {
		if !lines.Scan() {
			t.Fatal("too few lines")
		}
		got := strings.TrimRight(lines.Text(), "\r")
		if utf8.RuneCountInString(got) != 60 || !strings.HasPrefix(want, strings.TrimSuffix(got, "…")) {
			t.Errorf("%q for %q", got, want)
		}
	}
}
