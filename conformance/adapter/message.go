package adapter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/jsonscan"
	"github.com/formatgauge/formatgauge/spec"
)

// Messages are parsed strictly: an unknown name, a repeated name and a wrong JSON
// type are errors. Otherwise a misspelled offset would not be judged. The JSON
// Schemas in this folder state the same; a test compares the two.

// appendMessage appends a request or an answer as one line. It writes the tree itself:
// encoding/json would read it once more.
func appendMessage(b []byte, message any) []byte {
	var n *tree.Node
	end := "}\n"
	switch m := message.(type) {
	case *Request:
		q := *m
		n, q.Tree, message = m.Tree, nil, &q
	case *Response:
		if m.OK != nil && m.OK.Tree != nil {
			a, ok := *m, *m.OK
			n, ok.Tree, a.OK, message = m.OK.Tree, nil, &ok, &a
			end = "}}\n"
		}
	}
	out := bytes.NewBuffer(b)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(message); err != nil {
		return fmt.Appendf(b, `{"error":{"message":"the message cannot be written as JSON: %T"}}`+"\n", err)
	}
	if b = out.Bytes(); n == nil {
		return b
	}
	b = b[:len(b)-len(end)]
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(n.AppendJSON(append(b, `"tree":`...)), end...)
}

// maxCount is greater than the length of any input, and fits an int on all
// systems.
const maxCount = 1<<31 - 1

// scan scans a part of a message. Fields of structures have the names of
// encoding/json.
func scan(s *jsonscan.Scanner, v reflect.Value) (err error) {
	var text string
	var n int64
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if node, ok := v.Interface().(*tree.Node); ok {
			*node, err = tree.Scan(s)
			return err
		}
		return scan(s, v.Elem())
	case reflect.String:
		text, err = s.String()
		v.SetString(text)
	case reflect.Bool:
		var b bool
		b, err = s.Bool()
		v.SetBool(b)
	case reflect.Int64:
		n, err = s.Int()
		v.SetInt(n)
	case reflect.Int:
		n, err = s.Int()
		if err == nil && (n < 0 || n > maxCount) {
			err = fmt.Errorf("%d is not a number of bytes from 0 to 2147483647", n)
		}
		v.SetInt(n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return s.Array(func() error {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			return scan(s, v.Index(v.Len()-1))
		})
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		return s.Object(func(name string) error {
			text, err := s.String()
			v.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(text))
			return err
		})
	default:
		return scanFields(s, v)
	}
	return err
}

// scanFields scans an object that may have only the fields of a structure. A required
// one must be there, and must not be empty unless it is a number.
func scanFields(s *jsonscan.Scanner, v reflect.Value) error {
	var names, missing []string
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		names = append(names, name)
		if tag.Get("required") != "" {
			missing = append(missing, name)
		}
	}
	err := s.Object(func(name string) error {
		i := slices.Index(names, name)
		if i < 0 || name == "-" {
			known := slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(n string) bool { return n == "-" })
			return fmt.Errorf("unknown field %q; the fields are %v", name, known)
		}
		if err := scan(s, v.Field(i)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if f := v.Field(i); f.Kind() == reflect.Int || !f.IsZero() {
			missing = slices.DeleteFunc(missing, func(other string) bool { return other == name })
		}
		return nil
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%s is missing or empty", missing[0])
	}
	return err
}

// scanMessage scans a line. The id is set even if the rest is invalid, if it precedes the
// invalid part.
func scanMessage(line []byte, message any) error {
	s := jsonscan.New(line)
	if err := scan(s, reflect.ValueOf(message).Elem()); err != nil {
		return err
	}
	return s.Done()
}

// parseResponse parses the answer to the request with the given id. sameID
// reports whether the line has this id, even if it is invalid otherwise: then
// the next line may be the next answer.
func parseResponse(line []byte, id int64) (a Response, fault *Broken, sameID bool) {
	err := scanMessage(line, &a)
	if err != nil {
		hint := ""
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
			hint = "; write text for people to standard error"
		}
		fault := protocolFault("%s in %.200q%s", shorten.Text(err.Error(), 300), line, hint)
		return Response{}, fault, json.Valid(line) && hasID(line, id)
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
	}
	return nil
}

// check returns an error if the form of hello is invalid.
func (h *Hello) check() error {
	switch {
	case h.Protocol != Version:
		return fmt.Errorf("hello: expected protocol %q, got %q", Version, h.Protocol)
	case len(h.Types) == 0:
		return errors.New("hello: types is empty")
	case len(h.Operations) == 0:
		return errors.New("hello: operations is empty")
	case slices.Contains(h.Operations, OpRoundtrip) && !slices.Contains(h.Operations, OpDecode):
		return errors.New("hello: operations has roundtrip without decode")
	}
	for _, op := range h.Operations {
		if !slices.Contains(operations, op) {
			return fmt.Errorf("hello: unknown operation %q; the operations are decode, encode, roundtrip and spans", op)
		}
	}
	if slices.ContainsFunc(h.Skips, func(k Skip) bool { return k.Type == "" }) {
		return errors.New("hello: a skip must have a type and a reason")
	}
	if err := spec.CheckViews(h.Views); err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	return nil
}
