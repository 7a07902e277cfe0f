package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxRepeat is the maximum number of elements, or of bytes of text, to which a
// repeat in the tree of a vector expands.
const MaxRepeat = 1 << 20

// ParseVector parses the tree of a vector. There, in a list, {"repeat": "N",
// "item": TREE} stands for N elements that are equal; in the place of a text,
// {"repeat": "N", "text": TEXT} stands for the text N times. The returned tree has
// no repeats. Equal elements share memory.
func ParseVector(text string) (Node, error) {
	n, err := Parse([]byte(text))
	if err != nil || !strings.Contains(text, `"repeat"`) {
		return n, err
	}
	return expand(n)
}

// VectorSize returns the length of the JSON of the tree of a vector without
// repeats, or more; 0 if it is invalid. It expands nothing.
func VectorSize(text string) int {
	if !strings.Contains(text, `"repeat"`) {
		return len(text)
	}
	n, err := Parse([]byte(text))
	if err != nil {
		return 0
	}
	return expandedSize(n)
}

func expandedSize(n Node) int {
	for _, kind := range []string{"text", "item"} {
		if unit, times, err := repeated(n, kind); times > 0 && err == nil {
			return times * (expandedSize(unit) + len(", "))
		}
	}
	if len(n.Items) == 0 {
		return len(n.AppendJSON(nil))
	}
	size := len(`{}`)
	for i, item := range n.Items {
		size += expandedSize(item) + len(`, `)
		if n.Kind == Object {
			size += len(text(n.Names[i]).AppendJSON(nil)) + len(`: `)
		}
	}
	return size
}

func expand(n Node) (Node, error) {
	if unit, times, err := repeated(n, "text"); times > 0 || err != nil {
		if err == nil && (unit.Kind != Text || times*max(len(unit.Text), 1) > MaxRepeat) {
			err = fmt.Errorf("tree: cannot repeat %.60s %d times", unit.String(), times)
		}
		if err != nil {
			return Node{}, err
		}
		return text(strings.Repeat(unit.Text, times)), nil
	}
	items := make([]Node, 0, len(n.Items))
	for _, item := range n.Items {
		unit, times, err := repeated(item, "item")
		if n.Kind != List || times == 0 && err == nil {
			unit, times = item, 1
		}
		if err == nil {
			unit, err = expand(unit)
		}
		if err != nil {
			return Node{}, err
		}
		items = slices.Grow(items, times)
		for range times {
			items = append(items, unit)
		}
	}
	n.Items = items
	return n, nil
}

// repeated returns what a repeat with this field repeats; 0 times if the node is
// no such repeat.
func repeated(n Node, field string) (Node, int, error) {
	if n.Kind != Object || len(n.Names) != 2 || n.Names[0] != "repeat" || n.Names[1] != field {
		return Node{}, 0, nil
	}
	times, err := strconv.Atoi(n.Items[0].Text)
	if err != nil || times < 1 || times > MaxRepeat {
		return Node{}, 0, fmt.Errorf("tree: cannot repeat %q times", n.Items[0].Text)
	}
	return n.Items[1], times, nil
}
