package adapter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// maxLine is the maximum length of a line of the protocol in bytes.
const maxLine = 256 << 20

// Serve answers the requests in r, one per line, until r ends. The answer to an
// invalid line is error.
func Serve(ctx context.Context, r io.Reader, w io.Writer, impl Implementation) error {
	in := bufio.NewReaderSize(r, 1<<16)
	out := bufio.NewWriterSize(w, 1<<16)
	var text []byte
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var a Response
		q, err := parseRequest(line)
		if err != nil {
			a = Response{ID: q.ID, Error: &Fault{Message: fmt.Sprintf("invalid request: %v", err)}}
		} else if a, err = impl.Do(ctx, q); err != nil {
			return err
		}
		text = appendResponse(text[:0], &a)
		if _, err := out.Write(text); err != nil {
			return err
		}
		// If more requests are waiting, the answers are written together.
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// readLine reads a line including its newline. maxLine limits its length.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case err == nil && line == nil:
			return part, nil
		case err == nil:
			return append(line, part...), nil
		case errors.Is(err, io.EOF) && len(line)+len(part) > 0:
			return append(line, part...), nil // the last line may have no newline
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line)+len(part) > maxLine:
			return nil, protocolFault("a line has more than %d bytes", maxLine)
		}
		line = append(line, part...)
	}
}
