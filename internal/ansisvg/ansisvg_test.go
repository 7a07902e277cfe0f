package ansisvg

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	svg := string(Render("$ a <title>", "plain  \x1b[1mbold\x1b[0m\n  \x1b[36m00 & ff\x1b[0m   end\n"))
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
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
