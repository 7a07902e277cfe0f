package fuzz

import (
	"flag"
	"os"
	"testing"

	"github.com/formatgauge/formatgauge/corpus"
)

// CorpusVariable is the environment variable with the folder for TestCorpus. The
// coverage runner of OSS-Fuzz sets it.
const CorpusVariable = "FUZZ_CORPUS_DIR"

// check selects what an execution of a native target checks.
var check string

func flagValue(name string) string { return flag.Lookup(name).Value.String() }

// Main runs the tests of a package with native targets. Engines start a compiled target
// in any folder, with the flags of the search only. Then the seeds of this target alone
// are tested before the search, and a new input is minimised in few executions: the
// default is a minute without others. If there is a folder for TestCorpus, only that runs.
func Main(m *testing.M) {
	flag.StringVar(&check, "check", os.Getenv(CheckVariable),
		"what an execution checks, `quick` or full; the default is "+
			CheckVariable+", then quick in a search by a compiled program, otherwise full")
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	set := func(name, value string) {
		if !given[name] && flag.Set(name, value) != nil {
			panic(name + " does not take " + value)
		}
	}
	switch target := flagValue("test.fuzz"); {
	case os.Getenv(CorpusVariable) != "":
		set("test.run", "^TestCorpus$")
	case target != "":
		set("test.run", target)
		set("test.fuzzminimizetime", "200x")
	}
	os.Exit(m.Run())
}

// checkName returns the name of the check that an execution makes. Only the go command sets
// paniconexit0.
func checkName() string {
	switch {
	case check != "":
		return check
	case flagValue("test.fuzz") != "" && flagValue("test.paniconexit0") == "false":
		return "quick"
	}
	return "full"
}

// Native is the body of a native target. extra are full checks for one type only. The seeds are the
// empty input and those of the vectors. Those above [MaxSeed] are tested, but not changed.
// Go's engine takes milliseconds for each before the search, so there are no derived cases.
// Of a target with several types, a test takes one seed of each: the targets of these types
// have all.
func (t *Target) Native(f *testing.F, extra ...func(*testing.T, []byte)) {
	name := checkName()
	run, err := Check(name)
	if err != nil {
		f.Fatalf("-check: %v", err)
	}
	if name == "quick" {
		extra = nil
	}
	f.Log("check: " + name) // .ci/fuzz reads it
	subjects := t.Subjects()
	f.Add([]byte{})
	search := flagValue("test.fuzz") != ""
types:
	for i, typ := range t.Types {
		vectors, err := corpus.Of(typ.Name)
		if err != nil {
			f.Fatal(err)
		}
		for _, v := range vectors {
			for _, b := range v.Inputs() {
				if len(b) > MaxSeed && search {
					continue
				}
				if f.Add(t.Join(i, b)); len(t.Types) > 1 && !search {
					continue types
				}
			}
		}
	}
	f.Fuzz(func(tb *testing.T, input []byte) {
		i, src := t.Split(input)
		if err := run(subjects[i], src); err != nil {
			tb.Fatal(err)
		}
		for _, check := range extra {
			check(tb, src)
		}
	})
}
