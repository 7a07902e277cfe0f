package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"

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
	all.Time += s.Time
}

type junitCounts struct {
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     junitSeconds `xml:"time,attr"`
}

// junitSeconds is a time in seconds, to the microsecond.
type junitSeconds time.Duration

func (t junitSeconds) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(t).Seconds(), 'f', 6, 64), nil
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
	Time    junitSeconds  `xml:"time,attr"`
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
// result; types that no adapter lists are left out. The derived cases of one vector
// that passed share a case, and so do those that were skipped and those that are not
// applicable. Names do not depend on results or counts. A result without an answer (crash, timeout, protocol) is an error.
// What is skipped, not applicable or a known failure is skipped, with the reason. So is
// what is acceptable: CI systems show the message of a skipped case, but not the
// properties or the output of a passed one.
func JUnit(w io.Writer, runs ...*Run) error {
	all := junitSuites{Name: "formatgauge"}
	for _, g := range groups(runs, true) {
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
			m := junitMessage{Message: what, Type: "known"}
			s.Cases = append(s.Cases, junitCase{Class: "known", Name: what, Failure: &m})
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
	s := junitSuite{Name: family + " under " + g.Profile}
	if many {
		s.Name = g.Label + ": " + s.Name
	}
	for _, p := range []junitProperty{
		{"implementation", g.Run.Hello.Name},
		{"version", g.Run.Hello.Version},
		{"language", g.Run.Hello.Language},
		{"profile", g.Profile},
		{"views", strings.Join(g.Run.Hello.Views, ",")},
		{"formatgauge", g.Run.Formatgauge},
		{"corpus", g.Run.Corpus.Hash},
		{"corpus-number", strconv.Itoa(g.Run.Corpus.Number)},
	} {
		if p.Value != "" {
			s.Properties = append(s.Properties, p)
		}
	}
	failures := map[*corpus.Vector]int{}
	shared := map[string]int{} // index of the case, by its name
	for _, r := range g.results {
		if r.Vector.Family() != family {
			continue
		}
		full := true
		if r.Derived && r.Status.Failed() {
			failures[r.Vector]++
			full = failures[r.Vector] <= maxDerivedFull
		}
		c := junitCaseOf(r, full)
		s.Time += c.Time
		mayShare := r.Derived && !r.Status.Disagrees()
		if mayShare {
			c.Name = r.Vector.ID + "#derived " + string(r.Status)
		}
		if g.Profile == namedSides { // a vector can occur several times
			c.Name += " under " + r.Profile.String()
		}
		if i, ok := shared[c.Name]; ok {
			s.Cases[i].Time += c.Time
			continue
		} else if mayShare {
			shared[c.Name] = len(s.Cases)
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

// junitCaseOf returns the case of a result; the text of a failure only if full is set.
func junitCaseOf(r *judge.Result, full bool) junitCase {
	c := junitCase{Class: r.Vector.Type, Name: r.ID, Time: junitSeconds(r.Duration)}
	detail := whatAt(r.Outcome)
	failure := &junitMessage{Message: detail, Type: string(r.Status)}
	if full && r.Status.Failed() {
		failure.Text = junitText(r)
	}
	switch o := StatusOf(r); {
	case o == Known:
		c.Skipped = &junitMessage{Message: "known failure: " + r.Known + " (" + detail + ")"}
	case o == judge.Acceptable:
		c.Skipped = &junitMessage{Message: acceptableSentence(r.Outcome) + " (" + detail + ")"}
	case o == judge.Fail:
		c.Failure = failure
	case o.Failed():
		c.Error = failure
	case o != judge.Pass:
		c.Skipped = &junitMessage{Message: detail}
	}
	return c
}

// plainText is the template of the text report without colours.
var plainText = sync.OnceValue(func() *template.Template { return textForm(hexdump.Style{}) })

// junitText returns the failure as in the text report.
func junitText(r *judge.Result) string {
	var b strings.Builder
	_ = plainText().ExecuteTemplate(&b, "failure", &cause{Example: &failure{
		Result: r, Profiles: []string{r.Profile.String()},
	}}) // a builder takes everything
	return "\n" + strings.TrimRight(b.String(), "\n") + "\n"
}
