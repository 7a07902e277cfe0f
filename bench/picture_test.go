package bench

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw ratios.svg again")

// Sizes of ratios.svg in pixels: of a row, of the column of names, and of a factor of ten.
const (
	rowHeight, nameWidth, decade = 26, 560, 130
	slowest                      = 10 // times as slow as the peer, at the left end of the bars
)

// TestPicture: ratios.svg shows the rows of README.md that have a peer and a time.
func TestPicture(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	n := 0
	row := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| [^|]+ \| ([0-9.]+) \| (at most|at least) [0-9.]+ \| (.*) \|$`)
	for _, m := range row.FindAllStringSubmatch(string(readme), -1) {
		faster, err := strconv.ParseFloat(m[3], 64)
		if err != nil || strings.Contains(m[1], "allocations") || strings.HasPrefix(m[2], "the same") {
			continue
		}
		if m[4] == "at most" {
			faster = 1 / faster
		}
		text, colour := fmt.Sprintf("%.3g times as fast", faster), "#2a7f62"
		if faster < 1 {
			text, colour = fmt.Sprintf("takes %.3g times as long", 1/faster), "#7a7f87"
		}
		if m[5] != "yes" {
			text, colour = text+": misses its bar", "#b3261e"
		}
		one, end := nameWidth+math.Log10(slowest)*decade, nameWidth+math.Log10(slowest*faster)*decade
		y := 40 + n*rowHeight
		fmt.Fprintf(&rows, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, against %s</text>\n", nameWidth-10, y+15,
			html.EscapeString(m[1]), html.EscapeString(m[2]))
		fmt.Fprintf(&rows, "<rect x=\"%.0f\" y=\"%d\" width=\"%.0f\" height=\"%d\" fill=\"%s\"/>\n", min(one, end), y,
			max(2, math.Abs(end-one)), rowHeight-6, colour)
		fmt.Fprintf(&rows, "<text x=\"%.0f\" y=\"%d\">%s</text>\n", max(one, end)+6, y+15, text)
		n++
	}
	var svg bytes.Buffer
	width, height, one := nameWidth+5*decade, 50+n*rowHeight, nameWidth+int(math.Log10(slowest)*decade)
	fmt.Fprintf(&svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n"+
		"<title>How many times as fast as its peers: bars to the right are faster</title>\n"+
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"+
		"<text x=\"%d\" y=\"24\" font-weight=\"bold\">slower ← as fast → faster (each tenfold is equally wide)</text>\n%s"+
		"<line x1=\"%[5]d\" y1=\"32\" x2=\"%[5]d\" y2=\"%[6]d\" stroke=\"#000\"/>\n</svg>\n", width, height, one-52, rows.String(), one, height-8)
	if *update {
		if err := os.WriteFile("ratios.svg", svg.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, _ := os.ReadFile("ratios.svg"); !bytes.Equal(have, svg.Bytes()) || n < 10 {
		t.Errorf("ratios.svg does not show the %d rows of README.md: go test -run Picture -update .", n)
	}
}
