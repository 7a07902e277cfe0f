// Package lazyregexp compiles regular expressions when they are first used, so that no start
// of the command compiles those that it does not need.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. That function panics if the
// expression is invalid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
