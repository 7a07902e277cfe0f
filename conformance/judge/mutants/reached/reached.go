// Package reached records which functions of a codec run. Command mutants builds
// calls of it into a copy of the codec, to know by which vectors a mutant can be
// detected.
package reached

import (
	"maps"
	"slices"
	"sync"
)

var (
	mu  sync.Mutex
	ids = map[int]bool{}
)

// Add records a function by its number.
func Add(id int) {
	mu.Lock()
	defer mu.Unlock()
	ids[id] = true
}

// Take returns the functions since the last call, in order.
func Take() []int {
	mu.Lock()
	defer mu.Unlock()
	defer clear(ids)
	return slices.Sorted(maps.Keys(ids))
}
