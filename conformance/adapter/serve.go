package adapter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line of the protocol in bytes.
const maxLine = 256 << 20

// Serve answers the requests that come in on r, one line each, until r ends.
// A line that is no request is answered with an error.
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
			a = Response{ID: q.ID, Error: &Fault{Message: fmt.Sprintf("this is no request: %v", err)}}
		} else if a, err = impl.Do(ctx, q); err != nil {
			return err
		}
		text = appendResponse(text[:0], &a)
		if _, err := out.Write(text); err != nil {
			return err
		}
		// More requests may wait already; then the answers go out together.
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// readLine reads up to a newline, however long.
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
			return append(line, part...), nil // the last line may lack its end
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line)+len(part) > maxLine:
			return nil, protocolFault("a line is longer than %d bytes", maxLine)
		}
		line = append(line, part...)
	}
}
