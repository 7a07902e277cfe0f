package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestNoModule: outside of the source, a message says that the site has no playground.
// testdata/script/site.txtar writes such a site in an exhaustive run.
func TestNoModule(t *testing.T) {
	t.Chdir(t.TempDir())
	var cmd cobra.Command
	var errOut bytes.Buffer
	cmd.SetErr(&errOut)
	m, err := readOrBuild(&cmd, "")
	if m != nil || err != nil || !strings.Contains(errOut.String(), "the site has no playground") {
		t.Errorf("%v, %v: %s", m, err, &errOut)
	}
}
