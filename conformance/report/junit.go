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
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
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
			if s := junitSuiteOf(&g, f.Name, len(runs) > 1, &room); s.Tests > 0 {
				all.add(s)
			}
		}
	}
	for i, name := range runLabels(runs) {
		if len(runs[i].KnownMismatches) == 0 {
			continue
		}
		s := junitSuite{Name: "list of known failures"}
		if len(runs) > 1 {
			s.Name = junitString(name) + ": " + s.Name
		}
		for _, what := range runs[i].KnownMismatches {
			m := junitMessage{Message: junitString(what), Type: "known"}
			s.Cases = append(s.Cases, junitCase{Class: "known", Name: junitString(what), Failure: &m})
		}
		s.Tests, s.Failures = len(s.Cases), len(s.Cases)
		all.add(s)
	}
	putFirst(all.Suites, func(s junitSuite) bool { return s.Failures+s.Errors > 0 })
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
		s.Time += c.Time
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
	putFirst(s.Cases, func(c junitCase) bool { return c.Failure != nil || c.Error != nil })
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
	failure := &junitMessage{Message: junitString(detail), Type: string(r.Status)}
	if text := ""; *room > 0 && StatusOf(r).Failed() {
		text = junitText(r)
		*room -= len(text)
		failure.Text = junitString(text)
	}
	skipped := func(why string) *junitMessage { return &junitMessage{Message: junitString(why + "(" + detail + ")")} }
	switch o := StatusOf(r); {
	case o == Known:
		c.Skipped = skipped("known failure: " + truncate(r.Known, maxJUnitMessage) + " ")
	case o == judge.Acceptable:
		c.Skipped = skipped(truncate(acceptableSentence(r.Outcome), 2*maxJUnitMessage) + " ")
	case o == judge.Fail:
		c.Failure = failure
	case o.Failed():
		c.Error = failure
	case o != judge.Pass:
		c.Skipped = &junitMessage{Message: junitString(detail)}
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
