package adapter

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
)

// endless gives the byte a without end, and counts.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	e.given += len(p)
	return len(p), nil
}

// TestLongAnswersAreNotKept: of an answer above its limit, the start is kept, and
// the next answer is read as usual.
func TestLongAnswersAreNotKept(t *testing.T) {
	const long = 10 << 20
	in := bufio.NewReaderSize(io.MultiReader(
		strings.NewReader(`{"id":7,"ok":{"hex":"`), io.LimitReader(&endless{}, long),
		strings.NewReader("\"}}\n{\"id\":8}\n"),
		io.LimitReader(&endless{}, answerBase), strings.NewReader("\nlast"),
	), 1<<16)
	var l answerLimits
	l.add(answerLimit(1000))
	asked := 0
	limit := func() int { asked++; return l.of(0) }
	got := readAnswer(in, limit)
	if got.tooLong == nil ||
		!strings.HasPrefix(got.tooLong.Detail, "answer too long: 10485785 bytes, the limit is 1056576,") {
		t.Errorf("%v", got.tooLong)
	}
	if cap(got.line) > 2*answerStart || !hasID(got.line, 7) || hasID(got.line, 8) || hasID(got.line, 1) {
		t.Errorf("%d bytes are kept: %q", cap(got.line), got.line)
	}
	if !hasID([]byte(`{"id":7.0,"ok":{"hex":"0`), 7) || !hasID([]byte(`{"error":{},"id":7`), 7) {
		t.Error("the id is not found")
	}
	asked = 0
	if got := readAnswer(in, limit); string(got.line) != "{\"id\":8}\n" || got.tooLong != nil || asked > 0 {
		t.Errorf("%+v", got)
	}
	if got := readAnswer(in, limit); len(got.line) != answerBase+1 || got.tooLong != nil {
		t.Errorf("%d bytes, %v", len(got.line), got.tooLong)
	}
	if got := readAnswer(in, limit); string(got.line) != "last" || got.err != io.ErrUnexpectedEOF {
		t.Errorf("%+v", got)
	}
	if got := readAnswer(in, limit); got.err != io.EOF {
		t.Errorf("%+v", got)
	}
	if line, err := readLine(bufio.NewReader(strings.NewReader("last"))); string(line) != "last" || err != nil {
		t.Errorf("a last request without a newline: %q, %v", line, err)
	}
	if got := l.of(1); got != answerBase {
		t.Errorf("limit of an answer to nothing: %d", got)
	}
}

// TestEndlessAnswer: an answer without end is read up to a bound.
func TestEndlessAnswer(t *testing.T) {
	e := &endless{}
	got := readAnswer(bufio.NewReaderSize(e, 1<<16), func() int { return answerBase })
	if got.err == nil || !strings.Contains(got.err.Error(), "answer too long: more than 268435456 bytes") ||
		e.given > maxLine+1<<17 {
		t.Errorf("%v after %d bytes", got.err, e.given)
	}
}

// TestLongOutputIsNotKept: the output of a command that runs once per case is
// counted above its limit.
func TestLongOutputIsNotKept(t *testing.T) {
	out := limitedBuffer{limit: answerLimit(0)}
	for range 100 {
		if n, err := out.Write(bytes.Repeat([]byte("a"), 100_000)); n != 100_000 || err != nil ||
			cap(out.kept) > 3*answerBase {
			t.Fatal(n, err, cap(out.kept))
		}
	}
	if out.size != 10_000_000 || out.kept != nil {
		t.Errorf("%d bytes, %d kept", out.size, len(out.kept))
	}
}
