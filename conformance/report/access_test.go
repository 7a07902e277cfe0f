package report_test

import (
	"html"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/chromium"
)

// luminance is the relative luminance of WCAG 2.
func luminance(c [3]float64) float64 {
	for i, v := range c {
		if v /= 255; v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
}

func contrast(a, b [3]float64) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: in both colour schemes, each colour of text has a contrast of at
// least 4.5 to each background on which it occurs.
func TestContrast(t *testing.T) {
	css, err := os.ReadFile("html/page.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("the page has no dark colours")
	}
	dark, _, _ = strings.Cut(dark, "\n}\n")
	colours := regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`)
	for name, text := range map[string]string{"light": light, "dark": dark} {
		of := map[string][3]float64{}
		for _, m := range colours.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.ParseUint(m[2], 16, 32) // six digits
			of[m[1]] = [3]float64{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}
		}
		check := func(what string, a, b [3]float64) {
			if c := contrast(a, b); c < 4.5 {
				t.Errorf("%s: contrast of %s is %.2f, want 4.5", name, what, c)
			}
		}
		for _, fore := range []string{
			"ink", "soft", "accent", "pass", "fail", "crash", "timeout", "protocol", "known",
			"skip", "not-applicable", "acceptable",
		} {
			for _, back := range []string{"paper", "card", "sunk"} {
				if of[fore] == of[back] {
					t.Fatalf("%s: no colour %s or %s", name, fore, back)
				}
				check(fore+" on "+back, of[fore], of[back])
			}
			// The selected cell of the matrix and the sign of an outcome.
			check(fore+" on accent-soft", of[fore], of["accent-soft"])
			var mixed [3]float64
			for i := range mixed {
				mixed[i] = 0.13*of[fore][i] + 0.87*of["card"][i]
			}
			if fore != "ink" && fore != "soft" && fore != "accent" {
				check(fore+" on its sign", of[fore], mixed)
			}
		}
		check("pass on good-soft", of["pass"], of["good-soft"])
		check("fail on fail-soft", of["fail"], of["fail-soft"])
		check("known on sunk", of["known"], of["sunk"])
	}
}

// narrow: in a window of 360 pixels the page needs no horizontal scrolling
// outside of tables and bytes, and what can be pressed is at least 24 pixels high.
func narrow(t *testing.T, tab *chromium.Tab) {
	r := resultOf(t, "upkg/Package/version-69", judge.WrongTree, "")
	r.Difference = &tree.Difference{Path: "names[1].flags", Want: "67567632", Got: "7"}
	r.Got = &judge.Answer{Tree: []byte(`{"long": "` + strings.Repeat("x", 300) + `"}`)}
	other := resultOf(t, "ubi/BasicString/trailing", judge.Crashed, strings.Repeat("y", 300))
	page := write(t, "html", runOf(r, other))
	inner := strings.Replace(page, "</body>", `<script>
(async () => {
while (document.getElementById("filters").hidden) await new Promise((r) => setTimeout(r, 10)); // until the data are unpacked
for (const d of document.querySelectorAll("details")) { d.open = true; d.dispatchEvent(new Event("toggle")); }
const low = [...document.querySelectorAll("a, button, summary, input, select")].filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 24 && !e.matches(".jump"));
parent.document.body.dataset.said = document.querySelectorAll("details.v .hexbox").length + ", " + (document.documentElement.scrollWidth <= innerWidth) + ", " + low.map((e) => e.outerHTML.slice(0, 80));
})();
</script></body>`, 1)
	outer := `<!doctype html><body><iframe style="width:360px;height:800px;border:0" srcdoc="` +
		html.EscapeString(inner) + `"></iframe>`
	m := regexp.MustCompile(`data-said="([^"]*)"`).FindStringSubmatch(open(t, tab, outer, ""))
	if want := []string{"2, true, "}; m == nil || !slices.Equal(m[1:], want) {
		t.Errorf("the page says %.1000q, want %q", m, want)
	}
}
