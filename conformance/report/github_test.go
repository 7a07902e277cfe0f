package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge"
)

// TestGitHub: a notice sums the run up, and ten errors follow. Text of an adapter
// cannot become a command of its own.
func TestGitHub(t *testing.T) {
	t.Parallel()
	good, bad := runs(t)
	if text := write(t, "github", good); !strings.HasPrefix(text, "::notice title=formatgauge") ||
		strings.Count(text, "\n") != 1 || !strings.Contains(text, "::conformant; ") {
		t.Errorf("a run without failures:\n%s", text)
	}

	lines := strings.Split(strings.TrimSuffix(write(t, "github", bad), "\n"), "\n")
	const failures = 10
	if len(lines) != 1+failures || !strings.HasPrefix(lines[0], "::notice title=faulty 0.3::not conformant; ") {
		t.Fatalf("expected a notice and %d errors:\n%s", failures, strings.Join(lines, "\n"))
	}
	command := regexp.MustCompile(`^::error title=faulty 0\.3%3A [a-z]+/[A-Z]\w+/[^:,]+::[^\r\n]+$`)
	for _, line := range lines[1:] {
		if !command.MatchString(line) {
			t.Errorf("unexpected form: %s", line)
		}
	}

	one := only(bad, named("ubi/BasicString/trailing", "observed"))
	one.Hello.Name, one.Hello.Version = "a:b,c%\n::error::x", ""
	set(&one.Results[0], judge.Outcome{
		Op: "decode", Status: judge.Crash, Class: judge.Crashed,
		Message: "50%\x1b[1m\n::warning::no",
	})
	one.KnownMismatches = []string{"line 3: it passes"}
	_, text, _ := strings.Cut(write(t, "github", one), "\n")
	const want = `::error title=a%3Ab%2Cc%25 %3A%3Aerror%3A%3Ax%3A ubi/BasicString/trailing::crash under observed: decode: 50%25\u001b[1m ::warning::no
::error title=a%3Ab%2Cc%25 %3A%3Aerror%3A%3Ax%3A list of known failures::line 3: it passes
`
	if text != want {
		t.Errorf("got\n%sexpected\n%s", text, want)
	}
}
