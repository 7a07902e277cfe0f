// Package implementations contains the results of readers that others wrote, and of
// the examples of this project.
package implementations

import "embed"

// Results has a file for each implementation and day, results/NAME/DATE.json, in the
// form of formatgauge report keep. README.md says how they are made.
//
//go:embed results
var Results embed.FS
