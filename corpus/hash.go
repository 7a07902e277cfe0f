package corpus

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

// Number is the number of this corpus. A release raises it by one if its
// [Digest] differs from that of the preceding release. Between two releases
// only the digest identifies the vectors.
const Number = 1

// hashPrefix names the hash function.
const hashPrefix = "sha256:"

// Hash returns the digest of all vector files of a file system. It identifies a
// corpus. The same digest without Go:
//
//	cd corpus && find * -name '*.txtar' | LC_ALL=C sort | xargs sha256sum | sha256sum
//
// It covers the whole text of the files, with comments and annotations.
func Hash(fsys fs.FS) (string, error) {
	names, err := fs.Glob(fsys, vectorFiles)
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%x  %s\n", sha256.Sum256(text), name)
	}
	return hashPrefix + hex.EncodeToString(sum.Sum(nil)), nil
}

//go:embed json/index.json
var index []byte

// RecordedDigest returns the digest in the index of the exported corpus. It reads no
// vector. A test of the export keeps it equal to [Digest].
func RecordedDigest() string {
	var of struct{ Hash string }
	_ = json.Unmarshal(index, &of) // the test reads it too
	return of.Hash
}

// Digest returns the [Hash] of the embedded corpus.
func Digest() (string, error) { return digest() }

var digest = sync.OnceValues(func() (string, error) { return Hash(files) })
