package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

// TestPicture compares the image in the README with the output of the command.
func TestPicture(t *testing.T) {
	const picture = "../../docs/inspect.svg"
	v := corpustest.Find(t, "upkg/Package/version-69")
	name := t.TempDir() + "/small.u"
	if err := os.WriteFile(name, v.Bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runIn("inspect", "upkg.Package", name, "--color", "always")
	if code != exitOK {
		t.Fatal(stderr)
	}
	const rows = 14
	lines := strings.SplitAfterN(stdout, "\n", rows+2) // the head, the rows, the rest
	lines[rows+1] = "..."
	want := renderSVG("$ formatgauge inspect upkg.Package small.u", strings.Join(lines, ""))
	if os.Getenv("GOLDIE_UPDATE") != "" {
		if err := os.WriteFile(picture, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(picture)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("docs/inspect.svg differs from the output of inspect (%v); update it with GOLDIE_UPDATE=1 go test "+
			"./cmd/formatgauge", err)
	}
}

const (
	charWidth  = 7.8 // width of one character of a monospaced font of fontSize
	lineHeight = 18
	fontSize   = 13
	margin     = 16
	titleBar   = 28
)

// svgClasses has the CSS class of each ANSI code. The style sheet has colours for the
// light and the dark theme.
var svgClasses = map[string]string{
	"1": ` class="b"`, "2": ` class="f"`, "31": ` class="r"`, "32": ` class="g"`, "36": ` class="c"`, "35": ` class="p"`,
}

const svgStyle = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#24292f}
.bg{fill:#f6f8fa;stroke:#d0d7de}.t{fill:#57606a}.b{font-weight:600}.f{fill:#6e7781}.r{fill:#cf222e}.g{fill:#116329}.c{fill:#0550ae}.p{fill:#8250df}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.bg{fill:#0d1117;stroke:#30363d}.t{fill:#8b949e}.f{fill:#8b949e}.r{fill:#ff7b72}.g{fill:#7ee787}.c{fill:#79c0ff}.p{fill:#d2a8ff}}`

// svgText is a text after an ANSI code.
var svgText = regexp.MustCompile(`\x1b\[(\d+)m([^\x1b]*)`)

// renderSVG returns an SVG image that shows the title, then each line of the
// terminal output text. It
// supports only the ANSI codes that formatgauge writes.
func renderSVG(title, text string) []byte {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := utf8.RuneCountInString(title)
	for _, l := range lines {
		columns = max(columns, utf8.RuneCountInString(svgText.ReplaceAllString(l, "$2")))
	}
	width := int(float64(columns)*charWidth) + 2*margin
	height := titleBar + len(lines)*lineHeight + margin
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+
			"\n",
		width, height, width, height, html.EscapeString(title))
	fmt.Fprintf(&b, "<style>%s</style>\n", svgStyle)
	fmt.Fprintf(&b, `<rect class="bg" x=".5" y=".5" width="%d" height="%d" rx="8"/>`+"\n", width-1, height-1)
	fmt.Fprintf(&b, `<text class="t" x="%d" y="20">%s</text>`+"\n", margin, html.EscapeString(title))
	for i, l := range lines {
		y := titleBar + (i+1)*lineHeight - 4
		column := 0
		for _, m := range svgText.FindAllStringSubmatch("\x1b[0m"+l, -1) {
			if trimmed := strings.TrimLeft(m[2], " "); trimmed != "" {
				at := column + len(m[2]) - len(trimmed)
				trimmed = strings.TrimRight(trimmed, " ")
				n := float64(utf8.RuneCountInString(trimmed))
				// textLength keeps the columns aligned with any font.
				fmt.Fprintf(&b, `<text%s x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
					svgClasses[m[1]], margin+float64(at)*charWidth, y, n*charWidth, html.EscapeString(trimmed))
			}
			column += utf8.RuneCountInString(m[2])
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func TestRenderSVG(t *testing.T) {
	svg := string(renderSVG("$ a <title>", "plain  \x1b[1mbold\x1b[0m\n  \x1b[36m00 & ff\x1b[0m   end\n"))
	for _, want := range []string{
		`aria-label="$ a &lt;title&gt;"`,
		`<text x="16.0" y="42" textLength="39.0" lengthAdjust="spacingAndGlyphs">plain</text>`,
		`<text class="b" x="70.6"`,
		`<text class="c" x="31.6" y="60" textLength="54.6" lengthAdjust="spacingAndGlyphs">00 &amp; ff</text>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("missing %s in\n%s", want, svg)
		}
	}
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Error(err)
	}
}
