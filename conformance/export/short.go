package export

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

const (
	maxUnit  = 64 // bytes that repeat
	minSaved = 24 // characters, so that short runs remain readable
)

// shortHex returns bytes in hex. (0a00*300) stands for 300 times the bytes 0a00.
func shortHex(b []byte) *string {
	var out strings.Builder
	for i := 0; i < len(b); {
		unit, times, saved := 1, 1, minSaved
		for n := 1; n <= min(maxUnit, (len(b)-i)/2); n++ {
			k := 1
			for bytes.HasPrefix(b[i+k*n:], b[i:i+n]) {
				k++
			}
			if s := 2*n*(k-1) - 5; s > saved {
				unit, times, saved = n, k, s
			}
		}
		if text := hex.EncodeToString(b[i : i+unit]); times > 1 {
			fmt.Fprintf(&out, "(%s*%d)", text, times)
		} else {
			out.WriteString(text)
		}
		i += unit * times
	}
	text := out.String()
	return &text
}

// shortTree returns a tree with repeats: see [tree.ParseVector].
func shortTree(n tree.Node) tree.Node {
	if n.Kind == tree.Text {
		for unit := 1; unit <= min(maxUnit, len(n.Text)/2) && len(n.Text) > 2*minSaved; unit++ {
			part := n.Text[:unit]
			if len(n.Text)%unit == 0 && strings.Repeat(part, len(n.Text)/unit) == n.Text &&
				strings.ToValidUTF8(part, "") == part {
				return repeat("text", tree.Node{Kind: tree.Text, Text: part}, len(n.Text)/unit)
			}
		}
		return n
	}
	out := tree.Node{Kind: n.Kind, Text: n.Text, Names: n.Names}
	for i := 0; i < len(n.Items); {
		k := 1
		for n.Kind == tree.List && i+k < len(n.Items) && tree.Equal(n.Items[i], n.Items[i+k]) {
			k++
		}
		item := shortTree(n.Items[i])
		if k > 2 && (k-1)*len(item.String()) > minSaved {
			out.Items = append(out.Items, repeat("item", item, k))
		} else {
			for range k {
				out.Items = append(out.Items, item)
			}
		}
		i += k
	}
	return out
}

func repeat(field string, unit tree.Node, times int) tree.Node {
	return tree.Node{
		Kind: tree.Object, Names: []string{"repeat", field},
		Items: []tree.Node{{Kind: tree.Text, Text: strconv.Itoa(times)}, unit},
	}
}
