package page

import (
	"strings"
	"testing"
)

// TestMarkdown: tables and blocks of code can be scrolled, headings have ids, relative
// links lead where the caller says, and HTML in a document is text.
func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"# A `b` c\n":                                         `<h1 id="a-b-c">A <code>b</code> c</h1>`,
		"```json\n{\"a\": <b>}\n```\n":                        `<pre tabindex=0><code class="language-json">{&quot;a&quot;: &lt;b&gt;} </code></pre>`,
		"```\nx\n```\n":                                       `<pre tabindex=0><code>x </code></pre>`,
		"| a | b |\n|--:|---|\n| 1 | `x\\|y` |\n":             `<div class=scroll tabindex=0><table> <thead> <tr> <th>a</th> <th>b</th> </tr> </thead> <tbody> <tr> <td>1</td> <td><code>x|y</code></td> </tr> </tbody> </table></div>`,
		"[p](PROTOCOL.md#views) [o](https://a.b/c) [h](#x)\n": `<p><a href="/PROTOCOL.md#views">p</a> <a href="https://a.b/c">o</a> <a href="#x">h</a></p>`,
		"[x](javascript:alert) <b>\n":                         `<p><a href="/javascript:alert">x</a> &lt;b&gt;</p>`,
	} {
		html, err := Markdown(in, func(target string) string { return "/" + target })
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(string(html)), " "); got != want {
			t.Errorf("%q:\n%s, want\n%s", in, got, want)
		}
	}
}

// TestProse: what has an address is a link, code is code, keywords are marked.
func TestProse(t *testing.T) {
	got := Prose("It MUST be `<1>` by UBI-X-1, `truncated`.", func(id string, code bool) (string, string) {
		switch {
		case id == "UBI-X-1":
			return `a"b`, "id"
		case code && id == "truncated":
			return "w", "word"
		}
		return "", ""
	})
	const want = `It <em class=key>MUST</em> be <code>&lt;1&gt;</code> by <a class=id href="a&#34;b">UBI-X-1</a>, <a class=word href="w"><code>truncated</code></a>.`
	if string(got) != want {
		t.Errorf("%s\n%s", got, want)
	}
}
