package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/corpus"
)

// Dictionary returns a dictionary for libFuzzer and AFL++: the first four bytes of
// the vectors of a family.
func Dictionary(family string) ([]byte, error) {
	vectors, err := corpus.All()
	if err != nil {
		return nil, err
	}
	var words []string
	for _, v := range vectors {
		if v.Family() == family && len(v.Bytes) >= 4 {
			w := ""
			for _, b := range v.Bytes[:4] {
				w += fmt.Sprintf(`\x%02x`, b)
			}
			words = append(words, `"`+w+"\"\n")
		}
	}
	slices.Sort(words)
	return []byte(strings.Join(slices.Compact(words), "")), nil
}
