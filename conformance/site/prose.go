package site

import (
	"html/template"
	"regexp"
	"strings"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// reference matches what may be an id in a text: a vector, a flag with or without a
// side, a structure, a clause, or anything between backticks.
var reference = regexp.MustCompile("`[^`]+`|\\b(?:ubi|upkg|ka|uasset)/\\w[\\w.]*/[\\w-]+|\\b(?:ubi|upkg|ka|uasset)\\.[A-Za-z][\\w.-]*\\w(?:=[a-z][\\w-]*)?|\\b[A-Z]{2,5}-[A-Z0-9]+-[0-9]+\\b|\\bMUST(?: NOT)?\\b|\\bSHOULD(?: NOT)?\\b|\\bMAY\\b")

// Prose returns a text of the records as HTML, with links to what it names.
func (p *page) Prose(text string) template.HTML {
	var b strings.Builder
	at := 0
	for _, m := range reference.FindAllStringIndex(text, -1) {
		b.WriteString(template.HTMLEscapeString(text[at:m[0]]))
		b.WriteString(p.refer(text[m[0]:m[1]]))
		at = m[1]
	}
	b.WriteString(template.HTMLEscapeString(text[at:]))
	return template.HTML(b.String())
}

// refer returns a match of reference as HTML.
func (p *page) refer(id string) string {
	text := template.HTMLEscapeString(id)
	link := func(target, class string) string {
		return `<a class=` + class + ` href="` + template.HTMLEscapeString(p.Link(target)) + `">` + text + `</a>`
	}
	if code, isCode := strings.CutPrefix(id, "`"); isCode {
		code = strings.TrimSuffix(code, "`")
		text = "<code>" + template.HTMLEscapeString(code) + "</code>"
		words := spec.FindWords(code)
		for i := range words {
			if words[i].Kind == spec.ClassWord {
				return link(wordAddress(&words[i]), "word")
			}
		}
		if inner := p.refer(code); strings.HasPrefix(inner, "<a ") {
			return inner
		}
		return text
	}
	flag, _, _ := strings.Cut(id, "=")
	if c, ok := spec.FindClause(ids.Clause(id)); ok {
		return link(clauseAddress(c), "id")
	}
	if f, ok := spec.FindFlag(ids.Flag(flag)); ok {
		return link(flagPage(f.ID), "id")
	}
	if s, ok := spec.FindStructure(id); ok {
		return link(structurePage(s.Name), "id")
	}
	if v, ok := corpus.Find(id); ok {
		return link(vectorAddress(v), "id")
	}
	if id == strings.ToUpper(id) && !strings.ContainsAny(id, "-0123456789") {
		return `<em class=key>` + text + `</em>` // MUST and the like
	}
	return text
}
