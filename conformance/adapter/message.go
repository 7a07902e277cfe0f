package adapter

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/jsonscan"
	"github.com/formatgauge/formatgauge/spec"
)

// Messages are parsed strictly: an unknown name, a repeated name and a wrong JSON
// type are errors. Otherwise a misspelled offset would not be judged. The JSON
// Schemas in this folder state the same; a test compares the two.

// appendRequest appends a request as one line.
func appendRequest(b []byte, q *Request) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), q.ID, 10)
	b = appendText(append(b, `,"op":`...), string(q.Op))
	if q.Type != "" {
		b = appendText(append(b, `,"type":`...), q.Type)
	}
	if q.Profile != "" {
		b = appendText(append(b, `,"profile":`...), q.Profile)
	}
	if len(q.Context) > 0 {
		b = append(b, `,"context":{`...)
		for i, k := range slices.Sorted(maps.Keys(q.Context)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(append(appendText(b, k), ':'), q.Context[k])
		}
		b = append(b, '}')
	}
	if q.Hex != nil {
		b = appendText(append(b, `,"hex":`...), *q.Hex)
	}
	if q.File != "" {
		b = appendText(append(b, `,"file":`...), q.File)
	}
	if q.Tree != nil {
		b = q.Tree.AppendJSON(append(b, `,"tree":`...))
	}
	return append(b, "}\n"...)
}

// appendResponse appends an answer as one line.
func appendResponse(b []byte, a *Response) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), a.ID, 10)
	switch {
	case a.OK != nil && a.OK.Spans == nil:
		b = append(b, `,"ok":{`...)
		comma := false
		name := func(s string) {
			if comma {
				b = append(b, ',')
			}
			comma = true
			b = append(b, s...)
		}
		if a.OK.Tree != nil {
			name(`"tree":`)
			b = a.OK.Tree.AppendJSON(b)
		}
		if a.OK.Consumed != nil {
			name(`"consumed":`)
			b = strconv.AppendInt(b, int64(*a.OK.Consumed), 10)
		}
		if a.OK.Hex != nil {
			name(`"hex":`)
			b = appendText(b, *a.OK.Hex)
		}
		b = append(b, '}')
	case a.Reject != nil:
		b = appendText(append(b, `,"reject":{"class":`...), a.Reject.Class)
		if a.Reject.Offset != nil {
			b = strconv.AppendInt(append(b, `,"offset":`...), int64(*a.Reject.Offset), 10)
		}
		if a.Reject.Path != "" {
			b = appendText(append(b, `,"path":`...), a.Reject.Path)
		}
		if a.Reject.Message != "" {
			b = appendText(append(b, `,"message":`...), a.Reject.Message)
		}
		b = append(b, '}')
	default: // rare: speed does not matter
		full, err := json.Marshal(a)
		if err != nil {
			full = fmt.Appendf(nil, `{"id":%d,"error":{"message":"the answer cannot be written as JSON"}}`, a.ID)
		}
		b = append(b[:0], full...)
		return append(b, '\n')
	}
	return append(b, "}\n"...)
}

func appendText(b []byte, s string) []byte { return tree.Node{Kind: tree.Text, Text: s}.AppendJSON(b) }

// scanFields scans an object that may have only the known fields.
func scanFields(s *jsonscan.Scanner, known map[string]func() error) error {
	return s.Object(func(name string) error {
		read, ok := known[name]
		if !ok {
			return fmt.Errorf("unknown field %q; the fields are %v", name, slices.Sorted(maps.Keys(known)))
		}
		if err := read(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

func scanText[T ~string](s *jsonscan.Scanner, into *T) func() error {
	return func() error {
		v, err := s.String()
		*into = T(v)
		return err
	}
}

func scanTexts[T ~string](s *jsonscan.Scanner, into *[]T) func() error {
	return func() error {
		*into = []T{}
		return s.Array(func() error {
			v, err := s.String()
			*into = append(*into, T(v))
			return err
		})
	}
}

func scanCount(s *jsonscan.Scanner, into **int) func() error {
	return func() error {
		v, err := s.Int()
		if err == nil && (v < 0 || v > maxCount) {
			err = fmt.Errorf("%d is not a number of bytes from 0 to 2147483647", v)
		}
		n := int(v)
		*into = &n
		return err
	}
}

// maxCount is greater than the length of any input, and fits an int on all
// systems.
const maxCount = 1<<31 - 1

func scanNode(s *jsonscan.Scanner, into **tree.Node) func() error {
	return func() error {
		n, err := tree.Scan(s)
		*into = &n
		return err
	}
}

func scanOptional(s *jsonscan.Scanner, into **string) func() error {
	return func() error {
		v, err := s.String()
		*into = &v
		return err
	}
}

// parseRequest parses a line from the judge. The id is set even if the rest is
// invalid, if it precedes the invalid part.
func parseRequest(line []byte) (Request, error) {
	var q Request
	s := jsonscan.New(line)
	err := scanFields(s, map[string]func() error{
		"id": func() (err error) { q.ID, err = s.Int(); return err },
		"op": scanText(s, &q.Op), "type": scanText(s, &q.Type), "profile": scanText(s, &q.Profile),
		"context": func() error {
			q.Context = map[string]string{}
			return s.Object(func(name string) error {
				v, err := s.String()
				q.Context[name] = v
				return err
			})
		},
		"hex": scanOptional(s, &q.Hex), "file": scanText(s, &q.File), "tree": scanNode(s, &q.Tree),
	})
	if err == nil {
		err = s.Done()
	}
	if err == nil && q.Op == "" {
		err = errors.New(`"op" is missing`)
	}
	return q, err
}

// parseResponse parses the answer to the request with the given id. sameID
// reports whether the line has this id, even if it is invalid otherwise: then
// the next line may be the next answer.
func parseResponse(line []byte, id int64) (a Response, fault *Broken, sameID bool) {
	s := jsonscan.New(line)
	err := scanFields(s, map[string]func() error{
		"id":     func() (err error) { a.ID, err = s.Int(); return err },
		"hello":  func() error { a.Hello = &Hello{}; return a.Hello.scan(s) },
		"ok":     func() error { a.OK = &OK{}; return a.OK.scan(s) },
		"reject": func() error { a.Reject = &Reject{}; return a.Reject.scan(s) },
		"skip":   func() error { a.Skip = &Skip{}; return a.Skip.scan(s) },
		"error": func() error {
			a.Error = &Fault{}
			return scanFields(s, map[string]func() error{"message": scanText(s, &a.Error.Message)})
		},
	})
	if err == nil {
		err = s.Done()
	}
	if err != nil {
		var only struct{ ID *int64 }
		sameID := json.Unmarshal(line, &only) == nil && only.ID != nil && *only.ID == id
		return Response{}, protocolFault("%s in %.200q", shorten.Text(err.Error(), 300), line), sameID
	}
	if a.ID != id {
		return Response{}, protocolFault("expected id %d, got id %d in %.200q", id, a.ID, line), false
	}
	if err := a.check(); err != nil {
		return Response{}, protocolFault("%s in %.200q", shorten.Text(err.Error(), 300), line), true
	}
	return a, nil, true
}

// check returns an error if the form of an answer is invalid.
func (a *Response) check() error {
	n := 0
	for _, present := range []bool{a.Hello != nil, a.OK != nil, a.Reject != nil, a.Skip != nil, a.Error != nil} {
		if present {
			n++
		}
	}
	switch {
	case n != 1:
		return fmt.Errorf("expected exactly one of ok, reject, skip and error (to hello: hello), got %d", n)
	case a.Hello != nil:
		return a.Hello.check()
	case a.Reject != nil && !slices.Contains(corpus.Classes, a.Reject.Class):
		return fmt.Errorf("unknown class %q; the classes are %v", a.Reject.Class, corpus.Classes)
	case a.Skip != nil && a.Skip.Reason == "":
		return errors.New("skip: reason is missing")
	case a.Error != nil && a.Error.Message == "":
		return errors.New("error: message is missing")
	}
	return nil
}

func (o *OK) scan(s *jsonscan.Scanner) error {
	return scanFields(s, map[string]func() error{
		"tree": scanNode(s, &o.Tree), "consumed": scanCount(s, &o.Consumed), "hex": scanOptional(s, &o.Hex),
		"spans": func() error {
			o.Spans = []Span{}
			return s.Array(func() error {
				var span Span
				var start, end *int
				err := scanFields(s, map[string]func() error{
					"start": scanCount(s, &start), "end": scanCount(s, &end), "path": scanText(s, &span.Path),
					"value": scanText(s, &span.Value), "clause": scanText(s, &span.Clause),
				})
				if err == nil && (start == nil || end == nil) {
					err = errors.New("a span must have start and end")
				}
				if err == nil {
					span.Start, span.End = *start, *end
					o.Spans = append(o.Spans, span)
				}
				return err
			})
		},
	})
}

func (r *Reject) scan(s *jsonscan.Scanner) error {
	return scanFields(s, map[string]func() error{
		"class": scanText(s, &r.Class), "offset": scanCount(s, &r.Offset), "path": scanText(s, &r.Path),
		"message": scanText(s, &r.Message),
	})
}

func (k *Skip) scan(s *jsonscan.Scanner) error {
	return scanFields(s, map[string]func() error{
		"type": scanText(s, &k.Type), "reason": scanText(s, &k.Reason),
		"url": scanText(s, &k.URL),
	})
}

func (h *Hello) scan(s *jsonscan.Scanner) error {
	return scanFields(s, map[string]func() error{
		"protocol": scanText(s, &h.Protocol), "name": scanText(s, &h.Name), "version": scanText(s, &h.Version),
		"language": scanText(s, &h.Language),
		"types":    scanTexts(s, &h.Types), "operations": scanTexts(s, &h.Operations), "profile": scanText(s, &h.Profile),
		"views":      scanTexts(s, &h.Views),
		"anyProfile": func() (err error) { h.AnyProfile, err = s.Bool(); return err },
		"skips": func() error {
			h.Skips = []Skip{}
			return s.Array(func() error {
				var k Skip
				err := k.scan(s)
				h.Skips = append(h.Skips, k)
				return err
			})
		},
	})
}

// check returns an error if the form of hello is invalid.
func (h *Hello) check() error {
	switch {
	case h.Protocol != Version:
		return fmt.Errorf("hello: expected protocol %q, got %q", Version, h.Protocol)
	case h.Name == "":
		return errors.New("hello: name is missing")
	case len(h.Types) == 0:
		return errors.New("hello: types is missing or empty")
	case len(h.Operations) == 0:
		return errors.New("hello: operations is missing or empty")
	case slices.Contains(h.Operations, OpRoundtrip) && !slices.Contains(h.Operations, OpDecode):
		return errors.New("hello: operations has roundtrip without decode")
	}
	for _, op := range h.Operations {
		if !slices.Contains([]Op{OpDecode, OpEncode, OpRoundtrip, OpSpans}, op) {
			return fmt.Errorf("hello: unknown operation %q; the operations are decode, encode, roundtrip and spans", op)
		}
	}
	for _, k := range h.Skips {
		if k.Type == "" || k.Reason == "" {
			return errors.New("hello: a skip must have a type and a reason")
		}
	}
	if err := spec.CheckViews(h.Views); err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	return nil
}
