#!/usr/bin/env bash
# Judges the implementations of this folder, one line each.
#
#   run.sh [--get] [--install] [--accept] [--keep] [NAME...]
#
# It builds what has to be built into build/, runs formatgauge smoke and
# formatgauge test, and compares the failures with NAME/known-failures.txt. It
# writes the results to build/results/NAME.jsonl, and all of them side by side to
# build/compared.html. What it leaves out it names, with the reason. --get clones
# implementations that are not here; --install installs missing languages (with
# apt-get, as root); --accept makes the lists of known failures exact; --keep also
# judges the examples and writes results/NAME.json, if more than the date differs.
# The exit code is 1 if an adapter does not work, if its failures are not those of its list, or
# if results cannot be kept.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
here=implementations
# A JDK other than that of the path.
[ -z "${JAVA_HOME-}" ] || PATH=$JAVA_HOME/bin:$PATH
build=$PWD/$here/build

get=-n install= accept= keep= names=()
for argument in "$@"; do
  case $argument in
    --get) get= ;;
    --install) install=yes ;;
    --accept) accept=--accept ;;
    --keep) keep=yes ;;
    *) names+=("$argument") ;;
  esac
done
examples=()
[ ${#names[@]} -gt 0 ] || examples=(examples/adapters/*/{ubi,upkg,ka,uasset}.{py,mjs})
[ ${#names[@]} -gt 0 ] || for manifest in "$here"/*/implementation.toml; do names+=("$(basename "$(dirname "$manifest")")"); done

# words KEY: the strings of a key of the manifest, one a line.
words() { awk -v key="$1" '$1 == key {on = 1} on; on && /"$|]$/ {exit}' "$here/$name/implementation.toml" | grep -o '"[^"]*"' | tr -d '"'; }
# hello KEY: the same of what the adapter said of itself.
hello() { head -n 1 "$build/results/$name.jsonl" | grep -o "\"$1\":\(\[[^]]*\]\|\"[^\"]*\"\)" | head -n 1 | cut -d: -f2- | grep -o '"[^"]*"' | tr -d '"'; }
line() { printf '%-20s %s\n' "$name" "$*"; }
broken() { line "$1"; sed 's/^/    /' "$build/log"; status=1; }

declare -A package=([python3]=python3 [node]=nodejs [javac]='default-jdk-headless ecj' [cc]='gcc libc6-dev')
need() {
  # shellcheck disable=SC2086
  [ ! "$install" ] || DEBIAN_FRONTEND=noninteractive apt-get install -y --no-upgrade --no-install-recommends ${package[$1]} </dev/null >"$build/log" 2>&1
  command -v "$1" >/dev/null
}

# judge: everything about $name. Its arguments are the words of its command.
judge() {
  local words=("$@")
  words=("${words[@]//\{peer\}/$peer}")
  words=("${words[@]//\{out\}/$out}")
  # Faults of the reader are what the test lists.
  "$build/formatgauge" smoke -- "${words[@]}" >"$build/log" 2>&1 || grep -q '^the adapter follows the protocol$' "$build/log" ||
    { broken "the adapter breaks the protocol"; return; }
  # shellcheck disable=SC2086
  "$build/formatgauge" test --memory 512M --timeout 60s --known "$here/$name/known-failures.txt" $accept --report "jsonl=$build/results/$name.jsonl" --report "text=$build/log" -- "${words[@]}" >"$build/said" 2>&1
  local code=$?
  [ $code -le 1 ] || { cp "$build/said" "$build/log"; broken "formatgauge test failed"; return; }
  # What the adapter says of itself is what the manifest says.
  for key in types operations profile views; do
    diff <(words "$key" | sort) <(hello "$key" | sort) >"$build/diff" || { cp "$build/diff" "$build/log"; broken "hello and implementation.toml differ in $key"; return; }
  done
  line "$(tail -n 1 "$build/log")"
  judged+=("$build/results/$name.jsonl")
  [ ! "$keep" ] || keep "$peer" "$(words revision)" "$(words licence)" "$(words repository)" "${words[@]}"
  [ $code = 0 ] || { status=1; grep '^known failures' "$build/log" | head -n 20 | sed 's/^/    /'; }
}

# keep FOLDER REVISION LICENCE URL COMMAND...: the results of $name, for the repository.
# FOLDER is what was judged. If it has a history, it has to be at REVISION, unchanged.
keep() {
  local last=$here/results/$name.json new=$build/kept.json
  if { [ -e "$1/.git" ] && [ "$(git -C "$1" rev-parse HEAD)" != "$2" ]; } || { git -C "$1" rev-parse >/dev/null 2>&1 && ! git -C "$1" diff --quiet HEAD -- .; }; then
    line "not kept: $1 is not the revision $2"
    status=1
    return
  fi
  "$build/formatgauge" fingerprint --json -- "${@:5}" >"$build/sides.json" 2>"$build/log"
  [ $? -le 1 ] || { broken "formatgauge fingerprint failed"; return; }
  "$build/formatgauge" report keep "$build/results/$name.jsonl" --name "$name" --revision "$2" --licence "$3" --url "$4" --fingerprint "$build/sides.json" -o "$new" 2>"$build/log" || { broken "the results cannot be kept"; return; }
  # Only the date may differ.
  [ ! -f "$last" ] || ! cmp -s <(grep -v '^ "date":' "$last") <(grep -v '^ "date":' "$new") || return
  mv "$new" "$last"
}

mkdir -p "$build/results"
go build -o "$build/formatgauge" ./cmd/formatgauge || exit 2
[ ! "$install" ] || apt-get update >/dev/null
status=0 judged=()
for name in "${names[@]}"; do
  [ -f "$here/$name/implementation.toml" ] || { line "there is no such folder here"; status=2; continue; }
  for program in $(words needs); do
    need "$program" || { line "left out: there is no $program; --install installs it"; continue 2; }
  done
  peer=$(bash "$here/get.sh" ${get:+"$get"} "$name" 2>"$build/log") || { line "left out: $(tail -n 1 "$build/log"); --get clones it"; continue; }
  out=$build/$name
  mkdir -p "$out"
  if [ -f "$here/$name/build.sh" ]; then
    bash "$here/$name/build.sh" "$peer" "$out" >"$build/log" 2>&1
    case $? in
      0) ;;
      77) line "left out: $(tail -n 1 "$build/log")"; continue ;;
      *) broken "it cannot be built"; continue ;;
    esac
  fi
  mapfile -t command < <(words command)
  judge "${command[@]}"
done
if [ "$keep" ]; then
  for file in "${examples[@]}"; do
    [ -f "$file" ] || continue
    language=$(basename "$(dirname "$file")") program=python3
    [ "$language" = python ] || program=node
    command -v $program >/dev/null || { echo "$file: left out: there is no $program"; continue; }
    name=example-$(basename "${file%.*}")-$language
    "$build/formatgauge" test --timeout 60s --report "jsonl=$build/results/$name.jsonl" --report "text=$build/log" -- $program "$file" >"$build/said" 2>&1
    [ $? -le 1 ] || { cp "$build/said" "$build/log"; broken "formatgauge test failed"; continue; }
    line "$(tail -n 1 "$build/log")"
    folder=$(dirname "$file")
    keep "$folder" "$(git log -1 --format=%H -- "$folder")" Apache-2.0 "https://github.com/formatgauge/formatgauge/blob/main/$file" $program "$file"
  done
fi
[ ${#judged[@]} = 0 ] || "$build/formatgauge" report html "${judged[@]}" -o "$build/compared.html" || status=2
exit $status
