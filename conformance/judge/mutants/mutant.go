package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// A key describes a mutant without its position, so that it stays the same when
// other code changes.
type key struct {
	File     string `json:"file" toml:"file"`
	Function string `json:"function" toml:"function"` // empty outside of functions
	Operator string `json:"operator" toml:"operator"`
	Original string `json:"original" toml:"original"`
	Change   string `json:"change" toml:"change"`
	Nth      int    `json:"nth,omitempty" toml:"nth"` // 1 for the second mutant that is described like this
}

func (k key) String() string {
	s := fmt.Sprintf("%s %s: %s: %q becomes %q", k.File, k.Function, k.Operator, k.Original, k.Change)
	if k.Nth > 0 {
		s += fmt.Sprintf(" (%d)", k.Nth)
	}
	return s
}

// A mutant is one small change of a source file.
type mutant struct {
	key
	id       int // in the enumeration of the target
	line     int
	source   *source
	function *function // nil outside of functions
	edits    []edit
	decls    string // further declarations
}

func (m *mutant) String() string {
	return strings.Replace(m.key.String(), m.File, fmt.Sprintf("%s:%d", m.File, m.line), 1)
}

// An edit replaces the bytes of a source file between two offsets.
type edit struct {
	from, to int
	text     string
}

// apply returns the part of the source between two offsets with edits inside.
func apply(src []byte, from, to int, edits []edit) string {
	edits = slices.SortedFunc(slices.Values(edits), func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	for _, e := range edits {
		b.Write(src[from:e.from])
		b.WriteString(e.text)
		from = e.to
	}
	b.Write(src[from:to])
	return b.String()
}

const maxShown = 100

// shown returns source text in one line of limited length.
func shown(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "..."
	}
	return text
}

// inOrder returns mutants in an order that depends on the seed and on the keys: one
// of each operator, then another one of each, as long as there are any.
func inOrder(all []*mutant, seed string) []*mutant {
	type ranked struct {
		m    *mutant
		hash uint64
		turn int
	}
	list := make([]ranked, len(all))
	for i, m := range all {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s|%q", seed, m.key)
		x := h.Sum64() // FNV mixes the last bytes too little into the upper bits
		x ^= x >> 31
		x *= 0x9E3779B97F4A7C15
		list[i] = ranked{m, x ^ x>>32, 0}
	}
	byHash := func(a, b ranked) int { return cmp.Compare(a.hash, b.hash) }
	slices.SortFunc(list, byHash)
	turns := map[string]int{}
	for i := range list {
		list[i].turn = turns[list[i].m.Operator]
		turns[list[i].m.Operator]++
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return a.turn - b.turn })
	out := make([]*mutant, len(list))
	for i, r := range list {
		out[i] = r.m
	}
	return out
}
