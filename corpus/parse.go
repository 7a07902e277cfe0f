package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/formatgauge/formatgauge/internal/lazyregexp"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Classes are all classes of rejections. They are the classes of package wire;
// a test compares the two lists.
var Classes = []string{
	"truncated", "trailing", "magic", "version", "kind", "value", "reference",
	"limit", "noncanonical", "unsupported", "range",
}

// Parse reads one vector file. The id is its path without the ending. What it permits can
// refer to vectors of this module.
func Parse(id string, text []byte) (*Vector, error) { return parse(files, id, text) }

// parse reads a file of a corpus.
func parse(fsys fs.FS, id string, text []byte) (*Vector, error) {
	v := &Vector{ID: id, Context: map[string]string{}}
	fail := func(format string, args ...any) (*Vector, error) {
		return nil, fmt.Errorf("%s: %w", PathOf(id), fmt.Errorf(format, args...))
	}
	parts := strings.Split(id, "/")
	if len(parts) != 3 {
		return fail("expected the path FAMILY/Structure/name.txtar")
	}
	v.Type = parts[0] + "." + parts[1]
	if err := checkFilled(string(text)); err != nil {
		return fail("%w", err)
	}

	ar := txtar.Parse(text)
	if err := v.parseComment(string(ar.Comment)); err != nil {
		return fail("%w", err)
	}
	for _, f := range ar.Files {
		name, canonical := strings.CutSuffix(f.Name, " canonical")
		data := string(f.Data)
		var err error
		switch {
		case canonical:
			err = v.parseCanonical(name, data)
		case (name == "bytes" || name == "tree") && (v.Bytes != nil || v.Tree != ""):
			return fail("a vector has one input")
		case name == "bytes":
			v.Bytes, v.Lines, err = ParseHex(data)
		case name == "tree":
			v.Tree, err = parseTree(data)
		case name == "permitted":
			err = v.parsePermitted(fsys, data)
		default:
			err = v.parseExpectation(name, data)
		}
		if err != nil {
			return fail("-- %s --: %w", f.Name, err)
		}
	}
	if v.Bytes == nil && v.Tree == "" {
		return fail("a vector needs -- bytes -- or -- tree --")
	}
	if len(v.Expect) == 0 {
		return fail("a vector needs an expectation")
	}
	for i := range v.Expect {
		if err := v.checkExpectation(&v.Expect[i]); err != nil {
			return fail("-- %s --: %w", v.Expect[i].Profile, err)
		}
	}
	for _, d := range v.Decided {
		if d.Section != "" && d.Section != Writing &&
			!slices.ContainsFunc(v.Expect, func(e Expectation) bool { return e.Profile == d.Section }) {
			return fail("decided %s: the vector has no such section", d.Section)
		}
	}
	return v, nil
}

// parseComment reads the sentences at the start of the file and the fields
// after them.
func (v *Vector) parseComment(text string) error {
	var prose []string
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, isField := strings.Cut(line, ": ")
		if len(seen) == 0 &&
			(!isField || !slices.Contains([]string{"type", "clauses", "flags", "decided", "context", "typical", "source"}, key)) {
			prose = append(prose, line)
			continue
		}
		if line == "" {
			continue
		}
		if !isField || seen[key] {
			return fmt.Errorf("field %q is repeated or has no value", line)
		}
		seen[key] = true
		name, section, _ := strings.Cut(key, " ") // "decided SECTION: ..."
		if section != "" && name != "decided" {
			name = key
		}
		switch name {
		case "type":
			v.Type = value
		case "clauses":
			v.Clauses = listOf[ids.Clause](value)
		case "flags":
			v.Flags = listOf[ids.Flag](value)
		case "decided":
			for _, s := range listOf[string](value) {
				d, err := parseDecider(s)
				if err != nil {
					return err
				}
				d.Section = section
				v.Decided = append(v.Decided, d)
			}
		case "context":
			for _, s := range listOf[string](value) {
				k, val, ok := strings.Cut(s, "=")
				if !ok {
					return fmt.Errorf("context %q is not key=value", s)
				}
				v.Context[k] = val
			}
		case "typical":
			if v.Typical = value == "yes"; !v.Typical {
				return fmt.Errorf("typical: expected yes, found %q", value)
			}
		case "source":
			v.Source = value
		default:
			return fmt.Errorf("unknown field %q", key)
		}
	}
	v.Comment = strings.TrimSpace(strings.Join(prose, "\n"))
	return nil
}

// listOf splits a list at its commas.
func listOf[T ~string](text string) (out []T) {
	for s := range strings.SplitSeq(text, ",") {
		out = append(out, T(strings.TrimSpace(s)))
	}
	return out
}

func (v *Vector) parseExpectation(profile, data string) error {
	if slices.ContainsFunc(v.Expect, func(e Expectation) bool { return e.Profile == profile }) {
		return errors.New("the section is repeated")
	}
	if profile != ExpectAll {
		if _, err := ids.ParseProfile(profile); err != nil {
			return err
		}
	}
	head, rest, _ := strings.Cut(strings.TrimSpace(data), "\n")
	words := strings.Fields(head)
	if len(words) == 0 {
		return errors.New("a verdict is missing")
	}
	e := Expectation{Profile: profile, Outcome: Outcome(words[0]), From: -1}
	var err error
	switch e.Outcome {
	case Accept, Noncanonical:
		if len(words) > 1 {
			return fmt.Errorf("%q: expected the tree on the next line", head)
		}
		e.Tree, err = parseTree(rest)
	case Encodes:
		e.Canonical, e.CanonicalLines, err = ParseHex(rest)
	case Reject:
		if len(words) < 2 || len(words) > 3 || !validClasses(words[1]) || strings.TrimSpace(rest) != "" {
			return fmt.Errorf("%q: expected reject CLASS @OFFSET or reject CLASS|CLASS @OFFSET", head)
		}
		e.Class = words[1]
		if len(words) == 3 {
			e.From, e.To, err = parseOffset(words[2])
		}
	default:
		return fmt.Errorf("verdict %q does not exist", words[0])
	}
	if err != nil {
		return err
	}
	v.Expect = append(v.Expect, e)
	return nil
}

// parsePermitted reads an answer that is permitted: bytes if the input is a tree,
// otherwise a tree. It can be written as the tree of another vector with changes, a path
// and the new part on each line.
func (v *Vector) parsePermitted(fsys fs.FS, data string) error {
	if v.EncodeOnly() {
		b, _, err := ParseHex(data)
		v.Permitted = append(v.Permitted, Permitted{Bytes: b, Text: data})
		return err
	}
	text, changes := data, ""
	if like, ok := strings.CutPrefix(data, "like "); ok {
		id, rest, _ := strings.Cut(like, "\n")
		file, err := fs.ReadFile(fsys, PathOf(id))
		if err != nil {
			return err
		}
		other, err := parse(fsys, id, file)
		if err != nil {
			return err
		}
		if text, changes = other.anyTree(), rest; text == "" {
			return fmt.Errorf("%s has no tree", id)
		}
	}
	t, err := parseTree(text)
	if err == nil {
		t, err = changed(t, changes)
	}
	v.Permitted = append(v.Permitted, Permitted{Tree: t, Text: data})
	return err
}

// anyTree returns the tree of the profile observed, otherwise of the first section that has one.
func (v *Vector) anyTree() string {
	if e := v.Select(ids.Observed()); e != nil && e.Tree != "" {
		return e.Tree
	}
	for i := range v.Expect {
		if v.Expect[i].Tree != "" {
			return v.Expect[i].Tree
		}
	}
	return ""
}

// changed returns a tree with other parts: PATH: JSON, one a line.
func changed(text, changes string) (string, error) {
	if strings.TrimSpace(changes) == "" {
		return text, nil
	}
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		return "", err
	}
	for line := range strings.Lines(changes) {
		path, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		var part any
		if err := json.Unmarshal([]byte(value), &part); !ok || err != nil {
			return "", fmt.Errorf("%q: expected PATH: JSON", line)
		}
		if !replace(&root, strings.Split(path, "."), part) {
			return "", fmt.Errorf("%q: the tree has no such part", line)
		}
	}
	b, err := json.Marshal(root)
	return string(b), err
}

// replace replaces the part of a tree at a path of names and indices, and reports whether
// there is one.
func replace(at *any, path []string, part any) bool {
	if len(path) == 0 {
		*at = part
		return true
	}
	switch whole := (*at).(type) {
	case map[string]any:
		item, ok := whole[path[0]]
		ok = ok && replace(&item, path[1:], part)
		whole[path[0]] = item
		return ok
	case []any:
		i, err := strconv.Atoi(path[0])
		return err == nil && i >= 0 && i < len(whole) && replace(&whole[i], path[1:], part)
	}
	return false
}

func (v *Vector) parseCanonical(profile, data string) error {
	i := slices.IndexFunc(v.Expect, func(e Expectation) bool { return e.Profile == profile })
	if i < 0 || v.Expect[i].Outcome != Noncanonical {
		return errors.New("expected the noncanonical section of the same name before the canonical bytes")
	}
	e := &v.Expect[i]
	if class, ok := strings.CutPrefix(strings.TrimSpace(data), "reject "); ok {
		if !validClasses(class) {
			return fmt.Errorf("class %q does not exist", class)
		}
		e.CanonicalClass = class
		return nil
	}
	var err error
	e.Canonical, e.CanonicalLines, err = ParseHex(data)
	return err
}

// validClasses reports whether s is a class, or several separated by "|".
func validClasses(s string) bool {
	unknown := func(class string) bool { return !slices.Contains(Classes, class) }
	return !slices.ContainsFunc(strings.Split(s, "|"), unknown)
}

func (v *Vector) checkExpectation(e *Expectation) error {
	switch e.Outcome {
	case Noncanonical:
		if e.Canonical == nil && e.CanonicalClass == "" {
			return errors.New("expected a canonical section for a noncanonical verdict")
		}
		if e.Canonical != nil && string(e.Canonical) == string(v.Bytes) {
			return errors.New("the canonical bytes equal the input: expected accept")
		}
	case Reject:
		if e.From > len(v.Bytes) || e.To > len(v.Bytes) || e.To < e.From {
			return fmt.Errorf("expected ascending offsets from 0 to %d, the end of the input, found %d-%d",
				len(v.Bytes), e.From, e.To)
		}
	}
	if v.EncodeOnly() != (e.Outcome == Encodes) && e.Outcome != Reject {
		return fmt.Errorf("verdict %s is not possible for an input given as %s", e.Outcome,
			map[bool]string{true: "tree", false: "bytes"}[v.EncodeOnly()])
	}
	return nil
}

func parseOffset(s string) (from, to int, err error) {
	s, ok := strings.CutPrefix(s, "@")
	if !ok {
		return 0, 0, fmt.Errorf("%q: an offset starts with @", s)
	}
	a, b, isRange := strings.Cut(s, "-")
	if from, err = strconv.Atoi(a); err != nil {
		return 0, 0, err
	}
	to = from
	if isRange {
		to, err = strconv.Atoi(b)
	}
	return from, to, err
}

func parseTree(s string) (string, error) {
	s = strings.TrimSpace(s)
	if !json.Valid([]byte(s)) {
		return "", fmt.Errorf("tree is not JSON: %.60q", s)
	}
	return s, nil
}

// ParseHex reads annotated bytes. A line contains pairs of hex digits, "text" in
// double quotes for printable ASCII, and *N, which repeats the preceding token, or
// tokens in parentheses, so that they occur N times. After two spaces follow the
// annotation and its mark.
// An empty text gives no lines and a non-nil empty slice.
func ParseHex(text string) ([]byte, []Line, error) {
	out := []byte{}
	var lines []Line
	n := 0
	for raw := range strings.Lines(text) {
		n++
		line := strings.TrimSpace(raw)
		if line == "" {
			continue
		}
		l := Line{Offset: len(out)}
		longer, note, err := appendHexLine(out, line)
		if out = longer; err == nil {
			l.Len = len(out) - l.Offset
			err = l.annotate(note)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", n, err)
		}
		lines = append(lines, l)
	}
	return out, lines, nil
}

var markForm = lazyregexp.New(`^(?:(.*) )?#([a-z]+)(?::([0-9]+))?$`)

// fieldWidths lists the widths of the fields that can be marked, in bytes.
var fieldWidths = []int{1, 2, 4, 8}

// annotate splits an annotation into its words and its mark. "#len" and "#count"
// mark the whole line; "#len:4" marks its first four bytes.
func (l *Line) annotate(text string) error {
	var m []string
	if strings.Contains(text, "#") { // most annotations have no mark
		m = markForm().FindStringSubmatch(text)
	}
	if m == nil {
		l.Note = text
		return nil
	}
	l.Note, l.Mark, l.Width = m[1], Mark(m[2]), l.Len
	if m[3] != "" {
		l.Width, _ = strconv.Atoi(m[3]) // 0 if out of range
	}
	switch {
	case l.Mark != MarkLen && l.Mark != MarkCount:
		return fmt.Errorf("unknown mark #%s: expected #%s or #%s", l.Mark, MarkLen, MarkCount)
	case !slices.Contains(fieldWidths, l.Width) || l.Width > l.Len:
		return fmt.Errorf("a marked field has 1, 2, 4 or 8 bytes of its line: expected a width as in #%s:4", l.Mark)
	}
	return nil
}

// maxRepeat is the maximum number of bytes to which *N expands a token.
const maxRepeat = 1 << 20

func appendHexLine(out []byte, line string) ([]byte, string, error) {
	last := len(out) // the start of the preceding token or group
	group := -1      // the start of the open group
	for line != "" && !strings.HasPrefix(line, "  ") {
		line = strings.TrimPrefix(line, " ")
		switch {
		case line[0] == '(' && group < 0:
			group, line = len(out), line[1:]
		case line[0] == ')' && group >= 0:
			last, group, line = group, -1, line[1:]
		case line[0] == '"':
			end := strings.IndexByte(line[1:], '"')
			if end < 0 {
				return nil, "", errors.New("expected a closing quote")
			}
			last = len(out)
			text := line[1 : 1+end]
			if strings.ContainsFunc(text, func(c rune) bool { return c < 0x20 || c > 0x7E }) {
				return nil, "", errors.New("expected printable ASCII between quotes")
			}
			out, line = append(out, text...), line[end+2:]
		case line[0] == '*':
			word, rest := cutWord(line[1:])
			times, err := strconv.Atoi(word)
			if err != nil || times < 1 || times*(len(out)-last) > maxRepeat || last == len(out) || group >= 0 {
				return nil, "", fmt.Errorf("cannot repeat %q times", word)
			}
			out, line = append(out, bytes.Repeat(out[last:], times-1)...), rest
		default:
			word, rest := line[:min(2, len(line))], line[min(2, len(line)):]
			b, err := strconv.ParseUint(word, 16, 8)
			if err != nil || len(word) != 2 || rest != "" && rest[0] != ' ' && rest[0] != ')' {
				word, _ = cutWord(line)
				return nil, "", fmt.Errorf("%q is not a pair of hex digits", word)
			}
			last = len(out)
			out = append(out, byte(b))
			line = rest
		}
	}
	if group >= 0 {
		return nil, "", errors.New("expected a closing parenthesis")
	}
	return out, strings.TrimSpace(line), nil
}

// cutWord splits before the first space. rest begins with this space.
func cutWord(s string) (word, rest string) {
	word, _, _ = strings.Cut(s, " ")
	return word, s[len(word):]
}
