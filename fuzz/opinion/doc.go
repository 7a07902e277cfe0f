// Package opinion contains slow fuzz targets that ask the example adapters, in
// Python and JavaScript, for a second opinion. They were written from the records
// alone, so a wrong answer that passes each round trip of the reference is not theirs.
// There is a target per whole file or greatest structure of a family:
//
//	go test -fuzz '^FuzzUassetPackage$' ./fuzz/opinion
//
// A target is skipped if neither language is installed. Package diff compares the
// answers. Its command asks an adapter about the corpus of a campaign:
//
//	formatgauge diff uasset.Package --seeds CORPUS -- python3 examples/adapters/python/uasset.py
package opinion
