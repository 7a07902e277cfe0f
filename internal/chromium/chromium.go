// Package chromium gives tests access to a headless Chromium, which need not be
// installed. A test that needs a missing browser is skipped.
package chromium

import (
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// find returns the path of the browser, or "".
func find() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// Need skips a test if there is no browser.
func Need(tb testing.TB) {
	tb.Helper()
	if find() == "" {
		tb.Skip("Chromium not found (set CHROMIUM to its path)")
	}
}

// flags returns the arguments of a browser with its profile in a folder.
func flags(dir string) []string {
	return []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
		"--remote-debugging-pipe",
		// A module runs for seconds: optimizing it, and compiling what no test calls, would take longer.
		"--js-flags=--liftoff-only --wasm-lazy-compilation",
		"--in-process-gpu", "--disable-software-rasterizer",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--allow-file-access-from-files",
		"--disable-background-timer-throttling", "--disable-renderer-backgrounding",
		"--disable-backgrounding-occluded-windows",
		"--disable-ipc-flooding-protection", // the search changes its address more than 200 times in a test
		"--user-data-dir=" + dir,
	}
}

// HasSaid is true on a page whose script has written what [Said] reads.
const HasSaid = "document.getElementById(`said`)"

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
