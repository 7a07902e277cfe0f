package site

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Prose returns a text of the records as HTML, with links to what it names.
func (p *sheet) Prose(text string) template.HTML { return page.Prose(text, p.placeOf) }

// To returns the relative address of the clause, flag, structure or vector with an id, or "".
func (p *sheet) To(id any) string {
	address, _ := p.placeOf(fmt.Sprint(id), false)
	return address
}

// placeOf is the function placeOf, with an address relative to the page.
func (p *sheet) placeOf(id string, code bool) (address, class string) {
	if address, class = placeOf(id, code); address != "" {
		address = p.Link(address)
	}
	return address, class
}

// placeOf returns where the site describes what has an id, and the class of a link to it. A
// class of errors is only a link where it is code.
func placeOf(id string, code bool) (address, class string) {
	if code {
		words := spec.FindWords(id)
		for i := range words {
			if words[i].Kind == spec.ClassWord {
				return wordAddress(&words[i]), "word"
			}
		}
	}
	flag, _, _ := strings.Cut(id, "=")
	if c, ok := spec.FindClause(ids.Clause(id)); ok {
		return clauseAddress(c), "id"
	}
	if f, ok := spec.FindFlag(ids.Flag(flag)); ok {
		return flagPage(f.ID), "id"
	}
	if s, ok := spec.FindStructure(id); ok {
		return structurePage(s.Name), "id"
	}
	if v, ok := corpus.Find(id); ok {
		return vectorAddress(v), "id"
	}
	return "", ""
}
