package hexdump

import (
	"bytes"
	"strings"
	"testing"
)

func TestNotes(t *testing.T) {
	long := bytes.Repeat([]byte{0xAA}, 100)
	many := make([]Note, 60)
	for i := range many {
		many[i] = Note{Offset: i, Len: 1, Text: "note"}
	}
	for _, c := range []struct {
		name  string
		src   []byte
		notes []Note
		marks []Mark
		want  string
	}{
		{"a mark in a row", []byte{1, 2, 3}, []Note{{0, 1, "first"}, {1, 2, "rest"}}, []Mark{{2, 2, "here", true}}, `
00000000  01                       first
00000001  02 03                    rest
             ^^ here
`},
		{"the end of input", []byte{1}, []Note{{0, 1, "all"}}, []Mark{{From: 1, To: 1, Text: "here"}}, `
00000000  01                       all
00000001                           end of input
          ^^ here
`},
		{"two marks at one offset", []byte{1}, nil, []Mark{{From: 0, To: 0, Text: "one"}, {From: 0, To: 0, Text: "two"}}, `
00000000  01
          ^^ one
          ^^ two
`},
		{"notes for fewer bytes", []byte{1, 2, 3}, []Note{{0, 2, "known"}}, nil, `
00000000  01 02                    known
00000002  03
`},
		{"notes for more bytes", []byte{1, 2, 3}, []Note{{0, 2, "known"}, {2, 9, "cut"}, {11, 1, "gone"}}, nil, `
00000000  01 02                    known
00000002  03                       cut
`},
		{"notes with a gap", []byte{1, 2, 3}, []Note{{0, 1, "known"}, {2, 1, "too far"}}, nil, `
00000000  01                       known
00000001  02 03
`},
		{"no bytes", nil, nil, []Mark{{From: 0, To: 0, Text: "empty"}}, `
00000000                           end of input
          ^^ empty
`},
		{"a long run", long, []Note{{0, 100, "long"}}, []Mark{{From: 50, To: 51, Text: "here"}}, `
00000000  aa aa aa aa aa aa aa aa  long
00000008  aa aa aa aa aa aa aa aa
00000010  aa aa aa aa aa aa aa aa
          ... 24 more bytes
00000030  aa aa aa aa aa aa aa aa
                ^^ ^^ here
          ... 40 more bytes
00000060  aa aa aa aa
`},
		{"a mark over all bytes", long, []Note{{0, 100, "long"}}, []Mark{{From: 0, To: 99, Text: "all"}}, `
00000000  aa aa aa aa aa aa aa aa  long
          ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ all
00000008  aa aa aa aa aa aa aa aa
          ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^
00000010  aa aa aa aa aa aa aa aa
          ... 72 more bytes
00000060  aa aa aa aa
`},
		{"a mark beyond the input", []byte{1}, nil, []Mark{{From: 9, To: 9, Text: "far"}}, `
00000000  01
00000001                           end of input
`},
	} {
		var b bytes.Buffer
		Notes(&b, "", c.src, c.notes, c.marks, Style{})
		if got := "\n" + b.String(); got != c.want {
			t.Errorf("%s:%s\nwant%s", c.name, got, c.want)
		}
	}
	var b bytes.Buffer
	Notes(&b, "", long, many, []Mark{{From: 30, To: 30, Text: "here"}}, Style{})
	lines := strings.Count(b.String(), "\n")
	if !strings.Contains(b.String(), "^^ here") || !strings.Contains(b.String(), "more bytes") || lines > maxNotes {
		t.Errorf("expected at most %d lines, with those around the mark, found %d:\n%s", maxNotes, lines, b.String())
	}
}
