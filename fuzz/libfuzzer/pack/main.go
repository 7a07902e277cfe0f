// Command pack writes the files beside the binaries of libFuzzer targets, in the form
// that OSS-Fuzz expects: NAME_seed_corpus.zip, NAME.dict, NAME.options. It prints the
// names of the targets.
package main

import (
	"bytes"
	"crypto/sha1"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/fuzz"
)

func main() {
	out := flag.String("out", ".", "write the files to `DIR`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: pack [-out DIR] [TARGET...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(dir string, names []string) error {
	for _, n := range names {
		if _, ok := fuzz.Find(n); !ok {
			return fmt.Errorf("target %s does not exist", n)
		}
	}
	for _, t := range fuzz.Targets() {
		if len(names) > 0 && !slices.Contains(names, t.Name) {
			continue
		}
		if err := pack(dir, &t); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		fmt.Println(t.Name)
	}
	return nil
}

func pack(dir string, t *fuzz.Target) error {
	var seeds []export.File
	var families []string
	for i, typ := range t.Types {
		all, err := fuzz.Seeds(typ.Name)
		if err != nil {
			return err
		}
		for _, b := range all {
			b = t.Join(i, b)
			seeds = append(seeds, export.File{Name: fmt.Sprintf("%x", sha1.Sum(b)), Content: b})
		}
		families = append(families, typ.Family())
	}
	slices.Sort(families)
	var dictionary bytes.Buffer
	for _, f := range slices.Compact(families) {
		d, err := export.Dictionary(f)
		if err != nil {
			return err
		}
		dictionary.Write(d)
	}
	if err := export.Zip(filepath.Join(dir, t.Name+"_seed_corpus.zip"), "", seeds); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, t.Name+".dict"), dictionary.Bytes(), 0o666); err != nil {
		return err
	}
	options := "[libfuzzer]\n" + strings.NewReplacer("-", "", " ", "\n").Replace(fuzz.Options) + "\n"
	return os.WriteFile(filepath.Join(dir, t.Name+".options"), []byte(options), 0o666)
}
