package report_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
)

// node is any element.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []node     `xml:",any"`
	Text    string     `xml:",chardata"`
}

func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func parseXML(t *testing.T, text string) node {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	var root node
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); err != io.EOF { // a newline is chardata
		if tok, err := d.Token(); err != io.EOF {
			t.Fatalf("more content after the root: %v %v", tok, err)
		}
	}
	return root
}

// TestJUnit: an XML parser finds each result with its outcome.
func TestJUnit(t *testing.T) {
	_, bad := runs(t)
	root := parseXML(t, write(t, "junit", bad))
	if root.XMLName.Local != "testsuites" {
		t.Fatalf("the root is %s", root.XMLName.Local)
	}
	got := map[string]string{} // outcome by suite and name of the case
	total := map[string]int{}
	for _, suite := range root.Nodes {
		counts := map[string]int{}
		for _, c := range suite.Nodes {
			if c.XMLName.Local != "testcase" {
				continue
			}
			counts["tests"]++
			what := "pass"
			for _, n := range c.Nodes {
				what = n.XMLName.Local
				if n.attr("message") == "" {
					t.Errorf("%s: %s without a message", c.attr("name"), what)
				}
				derived := strings.Contains(c.attr("name"), "#") // only some have a full text
				if what != "skipped" && !strings.Contains(n.Text, c.attr("name")) && !derived {
					t.Errorf("%s: the text does not contain the name", c.attr("name"))
				}
			}
			counts[what]++
			got[suite.attr("name")+" "+c.attr("name")] = what
		}
		for attr, kind := range map[string]string{"tests": "tests", "failures": "failure", "errors": "error", "skipped": "skipped"} {
			if suite.attr(attr) != itoa(counts[kind]) {
				t.Errorf("%s: attribute %s %s, found %d", suite.attr("name"), suite.attr(attr), attr, counts[kind])
			}
			total[attr] += counts[kind]
		}
	}
	for attr, n := range total {
		if root.attr(attr) != itoa(n) {
			t.Errorf("root: attribute %s %s, found %d", root.attr(attr), attr, n)
		}
	}
	derived, shared := 0, 0
	for key := range got {
		var n int
		if _, name, ok := strings.Cut(key, "#derived ("); ok {
			if _, err := fmt.Sscanf(name, "%d cases)", &n); err != nil {
				t.Error(err)
			}
			shared++
			derived += n
		}
	}
	for i := range bad.Results {
		r := &bad.Results[i]
		if r.Derived && !r.Status.Disagrees() {
			derived--
			continue
		}
		shared++
		want := "pass"
		switch o := report.OutcomeOf(r); {
		case o == "fail":
			want = "failure"
		case o.Failed():
			want = "error"
		case o != report.Outcome(judge.Pass):
			want = "skipped"
		}
		key := fmt.Sprintf("%s under %s %s", r.Vector.Family(), r.Profile, r.ID)
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if derived != 0 || shared != len(got) {
		t.Errorf("%d cases, want %d; %d missing derived cases", len(got), shared, derived)
	}
}

// TestJUnitOfMany: the suites of two implementations have different names.
func TestJUnitOfMany(t *testing.T) {
	good, bad := runs(t)
	names := map[string]bool{}
	for _, suite := range parseXML(t, write(t, "junit", good, bad)).Nodes {
		if names[suite.attr("name")] {
			t.Errorf("two suites have the name %s", suite.attr("name"))
		}
		names[suite.attr("name")] = true
	}
	if len(names) < 8 {
		t.Errorf("%d suites, want at least 8", len(names))
	}
}
