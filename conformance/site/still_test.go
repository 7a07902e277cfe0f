package site

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// moved is how far the page has moved while it was loaded (cumulative layout shift).
const moved = `new Promise((done) => { let n = 0; new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!e.hadRecentInput) n += e.value; }).observe({type: "layout-shift", buffered: true}); setTimeout(() => done(n.toFixed(3)), 300); })`

// still fails the test if the page has moved while it was loaded.
func still(d tab, what string) {
	d.T.Helper()
	if n, err := strconv.ParseFloat(d.Eval("%s", moved), 64); err != nil || n >= 0.1 {
		d.T.Errorf("%s moves by %v (%v)", what, n, err)
	}
}

// wrongAddress: the page does not move, what goes wrong is said where it is seen and stays, who
// types goes on typing, and a file of another kind has one calm line.
func wrongAddress(d tab, address string) {
	d.T.Helper()
	name := func(s string) string { return s + "-" + d.Eval("innerWidth") }
	d.Open(address + "#type=ka.Archive&hex=zz")
	d.Until("document.body.dataset.ready")
	still(d, "a wrong address")
	d.shows("state", "pairs of the digits")
	d.is("true", `((r) => r.height > 0 && r.top >= 0 && r.bottom <= innerHeight)(document.getElementById("state").getBoundingClientRect())`)
	shot(d, name("wrong"))

	d.Eval(`(document.getElementById("others").open = true, document.getElementById("hex").value = "40 01", document.getElementById("hex").focus())`)
	d.Press("Enter")
	d.read("hex: 2 bytes")
	d.is("hex", `document.activeElement.id + document.getElementById("state").textContent`)
	const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
	d.Drop(write(d.T, d.T.TempDir(), "picture.png", picture))
	d.Until(`document.getElementById("h-result").textContent.startsWith("picture.png") && document.getElementById("verdict").innerText`)
	d.is("The file is a PNG picture. No type reads it; choose one to try it all the same.00", `document.getElementById("verdict").innerText + document.getElementById("guess").getClientRects().length + document.getElementById("said").innerText + document.querySelectorAll("#bytes .bad").length`)
	d.audit("a picture")
	shot(d, name("picture"))
	d.quiet()
}

// TestFolder opens pages in a plain folder: style, script and index of the search load, which
// does not move meanwhile, and the playground says what to do.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "site")
	needed := slices.DeleteFunc(slices.Clone(theSite(t).files), func(f export.File) bool {
		return strings.Contains(f.Name, "/") && !strings.HasPrefix(f.Name, playFolder)
	})
	if err := export.Dir(dir, needed); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{390, 1280} {
		if width > 390 && !testrun.Exhaustive {
			continue
		}
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			d := openTab(t, width, 800, false)
			d.Open("file://" + filepath.ToSlash(dir) + "/search.html?q=fifth%20byte%20wrong")
			d.Until("document.body.dataset.searched")
			still(d, "search")
			shot(d, "search-"+fmt.Sprint(width))
			d.Eval(`(document.getElementById("q").value = "UPKG-CI-5", document.getElementById("search").requestSubmit())`)
			first := d.Eval(`document.querySelector("#results a").outerHTML`)
			contains(t, "search", first, `href="upkg/CompactIndex.html#UPKG-CI-5">UPKG-CI-5</a>`)
			d.quiet()
			d.Open("file://" + filepath.ToSlash(dir) + "/playground.html#hex=00")
			d.Until(`document.getElementById("state").textContent`)
			d.shows("state", "python3 -m http.server")
			inView(d, "state", "first")
			shot(d, "folder-"+fmt.Sprint(width))
		})
	}
}
