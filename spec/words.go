package spec

import (
	_ "embed"
	"strings"
	"sync"
)

// A Word is a word of this project, with its meaning.
type Word struct {
	Kind WordKind `toml:"kind"`
	Name string   `toml:"name"` // of an expression to use: several, separated by commas
	Text string   `toml:"text"` // the meaning; of an expression to use: what not to use
	Also string   `toml:"also"` // other words by which people search for it
	Doc  string   `toml:"doc"`  // of a task: the document that says more
}

// WordKind is the kind of a word. The set is closed.
type WordKind string

const (
	// ClassWord is a class of errors.
	ClassWord WordKind = "class"
	// ResultWord is the result of a case.
	ResultWord WordKind = "result"
	// FailureWord says how a case failed.
	FailureWord WordKind = "failure"
	// TermWord is a term of the glossary for users.
	TermWord WordKind = "term"
	// ContributorWord is a term of the glossary for contributors.
	ContributorWord WordKind = "contributor"
	// TaskWord is what people come to do; the text says how.
	TaskWord WordKind = "task"
	// OutsideWord is what people ask for and the project does not cover.
	OutsideWord WordKind = "outside"
	// UsageWord is an expression to use in texts.
	UsageWord WordKind = "usage"
)

//go:embed words.toml
var wordsFile string

// wordList is the file of words.
type wordList struct {
	Ignored  string   `toml:"ignored"`
	Synonyms []string `toml:"synonyms"`
	Words    []Word   `toml:"word"`
}

var words = sync.OnceValue(func() (file wordList) {
	if err := parse(wordsFile, &file); err != nil {
		panic("spec: words.toml: " + err.Error()) // part of the program: a test loads it first
	}
	return file
})

// Words lists all words. The list is shared: callers must not change it.
func Words() []Word { return words().Words }

// IgnoredWords are the words of a question that say nothing.
func IgnoredWords() []string { return strings.Fields(words().Ignored) }

// Synonyms are groups of words of questions. Each word of a group stands for all of them.
func Synonyms() (out [][]string) {
	for _, group := range words().Synonyms {
		out = append(out, strings.Fields(group))
	}
	return out
}

// FindWords returns the words with a name, in upper or lower case: a word can be a
// class and a term.
func FindWords(name string) (out []Word) {
	for _, w := range words().Words {
		for _, n := range w.names() {
			if strings.EqualFold(n, name) {
				out = append(out, w)
				break
			}
		}
	}
	return out
}

// names returns the names of a word: of "offset (from the start), position", offset
// and position.
func (w *Word) names() []string {
	names := strings.Split(w.Name, ", ")
	for i, n := range names {
		n, _, _ = strings.Cut(n, " (")
		names[i] = n
	}
	return names
}
