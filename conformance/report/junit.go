package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
)

// A junitString is a text without characters that are not printable.
type junitString string

func (s junitString) MarshalText() ([]byte, error) { return []byte(printable.Text(string(s))), nil }

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Name    string       `xml:"name,attr"`
	Suites  []junitSuite `xml:"testsuite"`
	junitCounts
}

type junitCounts struct {
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     junitSeconds `xml:"time,attr"`
}

func (n *junitCounts) add(c junitCase) {
	n.Tests++
	n.Time += c.Time
	switch {
	case c.is(junitFailure):
		n.Failures++
	case c.is(junitError):
		n.Errors++
	case c.is(junitSkipped):
		n.Skipped++
	}
}

// junitSeconds is a time in seconds, to the microsecond.
type junitSeconds time.Duration

func (t junitSeconds) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(t).Seconds(), 'f', 6, 64), nil
}

type junitSuite struct {
	Name junitString `xml:"name,attr"`
	junitCounts
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string      `xml:"name,attr"`
	Value junitString `xml:"value,attr"`
}

type junitCase struct {
	Class   junitString   `xml:"classname,attr"`
	Name    junitString   `xml:"name,attr"`
	Time    junitSeconds  `xml:"time,attr"`
	Outcome *junitOutcome // nil if the case passed
}

func (c junitCase) is(names ...xml.Name) bool {
	return c.Outcome != nil && slices.Contains(names, c.Outcome.XMLName)
}

var (
	junitFailure = xml.Name{Local: "failure"}
	junitError   = xml.Name{Local: "error"}
	junitSkipped = xml.Name{Local: "skipped"}
)

type junitOutcome struct {
	XMLName xml.Name
	Message junitString `xml:"message,attr"`
	Type    string      `xml:"type,attr,omitempty"`
	Text    junitString `xml:",chardata"`
}

const (
	// maxJUnitText is the size in bytes up to which failures have a text, maxJUnitMessage
	// the length of a message.
	maxJUnitText    = 1 << 20
	maxJUnitMessage = 160
)

// JUnit writes XML for CI systems: a suite per family and profile, with its counts as
// properties, and a case per vector. The derived cases of one vector with the same status
// share a case, whose message lists their ids. Failures come first; the first of them have a
// text. A result without an answer (crash, timeout, protocol) is an error. What is skipped,
// not applicable or a known failure is skipped, with the reason. So is what is acceptable: CI
// systems show the message of a skipped case, but not the properties or the output of a
// passed one.
func JUnit(w io.Writer, runs ...*Run) error {
	all := junitSuites{Name: "formatgauge"}
	room := maxJUnitText
	for _, g := range groups(runs) {
		for _, f := range spec.Families() {
			all.Suites = append(all.Suites, junitSuiteOf(&g, f.Name, len(runs) > 1, &room))
		}
	}
	for i, name := range runLabels(runs) {
		s := junitSuite{Name: "list of known failures"}
		if len(runs) > 1 {
			s.Name = junitString(name) + ": " + s.Name
		}
		for _, what := range runs[i].KnownMismatches {
			failure := junitOutcome{XMLName: junitFailure, Message: junitString(what), Type: "known"}
			s.Cases = append(s.Cases, junitCase{Class: "known", Name: junitString(what), Outcome: &failure})
		}
		all.Suites = append(all.Suites, s)
	}
	all.Suites = slices.DeleteFunc(all.Suites, func(s junitSuite) bool { return len(s.Cases) == 0 })
	for i := range all.Suites {
		s := &all.Suites[i]
		for _, c := range s.Cases {
			s.add(c)
			all.add(c)
		}
		putFirst(s.Cases, func(c junitCase) bool { return c.is(junitFailure, junitError) })
	}
	putFirst(all.Suites, func(s junitSuite) bool { return s.Failures+s.Errors > 0 })
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ")
	_ = enc.Encode(all) // a buffer takes everything
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

func junitSuiteOf(g *group, family string, many bool, room *int) junitSuite {
	s := junitSuite{Name: junitString(family + " under " + g.Profile)}
	if many {
		s.Name = junitString(g.Label) + ": " + s.Name
	}
	counts := g.Tallies[family]
	for _, p := range [][2]string{
		{"implementation", g.Run.Hello.Name},
		{"version", g.Run.Hello.Version},
		{"language", g.Run.Hello.Language},
		{"profile", g.Profile},
		{"views", strings.Join(g.Run.Hello.Views, ",")},
		{"formatgauge", g.Run.Formatgauge},
		{"corpus", g.Run.Corpus.Hash},
		{"corpus-number", strconv.Itoa(g.Run.Corpus.Number)},
		{"counts", counts.Own.String()},
		{"derived", counts.Derived.String()},
	} {
		if p[1] != "" {
			s.Properties = append(s.Properties, junitProperty{p[0], junitString(p[1])})
		}
	}
	name := func(r *judge.Result) string {
		name := r.ID
		if r.Derived {
			name = r.Vector.ID + "#derived " + string(StatusOf(r))
		}
		if g.Profile == namedSides { // a vector can occur several times
			name += " under " + r.Profile.String()
		}
		return name
	}
	for _, results := range groupBy(ofFamily(g.results, family), name) {
		c := junitCaseOf(results, room)
		c.Name = junitString(name(results[0]))
		s.Cases = append(s.Cases, c)
	}
	return s
}

func ofFamily(results []*judge.Result, family string) []*judge.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r *judge.Result) bool { return r.Vector.Family() != family })
}

// junitCaseOf returns the case of a vector, or of the derived cases of one with the same
// status; the text of a failure takes its part of the room.
func junitCaseOf(results []*judge.Result, room *int) junitCase {
	r := results[0]
	c := junitCase{Class: junitString(r.Vector.Type)}
	for _, one := range results {
		c.Time += junitSeconds(one.Duration)
	}
	detail := truncate(whatAt(r.Outcome), maxJUnitMessage)
	if r.Derived && r.Status.Disagrees() {
		detail = ranges(suffixesOf(results)) + ": " + detail
	}
	out := &junitOutcome{XMLName: junitSkipped}
	switch o := StatusOf(r); {
	case o == judge.Pass:
		return c
	case o == Known:
		detail = "known failure: " + truncate(r.Known, maxJUnitMessage) + " (" + detail + ")"
	case o == judge.Acceptable:
		detail = truncate(acceptableSentence(r.Outcome), 2*maxJUnitMessage) + " (" + detail + ")"
	case o.Failed():
		out.XMLName, out.Type = junitError, string(r.Status)
		if o == judge.Fail {
			out.XMLName = junitFailure
		}
		if *room > 0 {
			out.Text = junitString(junitText(r))
			*room -= len(out.Text)
		}
	}
	out.Message, c.Outcome = junitString(detail), out
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
