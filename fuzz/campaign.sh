#!/usr/bin/env bash
# campaign.sh [FLAGS] [TARGET...]: runs fuzz targets of this checkout and enters the
# result in fuzz/LEDGER.md. campaign.sh -help lists the flags.
set -euo pipefail
root=$(dirname "$(readlink -f "$0")")/..
(cd "$root" && mkdir -p out/campaign && go build -o out/campaign/campaign ./fuzz/campaign)
# Without exec, a signal to the script would not reach the program.
exec "$root/out/campaign/campaign" -root "$root" "$@"
