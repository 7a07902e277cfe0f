// Command libfuzzer is the part in Go of the libFuzzer targets: a C archive. entry.c
// is the part in C. .clusterfuzzlite/build.sh builds the archive once and links it
// with entry.c for each target.
package main

// main is what the build of an archive needs. It does not run.
func main() {}
