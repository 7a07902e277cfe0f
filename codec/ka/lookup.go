package ka

import (
	"iter"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// KeyText returns the text of the key of a pair. It is false if the key is no text.
func KeyText(p model.Pair) (string, bool) {
	switch k := p.Key.(type) {
	case model.String:
		return k.Text, true
	case model.WideString:
		return k.Text, true
	}
	return "", false
}

// Get returns the pairs whose key has a text: their positions among the children of an
// archive, and their values. They have the order of the file. A key can occur more
// than once.
func Get(children []model.Pair, key string) iter.Seq2[int, model.Value] {
	return func(yield func(int, model.Value) bool) {
		for i, p := range children {
			if text, ok := KeyText(p); ok && text == key && !yield(i, p.Value) {
				return
			}
		}
	}
}
