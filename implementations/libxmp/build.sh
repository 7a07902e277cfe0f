#!/usr/bin/env bash
# build.sh PEER OUT
#
# The copy has no loader.h beside it, so that the one of this folder is used.
set -eu
cp "$1/src/loaders/umx_load.c" "$2/"
"${CC:-cc}" -O1 -fwrapv -Wall -I"$(dirname "$0")" -I"$2" -o "$2/adapter" "$(dirname "$0")/adapter.c"
