package site

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/uasset/texture"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/chromium"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// served returns the files of the site with a playground that runs, by name.
var served = sync.OnceValues(func() (map[string]string, error) {
	s, err := built()
	if err != nil {
		return nil, err
	}
	running := *s
	running.files = nil
	if running.module, err = BuildModule(); err != nil {
		return nil, err
	}
	if running.writePlayground(); running.err != nil {
		return nil, running.err
	}
	out := maps.Clone(byName())
	for _, f := range running.files {
		out[f.Name] = string(f.Content)
	}
	return out, nil
})

// serve serves the site with a playground, and returns the address of the playground.
func serve(t *testing.T) string {
	t.Helper()
	chromium.Need(t)
	files, err := served()
	if err != nil {
		t.Fatal(err)
	}
	return serveFiles(t, files) + "playground.html"
}

// below is the address of a site on its server.
const below = "/a/b/"

// serveFiles serves files below this address, and returns it with that of the server.
func serveFiles(t *testing.T, files map[string]string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, isBelow := strings.CutPrefix(r.URL.Path, below)
		text, ok := files[name]
		if r.URL.Path == "/favicon.ico" {
			return
		}
		if !isBelow || !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", map[string]string{
			".html": "text/html", ".js": "text/javascript", ".css": "text/css",
			".svg": "image/svg+xml",
		}[filepath.Ext(r.URL.Path)])
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL + below
}

// TestModuleSize: people load the module before they see anything, so it is small. It shows files,
// and has neither commands, records nor a network.
func TestModuleSize(t *testing.T) {
	files, err := served()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(files["playground/module.bin"]); n == 0 || n > 2_000_000 {
		t.Errorf("%d bytes as gzip, want at most 2,000,000", n)
	}
	deps, err := goCommand("list", "-deps", modulePackage)
	if err != nil {
		t.Fatal(err)
	}
	const own = "github.com/formatgauge/formatgauge/"
	for _, name := range []string{
		"github.com/BurntSushi/toml", "github.com/spf13/cobra", "github.com/yuin/goldmark", own + "spec", own + "corpus",
		"net/http", "html/template", "regexp", "encoding/json", "crypto/sha256",
	} {
		if slices.Contains(strings.Fields(deps), name) {
			t.Errorf("the module links %s", name)
		}
	}
}

// tab is a page with the playground.
type tab struct{ *chromium.Tab }

func openTab(t *testing.T, width, height int, dark bool) tab {
	return tab{chromium.New(t, width, height, dark)}
}

// write writes a file into a folder, and returns its path.
func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// choose selects an option of an element.
func (d tab) choose(element, value string) {
	d.T.Helper()
	d.Eval(`((e) => { e.value = %q; e.dispatchEvent(new Event("change")); })(%s)`, value, element)
}

// shows fails the test unless the text of an element contains texts.
func (d tab) shows(id string, want ...string) {
	d.T.Helper()
	contains(d.T, id, d.Eval(`document.getElementById(%q).innerText`, id), want...)
}

// is fails the test unless an expression has a value.
func (d tab) is(want, format string, args ...any) {
	d.T.Helper()
	if got := d.Eval(format, args...); got != want {
		d.T.Errorf("%q, want %q: "+format, append([]any{got, want}, args...)...)
	}
}

// shot writes a screenshot into the folder SHOTS, if there is one.
func shot(d tab, name string) {
	if dir := os.Getenv("SHOTS"); dir != "" {
		d.Picture(filepath.Join(dir, name+".png"))
	}
}

// read waits until the page has read an input, and returns what it says of it.
func (d tab) read(title string) string {
	d.T.Helper()
	d.Until(`document.getElementById("h-result").textContent.startsWith(%q) && document.querySelector("#verdict b") && document.querySelector("#flags tr") && document.querySelector("#said p") && !document.querySelector(".filling")`, title)
	return d.Eval(`document.getElementById("verdict").innerText`)
}

// quiet fails the test if the console has messages.
func (d tab) quiet() {
	d.T.Helper()
	if console := d.Console(); len(console) > 0 {
		d.T.Errorf("the console says %s", strings.Join(console, "\n"))
	}
}

// audit examines the page with axe-core, whose path is in AXE.
func (d tab) audit(what string) {
	d.T.Helper()
	if name := os.Getenv("AXE"); name != "" {
		axe, err := os.ReadFile(name)
		if err != nil {
			d.T.Fatal(err)
		}
		d.Eval("%s; 0", axe)
		d.is("", `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.map((v) => v.id + " " + v.nodes.length + " " + v.nodes[0].html.slice(0, 200) + " " + v.nodes[0].failureSummary).join("\n")) // %s`, what)
	}
	d.is("true", `document.documentElement.scrollWidth <= innerWidth // %s`, what)
}

func contains(t testing.TB, what, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: %q does not contain %q", what, got, w)
		}
	}
}

// inView fails the test unless elements are on the first screen, as far as they fit.
func inView(d tab, ids ...string) {
	d.T.Helper()
	for _, id := range ids {
		d.is("true", `((r) => r.height > 0 && r.top >= 0 && r.top < innerHeight - Math.min(r.height, 140))(document.getElementById(%q).getBoundingClientRect())`, id)
	}
}

// savedPNG is the picture that the button saves, as hexadecimal digits.
const savedPNG = `new Promise((done) => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { b.arrayBuffer().then((a) => done([...new Uint8Array(a)].map((x) => x.toString(16).padStart(2, "0")).join(""))); URL.createObjectURL = make; return make.call(URL, b); }; document.getElementById("as-png").click(); })`

// TestPNG: on a telephone, the pictures that the page saves are those of the command: of each mip
// of each format, of random blocks and translucent pixels, and of real packages with textures.
// The file input takes the same file again. An exhaustive run has painted pixels, wide textures
// and cubes too.
func TestPNG(t *testing.T) {
	t.Parallel()
	address := serve(t)
	d := openTab(t, 390, 844, false)
	wrongAddress(d, address)
	d.Open(address + "?2")
	samePictures(d, formats(t, true)) // dropped before the module is there
	inView(d, "picture")
	shot(d, "png-390")
	d.Eval(`((input, files) => { files.items.add(new File(["KA"], "chosen.ka")); input.files = files.files; input.dispatchEvent(new Event("change")); })(document.getElementById("file"), new DataTransfer())`)
	d.Until(`document.getElementById("h-result").textContent.startsWith("chosen.ka")`)
	d.is("", `document.getElementById("file").value`)
	if testrun.Exhaustive {
		samePictures(d, formats(t, false))
	}
	t.Run("real", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(realfile.Path(t, "uasset"), "*.uasset"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				defer func(whole testing.TB) { d.T = whole }(d.T)
				d.T = t
				samePictures(d, file)
			})
		}
	})

	// A container and a refused input on the same telephone.
	d.Eval(`document.querySelector('[data-sample="container.sc2"]').click()`)
	d.read("container.sc2")
	d.Until(`document.getElementById("found").rows.length === 2`)
	inView(d, "verdict", "found")
	d.audit("container on a telephone")
	shot(d, "container-390")
	d.Eval(`location.hash = "vector=upkg/CompactIndex/sixth-byte-is-trailing"`)
	contains(t, "refused", d.read("upkg/CompactIndex/sixth"), "Rejected: trailing", "byte 5")
	inView(d, "verdict", "bytes")
	shot(d, "refused-390")

	// What takes much memory gets another worker when the next file is opened.
	d.Eval(`window.workers = 0, window.Worker = class extends Worker { constructor(...a) { super(...a); window.workers++; } }, 0`)
	d.Drop(write(t, t.TempDir(), "large.bin", strings.Repeat("\x00", 40<<20)))
	d.Until(`document.getElementById("h-result").textContent.startsWith("large.bin") && document.querySelector("#said p")`)
	before := d.Eval(`document.body.dataset.memory`)
	d.Eval(`document.querySelector('[data-sample="scene.ka"]').click()`)
	d.read("scene.ka")
	d.is("1 true", `window.workers + " " + (Number(document.body.dataset.memory) < 64e6) // after a file that took %s`, before)
	d.quiet()
}

// formats writes a package with a texture of each format, and returns its path.
func formats(t *testing.T, random bool) string {
	t.Helper()
	var list []texturesample.Texture
	for _, f := range []model.PixelFormat{model.DXT1, model.DXT3, model.DXT5, model.BC5, model.B8G8R8A8, model.G8} {
		list = append(list, texturesample.Texture{Name: "T_Odd_" + string(f), Format: f, Width: 5, Height: 3})
		if testrun.Exhaustive {
			list = append(list,
				texturesample.Texture{Name: "T_Wide_" + string(f), Format: f, Width: 64, Height: 32},
				texturesample.Texture{Name: "T_Cube_" + string(f), Format: f, Width: 16, Height: 16, Cube: true})
		}
	}
	f, err := texturesample.Package(list...)
	if err != nil {
		t.Fatal(err)
	}
	noise := rand.NewChaCha8([32]byte{})
	for i := range f.Objects {
		for j := range f.Objects[i].Texture.Mips {
			if pixels, _ := f.Payload(&f.Objects[i].Texture.Mips[j]); random {
				_, _ = noise.Read(pixels)
			}
		}
	}
	src, err := uasset.New(uasset.Settings{}).Package().Append(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, t.TempDir(), fmt.Sprintf("formats-random-%v.uasset", random), string(src))
}

// samePictures compares what the page saves of each mip of a package with the pictures
// of the command.
func samePictures(d tab, file string) {
	t := d.T
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := uasset.New(uasset.Settings{}).Package().Decode(src)
	if err != nil {
		t.Skip("it is rejected: ", err)
	}
	if !slices.ContainsFunc(f.Objects, func(o model.Object) bool { return o.Texture != nil }) {
		t.Skip("it has no texture")
	}
	d.Drop(file)
	d.read(filepath.Base(file))
	d.Until(`document.getElementById("picture").naturalWidth > 0`)
	n, row := 0, -1
	for i := range f.Objects {
		drawn := f.Objects[i].Texture
		if drawn == nil {
			continue
		}
		row++
		for level := range drawn.Mips {
			img, err := texture.Picture(&f, drawn, level)
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := png.Encode(&want, img); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s, mip %d, ", f.NameText(f.Exports[i].ObjectName), level)
			d.choose(`document.getElementById("texture")`, fmt.Sprint(row))
			d.choose(`document.getElementById("mip")`, fmt.Sprint(level))
			d.Until(`document.getElementById("picture").alt.startsWith(%q)`, name)
			d.is(fmt.Sprintf("%x", want.Bytes()), "%s // %s", savedPNG, name)
			n++
		}
	}
	t.Logf("%d pictures", n)
	d.quiet()
}

// TestFirstBytes: what has to be loaded before the page shows an example, and a file can
// be chosen, is small: 6 s at 1.6 Mbit/s with 150 ms for each way are 1.1 MB, of which
// the page takes a fifth. The module comes after the records.
func TestFirstBytes(t *testing.T) {
	files := content(t)
	page, n := files["playground.html"], 0
	for _, m := range regexp.MustCompile(`(?:src|rel=stylesheet href)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		n += len(files[m[1]])
	}
	if n += len(page); n > 220_000 {
		t.Errorf("the first view takes %d bytes", n)
	}
	if !strings.Contains(page, "<table class=bytes>") || !strings.Contains(files["playground/playground.js"],
		"module = known.then(compiled)") {
		t.Error("the page has no example, or loads the module before the records")
	}
	t.Logf("%d bytes", n)
}

// TestPlayground: a dropped file is read; bytes, value and clause are linked; a flag and
// the profile read again; a changed value changes the bytes; textures are drawn. All
// of it works with the keyboard. An address is shown without a jump.
func TestPlayground(t *testing.T) {
	t.Parallel()
	address := serve(t)
	for _, c := range []struct {
		width int
		dark  bool
	}{{1280, false}, {360, true}} {
		if c.width < 1280 && !testrun.Exhaustive {
			continue
		}
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			d := openTab(t, c.width, 900, c.dark)
			d.Open(address + "#type=upkg.CompactIndex&hex=4080")
			d.read("hex")
			still(d, "an address")
			hostileText(d, address)
			if testrun.Exhaustive {
				wrongAddress(d, address+"?2")
			}
			d.Open(address + "?3")
			d.Until("document.body.dataset.ready")
			name := func(s string) string { return fmt.Sprintf("%s-%d", s, c.width) }
			d.audit("start")
			shot(d, name("start"))

			// A file whose name is hostile.
			scene, err := sceneSample()
			if err != nil {
				t.Fatal(err)
			}
			d.Drop(write(t, t.TempDir(), "a\u202e<img src=x onerror=alert(1)>.ka", string(scene)))
			contains(t, "dropped", d.read(`a\u202e<img src=x`), "Accepted.", "identical")
			d.is("0", `document.querySelectorAll("main img:not(#picture), main script:not([src])").length`)
			d.audit("archive")
			shot(d, name("archive"))

			// Which bytes hold a key?
			d.Eval(`(document.getElementById("find").value = "lc.intensity", document.getElementById("seek").requestSubmit())`)
			d.Until(`document.getElementById("said").innerText.includes("lc.intensity")`)
			at := strings.Index(string(scene), "lc.intensity")
			d.shows("said", fmt.Sprintf("Bytes %d to %d", at, at+11), "KA-")
			d.is(fmt.Sprint(at), `Number(document.querySelector("#bytes .on").dataset.o)`)
			d.Until(`document.querySelector("#tree .row.on")?.textContent.includes("lc.intensity")`)

			// From the value back to the bytes, and a change.
			d.Eval(`document.getElementById("tree").focus()`)
			for range 2 { // its id, then the value
				d.Press("ArrowDown")
			}
			d.Until(`document.querySelector("#tree .row.on")?.textContent.includes("FLOAT") || document.querySelector("#tree .row.on")?.textContent.includes("850")`)
			d.Until(`!document.getElementById("edit").hidden && document.getElementById("value").value === "850"`)
			d.Press("F2")
			d.Until(`document.activeElement.id === "value"`)
			d.Eval(`document.getElementById("value").value = "2.5"`)
			d.Press("Enter")
			d.Until(`document.getElementById("edited").textContent.includes("changed")`)
			d.Until(`document.querySelector("#bytes .new")`)
			d.is("20 40", `[...document.querySelectorAll("#bytes .new")].map((e) => e.textContent).slice(-2).join(" ")`)
			shot(d, name("changed"))
			d.Eval(`document.getElementById("undo").click()`)
			d.Until(`!document.querySelector("#bytes .new") && document.getElementById("history").hidden`)

			// The mouse: bytes and value point at each other.
			d.Eval(`document.querySelector('#bytes [data-o="%d"]').dispatchEvent(new MouseEvent("mouseover", {bubbles: true}))`,
				at)
			d.Until(`document.querySelector("#tree .row.hover")?.textContent.includes("lc.intensity") && document.querySelectorAll("#bytes .hover").length >= 8 && document.getElementById("bytes").title.includes("[KA-")`)
			d.Eval(`document.querySelector("#tree .row.on").dispatchEvent(new MouseEvent("mouseover", {bubbles: true}))`)
			d.Until(`document.querySelectorAll("#bytes .hover").length === 5`)

			// What leaves the page.
			const saved = `new Promise((done) => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then(done); URL.createObjectURL = make; return make.call(URL, b); }; document.getElementById(%q).click(); })`
			contains(t, "draft", d.Eval(saved, "as-draft"), "-- bytes --\n", "6C 63 2E 69", "-- expect --\n")
			contains(t, "tree", d.Eval(saved, "as-json"), `"Lighthouse"`)
			contains(t, "bytes", d.Eval(saved, "as-bytes"), "KA\x01\x00")

			// Hex, a clause, a flag.
			d.Eval(`(document.getElementById("others").open = true, document.getElementById("hex").value = "ff ff ff ff ff", document.getElementById("hex").focus())`)
			d.Press("Enter")
			d.read("hex: 5 bytes")
			d.shows("guess", "is a guess", "upkg.ObjectReference")
			d.choose(`document.getElementById("type")`, "upkg.CompactIndex")
			d.Until(`document.getElementById("flagsum").textContent.includes("can change") && document.querySelector('[data-flag="upkg.ci-fifth-high-bits"]')`)
			d.shows("verdict", "noncanonical", "From byte 0 on it is 01, not ff ff ff ff ff")
			d.Eval(`document.getElementById("flagbox").open = true`)
			d.audit("flags")
			shot(d, name("flags"))
			d.choose(`document.querySelector('[data-flag="upkg.ci-fifth-high-bits"]')`, "strict")
			d.Until(`document.getElementById("verdict").innerText.includes("Rejected")`)
			d.shows("verdict", "Rejected: value", "UPKG-CI-", "Accepted under")
			contains(t, "link", d.Eval(`location.hash`), "type=upkg.CompactIndex", "flags=upkg.ci-fifth-high-bits=strict",
				"hex=ffffffffff")
			d.audit("rejected")

			// Keyboard: from byte to byte.
			d.Eval(`document.getElementById("bytes").focus()`)
			d.Press("Home")
			d.Press("ArrowRight")
			d.Until(`document.querySelector("#bytes .cursor").dataset.o === "1"`)

			// A texture: the upper left corner is red.
			d.Eval(`document.querySelector('[data-sample="texture.uasset"]').click()`)
			contains(t, "texture", d.read("texture.uasset"), "Accepted.")
			pixel := `((p) => { const c = new OffscreenCanvas(p.naturalWidth, p.naturalHeight).getContext("2d"); c.drawImage(p, 0, 0); return [...c.getImageData(5, 5, 1, 1).data].join(); })(document.getElementById("picture"))`
			d.Until(`document.getElementById("picture").naturalWidth === 256 && %s === "255,0,0,255"`, pixel)
			inView(d, "picture", "textures")
			d.choose(`document.getElementById("mip")`, "2")
			d.Until(`document.getElementById("picture").naturalWidth === 64`)
			d.choose(`document.getElementById("channel")`, "g")
			d.Until(`%s === "0,0,0,255"`, pixel)
			d.audit("texture")
			shot(d, name("texture"))

			// A container: its archives are found, and opened.
			d.Eval(`document.querySelector('[data-sample="container.sc2"]').click()`)
			d.read("container.sc2")
			d.Until(`document.getElementById("found").rows.length === 2`)
			d.shows("verdict", "2 archives in this file")
			d.audit("container")
			shot(d, name("container"))
			inView(d, "found")
			d.Eval(`document.querySelectorAll("#found button")[1].click()`)
			contains(t, "archive", d.read("container.sc2 at"), "Accepted.")
			inView(d, "tree")
			d.Eval(`history.back()`)
			d.Until(`document.getElementById("h-result").textContent.startsWith("container.sc2:") && document.getElementById("found").rows.length === 2`)
			d.Eval(`history.forward()`)
			contains(t, "forward", d.read("container.sc2 at"), "Accepted.")
			d.quiet()
		})
	}
}

// hostileText: text of a file or of an address is never anything but text.
func hostileText(d tab, address string) {
	d.T.Helper()
	// open opens what the page has in its address, and waits for a verdict or a message.
	open := func(fragment string) {
		d.T.Helper()
		d.Eval(`(document.getElementById("state").textContent = "", document.getElementById("verdict").replaceChildren())`)
		d.Open(address + fragment)
		d.Until(`document.getElementById("state").textContent.length > 12 || document.querySelector("#verdict b")`)
	}
	hostile := `<script>document.title="bad"</script>` + "\u202e<img src=x>\x1b[2J"
	src := append(binary.LittleEndian.AppendUint32(nil, uint32(len(hostile))), hostile...)
	open(fmt.Sprintf("#type=ka.String&hex=04%x", src))
	open(fmt.Sprintf("#type=ubi.BasicString&hex=%x", src))
	d.read("hex")
	d.Eval(`document.getElementById("tree").focus()`)
	d.Press("Home")
	d.Until(`!document.getElementById("edit").hidden`)
	d.is("true 0", `document.title.startsWith("Playground") + " " + document.querySelectorAll("main img:not(#picture)").length`)
	if got := d.Eval(`document.body.innerText + document.getElementById("value").value + document.getElementById("bytes").title`); strings.ContainsAny(got, "\u202e\x1b") {
		d.T.Errorf("characters that are not printable are shown: %q", got)
	}
	for _, fragment := range []string{
		"#type=%3Cscript%3E&hex=00", "#type=ka.Archive&hex=zz", "#vector=__proto__/x/y",
		"#type=ka.Archive&hex=00&flags=x=y&profile=z&context=__proto__=1", "#sample=../../x",
	} {
		open(fragment)
	}
	d.Console() // it says that the last sample does not exist
	d.is("0", `document.querySelectorAll("main script:not([src])").length`)
}

// TestFirstView measures the time to the first view of bytes in the address, with the
// files in the cache of the browser.
func TestFirstView(t *testing.T) {
	if !testrun.Exhaustive {
		t.Skip("measures time: needs the build tag exhaustive")
	}
	address := serve(t)
	d := openTab(t, 1280, 900, false)
	var times []float64
	for i := range 5 {
		start := time.Now()
		d.Call(nil, "Page.navigate",
			chromium.Object{"url": fmt.Sprintf("%s?%d#type=upkg.CompactIndex&hex=40%02x", address, i, i)})
		d.Until(`document.querySelector("#bytes .b") && document.querySelector("#verdict b")`)
		ms := 0.0
		_, _ = fmt.Sscan(d.Eval(`performance.now()`), &ms)
		times = append(times, ms)
		t.Logf("%.0f ms, %v from the start of the navigation", ms, time.Since(start).Round(time.Millisecond))
	}
	if slow := slices.Min(times[1:]); slow > 5000 {
		t.Errorf("the fastest of %v ms is slow", times)
	}
}

// TestLargeFile opens files of 64 MiB: one that is nearly all opaque, and one whose
// fields are more than the trace keeps; then one with 2 MiB of small fields.
func TestLargeFile(t *testing.T) {
	if !testrun.Exhaustive {
		t.Skip("takes minutes and gigabytes: needs the build tag exhaustive")
	}
	large, err := texturesample.File(texturesample.Texture{
		Name: "T_Large", Format: model.B8G8R8A8, Width: 4096,
		Height: 4090, OneMip: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(n int) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(n)), make([]byte, 2*n)...)
	}
	pairs := binary.LittleEndian.AppendUint32([]byte("KA\x01\x00"), 1<<16) // of 23 bytes in 6 fields
	for i := range 1 << 16 {
		pairs = append(pairs, fmt.Sprintf("\x04\x08\x00\x00\x00%08x\x01\x01", i)...)
	}
	address := serve(t)
	for _, c := range []struct {
		name, typ string
		content   []byte
	}{
		{"texture.uasset", "", large},
		{"numbers.bin", "ubi.Array<uint16>", numbers(32<<20 - 8)},
		{"small.bin", "ubi.Array<uint16>", numbers(1 << 20)},
		{"pairs.ka", "", pairs},
	} {
		d := openTab(t, 1280, 900, false)
		d.Open(address)
		d.Until("document.body.dataset.ready")
		file := write(t, t.TempDir(), c.name, string(c.content))
		start := time.Now()
		d.Drop(file)
		d.read(c.name)
		if c.typ != "" {
			start = time.Now()
			d.Eval(`(document.getElementById("verdict").replaceChildren(), document.getElementById("type").value = %q, document.getElementById("type").dispatchEvent(new Event("change")))`, c.typ)
			d.read(c.name)
		}
		took := time.Since(start)
		d.shows("verdict", "Accepted.")
		start = time.Now()
		d.Eval(`(document.getElementById("bytes").scrollTop = document.getElementById("bytes").scrollHeight, new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))))`)
		d.Until(`[...document.querySelectorAll("#bytes .b")].some((e) => e.dataset.o === "%d")`, len(c.content)-1)
		scrolled := time.Since(start)
		memory := 0.0
		_, _ = fmt.Sscan(d.Eval(`document.body.dataset.memory`), &memory)
		t.Logf("%s: %d bytes, read in %v, end shown in %v, memory of the module %.0f MB: %s", c.name, len(c.content),
			took.Round(time.Millisecond), scrolled.Round(time.Millisecond), memory/1e6,
			d.Eval(`document.getElementById("verdict").innerText`))
		d.quiet()
	}
}

// TestModule: a module is packed once; what is not a module is rejected.
func TestModule(t *testing.T) {
	const module = "\x00asm\x01\x00\x00\x00 and more"
	dir := t.TempDir()
	plain := write(t, dir, "plain.wasm", module)
	if _, err := ReadModule(plain); err == nil {
		t.Error("a module without wasm_exec.js is accepted")
	}
	write(t, dir, "wasm_exec.js", "runtime")
	write(t, dir, "LICENSE", "license")
	m, err := ReadModule(plain)
	if err != nil || string(m.Runtime) != "runtime" || string(m.License) != "license" {
		t.Fatalf("%+v, %v", m, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(m.Program))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(z); err != nil || string(b) != module {
		t.Errorf("unpacked: %q, %v", b, err)
	}
	again, err := ReadModule(write(t, dir, "packed.bin", string(m.Program)))
	if err != nil || !bytes.Equal(again.Program, m.Program) {
		t.Errorf("a packed module becomes another one: %v", err)
	}
	for _, name := range []string{write(t, dir, "text", "text"), filepath.Join(dir, "missing")} {
		if _, err := ReadModule(name); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestSamples: the samples are what they say.
func TestSamples(t *testing.T) {
	for name, typ := range map[string]string{
		"scene.ka": "ka.Archive", "package.u": "upkg.Package", "texture.uasset": "uasset.Package",
	} {
		c, _ := codec.Find(typ)
		bound, err := c.Bind(wire.Settings{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bound.Decode([]byte(content(t)[playFolder+name])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
