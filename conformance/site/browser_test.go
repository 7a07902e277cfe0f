package site

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/internal/chromium"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
)

// kindsOfPages has one page of each kind, and heavy ones.
var kindsOfPages = []string{
	"index.html", "upkg/index.html", "upkg/CompactIndex.html#UPKG-CI-5", "ubi/Array.html", "uasset/Package.html",
	"upkg/Header-vectors.html", "ka/Header-vectors.html",
	"faults.html", "flags/index.html", "flags/ka.nested-length.html", "flags/upkg.ci-range.html", "words.html",
	"views.html", "protocol.html", "changes.html", "implementations.html", "upkg/implementations.html",
	"implementations/unreal-package-lib.html",
	"search.html?q=fifth%20byte%20of%20a%20compact%20index",
}

// onDesk are those of which an ordinary run looks at the wide form too: pages with tables or bytes.
// The others are text, or the second ones of their kind.
var onDesk = []string{
	"index.html", "uasset/Package.html", "upkg/Header-vectors.html", "faults.html", "flags/index.html",
	"flags/upkg.ci-range.html", "upkg/implementations.html", "implementations/wotbtools.html",
	"search.html?q=fifth%20byte%20of%20a%20compact%20index",
}

// tables are pages in whose tables no word is broken on a desk.
var tables = []string{"implementations/wotbtools.html", "upkg/implementations.html", "flags/index.html"}

// low is the number of controls that a finger does not hit.
const low = `[...document.querySelectorAll("button, summary, input, select")].filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 24).length`

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

// TestBrowser opens pages below some address, one of each kind on a telephone in light
// colours and some on a desk in dark ones: nothing is wider than the page, the console is
// empty, search, filters and linked bytes work with the keyboard. With AXE, the path of
// axe.min.js, axe-core examines each page.
func TestBrowser(t *testing.T) {
	t.Parallel()
	if os.Getenv("AXE") == "" {
		t.Log("without axe-core: set AXE to the path of axe.min.js")
	}
	wide := onDesk
	if testrun.Exhaustive {
		wide = append(slices.Clone(kindsOfPages), tables[0])
	}
	address := serveFiles(t, content(t))
	for _, c := range []struct {
		name  string
		width int
		pages []string
	}{{"telephone", 360, kindsOfPages}, {"desk", 1280, wide}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onDesk := c.width > 1000
			d := openTab(t, c.width, 800, onDesk)
			for _, page := range c.pages {
				d.Open(address + page)
				d.audit(page)
				d.is("0", "%s // on %s", low, page)
				if onDesk && slices.Contains(tables, page) {
					d.is("", "%s // on %s", broken, page)
				}
				if step := steps[page]; step != nil {
					step(d)
				}
				d.quiet()
			}
			if onDesk { // once is enough
				// As a form without a script sends it.
				d.Call(nil, "Page.navigate", chromium.Object{"url": address + "search.html?q=fifth+byte"})
				d.answers(t)
			}
		})
	}
}

// steps are what is done on pages.
var steps = map[string]func(d tab){
	"search.html?q=fifth%20byte%20of%20a%20compact%20index": func(d tab) {
		const first = `document.querySelector("#results li:first-child")`
		d.Until("document.body.dataset.searched")
		d.is("2", first+`.querySelectorAll(".source").length`)
		d.is("true", `document.querySelectorAll("#results mark").length > 0`)
		d.Eval(`((q) => { q.value = "TRUNCATED"; q.dispatchEvent(new Event("input", {bubbles: true})); })(document.getElementById("q"))`)
		d.Until(first + `.querySelector("a.id:first-child")?.textContent === "truncated"`)
		d.Eval(`(document.getElementById("q").value = "<img src=x>", document.getElementById("search").requestSubmit())`)
		d.is("0", `document.querySelectorAll("#results img").length`)
	},
	"flags/index.html": func(d tab) {
		own := slices.DeleteFunc(spec.Flags(), func(f *spec.Flag) bool { return !strings.HasPrefix(string(f.ID), "upkg.") })
		d.filter("family", "upkg", len(own), len(spec.Flags()))
		own = slices.DeleteFunc(own, func(f *spec.Flag) bool { return !f.Switchable() })
		d.filter("sides", "yes", len(own), len(spec.Flags()))
		d.filter("text", "CI-RANGE", 1, len(spec.Flags()))
	},
	"upkg/implementations.html": func(d tab) {
		rows := strings.Split(byName()["upkg/implementations.html"], "<tr data-has=")[1:]
		all := len(rows)
		rows = slices.DeleteFunc(rows, func(row string) bool { return !strings.Contains(row[:strings.Index(row, ">")], "failed") })
		d.filter("outcome", "failed", len(rows), all)
		d.filter("text", "ci-range", 2, all)
		d.is("CompactIndex flags", `[...document.querySelectorAll("h2")].filter((h) => h.getClientRects().length).map((h) => h.id).join(" ")`)
	},
	"upkg/Header-vectors.html": func(d tab) {
		d.Eval(`document.querySelector(".vector .hexbox").scrollIntoView()`)
		d.Until(`document.querySelector(".grid")`)
		d.Eval(`document.querySelector(".grid").focus()`)
		d.Press("ArrowRight")
		d.is("true true true true", `((grid) => {
  const runs = [...grid.querySelectorAll(".on")].map((e) => e.textContent.trim()).join(" "), row = grid.closest("article").querySelector("tr.on"), said = grid.closest(".linked").querySelector(".said");
  return [row.cells[1].textContent.trim().startsWith(runs), said.textContent.includes(row.cells[2].firstChild.data.trim()), said.textContent.includes("MUST"), said.querySelector("a").hash.startsWith("#UPKG-")].join(" ");
})(document.querySelector(".grid"))`)
		d.Press("End")
		d.is("1", `document.querySelector(".grid").querySelectorAll(".run:last-child.on").length`)
	},
	"upkg/CompactIndex.html#UPKG-CI-5": func(d tab) {
		d.Until(`Math.round(document.getElementById("UPKG-CI-5").getBoundingClientRect().top) < 60`)
		d.Press("/")
		d.is("q:", `document.activeElement.name + ":" + document.activeElement.value`) // the key types nothing
	},
}

// filter sets a field of the filters of a page, and checks how many rows are shown then.
func (d tab) filter(field, value string, want, of int) {
	d.T.Helper()
	d.is(fmt.Sprintf("%d %[1]d of %d", want, of), `((f) => {
  f[%q].value = %q;
  f.dispatchEvent(new Event("input"));
  return [...document.querySelectorAll(".stack tbody tr")].filter((r) => r.getClientRects().length).length + " " + f.querySelector("output").textContent;
})(document.querySelector("main .filters"))`, field, value)
}

// answers asks the questions of package find: the notes and the first results are those of
// the ranking in Go.
func (d tab) answers(t *testing.T) {
	t.Helper()
	table, err := os.ReadFile("../find/testdata/questions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	x, err := find.New()
	if err != nil {
		t.Fatal(err)
	}
	var asked, want []string
	for line := range strings.Lines(string(table)) {
		query, _, _ := strings.Cut(line, "\t")
		a := x.Search(query)
		asked, want = append(asked, query), append(want, query+": "+strings.Join(append(a.Notes(), ""), " "))
		for _, e := range a.Found[:min(3, len(a.Found))] {
			want = append(want, e.ID)
		}
	}
	d.Until(`document.body.dataset.searched && document.getElementById("q").value === "fifth byte"`)
	got := d.Eval(`%q.split("\n").flatMap((query) => {
  document.getElementById("q").value = query;
  document.getElementById("search").requestSubmit();
  return [query + ": " + document.getElementById("found").textContent.replace(/[0-9]+ results?.*/, ""), ...[...document.querySelectorAll("#results li > p:first-child a")].slice(0, 3).map((a) => a.textContent)];
}).join("\n")`, strings.Join(asked, "\n"))
	if diff := cmp.Diff(strings.Join(want, "\n"), got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}
