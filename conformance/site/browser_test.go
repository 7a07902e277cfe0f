package site

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/internal/chromium"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
)

// visit opens pages one after the other in a frame and checks each.
const visit = `<!doctype html><meta charset=utf-8><body><script>
const said = [], say = (...a) => said.push(a.map(String).join(" "));
addEventListener("error", (e) => say("ERROR", e.message));
const wait = (ms) => new Promise((r) => setTimeout(r, ms));
const until = async (ready) => { for (let i = 0; i < 6000 && !ready(); i++) await wait(20); };
const frames = (w) => new Promise((r) => w.requestAnimationFrame(() => w.requestAnimationFrame(() => w.setTimeout(r, 50))));
const open = (page, width) => new Promise((done) => {
  const f = document.createElement("iframe");
  f.style.cssText = "border:0;height:800px;width:" + width + "px";
  f.onload = async () => { await frames(f.contentWindow); done(f); };
  f.src = base + page;
  document.body.append(f);
});
const key = (e, k) => e.dispatchEvent(new e.ownerDocument.defaultView.KeyboardEvent("keydown", {key: k, bubbles: true, cancelable: true}));
// broken lists the words that are broken in tables.
const broken = (d) => [...d.querySelectorAll("main table")].flatMap((t) => {
  const out = [], texts = d.createTreeWalker(t, NodeFilter.SHOW_TEXT), r = d.createRange();
  for (let n; (n = texts.nextNode());) for (const m of n.data.matchAll(/[a-z]{3,16}/g)) {
    r.setStart(n, m.index);
    r.setEnd(n, m.index + m[0].length);
    if (r.getClientRects().length > 1) out.push(m[0]);
  }
  return out;
}).join(" ");
const steps = {
  "search.html?q=fifth+byte+of+a+compact+index": async (d) => {
    const ids = () => [...d.querySelectorAll("#results a.id:first-child")].map((a) => a.textContent);
    const ask = (q) => { d.getElementById("q").value = q; d.getElementById("search").dispatchEvent(new Event("submit", {bubbles: true, cancelable: true})); };
    await until(() => d.body.dataset.searched);
    say("card", d.querySelectorAll("#results li:first-child .source").length, d.querySelectorAll("#results mark").length > 0);
    d.getElementById("q").value = "TRUNCATED";
    d.getElementById("q").dispatchEvent(new Event("input", {bubbles: true}));
    await until(() => ids()[0] === "truncated");
    for (const q of questions) {
      ask(q);
      say(q, d.querySelector("#found").textContent.replace(/[0-9]+ results?.*/, ""), [...d.querySelectorAll("#results li > p:first-child a")].slice(0, 3).map((a) => a.textContent).join(" | "));
    }
    ask("<img src=x>");
    say("hostile", d.querySelectorAll("#results img").length);
  },
  "flags/index.html": async (d) => {
    const f = d.getElementById("filters"), set = (name, value) => { f[name].value = value; f.dispatchEvent(new Event("input", {bubbles: true})); };
    const count = () => [...d.querySelectorAll(".register tbody tr")].filter((r) => r.getClientRects().length).length + " " + d.getElementById("count").textContent;
    set("family", "upkg"); say("family", count());
    set("sides", "yes"); say("sides", count());
    set("text", "CI-RANGE"); say("text", count());
  },
  "upkg/implementations.html": async (d) => {
    const f = d.getElementById("rows"), set = (name, value) => { f[name].value = value; f.dispatchEvent(new Event("input", {bubbles: true})); };
    const count = () => [...d.querySelectorAll(".matrix tbody tr")].filter((r) => r.getClientRects().length).length + " " + d.getElementById("rowcount").textContent;
    set("outcome", "failed"); say("failed", count());
    set("text", "ci-range"); say("text", count(), [...d.querySelectorAll("h2")].filter((h) => h.getClientRects().length).map((h) => h.id).join(" "));
  },
  "upkg/Header-vectors.html": async (d) => {
    d.querySelector(".vector .hexbox").scrollIntoView();
    await until(() => d.querySelector(".grid"));
    const grid = d.querySelector(".grid"), said = grid.closest(".linked").querySelector(".said");
    grid.focus();
    key(grid, "ArrowRight");
    const runs = [...grid.querySelectorAll(".on")].map((e) => e.textContent.trim()).join(" "), row = grid.closest("article").querySelector("tr.on");
    say("linked", row.cells[1].textContent.trim().startsWith(runs), said.textContent.includes(row.cells[2].firstChild.data.trim()), said.textContent.includes("MUST"), said.querySelector("a").hash.startsWith("#UPKG-"));
    key(grid, "End");
    say("end", grid.querySelectorAll(".run:last-child.on").length);
  },
  "upkg/CompactIndex.html#UPKG-CI-5": async (d) => {
    say("anchor", Math.round(d.getElementById("UPKG-CI-5").getBoundingClientRect().top) < 60);
    key(d.body, "/");
    say("slash", d.activeElement.name);
  },
};
(async () => {
  for (const page of pages) {
    const f = await open(page, width), d = f.contentDocument, w = f.contentWindow;
    const low = [...d.querySelectorAll("main a, button, summary, input, select")].filter((e) => e.getClientRects().length && e.matches("button, summary, input, select") && e.getBoundingClientRect().height < 24);
    say(page, "fits", d.documentElement.scrollWidth <= w.innerWidth, "low", low.length);
    if (tables.includes(page)) say(page, "broken", broken(d).slice(0, 300));
    if (w.axe) {
      const r = await w.axe.run(d, {resultTypes: ["violations"]});
      for (const v of r.violations) say(page, "axe", v.id, v.nodes.length, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary);
    }
    if (steps[page]) await steps[page](d);
    f.remove();
  }
  const pre = document.createElement("pre");
  pre.id = "said";
  pre.textContent = JSON.stringify(said);
  document.body.replaceChildren(pre);
})();
</script>`

// kindsOfPages has one page of each kind, and heavy ones.
var kindsOfPages = []string{
	"index.html", "upkg/index.html", "upkg/CompactIndex.html#UPKG-CI-5", "ubi/Array.html", "uasset/Package.html",
	"upkg/Header-vectors.html", "ka/Header-vectors.html",
	"faults.html", "flags/index.html", "flags/ka.nested-length.html", "flags/upkg.ci-range.html", "words.html",
	"views.html", "protocol.html", "changes.html", "implementations.html", "upkg/implementations.html",
	"implementations/unreal-package-lib.html",
	"search.html?q=fifth+byte+of+a+compact+index",
}

// onDesk are those of which an ordinary run looks at the wide form too: pages with tables or bytes.
// The others are text, or the second ones of their kind.
var onDesk = []string{
	"index.html", "uasset/Package.html", "upkg/Header-vectors.html", "faults.html", "flags/index.html",
	"flags/upkg.ci-range.html", "upkg/implementations.html", "implementations/wotbtools.html",
	"search.html?q=fifth+byte+of+a+compact+index",
}

// tables are pages in whose tables no word is broken on a desk.
var tables = []string{"implementations/wotbtools.html", "upkg/implementations.html", "flags/index.html"}

// TestBrowser opens pages below some address, one of each kind on a telephone in light
// colours and some on a desk in dark ones: nothing is wider than the page, the console is
// empty, search, filters and linked bytes work with the keyboard. With AXE, the path of
// axe.min.js, axe-core examines each page.
func TestBrowser(t *testing.T) {
	t.Parallel()
	files := content(t)
	axe := os.Getenv("AXE")
	if axe == "" {
		t.Log("without axe-core: set AXE to the path of axe.min.js")
	}
	asked, answers := questions(t)
	for _, c := range []struct {
		name  string
		width int
		dark  bool
	}{
		{"telephone", 360, false},
		{"desk", 1280, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pages, noBroken, questions := kindsOfPages, []string{}, []string{}
			if c.width > 1000 {
				pages, noBroken = onDesk, tables
				questions = asked // once is enough
				if testrun.Exhaustive {
					pages = append(slices.Clone(kindsOfPages), tables[0])
				}
			}
			given, _ := json.Marshal([]any{below, c.width, pages, noBroken, questions})
			own := maps.Clone(files)
			own["visit.html"] = fmt.Sprintf("<script>const [base, width, pages, tables, questions] = %s;</script>%s", given, visit)
			if axe != "" {
				text, err := os.ReadFile(axe)
				if err != nil {
					t.Fatal(err)
				}
				own["axe.js"] = string(text)
				for name := range files {
					own[name] = strings.Replace(own[name], "</head>", `<script src="`+below+`axe.js"></script></head>`, 1)
				}
			}
			document, console := chromium.Open(t, serveFiles(t, own)+"visit.html", chromium.HasSaid, c.width+40, c.dark)
			if console != "" {
				t.Errorf("the console says:\n%s", console)
			}
			var want []string
			for _, page := range pages {
				want = append(want, page+" fits true low 0")
				if slices.Contains(noBroken, page) {
					want = append(want, page+" broken ")
				}
				switch page {
				case "upkg/CompactIndex.html#UPKG-CI-5":
					want = append(want, "anchor true", "slash q")
				case "upkg/Header-vectors.html":
					want = append(want, "linked true true true true", "end 1")
				case "upkg/implementations.html":
					rows := strings.Split(files[page], "<tr data-has=")[1:]
					failed := 0
					for _, row := range rows {
						if strings.Contains(row[:strings.Index(row, ">")], "failed") {
							failed++
						}
					}
					want = append(want, fmt.Sprintf("failed %d %[1]d of %d", failed, len(rows)),
						fmt.Sprintf("text 2 2 of %d CompactIndex flags", len(rows)))
				case "flags/index.html":
					want = append(want, flagCounts()...)
				case "search.html?q=fifth+byte+of+a+compact+index":
					want = append(want, "card 2 true")
					if len(questions) > 0 {
						want = append(want, answers...)
					}
					want = append(want, "hostile 0")
				}
			}
			got := chromium.Said(t, document)
			for len(got) > 0 || len(want) > 0 {
				g, w := "", ""
				if len(got) > 0 {
					g, got = got[0], got[1:]
				}
				if strings.Contains(g, " axe ") {
					t.Error(g)
					continue
				}
				if len(want) > 0 {
					w, want = want[0], want[1:]
				}
				if g != w {
					t.Errorf("the page says %q, want %q", g, w)
				}
			}
		})
	}
}

// questions returns the questions of package find, and what the page says to each: the
// notes and the first results are those of the ranking in Go.
func questions(t *testing.T) (asked, answers []string) {
	t.Helper()
	table, err := os.ReadFile("../find/testdata/questions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	x, err := find.New()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		query, _, _ := strings.Cut(line, "\t")
		a := x.Search(query)
		var first []string
		for _, e := range a.Found[:min(3, len(a.Found))] {
			first = append(first, e.ID)
		}
		asked = append(asked, query)
		said := strings.Join(append(a.Notes(), ""), " ")
		answers = append(answers, query+" "+said+" "+strings.Join(first, " | "))
	}
	return asked, answers
}

// flagCounts is what the register says with the filters of [visit].
func flagCounts() []string {
	all, family, switchable := 0, 0, 0
	for _, f := range spec.Families() {
		all += len(f.Flags)
		if f.Name != "upkg" {
			continue
		}
		family = len(f.Flags)
		for i := range f.Flags {
			if f.Flags[i].Switchable() {
				switchable++
			}
		}
	}
	said := func(what string, n int) string { return fmt.Sprintf("%s %d %d of %d", what, n, n, all) }
	return []string{said("family", family), said("sides", switchable), said("text", 1)}
}
