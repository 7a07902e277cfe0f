package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// state contains the results of this run and of earlier ones.
type state struct {
	results map[key]result
	order   []key
	file    *os.File // nil if nothing is kept
}

// openState reads the results of a target from a file, and appends to it. Without a
// name nothing is kept.
func openState(name, target string) (*state, error) {
	s := &state{results: map[key]result{}}
	if name == "" {
		return s, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	s.file = f
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if r.Target == target {
			s.put(r)
		}
	}
	if err := lines.Err(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *state) put(r result) {
	if _, ok := s.results[r.key]; !ok {
		s.order = append(s.order, r.key)
	}
	s.results[r.key] = r
}

// add appends a result.
func (s *state) add(r result) error {
	s.put(r)
	if s.file == nil {
		return nil
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(b, '\n'))
	return err
}

func (s *state) survivors() (out []result) {
	for _, k := range s.order {
		if r := s.results[k]; r.Outcome == survives {
			out = append(out, r)
		}
	}
	return out
}

func (s *state) close() {
	if s.file != nil {
		s.file.Close()
	}
}
