// Package implementations contains the results of readers that others wrote, and of
// the examples of this project.
package implementations

import "embed"

// Results has a file for each implementation, results/NAME.json, in the form of formatgauge report keep. README.md says how they are made.
//
//go:embed results
var Results embed.FS

// Known has the list of known failures of each reader, NAME/known-failures.txt: causes
// as comments, and below each the cases that fail because of it.
//
//go:embed */known-failures.txt
var Known embed.FS
