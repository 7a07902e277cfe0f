package report_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/spec/ids"
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
	t.Parallel()
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
		for attr, kind := range map[string]string{
			"tests": "tests", "failures": "failure", "errors": "error",
			"skipped": "skipped",
		} {
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
	want := map[string]string{}
	for i := range bad.Results {
		r := &bad.Results[i]
		name, outcome := r.ID, "pass"
		switch o := report.StatusOf(r); {
		case o == "fail":
			outcome = "failure"
		case o.Failed():
			outcome = "error"
		case o != judge.Pass:
			outcome = "skipped"
		}
		if r.Derived {
			name = r.Vector.ID + "#derived " + string(report.StatusOf(r))
		}
		if r.Reason == judge.Declared { // hello excludes the type
			continue
		}
		want[fmt.Sprintf("%s under %s %s", r.Vector.Family(), r.Profile, name)] = outcome
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%.3000s", d)
	}
}

// TestJUnitTimes: a case has its time, also one that stands for derived cases, and
// a suite the sum of its cases. A name does not depend on how many cases there are.
func TestJUnitTimes(t *testing.T) {
	v := resultOf(t, "ubi/BasicString/trailing", "", "").Vector
	var results []judge.Result
	for i, status := range []judge.Status{judge.Pass, judge.Pass, judge.Fail, judge.Pass} {
		r := judge.NewResult(v.ID, v, ids.Observed(), judge.Outcome{Status: status})
		r.Duration = time.Duration(i+1) * 1500 * time.Microsecond
		if i > 0 {
			r.Derived, r.Rule, r.ID = true, judge.Truncated, fmt.Sprintf("%s#truncated-%d", v.ID, i)
		}
		results = append(results, r)
	}
	run := &report.Run{Report: &judge.Report{Results: results}}
	root := parseXML(t, write(t, "junit", run))
	got := []string{root.attr("time"), root.Nodes[0].attr("time")}
	for _, n := range root.Nodes[0].Nodes {
		if n.XMLName.Local == "testcase" {
			got = append(got, n.attr("name")+" "+n.attr("time"))
		}
	}
	want := []string{
		"0.015000", "0.015000", v.ID + "#derived fail 0.004500", v.ID + " 0.001500", v.ID + "#derived pass 0.009000",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
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
