package judge

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func TestDbg(t *testing.T) {
	cmd := strings.Fields(os.Getenv("DBG"))
	if len(cmd) == 0 {
		t.Skip()
	}
	child, err := adapter.NewChild(cmd, adapter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	vectors, _ := corpus.All()
	hello, _ := child.Hello(t.Context())
	s := newSearch()
	for _, v := range vectors {
		s.add(v)
	}
	j := &judge{hello: hello}
	j.askVerdicts(t.Context(), child, ids.Observed(), s.vectors)
	for _, b := range []ids.Profile{ids.Observed(), ids.Documented()} {
		q := s.propose(b)
a, c := q.sides, q.cost
		fmt.Println(b, c>>40, (c>>20)&0xfffff, c&0xfffff)
		out := &FingerprintResult{}
		s.result(out)
		fmt.Println("   chosen", out.Profile, len(out.Unexplained))
		for n, x := range map[string]assignment{"proposal": a, "observed": s.assignmentOf(ids.Observed()), "documented": s.assignmentOf(ids.Documented())} {
			var f, p, e int
			for _, v := range s.vectors {
				q := v.verdict(x)
				if q.failed() {
					f++
				}
				if q.passed() {
					p++
				}
				if q == nil {
					e++
				}
			}
			fmt.Println("   ", n, "failed", f, "passed", p, "open", e)
		}
	}
	for f := range s.flags {
		a := s.choose().sides
		fs := s.flagSide(f, a)
		fmt.Println(fs.Flag.ID, fs.Side, fs.Agree, len(fs.Against))
	}
	for f, flag := range s.flags {
		if string(flag.ID) != os.Getenv("FLAG") {
			continue
		}
		for _, v := range s.byFlag[f] {
			fmt.Println(v.vector.ID, v.vector.Flags, v.located)
			for _, p := range v.verdicts {
				fmt.Println("    ", p.testCase.Profile, p.testCase.Expect.Short(), "->", p.result.Status, p.result.Class, p.result.Op, shortDetail(p.result.Detail))
			}
		}
	}
}

func shortDetail(s string) string {
	if len(s) > 150 {
		s = s[:150]
	}
	return s
}

func (s *search) assignmentOf(p ids.Profile) assignment {
	sides := make(assignment, len(s.flags))
	for f, flag := range s.flags {
		for i, side := range flag.Sides {
			if p.Side(flag.ID) == side.Name {
				sides[f] = i
			}
		}
	}
	return sides
}
