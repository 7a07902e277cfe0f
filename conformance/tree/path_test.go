package tree

import "testing"

func TestShape(t *testing.T) {
	for path, want := range map[string]string{
		"":                      "",
		"a":                     "a",
		"a.b":                   "a.b",
		"a[10].b[2]":            "a[].b[]",
		"a[].b[x].c[12":         "a[].b[x].c[12",
		"a.b.c.d.e.f.g.h":       "a.b.c.d.e.f.g.h",
		"a.b.c.d.e.f.g.h.i[3]":  "…b.c.d.e.f.g.h.i[]",
		"z.a[1].b.c.d.e.f.g.h":  "…a[].b.c.d.e.f.g.h",
		"[0][1]":                "[][]",
		"a[3].b.c.d.e.f.g.h[4]": "a[].b.c.d.e.f.g.h[]",
	} {
		if got := Shape(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
