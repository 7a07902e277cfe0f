package adapter

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/formatgauge/formatgauge/internal/jsonscan"
)

const (
	// maxLine is the maximum length of a line of the protocol in bytes. After more
	// than these, a process is not read any longer.
	maxLine = 256 << 20
	// An answer may have up to answerBase bytes plus answerFactor times the bytes
	// of the expected one: it can have errors, spaces, and escapes for each
	// character.
	answerBase   = 1 << 20
	answerFactor = 8
	// answerStart is how much of a longer answer is kept.
	answerStart = 200
)

// answerLimit is the maximum length of an answer in bytes.
func answerLimit(expected int) int { return answerBase + answerFactor*expected }

func tooLong(size string, limit int) *Broken {
	return protocolFault("answer too long: %s, the limit is %d, 1 MiB plus %d times the size of the expected answer",
		size, limit, answerFactor)
}

// answerLimits are the limits of the answers of a process, in the order of the
// requests.
type answerLimits struct {
	mu     sync.Mutex
	limits []int
}

// add adds the limit of the next request. It is called before the request is sent.
func (l *answerLimits) add(limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limits = append(l.limits, limit)
}

// of returns the limit of answer n. If nothing was asked, it is that of the
// shortest answer.
func (l *answerLimits) of(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < len(l.limits) {
		return l.limits[n]
	}
	return answerBase
}

// readAnswer reads a line. A line that is longer than the limit is read to its
// end and not kept. limit is called only for a line of more than answerBase bytes.
// A last line without a newline has the error io.ErrUnexpectedEOF.
func readAnswer(in *bufio.Reader, limit func() int) received {
	var line []byte
	size, kept := 0, answerBase
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		if size > kept && kept > 0 {
			if kept = limit(); size > kept {
				kept = 0
				line = bytes.Clone(append(line, part...)[:answerStart])
			}
		}
		if kept > 0 {
			line = append(line, part...)
		}
		switch {
		case size > maxLine:
			return received{err: tooLong(fmt.Sprintf("more than %d bytes", maxLine), limit())}
		case err == nil && kept == 0:
			return received{line: line, tooLong: tooLong(fmt.Sprintf("%d bytes", size), limit())}
		case err == nil:
			return received{line: line}
		case errors.Is(err, io.EOF) && size > 0:
			return received{line: line, err: io.ErrUnexpectedEOF}
		case !errors.Is(err, bufio.ErrBufferFull):
			return received{err: err}
		}
	}
}

// readLine reads a line including its newline, which the last one may lack. maxLine
// limits its length.
func readLine(in *bufio.Reader) ([]byte, error) {
	got := readAnswer(in, func() int { return maxLine })
	if _, ok := errors.AsType[*Broken](got.err); ok {
		return nil, protocolFault("a line has more than %d bytes", maxLine)
	}
	if errors.Is(got.err, io.ErrUnexpectedEOF) {
		got.err = nil
	}
	return got.line, got.err
}

// hasID reports whether an answer, of which only the start may be known, has this
// id: then the next line may be the next answer.
func hasID(start []byte, id int64) (found bool) {
	s := jsonscan.New(start)
	_ = s.Object(func(name string) error { // the rest may be missing or invalid
		if name != "id" {
			return s.Skip()
		}
		n, err := s.Int()
		found = err == nil && n == id
		return err
	})
	return found
}
