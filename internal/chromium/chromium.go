// Package chromium gives tests access to a headless Chromium, which need not be
// installed. A test that needs a missing browser is skipped.
package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Path returns the path of the browser. It skips the test if there is none, and with
// -short.
func Path(tb testing.TB) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts a browser")
	}
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	tb.Skip("Chromium not found (set CHROMIUM to its path)")
	return ""
}

// Flags returns the arguments that every browser of a test needs. It has a profile of
// its own.
func Flags(tb testing.TB) []string {
	tb.Helper()
	return []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir=" + tb.TempDir(),
	}
}

// Open opens an address, waits until its scripts are done, and returns the document
// and the messages of the console. The time of the page runs ahead: for at most wait.
func Open(tb testing.TB, address string, wait time.Duration, args ...string) (document, console string) {
	tb.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 4*time.Minute)
	defer stop()
	args = append(args, fmt.Sprintf("--virtual-time-budget=%d", wait.Milliseconds()), "--enable-logging=stderr", "--dump-dom", address)
	cmd := exec.CommandContext(ctx, Path(tb), append(Flags(tb), args...)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%v\n%s", err, errs.String())
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, ":CONSOLE") {
			console += line
		}
	}
	return string(out), console
}

// Said returns the strings that a script has written into a document: a list in JSON,
// in an element pre with the id said.
func Said(tb testing.TB, document string) []string {
	tb.Helper()
	m := regexp.MustCompile(`(?s)<pre id="said">(.*?)</pre>`).FindStringSubmatch(document)
	if m == nil {
		tb.Fatalf("the script did not complete:\n%.3000s", document)
	}
	var out []string
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &out); err != nil {
		tb.Fatal(err)
	}
	return out
}
