package adapter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// Serve answers the requests in r, one per line, until r ends. The answer to an
// invalid line is error.
func Serve(ctx context.Context, r io.Reader, w io.Writer, impl Implementation) error {
	in := bufio.NewReaderSize(r, 1<<16)
	out := bufio.NewWriterSize(w, 1<<16)
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var a Response
		var q Request
		if err := scanMessage(line, &q); err != nil {
			a = Response{ID: q.ID, Error: &Fault{Message: fmt.Sprintf("invalid request: %v", err)}}
		} else if a, err = impl.Do(ctx, q); err != nil {
			return err
		}
		if _, err := out.Write(appendMessage(out.AvailableBuffer(), &a)); err != nil {
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
