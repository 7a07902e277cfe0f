package site

import (
	"encoding/json"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
)

// The index is a script that assigns a list: a page in a folder may load a script,
// but not a file of data.
const indexHead = "// kind, id, address, text that is shown, further text that is found\nvar formatgaugeIndex = "

// maxSaid is the number of characters of a comment of a vector in the index.
const maxSaid = 160

// writeSearch writes the index of the search.
func (s *site) writeSearch() error {
	var entries [][5]string
	add := func(kind, id, address, text, more string) {
		entries = append(entries, [5]string{kind, id, address, strings.Join(strings.Fields(text), " "), more})
	}
	for _, f := range s.families {
		add("family", f.Name, f.Name+"/index.html", f.Title+". "+f.Found, "game engine file ending extension")
		for _, st := range f.Structures {
			add("structure", st.Name, structurePage(st.Name), st.Title, st.Also)
			for _, c := range st.Clauses {
				add("clause", string(c.ID), clauseAddress(c), c.Text, st.Name+" "+st.Title)
			}
		}
		for i := range f.Flags {
			fl := &f.Flags[i]
			add("flag", string(fl.ID), flagPage(fl.ID), fl.Observed, fl.Documented+" "+string(fl.Kind))
		}
	}
	words := spec.Words()
	for i := range words {
		if w := &words[i]; w.Kind != spec.UsageWord {
			add("word", w.Name, wordAddress(w), w.Text, string(w.Kind))
		}
	}
	for _, v := range spec.Views() {
		add("view", v.ID, "views.html#"+v.ID, v.Meaning, "")
	}
	for _, x := range s.judged {
		add("implementation", x.Name, x.Page(), "Judged "+x.Date+".", x.URL)
		for _, f := range x.Faults {
			add("fault", f.ID, "faults.html#"+f.ID, f.Text, "wrong bug error failure readers gets fails "+f.Shown.ID)
		}
	}
	for _, v := range s.vectors {
		add("vector", v.ID, vectorAddress(v), page.Cut(strings.Join(strings.Fields(v.Comment), " "), maxSaid), "")
	}
	text, err := json.Marshal(entries)
	s.add("search.js", indexHead+printable.Text(string(text))+";\n")
	return err
}
