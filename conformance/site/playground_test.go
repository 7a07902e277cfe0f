package site

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var withPlayground = sync.OnceValues(func() (map[string]string, error) {
	m, err := BuildModule()
	if err != nil {
		return nil, err
	}
	files, err := Files(m)
	out := map[string]string{}
	for _, f := range files {
		out[f.Name] = string(f.Content)
	}
	return out, err
})

// serve serves the site with a playground below some address.
func serve(t *testing.T) string {
	t.Helper()
	chromium(t)
	files, err := withPlayground()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, "a", "b", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	return s.URL + "/a/b/playground.html"
}

// shot writes a screenshot into the folder SHOTS, if there is one.
func shot(d *devtools, name string) {
	if dir := os.Getenv("SHOTS"); dir != "" {
		d.picture(filepath.Join(dir, name+".png"))
	}
}

// TestPlayground: hex in the address is read.
func TestPlayground(t *testing.T) {
	address := serve(t)
	d := browser(t, 1280, 900, false)
	d.open(address + "#type=upkg.CompactIndex&hex=4001")
	d.until("document.querySelector('#verdict b')")
	t.Log(d.eval("document.getElementById('play').innerText"))
	shot(d, "one")
	t.Log(d.console)
}
