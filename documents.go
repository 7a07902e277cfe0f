// Package formatgauge contains the documents of the repository that the command
// shows. The library is in the packages below codec; README.md lists what there is.
package formatgauge

import _ "embed"

// Changelog is CHANGELOG.md.
//
//go:embed CHANGELOG.md
var Changelog string

// Protocol is conformance/PROTOCOL.md.
//
//go:embed conformance/PROTOCOL.md
var Protocol string
