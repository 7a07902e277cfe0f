package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Name    string       `xml:"name,attr"`
	Suites  []junitSuite `xml:"testsuite"`
	junitCounts
}

func (all *junitSuites) add(s junitSuite) {
	all.Suites = append(all.Suites, s)
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Errors += s.Errors
	all.Skipped += s.Skipped
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes XML for CI systems: a suite per family and profile, a case per
// result. Derived cases of one vector with the same outcome share a case if they
// passed or were not judged. A result without an answer (crash, hang, protocol)
// is an error. Skipped, open and known failures are skipped, with the reason. So
// are cases that differ from a choice or are wider: CI systems show the message
// of a skipped case, but not the properties or the output of a passed one.
func JUnit(w io.Writer, runs ...*Run) error {
	all := junitSuites{Name: "formatgauge"}
	for _, g := range groups(runs) {
		for _, f := range spec.Families() {
			s := junitSuiteOf(&g, f.Name, len(runs) > 1)
			if s.Tests == 0 {
				continue
			}
			all.add(s)
		}
	}
	for i, name := range runLabels(runs) {
		if len(runs[i].KnownMismatches) == 0 {
			continue
		}
		s := junitSuite{Name: "list of known failures"}
		if len(runs) > 1 {
			s.Name = name + ": " + s.Name
		}
		for _, what := range runs[i].KnownMismatches {
			s.Cases = append(s.Cases, junitCase{Class: "known", Name: what, Failure: &junitMessage{Message: what, Type: "known"}})
		}
		s.Tests, s.Failures = len(s.Cases), len(s.Cases)
		all.add(s)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

func junitSuiteOf(g *group, family string, many bool) junitSuite {
	s := junitSuite{Name: family + " under " + g.profile}
	if many {
		s.Name = g.label + ": " + s.Name
	}
	for _, p := range []junitProperty{
		{"implementation", g.run.Hello.Name},
		{"version", g.run.Hello.Version},
		{"language", g.run.Hello.Language},
		{"profile", g.profile},
		{"views", strings.Join(g.run.Hello.Views, ",")},
		{"formatgauge", g.run.Formatgauge},
		{"corpus", g.run.Corpus.Hash},
		{"corpus-number", strconv.Itoa(g.run.Corpus.Number)},
	} {
		if p.Value != "" {
			s.Properties = append(s.Properties, p)
		}
	}
	failures := map[*corpus.Vector]int{}
	counted := make([]bool, len(g.results)) // part of an earlier case
	for i, r := range g.results {
		if r.Vector.Family() != family || counted[i] {
			continue
		}
		c := junitCaseOf(r)
		if r.Derived && !r.Status.Disagrees() {
			// Failures may occur between them; two cases must not have the same
			// name.
			n := 1
			for j := i + 1; j < len(g.results) && g.results[j].Vector == r.Vector; j++ {
				if sameOutcome(r, g.results[j]) {
					counted[j] = true
					n++
				}
			}
			c.Name = fmt.Sprintf("%s#derived (%d cases)", r.Vector.ID, n)
		}
		if g.profile == namedSides { // a vector can occur several times
			c.Name += " under " + r.Profile.String()
		}
		if r.Derived && r.Status.Failed() {
			if failures[r.Vector]++; failures[r.Vector] > maxDerivedFull {
				c.dropText()
			}
		}
		s.Tests++
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

func junitCaseOf(r *judge.Result) junitCase {
	c := junitCase{Class: r.Vector.Type, Name: r.ID}
	detail := r.Detail
	if r.Op != "" && r.Status != judge.Skip {
		detail = fmt.Sprintf("%s: %s", r.Op, r.Detail)
	}
	switch o := OutcomeOf(r); {
	case o == Known:
		c.Skipped = &junitMessage{Message: "known failure: " + r.Known + " (" + detail + ")"}
	case o == Outcome(judge.Differs), o == Outcome(judge.Wider):
		c.Skipped = &junitMessage{Message: leniencySentence(r) + " (" + detail + ")"}
	case o == Outcome(judge.Fail):
		c.Failure = &junitMessage{Message: detail, Type: string(o), Text: junitText(r)}
	case o.Failed():
		c.Error = &junitMessage{Message: detail, Type: string(o), Text: junitText(r)}
	case o != Outcome(judge.Pass):
		c.Skipped = &junitMessage{Message: detail}
	}
	return c
}

// dropText keeps the message and removes the text.
func (c *junitCase) dropText() {
	for _, m := range []*junitMessage{c.Failure, c.Error} {
		if m != nil {
			m.Text = ""
		}
	}
}

// junitText returns the failure as in the text report.
func junitText(r *judge.Result) string {
	var b bytes.Buffer
	t := text{Buffer: &b, Style: hexdump.Style{}}
	t.writeFailure(&failure{Result: r, profiles: []string{r.Profile.String()}}, "")
	return "\n" + strings.TrimRight(b.String(), "\n") + "\n"
}
