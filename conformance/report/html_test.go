package report_test

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/chromium"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// TestPage: the page loads nothing. Counts, the causes of failures with their vectors and an
// example, and what the words mean are visible without scripts.
func TestPage(t *testing.T) {
	t.Parallel()
	good, bad := runs(t)
	page := write(t, "html", bad, good)
	contains(t, "the page", page,
		`content="default-src &#39;none&#39;; style-src`, "not conformant", "<noscript>", "boxes are &lt;not&gt; read",
		`: trailing: rejected at another offset (UBI-MAGIC-7)</span>`,
		`<a href="#v=ubi%2fBasicString%2ftrailing">ubi/BasicString/trailing</a>`, `<td class="w">reject trailing @`,
		"00000000  00 00 00 00", "<dt>acceptable</dt><dd>not as expected, but no failure",
	)
	for _, m := range regexp.MustCompile(`(?i)<(?:link|script|img|iframe|source|audio|video)\b[^>]*\b(?:src|href)\s*=|@import|url\(`).FindAllString(page, -1) {
		t.Errorf("the page loads: %s", m)
	}
	for _, link := range submatches(`<a [^>]*href="([^"]*)"`, page) {
		if !strings.HasPrefix(link, "#") {
			t.Errorf("the page links to %s", link)
		}
	}
	if n := strings.Count(page, "</script>"); n != 2 {
		t.Errorf("%d closing script tags, want 2: text was not escaped", n)
	}
	checkMatrix(t, page, bad, good)
}

// TestInBrowser opens pages in one tab: the start of another one costs more than most pages.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	tab := chromium.New(t, 1280, 900, false)
	for name, test := range map[string]func(*testing.T, *chromium.Tab){
		"old browser": oldBrowser, "narrow": narrow, "fold": fold, "hostile text": hostileTextInPage,
		"named side": namedSideColumn, "many failures": manyFailures, "many vectors": manyVectors,
	} {
		t.Run(name, func(t *testing.T) {
			tab.T = t
			test(t, tab)
		})
	}
	tab.T = t
}

// open loads a page, runs its scripts and returns the resulting document.
func open(t *testing.T, tab *chromium.Tab, page, hash string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	tab.Open("file://" + file + hash)
	tab.Until("%s || document.body.dataset.said", chromium.HasSaid)
	return tab.Eval("document.documentElement.outerHTML")
}

// withScript adds a script after the script of the page. The document then
// contains the arguments of say().
func withScript(page, script string) string {
	page = strings.Replace(page, "</head>", `<script>
var said = [];
function say(...a) { said.push(a.map(String).join(" ")); }
addEventListener("error", (e) => say("ERROR", e.message));
</script></head>`, 1)
	return strings.Replace(page, "</body>", `<script>
const $ = (s) => document.querySelector(s), all = (s) => [...document.querySelectorAll(s)];
const set = (name, value) => { const e = $("#filters [name=" + name + "]"); e.value = value; e.dispatchEvent(new Event("input", {bubbles: true})); };
const count = () => $("#count").textContent;
`+`(async () => {
for (let n = 0; $("#filters").hidden && n < 3000; n++) await new Promise((r) => setTimeout(r, 10)); // until the data are unpacked
try {
`+script+`
} catch (e) { say("ERROR", e.message); }
const pre = document.createElement("pre"); pre.id = "said"; pre.textContent = JSON.stringify(said); document.body.replaceChildren(pre);
})();
</script></body>`, 1)
}

// oldBrowser: a browser that cannot unpack the list says so in its place.
func oldBrowser(t *testing.T, tab *chromium.Tab) {
	r := resultOf(t, "ubi/BasicString/trailing", judge.WrongTree, "")
	page := strings.Replace(write(t, "html", runOf(r)), "</head>", "<script>delete window.DecompressionStream</script></head>", 1)
	page = strings.Replace(page, "</body>", `<script>(async () => {
while (!document.querySelector("#list").textContent) await new Promise((r) => setTimeout(r, 10));
document.body.dataset.said = "yes";
})()</script></body>`, 1)
	if dom := open(t, tab, page, ""); !strings.Contains(dom, "This browser cannot show the list of vectors: DecompressionStream is not defined.") {
		t.Error("no message in place of the list")
	}
}

// A choice selects results.
type choice func(*judge.Result) bool

func everything(*judge.Result) bool { return true }

func with(statuses ...judge.Status) choice {
	return func(r *judge.Result) bool { return slices.Contains(statuses, report.StatusOf(r)) }
}

// vectorsWith counts the vectors with a result that is chosen.
func vectorsWith(r *report.Run, chosen choice) int {
	seen := map[string]bool{}
	for i := range r.Results {
		if r.Results[i].Reason != judge.Declared && chosen(&r.Results[i]) { // hello excludes these types
			seen[r.Results[i].Vector.ID] = true
		}
	}
	return len(seen)
}

// countOf is what the page says when it shows the vectors with a result that is chosen.
func countOf(r *report.Run, chosen choice) string {
	if n, all := vectorsWith(r, chosen), vectorsWith(r, everything); n != all {
		return fmt.Sprintf("%d of %d vectors", n, all)
	}
	return fmt.Sprintf("%d vectors", vectorsWith(r, everything))
}

// filters returns a script that filters the vectors of a run, and what the page says then.
func filters(bad *report.Run) (script string, want []string) {
	family := func(name string) choice { return func(r *judge.Result) bool { return r.Vector.Family() == name } }
	cites := func(r *judge.Result) bool { return slices.Contains(r.Vector.Clauses, "UPKG-CI-5") }
	depends := func(r *judge.Result) bool { return slices.Contains(r.Vector.Flags, "upkg.ci-range") }
	has := func(words ...string) choice {
		return func(r *judge.Result) bool {
			text := []string{r.Vector.ID, r.Vector.Type, r.Vector.Comment, r.Vector.Source}
			for _, l := range r.Vector.Lines {
				text = append(text, l.Note)
			}
			all := strings.ToLower(strings.Join(text, " "))
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
		}
	}
	const reset = `$("#filters [type=reset]").click(); `
	const cell = `$('.matrix td button[data-type="upkg.Name"][data-column="0"]').click()`
	for _, step := range []struct {
		do    string
		shown choice
	}{
		{reset, everything},
		{`set("family", "ubi")`, family("ubi")},
		{reset + `set("clause", "upkg-ci-5")`, cites},
		{reset + `set("flag", "upkg.ci-range")`, depends},
		{`$("[data-outcome=fail]").click()`, func(r *judge.Result) bool { return depends(r) && with(judge.Fail)(r) }},
		{reset + `$("[data-outcome=fail]").click()`, with(judge.Fail)},
		{`$("[data-outcome=crash]").click()`, with(judge.Fail, judge.Crash)},
		{`$("[data-outcome=fail]").click()`, with(judge.Crash)},
		{`$("[data-outcome=crash]").click(); $("[data-outcome=known]").click()`, with(report.Known)},
		{`$("[data-outcome=known]").click(); $("[data-outcome=pass]").click()`, func(r *judge.Result) bool {
			return with(judge.Pass)(r) && !r.Derived
		}},
		{reset + `set("column", "1"); $("[data-outcome=acceptable]").click()`, func(r *judge.Result) bool {
			return with(judge.Acceptable)(r) && r.Profile.Base() == "observed"
		}},
		{reset + cell, func(r *judge.Result) bool { return r.Vector.Type == "upkg.Name" }},
		{cell, everything},
		{`$('.matrix th button[data-family="upkg"]').click()`, family("upkg")},
		{reset + `set("q", "trailing basicstring")`, has("trailing", "basicstring")},
		{`set("q", "xyzzy plugh")`, has("xyzzy", "plugh")},
	} {
		script += step.do + "; say(count());\n"
		want = append(want, countOf(bad, step.shown))
	}
	return script, want
}

// checkMatrix checks that the numbers in the matrix are those of the results. Each run has two
// columns.
func checkMatrix(t *testing.T, page string, runs ...*report.Run) {
	t.Helper()
	got := map[string]string{} // by type and column
	cell := regexp.MustCompile(`<button type="button" data-type="([^"]*)" data-column="(\d+)" title="([^"]*)"`)
	for _, m := range cell.FindAllStringSubmatch(page, -1) {
		got[html.UnescapeString(m[1])+" "+m[2]] = m[3]
	}
	tallies := map[string]*report.Tally{}
	for i, r := range runs {
		for k := range r.Results {
			res := &r.Results[k]
			column := 2*i + slices.Index([]string{"documented", "observed"}, res.Profile.String())
			key := fmt.Sprintf("%s %d", res.Vector.Type, column)
			if res.Reason != judge.Declared && tallies[key] == nil { // hello excludes these types
				tallies[key] = &report.Tally{Own: report.Counts{}, Derived: report.Counts{}}
			}
			if res.Reason != judge.Declared {
				tallies[key].Add(res)
			}
		}
	}
	want := map[string]string{}
	for key, n := range tallies {
		want[key] = n.Text("; derived: ")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the matrix (-want +got):\n%s", d)
	}
}

// fold: of a long input the bytes far from the mark are folded; a button shows
// them.
func fold(t *testing.T, tab *chromium.Tab) {
	r := resultOf(t, "upkg/Package/version-69", judge.WrongTree, "")
	r.Difference = &tree.Difference{Path: "names[1].flags", Want: "67567632", Got: "7"}
	got := chromium.Said(t, open(t, tab, withScript(write(t, "html", runOf(r)), `
const d = $("details.v[open]"), rows = () => d.querySelectorAll("table.hex tr.note-start").length;
const n = rows(), pointer = () => d.querySelectorAll(".pointer").length;
say(n < 24, pointer());
while (d.querySelector(".unfold")) d.querySelector(".unfold").click();
say(rows() > n, pointer());
say(d.querySelector("table.hex").textContent.match(/more bytes/g) === null, document.activeElement.tagName);
`), "#v=upkg/Package/version-69"))
	if want := []string{"true 1", "true 1", "true TR"}; !slices.Equal(got, want) {
		t.Errorf("the page says %q, want %q", got, want)
	}
}

// opensVector is a script for a page with a vector in the address: it is opened, with its
// bytes, the expected and the actual answer.
const opensVector = `
const d = $("details.v[open]");
say(d.dataset.v);
say(d.querySelectorAll("table.hex tr.note-start").length);
say([...d.querySelectorAll("table.hex .what")].map((e) => e.textContent).join("|"));
say([...d.querySelectorAll(".pointer")].map((e) => e.textContent).join("|"));
say([...d.querySelectorAll("table.pairs td")].map((e) => e.textContent).join("|"));
say([...d.querySelectorAll(".says dt button")].map((e) => e.textContent).join("|"));
say(all("details.v > .body").length);
const s = all("details.v > summary");
s[0].focus();
s[0].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
say(document.activeElement === s[1]);
d.querySelector(".says dt button").click();
say($("#filters [name=clause]").value);
say(all(".ids a").every((a) => new URLSearchParams(a.hash.slice(1)).get("v") === a.textContent));
say(!!(d.querySelector(".case").compareDocumentPosition(d.querySelector(".hexbox")) & Node.DOCUMENT_POSITION_FOLLOWING));
`

// opensVectors opens every fifth vector: the script of the page has no errors.
const opensVectors = `
$("#filters [type=reset]").click();
$("#list").hidden = true; // saves layout
while (!$("#more").hidden) $("#more").click();
say(all("details.v").length);
let n = 0;
for (const d of all("details.v")) if (n++ % 5 === 0) { d.open = true; d.dispatchEvent(new Event("toggle")); }
say(all("details.v > .body").length);
say($("main").textContent.includes("[object"), $("main").textContent.includes("undefined under"));
`

// manyFailures asks the page of the run with many failures.
func manyFailures(t *testing.T, tab *chromium.Tab) {
	_, bad := runs(t)
	v := resultOf(t, "ubi/BasicString/trailing", "", "").Vector
	n := vectorsWith(bad, everything)
	filtering, filtered := filters(bad)
	var script strings.Builder
	var want []string
	for _, part := range []struct {
		script string
		want   []string
	}{
		{opensVector, []string{
			v.ID, "3", v.Lines[0].Note + "|" + v.Lines[1].Note + "|end of input",
			"↑ rejection expected here|↑ rejected here", "reject trailing @4|reject trailing @5", "UBI-MAGIC-7", "1", "true",
			"UBI-MAGIC-7", "true", "true",
		}},
		{filtering, filtered},
		{opensVectors, []string{itoa(n), itoa((n + 4) / 5), "false false"}},
	} {
		fmt.Fprintf(&script, "{\n%s\n}\n", part.script)
		want = append(want, part.want...)
	}
	got := chromium.Said(t, open(t, tab, withScript(write(t, "html", bad), script.String()), "#family=ubi&v=ubi/BasicString/trailing"))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the page says (-want +got):\n%s", d)
	}
}

// manyVectors: with about 3,000 vectors under two profiles and tens of
// thousands of derived cases the page is fast.
func manyVectors(t *testing.T, tab *chromium.Tab) {
	if !testrun.Exhaustive {
		t.Skip("a page of several megabytes: needs the build tag exhaustive")
	}
	_, bad := runs(t)
	many := *bad
	many.Report = &judge.Report{Hello: bad.Hello}
	copies := map[string][]*corpus.Vector{}
	factor := 1 + 3000/vectorsWith(bad, everything)
	for _, r := range bad.Results {
		if copies[r.Vector.ID] == nil {
			for k := range factor {
				v := *r.Vector
				v.ID = fmt.Sprintf("%s-%d", v.ID, k)
				copies[r.Vector.ID] = append(copies[r.Vector.ID], &v)
			}
		}
		for k, v := range copies[r.Vector.ID] {
			r := r
			r.Vector, r.ID = v, fmt.Sprintf("%s-%d", r.ID, k)
			many.Results = append(many.Results, r)
			if r.Derived {
				for n := range 4 {
					d := r
					d.ID += fmt.Sprintf("-%d", n)
					many.Results = append(many.Results, d)
				}
			}
		}
	}
	slices.SortStableFunc(many.Results, func(a, b judge.Result) int { return strings.Compare(a.Profile.String(), b.Profile.String()) })
	start := time.Now()
	page := write(t, "html", &many)
	t.Logf("%d results: written in %v, %d KiB", len(many.Results), time.Since(start), len(page)>>10)
	dom := open(t, tab, withScript(page, `
say(Math.round(performance.now()));
const t0 = performance.now();
for (const f of ["ubi", "upkg", ""]) set("family", f);
set("q", "trailing"); set("q", "");
say(Math.round((performance.now() - t0) / 5));
say(count());
`), "")
	got := chromium.Said(t, dom)
	if want := countOf(&many, everything); len(got) != 3 || got[2] != want {
		t.Fatalf("the page says %q, want %s last", got, want)
	}
	t.Logf("shown after %s ms, filtered in %s ms each", got[0], got[1])
	for i, limit := range []int{10000, 2000} {
		var ms int
		if _, err := fmt.Sscan(got[i], &ms); err != nil || ms > limit {
			t.Errorf("took %s ms, want at most %d: %v", got[i], limit, err)
		}
	}
}
