#!/usr/bin/env bash
# campaign.sh [FLAGS] [TARGET...]: runs fuzz targets of this checkout and enters the
# result of each in fuzz/LEDGER.md. TARGET is a name or a pattern, such as 'FuzzKa*';
# without it, all targets of the engine run. campaign.sh -help lists the flags.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
go build -o out/campaign/campaign ./fuzz/campaign
revision=$(git rev-parse --short=10 HEAD)
# A plus sign: what the targets are built from has other changes.
[ -z "$(git status --porcelain -- . ':!fuzz/LEDGER.md')" ] || revision+=+
# Without exec, a signal to the script would not reach the program.
exec out/campaign/campaign -revision "$revision" "$@"
