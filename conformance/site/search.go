package site

import (
	"encoding/json"

	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/internal/printable"
)

// writeSearch writes the index of the search in two scripts that assign a value: a page in
// a folder may load a script, but not a file of data.
func (s *site) writeSearch() error {
	x, err := find.New()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name, head string
		value      any
	}{
		{"search.js", "// entries: kind, parent, id, other words, bytes\nvar formatgaugeIndex = ", x.Start()},
		{"search-texts.js", "// texts: text, who fails, rule, example; vectors: parent, id, text, bytes, verdict, who fails, rule\n" +
			"var formatgaugeTexts = ", x.Rest()},
	} {
		text, err := json.Marshal(f.value)
		if err != nil {
			return err
		}
		s.add(f.name, f.head+printable.Text(string(text))+";\n")
	}
	return nil
}
