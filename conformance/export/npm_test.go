package export

import "testing"

// TestNPMVersion: only a release gives its version to the npm package.
func TestNPMVersion(t *testing.T) {
	for program, want := range map[string]string{
		"v0.3.1": "0.3.1", "v0.3.1-rc.1": "0.3.1-rc.1", "v0.3.1+dirty": "0.0.0-devel.corpus.1", "devel-0123456789ab+dirty": "0.0.0-devel.corpus.1",
	} {
		if got := npmVersion(program); got != want {
			t.Errorf("%s: got %s, want %s", program, got, want)
		}
	}
}
