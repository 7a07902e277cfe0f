package site

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/export"
)

// moved is how far the page has moved while it was loaded (cumulative layout shift).
const moved = `new Promise((done) => { let n = 0; new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!e.hadRecentInput) n += e.value; }).observe({type: "layout-shift", buffered: true}); setTimeout(() => done(n.toFixed(3)), 300); })`

// broken lists the words that are broken in tables.
const broken = `[...document.querySelectorAll("main table")].flatMap((t) => {
  const out = [], texts = document.createTreeWalker(t, NodeFilter.SHOW_TEXT), r = document.createRange();
  for (let n; (n = texts.nextNode());) for (const m of n.data.matchAll(/[a-z]{3,16}/g)) {
    r.setStart(n, m.index);
    r.setEnd(n, m.index + m[0].length);
    if (r.getClientRects().length > 1) out.push(m[0]);
  }
  return out;
}).join(" ")`

// TestStill: pages do not move while they are loaded, what goes wrong is said where it is seen
// and stays, who types goes on typing, and a file of another kind has one calm line.
func TestStill(t *testing.T) {
	t.Parallel()
	address := serve(t)
	other := func(page string) string { return strings.Replace(address, "playground.html", page, 1) }
	still := func(d tab, what string) {
		if n, err := strconv.ParseFloat(d.Eval("%s", moved), 64); err != nil || n >= 0.1 {
			t.Errorf("%s moves by %v (%v)", what, n, err)
		}
	}
	for _, width := range []int{390, 1280} {
		d := openTab(t, width, 800, false)
		d.Open(other("search.html?q=fifth%20byte%20wrong"))
		d.Until("document.body.dataset.searched")
		still(d, "search")
		shot(d, "search-"+strconv.Itoa(width))
		for _, page := range []string{"implementations/wotbtools.html", "upkg/implementations.html", "flags/index.html"} {
			if width < 1000 { // words are broken there
				break
			}
			d.Open(other(page))
			if got := d.Eval("%s", broken); got != "" {
				t.Errorf("%s: broken words: %.300s", page, got)
			}
		}
		d = openTab(t, width, 800, false)
		d.Open(address + "#type=upkg.CompactIndex&hex=4080")
		d.read("hex")
		still(d, "an address")
		d = openTab(t, width, 800, false)
		d.Open(address + "#type=ka.Archive&hex=zz")
		d.Until("document.body.dataset.ready")
		still(d, "a wrong address")
		contains(t, "a wrong address", d.Eval(`document.getElementById("state").innerText`), "pairs of the digits")
		if got := d.Eval(`((r) => r.height > 0 && r.top >= 0 && r.bottom <= innerHeight)(document.getElementById("state").getBoundingClientRect())`); got != "true" {
			t.Error("the message is out of sight")
		}
		shot(d, "wrong-"+strconv.Itoa(width))

		d.Eval(`(document.getElementById("others").open = true, document.getElementById("hex").value = "40 01", document.getElementById("hex").focus())`)
		d.Press("Enter")
		d.read("hex: 2 bytes")
		if got := d.Eval(`document.activeElement.id + document.getElementById("state").textContent`); got != "hex" {
			t.Errorf("after Enter the focus and the message are %q", got)
		}
		const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
		d.Drop(write(t, t.TempDir(), "picture.png", picture))
		d.Until(`document.getElementById("h-result").textContent.startsWith("picture.png") && document.getElementById("verdict").innerText`)
		if got := d.Eval(`document.getElementById("verdict").innerText + document.getElementById("guess").getClientRects().length + document.getElementById("said").innerText + document.querySelectorAll("#bytes .bad").length`); got != "The file is a PNG picture. No type reads it; choose one to try it all the same.00" {
			t.Errorf("a picture: %s", got)
		}
		d.audit("a picture")
		shot(d, "picture-"+strconv.Itoa(width))
		d.quiet()
	}
}

// TestFolderPlayground: without a server the playground says what to do.
func TestFolderPlayground(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "site")
	if err := export.Dir(dir, theSite(t).files); err != nil {
		t.Fatal(err)
	}
	d := openTab(t, 390, 800, false)
	d.Open("file://" + filepath.ToSlash(dir) + "/playground.html#hex=00")
	d.Until(`document.getElementById("state").textContent`)
	contains(t, "state", d.Eval(`document.getElementById("state").innerText`), "python3 -m http.server")
	inView(d, "state", "first")
	shot(d, "folder")
}
