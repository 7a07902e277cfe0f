#!/usr/bin/env bash
# build.sh [TARGET...]: builds libFuzzer targets, all by default, into $OUT: for each
# NAME, NAME_seed_corpus.zip, NAME.dict, NAME.options. ClusterFuzzLite and OSS-Fuzz
# set the variables; the defaults are for a checkout with Go and clang.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
: "${CC:=clang}" "${CXX:=clang++}" "${CFLAGS:=-O1 -g}" "${CXXFLAGS:=$CFLAGS}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
: "${OUT:=$PWD/out/libfuzzer}" "${WORK:=$OUT/work}" "${SANITIZER:=}"
export CC CXX GOFLAGS="-buildvcs=false ${GOFLAGS:-}" # git refuses a repository of another user
mkdir -p "$OUT" "$WORK"

targets=$(go run ./fuzz/libfuzzer/pack -out "$OUT" "$@")

if [ "$SANITIZER" = coverage ]; then
  # The runner measures Go with a test binary: it sets FUZZ_CORPUS_DIR, and rewrites
  # the names of packages in the profile by NAME.gocovpath.
  go test -c -coverpkg=./codec/...,./model/... -o "$WORK/coverage" ./fuzz
  for t in $targets; do
    cp "$WORK/coverage" "$OUT/$t"
    echo "s=github.com/formatgauge/formatgauge=$PWD=" > "$OUT/$t.gocovpath"
  done
  exit 0
fi

# Only the codecs are instrumented: the coverage of the mutator, which also is in Go,
# says nothing about the codecs. Without the tag the linker misses functions of the
# runtime.
CGO_ENABLED=1 go build -trimpath -tags libfuzzer -buildmode=c-archive -gcflags='github.com/formatgauge/formatgauge/codec/...=-d=libfuzzer' -o "$WORK/formatgauge.a" ./fuzz/libfuzzer
for t in $targets; do
  # The counters of entry.c would be a second module, which the build check of OSS-Fuzz
  # takes for partial instrumentation. The flags are lists of words.
  # shellcheck disable=SC2086
  $CC ${CFLAGS//-fsanitize=fuzzer-no-link/} -DTARGET="\"$t\"" -c fuzz/libfuzzer/entry.c -o "$WORK/$t.o"
  # shellcheck disable=SC2086
  $CXX $CXXFLAGS $LIB_FUZZING_ENGINE "$WORK/$t.o" "$WORK/formatgauge.a" -o "$OUT/$t"
done
