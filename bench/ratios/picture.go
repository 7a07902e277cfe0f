package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// picture draws the rows that have a peer as an SVG: how many times lower our
// cost is, on a logarithmic scale. A short vertical line marks a bar.
func picture(rows []*row) string {
	const left, width, height, top = 520, 400, 16, 40
	low, high := 0.0, 1.0 // powers of ten at the edges
	var drawn []*row
	for _, r := range rows {
		if v, _ := r.better(); v > 0 {
			drawn = append(drawn, r)
			low, high = min(low, math.Floor(math.Log10(v))), max(high, math.Ceil(math.Log10(v)))
		}
	}
	x := func(v float64) float64 { return left + width*(math.Log10(v)-low)/(high-low) }
	bottom := top + height*len(drawn)

	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n",
		left+width+60, bottom+10)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	b.WriteString(`<text x="8" y="16">Times as fast (or times fewer allocations). Black line: the bar. Red: the row misses a bar.</text>` + "\n")
	for p := low; p <= high; p++ {
		v := math.Pow(10, p)
		fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#ccc"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n",
			x(v), top, bottom, x(v), top-6, v)
	}
	for i, r := range drawn {
		y, color := top+height*i, "#4878b0"
		v, bound := r.better()
		if r.cells[met] == "**no**" {
			color = "#c83232"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, left-6, y+12, html.EscapeString(r.name()))
		fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, min(x(1), x(v)), y+2,
			math.Abs(x(v)-x(1)), height-4, color)
		if bound > 0 {
			fmt.Fprintf(&b, `<path d="M%.1f %dv%d" stroke="black" stroke-width="2"/>`, x(bound), y+1, height-2)
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left+width+50, y+12, number(v))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// better returns how many times lower our cost is than theirs, or 0 if there is no
// peer, and the same for the bar.
func (r *row) better() (v, bound float64) {
	v = r.number(ratio)
	first, _, _ := strings.Cut(r.cells[bars], ";")
	if _, err := fmt.Sscanf(first, "at least %g", &bound); err == nil || v == 0 {
		return v, bound
	}
	if _, err := fmt.Sscanf(first, "at most %g", &bound); err == nil {
		bound = 1 / bound
	}
	return 1 / v, bound
}
