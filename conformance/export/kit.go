package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/version"
	"github.com/formatgauge/formatgauge/spec"
)

// Kit returns what somebody needs to fuzz a reader, by name: the seeds of all types,
// dictionaries, harnesses, and a description. hash is [corpus.Hash].
func Kit(hash string) ([]File, error) {
	var err error
	out := append(fromTemplates("files/LICENSE-APACHE"), File{"LICENSE-CC0", corpus.License()})
	for _, f := range spec.Families() {
		dict, failed := Dictionary(f.Name)
		err = cmp.Or(err, failed)
		out = append(out, File{path.Join("dict", f.Name+".dict"), dict})
	}
	for _, t := range codec.Types() {
		seeds, failed := Seeds(t.Name)
		err = cmp.Or(err, failed)
		for _, s := range seeds {
			sum := sha256.Sum256(s)
			out = append(out, File{path.Join("seeds", corpus.FolderOf(t.Name), hex.EncodeToString(sum[:16])+".bin"), s})
		}
	}
	facts := strings.NewReplacer("VERSION", version.String(), "NUMBER", strconv.Itoa(corpus.Number), "HASH", hash)
	for _, f := range fromTemplates("kit") {
		if f.Name == "README.md" {
			f.Content = []byte(facts.Replace(string(f.Content)))
		}
		out = append(out, File{strings.TrimSuffix(f.Name, ".txt"), f.Content})
	}
	return sorted(out), err
}
