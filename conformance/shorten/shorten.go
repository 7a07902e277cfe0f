// Package shorten shortens what an adapter answers, so that results stay small.
package shorten

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

// Text returns a text of at most about room bytes: the text itself, or its
// start followed by its length and its SHA-256.
func Text(s string, room int) string {
	if len(s) <= room {
		return s
	}
	return strings.ToValidUTF8(s[:room], "") + WholeOf([]byte(s)).String()
}

// Whole identifies what was shortened.
type Whole struct {
	Size   int    `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// WholeOf identifies bytes.
func WholeOf(b []byte) *Whole { return &Whole{len(b), fmt.Sprintf("%x", sha256.Sum256(b))} }

// String is what follows the start of a shortened text.
func (w *Whole) String() string { return fmt.Sprintf(" ... (%d bytes, SHA-256 %s)", w.Size, w.SHA256) }

// Tree returns the JSON of a tree on one line. If that has more than long bytes, it
// returns a shortened tree of about room bytes instead, and the whole line. The part at
// path, as [tree.Compare] gives it, and the parts next to it remain. A text that begins
// with "…" replaces others.
func Tree(n tree.Node, path string, long, room int) (string, *Whole) {
	whole := n.AppendJSON(nil)
	if len(whole) <= long {
		return string(whole), nil
	}
	s := shortener{steps: tree.Steps(path)}
	s.steps = s.steps[:min(len(s.steps), mostSteps)]
	return s.shorten(n, 0, room).String(), WholeOf(whole)
}

// mostSteps is the number of steps of a path that a shortened tree follows.
const mostSteps = 64

func text(s string) tree.Node { return tree.Node{Kind: tree.Text, Text: s} }

type shortener struct {
	steps   []string
	scratch []byte
}

func (s *shortener) size(n tree.Node) int {
	s.scratch = n.AppendJSON(s.scratch[:0])
	return len(s.scratch)
}

// offPath is the level of a part that does not contain the part at the path.
const offPath = -1

// shorten returns a tree of about room bytes. level is the number of steps of the
// path that lead to n.
func (s *shortener) shorten(n tree.Node, level, room int) tree.Node {
	const (
		leastRoom = 64 // for a part
		between   = 4  // bytes from one part to the next
		around    = 2  // elements that remain on each side of the element at the path
	)
	size := s.size(n)
	small := room < leastRoom
	switch {
	case size <= max(room, leastRoom):
		return n
	case n.Kind == tree.Text:
		start := n.Text[:min(len(n.Text), max(room, leastRoom))]
		return text(strings.ToValidUTF8(start, "") + fmt.Sprintf("… (%d bytes)", len(n.Text)))
	case small && level == offPath:
		return text(fmt.Sprintf("… (%d bytes)", size))
	}
	at := offPath
	if level != offPath && level < len(s.steps) {
		at = n.Index(s.steps[level])
	}
	out := tree.Node{Kind: n.Kind}
	add := func(name string, item tree.Node) {
		out.Items = append(out.Items, item)
		if n.Kind == tree.Object {
			out.Names = append(out.Names, name)
		}
	}
	room -= room / 4 // the rest is for what stands between the parts
	share := room    // for all parts but that at the path
	switch {
	case small:
		share = 0
	case at >= 0:
		share = room / 2
	}
	omitted := 0
	for i, item := range n.Items {
		name := ""
		if n.Kind == tree.Object {
			name = n.Names[i]
		}
		near := at >= 0 && !small && i >= at-around && i <= at+around
		if i != at && !near && share <= 0 || len(name) > leastRoom {
			omitted++
			continue
		}
		if omitted > 0 {
			add("…", text(fmt.Sprintf("… (%d more)", omitted)))
			omitted = 0
		}
		if i == at {
			add(name, s.shorten(item, level+1, room/2))
			continue
		}
		short := s.shorten(item, offPath, share/4)
		add(name, short)
		share -= s.size(short) + len(name) + between
	}
	if omitted > 0 {
		add("…", text(fmt.Sprintf("… (%d more)", omitted)))
	}
	return out
}
