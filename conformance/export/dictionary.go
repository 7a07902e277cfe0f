package export

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/lazyregexp"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	// maxTokens is the greatest number of entries of a dictionary: a fuzzer tries
	// all of them.
	maxTokens = 200
	// maxToken is the greatest length of an entry in bytes; libFuzzer ends at a
	// longer one than 64.
	maxToken = 32
	// minVectors is the least number of vectors that share an entry.
	minVectors = 4
)

// A token is an entry of a dictionary.
type token struct {
	bytes   string
	names   map[string]int // what it is, the field with its value, and in how many spans
	fields  map[string]int
	types   map[string]bool
	vectors map[string]bool
	spans   int
	text    bool
}

// Dictionary returns the dictionary of a family in the syntax of libFuzzer and AFL++:
// the constants that clauses state, and the fields and texts with the same bytes in
// vectors of several types. Lengths, counts, offsets and other values that belong to
// one file are no entries, and nor are single bytes: fuzzers find these themselves.
func Dictionary(family string) ([]byte, error) {
	f, ok := spec.FindFamily(family)
	if !ok {
		return nil, fmt.Errorf("unknown family %s", family)
	}
	found, err := sharedTokens(family)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s: %s.\n# For libFuzzer (-dict=FILE) and AFL++ (-x FILE).\n", family, f.Title)
	names, seen := map[string]bool{}, map[string]bool{"": true}
	add := func(name, token string) {
		if seen[token] || len(seen) > maxTokens {
			return
		}
		seen[token] = true
		name = strings.Trim(notName().ReplaceAllString(name, "_"), "_")
		for n, base := 2, name; names[name]; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		names[name] = true
		fmt.Fprintf(&out, "%s=\"%s\"\n", name, quote(token))
	}
	out.WriteString("\n# Constants that the clauses state.\n")
	for _, c := range f.Clauses {
		if c.Level == spec.Must {
			for _, k := range constants(family, c.Text) {
				add(string(c.ID)+"_"+k.name, k.bytes)
			}
		}
	}
	out.WriteString("\n# What several vectors contain.\n")
	for _, t := range found {
		add(mostly(t.names), t.bytes)
	}
	return out.Bytes(), nil
}

var (
	notName    = lazyregexp.New(`[^A-Za-z0-9]+`)
	hexNumber  = lazyregexp.New(`\b0x((?:[0-9A-Fa-f]{2}){2,8})\b`)
	hexPairs   = lazyregexp.New(`\b[0-9A-F]{2}(?: [0-9A-F]{2}){1,15}\b`)
	quotedText = lazyregexp.New(`"([!#-~]{2,32})"`)
	// ofOneFile matches the names of fields whose values belong to one file.
	ofOneFile   = lazyregexp.New(`(?i)len|count|size|offset|hash|guid|data|index|source|mip`)
	lengthField = lazyregexp.New(`(?:^|\.)len(?:gth)?$`)
	plainNumber = lazyregexp.New(`^(?:-?\d+|(?:0x)?[0-9a-f]{2,16})$`)
)

type constant struct{ name, bytes string }

// constants returns what the text of a clause says that bytes are: numbers in hex,
// in the byte order of the family, which in ubi is either; pairs of hex digits; and
// quoted text.
func constants(family, text string) (out []constant) {
	for _, m := range hexNumber().FindAllStringSubmatch(text, -1) {
		b, _ := hex.DecodeString(m[1])
		if family == "ubi" {
			out = append(out, constant{m[0] + "_big", string(b)})
		}
		slices.Reverse(b)
		out = append(out, constant{m[0], string(b)})
	}
	for _, m := range hexPairs().FindAllString(text, -1) {
		digits := strings.ReplaceAll(m, " ", "")
		b, _ := hex.DecodeString(digits)
		out = append(out, constant{digits, string(b)})
	}
	for _, m := range quotedText().FindAllStringSubmatch(text, -1) {
		out = append(out, constant{m[1], m[1]})
	}
	return out
}

// sharedTokens returns the fields with the same bytes in several vectors, of several
// types, that the reference accepts. A number that is the value of another field in
// most of its spans is none.
func sharedTokens(family string) ([]*token, error) {
	all, err := corpus.Of(family)
	if err != nil {
		return nil, err
	}
	found := map[string]*token{}
	for _, v := range all {
		if v.EncodeOnly() {
			continue
		}
		t, ok := codec.Find(v.Type)
		if !ok {
			return nil, fmt.Errorf("vector %s: unknown type %s", v.ID, v.Type)
		}
		c, err := t.Bind(wire.Settings{Profile: ids.Observed()}, v.Context)
		if err != nil {
			return nil, fmt.Errorf("vector %s: %w", v.ID, err)
		}
		names, _ := codec.SplitNames(v.Context["names"]) // else Bind has an error
		for _, name := range names {
			if name == "" {
				continue
			}
			// The entry of a name in the table of names: an FString.
			entry := binary.LittleEndian.AppendUint32(nil, uint32(len(name)+1))
			note(found, v, "name", "name_"+label(name), append(append(entry, name...), 0), true)
		}
		_, spans, err := c.Trace(v.Bytes)
		if err != nil {
			continue
		}
		for i, s := range spans {
			b := v.Bytes[s.Start:s.End]
			if len(b) > maxToken || len(b) < 2 && !isText(s) { // a short text can follow its length
				continue
			}
			field, name := describe(s, b)
			if field == "" {
				continue
			}
			note(found, v, field, name, b, isText(s))
			if before := spans[max(i-1, 0)]; isText(s) && structureOf(before) == structureOf(s) &&
				lengthField().MatchString(before.Path) {
				note(found, v, field, name+"_with_length", v.Bytes[before.Start:s.End], true)
			}
		}
	}
	maps.DeleteFunc(found, func(_ string, t *token) bool {
		least := minVectors
		if !t.text && len(t.fields) == 1 {
			least = 2 // a number that is used in one field only: a version, a flag
		}
		return len(t.types) < 2 || len(t.vectors) < least || 3*t.fields[mostly(t.fields)] < 2*t.spans ||
			strings.Trim(t.bytes, "\x00") == ""
	})
	return slices.SortedFunc(maps.Values(found), func(a, b *token) int {
		return cmp.Or(cmp.Compare(len(b.vectors), len(a.vectors)), cmp.Compare(a.bytes, b.bytes))
	}), nil
}

func note(found map[string]*token, v *corpus.Vector, field, name string, b []byte, text bool) {
	if len(b) < 2 || len(b) > maxToken {
		return
	}
	t := found[string(b)]
	if t == nil {
		t = &token{
			bytes: string(b), names: map[string]int{}, fields: map[string]int{}, types: map[string]bool{},
			vectors: map[string]bool{},
		}
		found[string(b)] = t
	}
	t.names[name]++
	t.fields[field]++
	t.types[v.Type] = true
	t.vectors[v.ID] = true
	t.spans++
	t.text = t.text || text
}

// describe returns the structure and field of a span with the given bytes, and the
// same with the value. It returns nothing for what is no entry.
func describe(s wire.Span, b []byte) (field, name string) {
	value, _, _ := strings.Cut(s.Value, ": ") // what follows says what a reference points to
	if isFloat(value, b) {
		if special := specialFloats[value]; special != "" {
			return "float", "float_" + special
		}
		return "", ""
	}
	last, _, _ := strings.Cut(tree.LastName(s.Path), "[")
	field = structureOf(s) + "_" + last
	switch {
	case structureOf(s) == "", ofOneFile().MatchString(last):
		return "", ""
	case isText(s):
		return field, field + "_" + label(strings.Trim(s.Value, `"`))
	case !plainNumber().MatchString(value), value == hex.EncodeToString(b) && len(b) > 4:
		return "", ""
	}
	return field, field + "_" + label(value)
}

func isText(s wire.Span) bool { return strings.HasPrefix(s.Value, `"`) }

// structureOf returns the structure of a span without its family.
func structureOf(s wire.Span) string {
	c, ok := spec.FindClause(s.Clause)
	if !ok {
		return ""
	}
	_, structure, _ := strings.Cut(c.Structure, ".")
	return structure
}

// specialFloats are the floats that are entries, with their names.
var specialFloats = map[string]string{
	"1": "1", "-1": "minus_1", "-0": "minus_0", "inf": "inf", "-inf": "minus_inf",
	"nan:7fc00000": "nan",
}

// isFloat reports whether four bytes are a float with this value, in either byte order.
func isFloat(value string, b []byte) bool {
	if strings.HasPrefix(value, "nan:") {
		return true
	}
	want, err := strconv.ParseFloat(value, 32)
	if err != nil || len(b) != 4 || want == 0 && value != "-0" {
		return false
	}
	bits := math.Float32bits(float32(want))
	return bits == binary.LittleEndian.Uint32(b) || bits == binary.BigEndian.Uint32(b)
}

// mostly returns the key with the greatest number, and the first of several.
func mostly(times map[string]int) (out string) {
	for _, k := range slices.Sorted(maps.Keys(times)) {
		if times[k] > times[out] {
			out = k
		}
	}
	return out
}

// label returns the readable part of a text, at most 24 characters, or else its hex.
func label(s string) string {
	switch {
	case s == "":
		return "empty"
	case s[0] == '-':
		s = "minus" + s
	}
	if short := strings.Trim(notName().ReplaceAllString(s, "_"), "_"); short != "" {
		return short[:min(24, len(short))]
	}
	return "hex_" + hex.EncodeToString([]byte(s[:min(12, len(s))]))
}

// quote writes bytes as dictionaries do.
func quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
