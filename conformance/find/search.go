package find

import (
	"cmp"
	"encoding/hex"
	"maps"
	"math/bits"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What a match is worth: of a word, times where the entry has it; of an id; of bytes.
const (
	whole, misspelled, beginning, related, inside = 10, 9, 3, 2, 1

	inID, inNames, inShort, inText, inParent = 8, 6, 4, 2, 1

	short = 200 // characters of a text whose words are worth more

	exactID, startOfID, startOfName = 1 << 30, 1 << 20, 1 << 19

	tagBytes, sameBytes, firstBytes, amongBytes = 4000, 3000, 2000, 500
)

var (
	hexForm = regexp.MustCompile(`^(0x|\\x)?[0-9a-f]{2}([\s,:]*(0x|\\x)?[0-9a-f]{2})+$`)
	// numberForm is a number, not bytes: the records write 0x0102.
	numberForm = regexp.MustCompile(`^0x[0-9a-f]{1,8}$`)
	idForm     = regexp.MustCompile(`^[a-z0-9]+[-./][^\s]+$`)
	notHex     = regexp.MustCompile(`0x|\\x|[\s,:]`)
	digits     = regexp.MustCompile(`[0-9]|[^0-9a-f]`)
)

// span counts the first characters of a text that belong to some classes: A, a and 0 stand for them.
func span(text, classes string) (n int) {
	for n < len(text) {
		c, class := text[n], byte('0')
		switch {
		case c >= 'a' && c <= 'z':
			class = 'a'
		case c >= 'A' && c <= 'Z':
			class = 'A'
		case c < '0' || c > '9':
			return n
		}
		if strings.IndexByte(classes, class) < 0 {
			return n
		}
		n++
	}
	return n
}

// runsOf divides a text at all characters but letters and digits. The sign of a number that
// follows no letter or digit belongs to it.
func runsOf(text string) (out []string) {
	for i, last := 0, byte(' '); i < len(text); {
		n := span(text[i:], "Aa0")
		if digits := span(text[i+1:], "0"); n == 0 && text[i] == '-' && last != '_' && span(string(last), "Aa0") == 0 {
			n = min(digits, 1) + digits
		}
		if n > 0 {
			out = append(out, text[i:i+n])
		}
		i += max(n, 1)
		last = text[i-1]
	}
	return out
}

// humpsOf divides a run: CompactIndex is Compact and Index, Texture2D is Texture, 2 and D.
func humpsOf(run string) (out []string) {
	for run != "" {
		n := span(run, "0")
		if n == 0 {
			n = span(run, "A")
			n += span(run[n:], "a")
		}
		n = max(n, 1)
		out, run = append(out, run[:n]), run[n:]
	}
	return out
}

// stem takes the ending of a plural from a word.
func stem(w string) string {
	cut := func(endings ...string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
	}
	switch n := len(w); {
	case n > 4 && cut("ies"):
		return w[:n-3] + "y"
	case n > 4 && cut("sses", "xes", "ches", "shes"):
		return w[:n-2]
	case n > 3 && cut("s") && !cut("ss", "us", "is"):
		return w[:n-1]
	}
	return w
}

// wordsOf returns the words of a text: CompactIndex is compactindex, compact and index.
func wordsOf(text string) (out []string) {
	for _, run := range runsOf(text) {
		out = append(out, stem(strings.ToLower(run)))
		if humps := humpsOf(run); len(humps) > 1 {
			for _, h := range humps {
				if len(h) > 1 {
					out = append(out, stem(strings.ToLower(h)))
				}
			}
		}
	}
	return out
}

// wordsOfID returns the words of the last part of an id, without short numbers. Those of clauses
// and faults are numbers.
func wordsOfID(e *Entry) []string {
	if e.Kind == "clause" || e.Kind == "fault" {
		return nil
	}
	return slices.DeleteFunc(wordsOf(path.Base(e.ID)), func(w string) bool { return len(w) < 3 && w[0] <= '9' })
}

// enter adds the words of an entry to the index.
func (x *Index) enter(e *Entry) {
	add := func(list []string, weight int) {
		for _, w := range list {
			hits := x.words[w]
			if n := len(hits); n == 0 || hits[n-1].at != e.at {
				x.words[w] = append(hits, hit{e.at, weight})
			}
		}
	}
	if e.Kind != "vector" && e.Kind != "clause" && e.Kind != "fault" {
		e.runs = len(runsOf(e.ID[strings.LastIndexAny(e.ID, "./")+1:]))
	}
	if e.Kind == "vector" { // what states a rule comes before what shows it
		add(wordsOfID(e), inText)
	}
	add(wordsOfID(e), inID)
	add(wordsOf(e.Names), inNames)
	said := inText
	if len(e.Text) < short && e.Kind != "vector" {
		said = inShort
	}
	add(wordsOf(e.Text), said)
	add(wordsOf(e.Verdict), inText)
	add(wordsOf(e.More), inText)
	for p := e.Parent; p != nil; p = p.Parent {
		add(wordsOfID(p), inParent)
		add(wordsOf(p.Names), inParent)
	}
}

// An Answer is what a search finds.
type Answer struct {
	Query string
	Found []*Entry // the best first
	// NoID is true if the query looks like an id, and no id begins with it.
	NoID bool
	// Some is true if no entry has all words: those found have some of them.
	Some bool
	// Unknown are words that no entry has.
	Unknown []string
	// Read says as what misspelled words were read.
	Read map[string]string
}

// Notes says how the query was read, in sentences.
func (a *Answer) Notes() (out []string) {
	if a.NoID {
		out = append(out, "There is no id "+a.Query+".")
	}
	if len(a.Unknown) > 0 {
		out = append(out, "Nothing has the word "+strings.Join(a.Unknown, ", nor ")+".")
	}
	for _, w := range slices.Sorted(maps.Keys(a.Read)) {
		out = append(out, "Nothing has the word "+w+"; it was read as "+a.Read[w]+".")
	}
	if a.Some && len(a.Unknown) == 0 {
		out = append(out, "Nothing has all of these words; the results have some.")
	}
	return out
}

// Search returns the entries that answer a query: an id or its beginning, words, or bytes
// in hex.
func (x *Index) Search(query string) *Answer {
	a := &Answer{Query: query, Read: map[string]string{}}
	query = strings.ToLower(strings.TrimSpace(query))
	scores := map[int]int{}
	bytes, number := hexOf(query), numberForm.MatchString(query)
	if bytes != "" {
		x.bytes(bytes, number, scores)
	}
	if words := x.query(a.Query); bytes == "" || len(words) == 1 && x.has(words[0]) {
		x.rank(words, scores, a)
	}
	if number && len(scores) == 0 {
		x.bytes(bytes, false, scores)
	}
	id, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(query, "corpus/"), ".txtar"), "=")
	a.NoID = idForm.MatchString(query)
	for at, e := range x.Entries {
		switch own := strings.ToLower(e.ID); {
		case id == "":
		case own == id:
			scores[at] += exactID
			a.NoID = false
		case strings.HasPrefix(own, id) && len(id) > 2:
			scores[at] += startOfID
			a.NoID = false
		case e.Kind == "structure" && len(id) > 3 && strings.HasPrefix(own[strings.Index(own, ".")+1:], id):
			scores[at] += startOfName
		}
	}
	for at, e := range x.Entries {
		if a.NoID && nearly(strings.ToLower(e.ID), id) {
			scores[at] += startOfID
		}
	}
	for at := range scores {
		a.Found = append(a.Found, x.Entries[at])
	}
	slices.SortFunc(a.Found, func(p, q *Entry) int {
		return cmp.Or(scores[q.at]-scores[p.at], p.kind-q.kind, p.at-q.at)
	})
	return a
}

// rank gives scores to entries that have words: rare words count for more, and so do entries
// that have more of them. If an entry has all, those with fewer are left out, unless they are
// worth more.
func (x *Index) rank(words []string, scores map[int]int, a *Answer) {
	counts, rare, named, all := map[int]int{}, map[int]int{}, map[int]int{}, 0
	sums := map[int]int{}
	for _, w := range words {
		hits, own := x.match(w, a)
		rarity := bits.Len(uint(len(x.Entries) / max(own, 1)))
		all += rarity
		for at, value := range hits {
			sums[at] += value * rarity * Kinds[x.Entries[at].kind].Weight
			rare[at] += rarity
			counts[at]++
			if value >= misspelled*inID {
				named[at]++
			}
		}
	}
	a.Some = true
	least := 0
	for at := range sums {
		has := rare[at]
		if n := x.Entries[at].runs; n > 0 && named[at] >= n { // the query has its whole name
			has = (has + 2*all) / 3
		}
		sums[at] = sums[at] * has / all
		if counts[at] == len(words) {
			a.Some = false
			least = max(least, sums[at])
		}
	}
	for at, n := range sums {
		if counts[at] == len(words) || n > least || a.Some {
			scores[at] += n
		}
	}
}

// query returns the words of a query without those that say nothing.
func (x *Index) query(query string) (out []string) {
	var all []string
	for _, run := range runsOf(query) {
		w := stem(strings.ToLower(run))
		parts := []string{w}
		if humps := humpsOf(run); len(x.words[w]) == 0 && x.synonyms[w] == nil && len(humps) > 1 {
			parts = wordsOf(strings.Join(humps, " "))
		}
		for _, p := range parts {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	for _, w := range all {
		if !slices.Contains(x.Ignored, w) {
			out = append(out, w)
		}
	}
	if out == nil {
		return all
	}
	return out
}

// has reports whether an entry has a word, as a whole or in part.
func (x *Index) has(w string) bool {
	for word := range x.words {
		if strings.Contains(word, w) {
			return true
		}
	}
	return false
}

// match returns the entries that have a word, as a whole or in part; without any, those
// that have a word with one letter more, less or other. Own is how many have it themselves.
func (x *Index) match(w string, a *Answer) (best map[int]int, own int) {
	best = map[int]int{}
	has := map[int]bool{}
	add := func(word string, worth int) {
		for _, h := range x.words[word] {
			best[h.at] = max(best[h.at], worth*h.weight)
			if h.weight > inParent {
				has[h.at] = true
			}
		}
	}
	for word := range x.words {
		switch {
		case word == w:
			add(word, whole)
		case x.synonyms[w][word]:
			add(word, misspelled)
		case len(w) > 2 && strings.HasPrefix(word, w):
			add(word, beginning)
		case len(w) > 6 && strings.HasPrefix(word, w[:len(w)-3]):
			add(word, related)
		case len(w) > 3 && strings.Contains(word, w):
			add(word, inside)
		}
	}
	if len(best) > 0 {
		return best, len(has)
	}
	read := ""
	for word, hits := range x.words {
		if len(w) > 3 && nearly(w, word) {
			add(word, misspelled)
			for other := range x.synonyms[word] {
				add(other, related)
			}
			if n := len(x.words[read]); len(hits) > n || len(hits) == n && word < read {
				read = word
			}
		}
	}
	if read != "" {
		a.Read[w] = read
	} else {
		a.Unknown = append(a.Unknown, w)
	}
	return best, len(has)
}

// nearly reports whether one letter is wrong, missing, too many or swapped with the next.
func nearly(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) < 2 && len(b) < 2 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// hexOf returns the digits if a query is bytes in hex, at least two.
func hexOf(query string) string {
	if hexForm.MatchString(query) && digits.MatchString(query) {
		return notHex.ReplaceAllString(query, "")
	}
	return ""
}

// bytes finds the vectors with bytes, their structures, and the structures whose tag they
// begin with. A number has its lowest byte first.
func (x *Index) bytes(digits string, number bool, scores map[int]int) {
	other := digits
	if b, err := hex.DecodeString(digits); err == nil && number { // the tags are numbers too
		slices.Reverse(b)
		other = hex.EncodeToString(b)
	}
	for at, e := range x.Entries {
		for _, own := range e.Bytes {
			worth := 0
			switch {
			case own == "":
			case e.Kind == "structure" && (strings.HasPrefix(digits, own) || strings.HasPrefix(other, own)):
				worth = tagBytes
			case number:
			case own == digits:
				worth = sameBytes
			case strings.HasPrefix(own, digits):
				worth = firstBytes - len(own)
			case strings.Contains(own, digits):
				worth = amongBytes - len(own)
			}
			if worth > 0 {
				scores[at] = max(scores[at], worth)
			}
			if p := e.Parent; p != nil && worth >= firstBytes-2*maxBytes && e.Kind == "vector" {
				scores[p.at] = max(scores[p.at], worth-1)
			}
		}
	}
}
