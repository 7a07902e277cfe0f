#!/usr/bin/env bash
# Prints the folder of an implementation. Clones it first if there is none.
#
#   get.sh [-n] NAME [FOLDER]
#
# Without FOLDER it looks in $FORMATGAUGE_PEERS/NAME, in ../shared/peers/NAME
# beside the checkout and in build/peers/NAME, and clones into the last one.
# With -n it clones nothing and fails if there is no folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

clone=yes
if [ "${1-}" = -n ]; then clone=; shift; fi
name=${1?usage: get.sh [-n] NAME [FOLDER]}
manifest=$here/$name/implementation.toml
[ -f "$manifest" ] || { echo "$name: there is no $manifest" >&2; exit 2; }
value() { sed -n "s/^$1 = \"\(.*\)\"$/\1/p" "$manifest"; }

if [ $# -gt 1 ]; then
  folders=("$2")
else
  folders=(${FORMATGAUGE_PEERS:+"$FORMATGAUGE_PEERS/$name"} "$here/../../shared/peers/$name" "$here/build/peers/$name")
fi
for folder in "${folders[@]}"; do
  if [ -f "$folder/$(value file)" ]; then
    cd "$folder" && pwd
    exit
  fi
done
[ "$clone" ] || { echo "$name is not here" >&2; exit 1; }
{
  git init --quiet "$folder"
  git -C "$folder" fetch --quiet --depth 1 "$(value repository)" "$(value revision)"
  git -C "$folder" -c advice.detachedHead=false checkout --quiet FETCH_HEAD
} >&2
cd "$folder" && pwd
