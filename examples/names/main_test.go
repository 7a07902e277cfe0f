package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

func TestPrintNames(t *testing.T) {
	v := corpustest.Find(t, "upkg/Package/version-69")
	var out strings.Builder
	if err := printNames(&out, v.Bytes); err != nil {
		t.Fatal(err)
	}
	if want := "\"None\"\n\"Core\"\n\"Class\"\n\"Thing\"\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	err := printNames(io.Discard, v.Bytes[:20])
	if e, ok := errors.AsType[*upkg.Error](err); !ok || e.Offset != 20 {
		t.Errorf("error for a truncated package is %v, want one at offset 20", err)
	}
}
