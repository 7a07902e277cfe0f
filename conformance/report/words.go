package report

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// This file turns the outcomes of the judge into words. Nothing reads these words again.

// Known is the status of a failure that is listed as known, in counts.
const Known judge.Status = "known"

// StatusOf returns the status of a case, or [Known].
func StatusOf(r *judge.Result) judge.Status {
	if r.Status.Failed() && r.Known != "" {
		return Known
	}
	return r.Status
}

// A statusWord describes a status.
type statusWord struct {
	Status judge.Status `json:"name"`
	Sign   string       `json:"sign"`
	count  string       // follows a number
	About  string       `json:"about"`
}

// statusWords lists all statuses in the order in which they are shown.
var statusWords = []statusWord{
	{judge.Pass, "✓", "passed", "all answers are as expected"},
	{judge.Fail, "✕", "failed", "an answer is not as expected"},
	{judge.Crash, "!", "crashed", "the process ended"},
	{judge.Timeout, "…", "timed out", "no answer within the time limit"},
	{judge.Protocol, "?", "violated the protocol", "the answer violates the protocol"},
	{Known, "~", "known failures", "a failure that is listed as known"},
	{
		judge.Acceptable, "≠", "acceptable",
		"not as expected, but no failure: only a choice of this reference demands the expected answer, a reader may also accept what exceeds a limit or is unsupported, or the implementation does not support such inputs",
	},
	{judge.Skip, "–", "skipped", "not supported by the implementation, with a reason"},
	{
		judge.NotApplicable, "○", "not applicable",
		"the vector has no verdict for this combination of sides, or none in the declared views",
	},
}

// wordOf returns the description of a status, and its place in the order.
func wordOf(s judge.Status) (*statusWord, int) {
	i := slices.IndexFunc(statusWords, func(w statusWord) bool { return w.Status == s })
	return &statusWords[i], i
}

// reasonWords say why there is no verdict.
var reasonWords = map[judge.Reason]string{
	judge.Unlisted:    "the adapter does not list the type",
	judge.NoOperation: "the adapter lists none of the operations that the vector needs",
	judge.Unsupported: "valid, and the adapter rejects it as unsupported",
	judge.NoSection:   "no section of the vector applies to this combination of sides",
	judge.SideView:    "a side of the profile keeps the value only in a view, in which it need not be encoded",
	judge.LostValue:   "the value differs from that of the vector only in what the views do not keep",
	judge.LostPart:    "the value is not kept completely in the views: it need not be encoded",
	judge.NoValue:     "accepting is no failure here, and there is no value to compare the answer with",
}

// What says what is not as expected, or why there is no verdict.
func What(o *judge.Outcome) string {
	switch {
	case !o.Status.Disagrees() && reasonWords[o.Reason] != "":
		return reasonWords[o.Reason]
	case o.Reason == judge.NotAsked:
		return "not asked: " + o.Message
	case o.Reason == judge.HungAlike:
		return "not asked: it would hang like " + o.Message
	case o.Reason == judge.LostFault && o.Difference != nil:
		return fmt.Sprintf("the fault is in %s, which the view %s loses: acceptance and rejection are both right",
			o.Difference.Path, o.View)
	case o.Alone:
		return o.Message + "; not when asked alone in a fresh process: this depends on earlier requests"
	case o.Class == judge.Errored && o.Got != nil && o.Got.Error != "":
		return "the adapter answered error: " + o.Message
	case o.Class == judge.WrongTree && o.Difference != nil && o.Difference.Want == "":
		return strings.TrimSuffix("the tree in the answer does not match the model: "+o.Difference.Path, ": ") + ": " +
			o.Message
	case o.Difference != nil:
		return o.Difference.String()
	case o.Expected == nil:
		return o.Message
	}
	text, want, got := "", rejection(o.Expected), rejection(o.Got)
	switch o.Class {
	case judge.Accepted:
		if o.Expected.Other {
			return "accepted as the value of the vector, expected another value or a rejection"
		}
		return "accepted, expected a rejection"
	case judge.WrongBytes:
		return "the bytes are no encoding of a value that is the same in the declared views"
	case judge.WrongOffset:
		return fmt.Sprintf("rejected at byte %d, expected %s", got.From, AnswerText(o.Expected))
	case judge.Rejected:
		text = "rejected without a class, expected acceptance" // only without the protocol
		if got.Class != "" {
			text = "rejected as " + got.Class + ", expected acceptance"
		}
	case judge.WrongClass:
		text = "rejected as " + got.Class + ", expected " + strings.ReplaceAll(want.Class, "|", " or ")
	default:
		return o.Message
	}
	if o.Message != "" {
		text += ": " + o.Message
	}
	return text
}

// whatAt is [What] after the operation.
func whatAt(o *judge.Outcome) string {
	if o.Op != "" && o.Status != judge.Skip {
		return string(o.Op) + ": " + What(o)
	}
	return What(o)
}

// rejection returns the classes and offsets of an answer that rejects. From is -1 if it has
// no offset.
func rejection(a *judge.Answer) *corpus.Expectation {
	e := &corpus.Expectation{Outcome: corpus.Reject, From: -1}
	if a != nil && a.Reject != nil {
		e.Class = a.Reject.Class
		if a.Reject.From != nil && a.Reject.To != nil {
			e.From, e.To = *a.Reject.From, *a.Reject.To
		}
	}
	return e
}

// AnswerText returns an expected or actual answer on one line; empty if there is none.
func AnswerText(a *judge.Answer) string {
	text := ""
	switch {
	case a == nil:
		return ""
	case a.Reject != nil:
		return strings.TrimSpace(rejection(a).Short())
	case a.Error != "":
		return "error: " + a.Error
	case a.Skip != "":
		return "skip: " + a.Skip
	case a.Hex != nil:
		b, _ := hex.DecodeString(*a.Hex) // the judge has encoded it
		text = fmt.Sprintf("% x", b)
	case a.Other:
		text = "reject, or any value other than "
	}
	if n, err := tree.Parse(a.Tree); err == nil {
		text += n.String()
	}
	if a.Whole != nil {
		text += a.Whole.String()
	}
	return text
}

// answerLines splits an answer: bytes into rows, a tree into its indented lines.
func answerLines(a *judge.Answer, offsets bool) (out []string) {
	switch {
	case a == nil:
		return nil
	case a.Hex != nil:
		b, _ := hex.DecodeString(*a.Hex) // the judge has encoded it
		out = byteLines(b, offsets)
	case a.Tree != nil && !a.Other:
		out = treeLines(string(a.Tree))
	default:
		return strings.Split(AnswerText(a), "\n")
	}
	if a.Whole != nil {
		out = append(out, strings.TrimSpace(a.Whole.String()))
	}
	return out
}

const bytesPerRow = 8

func byteLines(b []byte, offsets bool) (out []string) {
	if len(b) == 0 {
		return []string{"no bytes"}
	}
	for at := 0; at < len(b); at += bytesPerRow {
		row := fmt.Sprintf("% x", b[at:min(at+bytesPerRow, len(b))])
		if offsets {
			row = fmt.Sprintf("%04x  %s", at, row)
		}
		out = append(out, row)
	}
	return out
}

// treeLines splits a tree into its indented lines.
func treeLines(text string) []string {
	if n, err := tree.Parse([]byte(text)); err == nil {
		return strings.Split(strings.TrimSuffix(n.Indent(), "\n"), "\n")
	}
	return strings.Split(text, "\n")
}

// expectedAndGot returns the expected and the actual answer in lines; nil if
// there is nothing to compare.
func expectedAndGot(r *judge.Result) (want, got []string) {
	if !r.Status.Failed() {
		return nil, nil
	}
	long := func(a *judge.Answer) bool { return a != nil && a.Hex != nil && len(*a.Hex) > 2*bytesPerRow }
	offsets := long(r.Expected) || long(r.Got)
	want, got = answerLines(r.Expected, offsets), answerLines(r.Got, offsets)
	isValue := func(a *judge.Answer) bool { return a != nil && (a.Hex != nil || a.Tree != nil && !a.Other) }
	if !isValue(r.Expected) || !isValue(r.Got) { // nothing differs in particular
		want, got = beginning(want), beginning(got)
	}
	if r.Alone && got != nil {
		got = append(slices.Clip(got), "(when asked alone)")
	}
	return want, got
}

// beginning returns the first lines of a value that is not compared.
func beginning(lines []string) []string {
	const most = 6
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most-1]), fmt.Sprintf("... %d more lines", len(lines)-most+1))
}

// sideNames lists the sides of the section that the answer satisfies, where
// they differ from the sides of the profile.
func sideNames(r *judge.Result) []string {
	p, err := ids.ParseProfile(r.Side)
	if err != nil || r.Side == "" { // the empty text is a profile too
		return nil
	}
	var names []string
	for _, id := range r.Vector.Flags {
		if f, ok := spec.FindFlag(id); ok && f.Switchable() && p.Side(id) != r.Profile.Side(id) {
			names = append(names, string(id)+"="+p.Side(id))
		}
	}
	return names
}

// sideSentence says that the answer is correct for other sides; "" if it is not.
func sideSentence(r *judge.Result) string {
	switch names := sideNames(r); {
	case r.Side == "":
		return ""
	case r.Side == corpus.ExpectAll || len(names) == 0:
		return "The answer is the expected one under other sides (" + r.Side + ")"
	default:
		return "The answer is the expected one under " + strings.Join(names, ", ") + ": declare this if it is intended"
	}
}

const (
	aboutLimit          = "A limit is one of a reader, not of the format. Unsupported input is valid. Who accepts it is not wrong."
	aboutUnsupported    = "The implementation accepts no valid input of this type, or none with this value of what decides support: `formatgauge explain TYPE`. It need not find another fault in such an input."
	aboutFailAcceptable = "A failure only because of --fail-acceptable."
)

// acceptable says why an answer is acceptable: in a few words, and in full.
func acceptable(o *judge.Outcome) (title, about string) {
	switch o.Reason {
	case judge.ByChoice:
		var names, why []string
		for _, c := range o.Choices {
			names, why = append(names, c.By), append(why, c.Reason)
		}
		return oneLine("acceptable, choice: " + strings.Join(names, ", ")), strings.Join(why, " ")
	case judge.Limit:
		return "acceptable, limit: accepts what a reader may reject because of a limit", aboutLimit
	}
	if o.Class == judge.WrongClass {
		return "acceptable, unsupported: rejects as unsupported what has another fault", aboutUnsupported
	}
	return "acceptable, unsupported: accepts what a reader may reject as unsupported", aboutLimit
}

// acceptableSentence says why a case is no failure, or would be none without
// --fail-acceptable; empty for other cases.
func acceptableSentence(o *judge.Outcome) string {
	if o.Reason == "" || !o.Status.Disagrees() {
		return ""
	}
	title, about := acceptable(o)
	s := title + ". " + about
	if o.Status == judge.Fail {
		s += " " + aboutFailAcceptable
	}
	return s
}

// contextOf describes the context if it differs from that of the vector.
func contextOf(r *judge.Result) string {
	if maps.Equal(r.Context, r.Vector.Context) {
		return ""
	}
	return "context: " + corpus.ContextText(r.Context)
}

// Plural returns a number with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// oneLine replaces white space by single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
