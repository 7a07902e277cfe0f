// Package report writes what the judge has found. It runs nothing.
package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// Text writes a report for a terminal or a log: what is bad first, each with
// the vector's own words and bytes; then what is left out and why; then counts.
func Text(w io.Writer, r *judge.Report) error {
	var b bytes.Buffer
	for i := range r.Results {
		if r.Results[i].Status.Bad() {
			writeBad(&b, &r.Results[i])
		}
	}
	writeSkips(&b, r)
	writeCounts(&b, r)
	_, err := w.Write(b.Bytes())
	return err
}

func writeBad(b *bytes.Buffer, r *judge.Result) {
	fmt.Fprintf(b, "%s  %s  under %s\n", strings.ToUpper(string(r.Status)), r.ID, r.Profile)
	for line := range strings.Lines(r.Vector.Comment) {
		fmt.Fprintf(b, "    %s\n", strings.TrimSpace(line))
	}
	for _, l := range r.Vector.Lines {
		fmt.Fprintf(b, "      %06x  %-24s  %s\n", l.Offset, shortBytes(r.Vector, l), l.Note)
	}
	if r.Vector.EncodeOnly() {
		fmt.Fprintf(b, "      %s\n", r.Vector.Tree)
	}
	fmt.Fprintf(b, "    %s: %s\n", r.Op, r.Detail)
	if r.Want != "" {
		fmt.Fprintf(b, "      want  %s\n", strings.Join(strings.Fields(r.Want), " "))
	}
	if r.Got != "" {
		fmt.Fprintf(b, "      got   %s\n", r.Got)
	}
	if r.Side != "" {
		fmt.Fprintf(b, "      this is the answer of another side: %s; declare it if it is meant\n", sideNames(r))
	}
	for _, id := range r.Vector.Clauses {
		if c, ok := spec.FindClause(id); ok {
			fmt.Fprintf(b, "    %s: %s\n", id, c.Text)
		}
	}
	b.WriteByte('\n')
}

const shownBytes = 8

func shortBytes(v *corpus.Vector, l corpus.Line) string {
	if l.Len > shownBytes {
		return fmt.Sprintf("% x…", v.Bytes[l.Offset:l.Offset+shownBytes-1])
	}
	return fmt.Sprintf("% x", v.Bytes[l.Offset:l.Offset+l.Len])
}

// sideNames spells out which sides the section stands for.
func sideNames(r *judge.Result) string {
	p, err := spec.ParseProfile(r.Side)
	if err != nil {
		return r.Side
	}
	var names []string
	for _, id := range r.Vector.Flags {
		if f, ok := spec.FindFlag(id); ok && f.Switchable() && p.Side(id) != r.Profile.Side(id) {
			names = append(names, string(id)+"="+p.Side(id))
		}
	}
	return strings.Join(names, ", ")
}

func writeSkips(b *bytes.Buffer, r *judge.Report) {
	type group struct {
		types  []string
		counts int
	}
	groups := map[string]*group{}
	var order []string
	for i := range r.Results {
		res := &r.Results[i]
		if res.Status != judge.Skip {
			continue
		}
		g := groups[res.Detail]
		if g == nil {
			g = &group{}
			groups[res.Detail] = g
			order = append(order, res.Detail)
		}
		g.counts++
		if n := len(g.types); n == 0 || g.types[n-1] != res.Vector.Type {
			g.types = append(g.types, res.Vector.Type)
		}
	}
	for _, reason := range order {
		g := groups[reason]
		fmt.Fprintf(b, "skipped %d: %s\n", g.counts, reason)
		fmt.Fprintf(b, "    %s\n", strings.Join(g.types, ", "))
	}
}

func writeCounts(b *bytes.Buffer, r *judge.Report) {
	h := r.Hello
	fmt.Fprintf(b, "%s %s", h.Name, h.Version)
	b.Truncate(len(bytes.TrimRight(b.Bytes(), " ")))
	if h.Language != "" {
		fmt.Fprintf(b, " (%s)", h.Language)
	}
	b.WriteByte('\n')
	fmt.Fprintf(b, "  %-10s %-8s %6s %6s %6s %6s\n", "profile", "family", "pass", "fail", "skip", "open")
	for _, p := range profiles(r) {
		for _, f := range spec.Families() {
			one := subset(r, p, f.Name)
			if len(one.Results) == 0 {
				continue
			}
			name := p
			if len(name) > 10 {
				name = name[:9] + "…"
			}
			fmt.Fprintf(b, "  %-10s %-8s %6d %6d %6d %6d\n", name, f.Name, one.Count(judge.Pass),
				one.Count(judge.Fail, judge.Crash, judge.Hang, judge.Protocol), one.Count(judge.Skip), one.Count(judge.Open))
		}
	}
	verdict := "conformant"
	if !r.Conformant() {
		verdict = "not conformant"
	}
	if r.Count(judge.Pass) == 0 && r.Count(judge.Fail, judge.Crash, judge.Hang, judge.Protocol) == 0 {
		verdict = "nothing was judged"
	}
	fmt.Fprintf(b, "%d passed, %d failed, %d skipped, %d open: %s\n", r.Count(judge.Pass),
		r.Count(judge.Fail, judge.Crash, judge.Hang, judge.Protocol), r.Count(judge.Skip), r.Count(judge.Open), verdict)
}

func profiles(r *judge.Report) []string {
	var out []string
	for i := range r.Results {
		if p := r.Results[i].Profile.String(); len(out) == 0 || out[len(out)-1] != p {
			out = append(out, p)
		}
	}
	return out
}

func subset(r *judge.Report, profile, family string) *judge.Report {
	out := &judge.Report{Hello: r.Hello}
	for _, res := range r.Results {
		if res.Profile.String() == profile && res.Vector.Family() == family {
			out.Results = append(out.Results, res)
		}
	}
	return out
}
