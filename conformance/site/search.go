package site

import "github.com/formatgauge/formatgauge/conformance/find"

// writeSearch writes the index of the search in two scripts that assign a value: a page in
// a folder may load a script, but not a file of data.
func (s *site) writeSearch() {
	x, err := find.New()
	if err != nil {
		s.check(err)
		return
	}
	for _, f := range []struct {
		name, head string
		value      any
	}{
		{"search.js", "// entries: kind, parent, id, other words, bytes\nvar formatgaugeIndex = ", x.Start()},
		{"search-texts.js", "// texts: text, who fails, rule, example; vectors: parent, id, text, bytes, verdict, who fails, rule\n" +
			"var formatgaugeTexts = ", x.Rest()},
	} {
		s.add(f.name, f.head+s.json(f.value)+";\n")
	}
}
