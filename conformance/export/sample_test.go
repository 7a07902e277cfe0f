//go:build !exhaustive

package export_test

// part is the distance of the vectors that the slow tests take. With the build tag
// exhaustive they take all, also derived cases, and plant each fault alone:
//
//	go test -tags exhaustive -timeout 1h ./conformance/export
const part = 40

var faults = []string{"mixed", "accept"}
