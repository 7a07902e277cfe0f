// Package page is what the pages of the site and of reports have in common: how a page
// begins, the style, texts with links, Markdown, and bytes with their meaning.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

//go:embed files
var files embed.FS

// Style is the style of all pages.
//
//go:embed files/style.css
var Style string

// A Frame is what a page begins with: the template "frame" shows it.
type Frame struct {
	Title, Policy   string
	CSS             template.CSS // the style, in a page that is one file
	Styles, Scripts []string     // addresses, in one that is not
	Icon            string
	Root            string // the relative address of the first page
}

// Templates returns the common templates: frame, bytes (of an [Excerpt]) and row.
func Templates(functions template.FuncMap) (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{"plain": Plain}).Funcs(functions).ParseFS(files, "files/*.html")
}

var notText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Plain escapes text outside of tags. Quotes remain: trees have many.
func Plain(text string) template.HTML { return template.HTML(notText.Replace(text)) }

// reference matches what may be an id in a text: a vector, a flag with or without a
// side, a structure, a clause, anything between backticks, or a keyword.
var reference = regexp.MustCompile("`[^`]+`|\\b(?:ubi|upkg|ka|uasset)/\\w[\\w.]*/[\\w-]+|" +
	"\\b(?:ubi|upkg|ka|uasset)\\.[A-Za-z][\\w.-]*\\w(?:=[a-z][\\w-]*)?|\\b[A-Z]{2,5}-[A-Z0-9]+-[0-9]+\\b|" +
	"\\bMUST(?: NOT)?\\b|\\bSHOULD(?: NOT)?\\b|\\bMAY\\b")

// Prose returns a text of the records as HTML, with links to what it names. Find returns
// the address of an id and the class of the link, or "".
func Prose(text string, find func(id string, code bool) (address, class string)) template.HTML {
	var b strings.Builder
	at := 0
	for _, m := range reference.FindAllStringIndex(text, -1) {
		b.WriteString(template.HTMLEscapeString(text[at:m[0]]))
		id, code := strings.CutPrefix(text[m[0]:m[1]], "`")
		id = strings.TrimSuffix(id, "`")
		content := template.HTML(template.HTMLEscapeString(id))
		address, class := find(id, code)
		switch {
		case code && (address == "" || class == "word"):
			content = "<code>" + content + "</code>"
		case address == "" && !strings.ContainsAny(id, "-0123456789./"):
			content = "<em class=key>" + content + "</em>"
		}
		if address != "" {
			href := template.HTMLEscapeString(address)
			content = template.HTML(fmt.Sprintf(`<a class=%s href="%s">%s</a>`, class, href, content))
		}
		b.WriteString(string(content))
		at = m[1]
	}
	b.WriteString(template.HTMLEscapeString(text[at:]))
	return template.HTML(b.String())
}

// Markdown converts a document, in which HTML is text. Link returns the address of a link that is relative.
func Markdown(document string, link func(target string) string) (template.HTML, error) {
	html := func(p util.PrioritizedValue) bool {
		return p.Value == parser.NewRawHTMLParser() || p.Value == parser.NewHTMLBlockParser()
	}
	m := goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(slices.DeleteFunc(parser.DefaultBlockParsers(), html)...),
			parser.WithInlineParsers(slices.DeleteFunc(parser.DefaultInlineParsers(), html)...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
			parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links(link), 0)),
		)),
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
	)
	var b bytes.Buffer
	if err := m.Convert([]byte(document), &b); err != nil {
		return "", err
	}
	return template.HTML(scrolls.Replace(b.String())), nil
}

// scrolls lets wide parts of a document be scrolled, also with the keyboard. Text has no
// such tags.
var scrolls = strings.NewReplacer("<pre>", "<pre tabindex=0>", "<table>", "<div class=scroll tabindex=0><table>",
	"</table>", "</table></div>")

// links changes the addresses of links.
type links func(target string) string

// Transform implements [parser.ASTTransformer].
func (l links) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	// The function never returns an error.
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if a, ok := n.(*ast.Link); ok && entering {
			if to := string(a.Destination); !strings.HasPrefix(to, "#") && !strings.HasPrefix(to, "https://") {
				a.Destination = []byte(l(to))
			}
		}
		return ast.WalkContinue, nil
	})
}
