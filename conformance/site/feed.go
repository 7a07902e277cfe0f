package site

import (
	"encoding/xml"
	"regexp"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/page"
)

var notInAnchor = regexp.MustCompile(`[^a-z0-9 -]`)

// anchor returns the id of a heading of a document.
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
		content, err := page.Markdown(changes[m[1]:end], target("."))
		if err != nil {
			return "", err
		}
		feed.Entries = append(feed.Entries, atomEntry{
			ID: tag + ":" + version, Title: "Version " + version, Updated: date,
			Link:    atomLink{"alternate", "changes.html#" + anchor(strings.TrimPrefix(changes[m[0]:m[1]], "## "))},
			Content: atomContent{"html", string(content)},
		})
		feed.Updated = max(feed.Updated, date)
	}
	text, err := xml.MarshalIndent(feed, "", " ")
	return xml.Header + string(text) + "\n", err
}
