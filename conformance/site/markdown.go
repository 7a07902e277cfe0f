package site

import (
	"encoding/xml"
	"html/template"
	"path"
	"regexp"
	"strings"
)

// markdown converts the part of Markdown that the documents of the repository use:
// headings, paragraphs, nested lists, tables, blocks of code, and within a line code,
// bold text and links. Relative links lead to the repository, where the document is in
// the folder dir.
func markdown(text, dir string) template.HTML {
	m := &converter{dir: dir, seen: map[string]bool{}}
	for line := range strings.Lines(text) {
		m.line(strings.TrimRight(line, "\r\n"))
	}
	m.to(nil)
	return template.HTML(m.out.String())
}

// converter keeps the elements that are open.
type converter struct {
	out  strings.Builder
	dir  string
	open []string
	seen map[string]bool // anchors of headings
}

// to closes elements until the open ones are a prefix of path, and opens the others.
func (m *converter) to(path []string) {
	n := 0
	for n < len(path) && n < len(m.open) && m.open[n] == path[n] {
		n++
	}
	for i := len(m.open) - 1; i >= n; i-- {
		m.out.WriteString("</" + m.open[i] + ">\n")
	}
	m.open = m.open[:n]
	for _, e := range path[n:] {
		if e == "pre" {
			e = "pre tabindex=0" // it can be scrolled with the keyboard
		}
		m.out.WriteString("<" + e + ">")
		m.open = append(m.open, strings.Fields(e)[0])
	}
}

var (
	headingLine = regexp.MustCompile(`^(#+) (.*)$`)
	itemLine    = regexp.MustCompile(`^( *)([*-]|[0-9]+\.) (.*)$`)
	ruleLine    = regexp.MustCompile(`^\|[-:| ]+\|$`)
)

func (m *converter) line(line string) {
	last := ""
	if len(m.open) > 0 {
		last = m.open[len(m.open)-1]
	}
	if last == "code" {
		if strings.TrimSpace(line) == "```" {
			m.to(m.open[:len(m.open)-2])
			return
		}
		m.out.WriteString(template.HTMLEscapeString(line) + "\n")
		return
	}
	heading, item := headingLine.FindStringSubmatch(line), itemLine.FindStringSubmatch(line)
	switch {
	case strings.HasPrefix(strings.TrimSpace(line), "```"):
		inItem := []string{}
		if strings.HasPrefix(line, " ") && len(m.open) > 0 {
			inItem = m.open
		}
		m.to(append(inItem[:len(inItem):len(inItem)], "pre", "code"))
	case heading != nil:
		m.to(nil)
		level := string('0' + byte(len(heading[1])))
		id := anchor(heading[2])
		for m.seen[id] {
			id += "-"
		}
		m.seen[id] = true
		m.out.WriteString("<h" + level + ` id="` + id + `">` + m.inline(heading[2]) + "</h" + level + ">\n")
	case line == "":
		m.to(nil)
	case item != nil:
		list := "ul"
		if item[2] != "*" && item[2] != "-" {
			list = "ol"
		}
		path := []string{list}
		if len(item[1]) > 0 && len(m.open) > 1 {
			path = append(m.open[:2:2], list)
		}
		m.to(path)
		m.to(append(path[:len(path):len(path)], "li"))
		m.out.WriteString(m.inline(item[3]))
	case strings.HasPrefix(line, "|"):
		if ruleLine.MatchString(line) {
			return
		}
		cell := "td"
		if len(m.open) == 0 || m.open[0] != "div" {
			m.to(nil)
			m.out.WriteString("<div class=scroll tabindex=0><table>\n")
			m.open = []string{"div", "table"}
			cell = "th"
		}
		m.row(line, cell)
	default:
		if last != "li" && last != "p" {
			m.to([]string{"p"})
		} else {
			m.out.WriteByte('\n')
		}
		m.out.WriteString(m.inline(strings.TrimSpace(line)))
	}
}

func (m *converter) row(line, cell string) {
	m.out.WriteString("<tr>")
	// A bar after a backslash is part of a cell.
	cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00"), "|")
	for _, c := range cells {
		m.out.WriteString("<" + cell + ">" + m.inline(strings.TrimSpace(strings.ReplaceAll(c, "\x00", "|"))) + "</" +
			cell + ">")
	}
	m.out.WriteString("</tr>\n")
}

var inlineForm = regexp.MustCompile("``[^`]+``|`[^`]+`|\\*\\*[^*]+\\*\\*|\\*[^* ][^*]*\\*|\\[[^\\]]+\\]\\([^)]+\\)")

func (m *converter) inline(text string) string {
	var b strings.Builder
	at := 0
	for _, x := range inlineForm.FindAllStringIndex(text, -1) {
		b.WriteString(template.HTMLEscapeString(text[at:x[0]]))
		part := text[x[0]:x[1]]
		switch {
		case part[0] == '`':
			b.WriteString("<code>" + template.HTMLEscapeString(strings.Trim(part, "`")) + "</code>")
		case strings.HasPrefix(part, "**"):
			b.WriteString("<strong>" + m.inline(strings.Trim(part, "*")) + "</strong>")
		case part[0] == '*':
			b.WriteString("<em>" + m.inline(strings.Trim(part, "*")) + "</em>")
		default:
			label, target, _ := strings.Cut(part[1:len(part)-1], "](")
			b.WriteString(`<a href="` + template.HTMLEscapeString(m.target(target)) + `">` + m.inline(label) + "</a>")
		}
		at = x[1]
	}
	b.WriteString(template.HTMLEscapeString(text[at:]))
	return b.String()
}

// pages are the documents that are pages of the site.
var pages = map[string]string{"conformance/PROTOCOL.md": "protocol.html", "CHANGELOG.md": "changes.html"}

// target returns the address of a link.
func (m *converter) target(link string) string {
	if strings.HasPrefix(link, "#") || strings.HasPrefix(link, "https://") {
		return link
	}
	file, fragment, found := strings.Cut(link, "#")
	file = path.Join(m.dir, file)
	to, own := pages[file]
	if !own {
		to = repository + "/blob/main/" + file
	}
	if found {
		to += "#" + fragment
	}
	return to
}

var notInAnchor = regexp.MustCompile(`[^a-z0-9 -]`)

// anchor returns the name that renderers of Markdown give to a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// The feed of changes: an entry for each version.
type (
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Author  string      `xml:"author>name"`
		Links   []atomLink  `xml:"link"`
		Entries []atomEntry `xml:"entry"`
	}
	atomLink struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}
	atomEntry struct {
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Link    atomLink    `xml:"link"`
		Content atomContent `xml:"content"`
	}
	atomContent struct {
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
)

var versionHeading = regexp.MustCompile(`(?m)^## \[([^\]]+)\] - (\d{4}-\d\d-\d\d)$`)

// atom returns the feed of the versions in a change log.
func atom(changes string) (string, error) {
	const tag = "tag:github.com,2026:formatgauge/formatgauge"
	feed := atomFeed{
		ID: tag, Title: "Formatgauge: changes", Author: "Formatgauge maintainers",
		Links: []atomLink{{"self", "feed.xml"}, {"alternate", "changes.html"}},
	}
	found := versionHeading.FindAllStringSubmatchIndex(changes, -1)
	for i, m := range found {
		end := len(changes)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		version, date := changes[m[2]:m[3]], changes[m[4]:m[5]]+"T00:00:00Z"
		feed.Entries = append(feed.Entries, atomEntry{
			ID: tag + ":" + version, Title: "Version " + version, Updated: date,
			Link:    atomLink{"alternate", "changes.html#" + anchor(strings.TrimPrefix(changes[m[0]:m[1]], "## "))},
			Content: atomContent{"html", string(markdown(changes[m[1]:end], ""))},
		})
		feed.Updated = max(feed.Updated, date)
	}
	text, err := xml.MarshalIndent(feed, "", " ")
	return xml.Header + string(text) + "\n", err
}
