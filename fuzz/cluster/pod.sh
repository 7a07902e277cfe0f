#!/usr/bin/env bash
# pod.sh fuzz|merge: the two steps of a pod of job.yaml. FUZZ has the programs, and VOLUME
# the corpora: TARGET/merged, and TARGET/N of the pod N.
set -euo pipefail
: "${FUZZ:=/fuzz}" "${VOLUME:=/volume}" "${TARGET:?}" "${SECONDS_TO_FUZZ:=3600}" "${PROCESSES:=2}" "${JOB_COMPLETION_INDEX:=0}"
own=$VOLUME/$TARGET/$JOB_COMPLETION_INDEX merged=$VOLUME/$TARGET/merged
mkdir -p "$own" "$merged" "$VOLUME/findings/$TARGET"
mapfile -t flags < <(sed -n 's/^[a-z]/-&/p' "$FUZZ/$TARGET.options")
case ${1:-} in
  fuzz)
    # With -fork, an input that takes too much time or memory is no finding by default.
    exec "$FUZZ/$TARGET" "${flags[@]}" -dict="$FUZZ/$TARGET.dict" -fork="$PROCESSES" -ignore_timeouts=0 -ignore_ooms=0 -max_total_time="$SECONDS_TO_FUZZ" \
      -artifact_prefix="$VOLUME/findings/$TARGET/" "$own" "$merged" "$FUZZ/$TARGET.seeds" ;;
  merge)
    "$FUZZ/$TARGET" "${flags[@]}" -merge=1 "$merged" "$own"
    rm -r "$own" ;;
  *) echo "usage: TARGET=ka_archive pod.sh fuzz|merge" >&2; exit 2 ;;
esac
