package adapter

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	defaultTimeout = 10 * time.Second
	// After the first timeout, the time limit is patienceFactor times that of the slowest
	// answer so far, but not less than leastTimeout, and not more than before: what hangs
	// once often hangs again.
	leastTimeout   = time.Second
	patienceFactor = 20
	// A request that has timed out is repeated alone, with a part of the limit.
	aloneFraction = 4
	// A request of more bytes, or with a longer answer, is not measured and keeps
	// defaultTimeout: otherwise one long answer would make every hang cost as much.
	maxMeasured = 1 << 16
)

// patience is the time limit for answers. All processes of an implementation share it.
type patience struct {
	fixed  time.Duration // set by the user; 0 if the limit depends on the answers
	notice io.Writer     // receives a line at the first timeout

	mu      sync.Mutex
	slowest time.Duration // answer so far
	hung    bool          // there was a timeout
}

func newPatience(o *Options) *patience { return &patience{fixed: o.Timeout, notice: o.Stderr} }

// measured reports whether the limit of a request depends on the answers.
func (p *patience) measured(q *Request) bool {
	return p.fixed == 0 && q.Expected <= maxMeasured && (q.Hex == nil || len(*q.Hex) <= maxMeasured)
}

// of returns the time limit for an answer. again says that the request has timed out
// before.
func (p *patience) of(q *Request, again bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch limit := p.now(); {
	case !p.measured(q):
		return cmp.Or(p.fixed, defaultTimeout)
	case again && p.slowest > 0:
		return limit / aloneFraction
	default:
		return limit
	}
}

func (p *patience) now() time.Duration {
	switch {
	case p.fixed > 0:
		return p.fixed
	case !p.hung || p.slowest == 0:
		return defaultTimeout
	}
	return min(defaultTimeout, max(leastTimeout, patienceFactor*p.slowest))
}

// answered takes the time of an answer into account.
func (p *patience) answered(q *Request, after time.Duration) {
	if !p.measured(q) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slowest = max(p.slowest, after)
}

// timedOut is called if a request had no answer within a limit. The first time it writes
// the line.
func (p *patience) timedOut(q *Request, within time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hung {
		return
	}
	p.hung = true
	if p.notice == nil {
		return
	}
	then := ""
	if p.fixed == 0 {
		then = fmt.Sprintf("; the time limit is now %v (--timeout changes it)", p.now().Round(time.Millisecond))
	}
	fmt.Fprintf(p.notice, "formatgauge: no answer to %s of %s within %v%s\n", q.Op, q.Type, within, then)
}
