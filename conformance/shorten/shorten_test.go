package shorten

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

func objectOf(pairs ...any) tree.Node {
	n := tree.Node{Kind: tree.Object}
	for i := 0; i < len(pairs); i += 2 {
		n.Names, n.Items = append(n.Names, pairs[i].(string)), append(n.Items, pairs[i+1].(tree.Node))
	}
	return n
}

func list(count int, item func(i int) tree.Node) tree.Node {
	n := tree.Node{Kind: tree.List}
	for i := range count {
		n.Items = append(n.Items, item(i))
	}
	return n
}

// TestTree: a shortened tree is a tree, contains the part at the path, and
// has a bounded length, whatever the tree is.
func TestTree(t *testing.T) {
	pair := func(i int) tree.Node {
		return objectOf("key", text(fmt.Sprint("key", i)), "value", text(fmt.Sprint(i)))
	}
	nested := text(strings.Repeat("a", 5000))
	for range 900 {
		nested = tree.Node{Kind: tree.List, Items: []tree.Node{nested}}
	}
	for name, c := range map[string]struct {
		tree       tree.Node
		path, want string
	}{
		"element":   {list(5000, pair), "[4321].value", `{"key": "key4321", "value": "4321"}`},
		"neighbour": {list(5000, pair), "[4321].value", `{"key": "key4323", "value": "4323"}`},
		"first":     {list(5000, pair), "", `[{"key": "key0", "value": "0"}`},
		"below": {
			objectOf("head", text("1"), "pairs", list(5000, pair), "tail", text("2")), "pairs[4999].key",
			`{"key": "key4999", "value": "4999"}], "tail": "2"}`,
		},
		"no such":     {list(5000, pair), "pairs[7]", "more)"},
		"text":        {objectOf("a", text(strings.Repeat("é", 20_000))), "a", "é… (40000 bytes)"},
		"nested":      {nested, "", "bytes)"},
		"nested path": {nested, strings.Repeat("[0]", 900), `["… (1 more)"]`},
		"names": {
			objectOf(strings.Repeat("n", 20_000), text("1"), "b", text("2")), "b",
			`{"…": "… (1 more)", "b": "2"}`,
		},
		"long fields": {
			objectOf("a", text(strings.Repeat("a", 9000)), "b", text(strings.Repeat("b", 9000)), "c", text("3")),
			"c", `"c": "3"`,
		},
		"empty": {list(20_000, func(int) tree.Node { return tree.Node{Kind: tree.List} }), "[10000]", "[]"},
	} {
		whole := c.tree.String()
		text, short := Tree(c.tree, c.path, 2048, 1024)
		got := text + short.String()
		head, tail, _ := strings.Cut(got, " ... (")
		if want := fmt.Sprintf("%d bytes, SHA-256 %x)", len(whole), sha256.Sum256([]byte(whole))); tail != want {
			t.Errorf("%s: ends with %q, want %q", name, tail, want)
		}
		if _, err := tree.Parse([]byte(head)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(got) > 4096 || !strings.Contains(head, c.want) {
			t.Errorf("%s: expected %q in %d bytes: %.2000s", name, c.want, len(got), got)
		}
	}
	short := list(10, pair)
	if got, cut := Tree(short, "", 2048, 1024); got != short.String() || cut != nil {
		t.Errorf("a short tree becomes %s", got)
	}
}

// TestDifferenceInLongTexts: the short forms show the difference.
func TestDifferenceInLongTexts(t *testing.T) {
	start := strings.Repeat("0", 5000)
	d := tree.Compare(objectOf("hex", text(start+"1234")), objectOf("hex", text(start+"1334")))
	if want := `hex: expected "…` + start[:15] + `1234", got "…` + start[:15] + `1334"`; d.String() != want {
		t.Errorf("%s, want %s", d, want)
	}
}
