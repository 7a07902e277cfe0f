package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/corpus"
)

func TestPrintNames(t *testing.T) {
	v, ok := corpus.Find("upkg/Package/version-69")
	if !ok {
		t.Fatal("the vector does not exist")
	}
	var out strings.Builder
	if err := printNames(&out, v.Bytes); err != nil {
		t.Fatal(err)
	}
	if want := "\"None\"\n\"Core\"\n\"Class\"\n\"Thing\"\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	var e *upkg.Error
	if err := printNames(io.Discard, v.Bytes[:20]); !errors.As(err, &e) || e.Offset != 20 {
		t.Errorf("error for a truncated package is %v, want one at offset 20", err)
	}
}
