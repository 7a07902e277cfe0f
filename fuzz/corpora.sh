#!/usr/bin/env bash
# corpora.sh make DIR: writes the corpora of the campaign in out/campaign to DIR, a zip for
# each family, with their hashes.
# corpora.sh fetch [VERSION [FAMILY...]]: adds the corpora of a release to those of the
# campaign in out/campaign. VERSION is a tag, or the address of a folder with the files of
# make; without it, the latest release. FAMILY is ka, uasset, ubi, upkg, or all, the corpus
# of the target small; without one, all of them. The next campaign minimises what it uses. A
# file that is damaged or missing adds nothing; the exit status is 3 if there are no corpora.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
campaign=${FORMATGAUGE_CAMPAIGN:-out/campaign}
families=(all ka uasset ubi upkg)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case ${1:-} in
make)
  mkdir -p "${2:?DIR}"
  out=$(cd "$2" && pwd)
  # Sorted, and without times: the same corpora give the same files.
  (cd "$campaign" && find . -path '*/corpus/*' -type f -print0 | xargs -0 cp --parents -t "$work")
  cd "$work"
  find . -exec touch -d @0 {} +
  for family in "${families[@]}"; do
    find . -type f | sed 's|^\./||' | LC_ALL=C sort | grep "^${family/all/small}[_/]" > list ||
      { echo "corpora.sh: $campaign has no corpus of $family" >&2; exit 1; }
    rm -f "$out/formatgauge-corpora-$family.zip"
    zip -qX -@ "$out/formatgauge-corpora-$family.zip" < list
  done
  cd "$out"
  sha256sum formatgauge-corpora-*.zip > formatgauge-corpora.sha256
  ;;
fetch)
  from=${2:-latest}
  case $from in
  latest) from=https://github.com/formatgauge/formatgauge/releases/latest/download ;;
  *://*) ;;
  *) from=https://github.com/formatgauge/formatgauge/releases/download/$from ;;
  esac
  shift $(($# < 2 ? $# : 2))
  code=$(curl -sSL -w '%{http_code}' -o "$work/hashes" "$from/formatgauge-corpora.sha256")
  # 000: the address of a folder.
  case $code in 200 | 000) ;; 404) echo "no corpora in $from" >&2; exit 3 ;; *) echo "$from: HTTP $code" >&2; exit 1 ;; esac
  mkdir -p "$campaign"
  [ $# -gt 0 ] || set -- "${families[@]}"
  for family; do
    zip=formatgauge-corpora-$family.zip
    curl -fsSL -o "$work/$zip" "$from/$zip"
    (cd "$work" && grep -F " $zip" hashes | sha256sum --check --quiet --strict -)
  done
  for family; do
    zip=formatgauge-corpora-$family.zip
    # The names are hashes of the inputs: what exists is the same.
    unzip -qn "$work/$zip" '*/corpus/*' -d "$campaign"
    echo "$family: $(unzip -Z1 "$work/$zip" | wc -l) inputs"
  done
  ;;
*)
  sed -n 's/^# //p' "$0" >&2
  exit 2
  ;;
esac
