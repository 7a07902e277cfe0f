# Judges the adapter that $FORMATGAUGE_COMMAND starts, or the program of
# $FORMATGAUGE_ONESHOT, and writes all reports to $FORMATGAUGE_REPORTS.
set -euf
mkdir -p "$FORMATGAUGE_REPORTS"
set --
for report in jsonl=results.jsonl junit=junit.xml html=report.html markdown=summary.md github=annotations.txt; do
  rm -f "$FORMATGAUGE_REPORTS/${report#*=}"
  set -- "$@" --report "${report%%=*}=$FORMATGAUGE_REPORTS/${report#*=}"
done
if [ -z "$FORMATGAUGE_COMMAND$FORMATGAUGE_ONESHOT" ]; then
  echo "formatgauge: no command is given" >&2
  exit 2
fi
for type in $FORMATGAUGE_TYPES; do set -- "$@" --run "$type"; done
[ -z "$FORMATGAUGE_PROFILE" ] || set -- "$@" --profile "$FORMATGAUGE_PROFILE"
[ -z "$FORMATGAUGE_KNOWN" ] || set -- "$@" --known "$FORMATGAUGE_KNOWN"
[ -z "$FORMATGAUGE_MIN_PASSED" ] || set -- "$@" --min-passed "$FORMATGAUGE_MIN_PASSED"
[ "$FORMATGAUGE_NO_SKIPS" != true ] || set -- "$@" --no-skips
eval "set -- \"\$@\" $(printf %s "$FORMATGAUGE_ARGS" | tr '\n' ' ')"
[ -z "$FORMATGAUGE_ONESHOT" ] || set -- "$@" --oneshot "$FORMATGAUGE_ONESHOT"
[ -z "$FORMATGAUGE_COMMAND" ] || set -- "$@" -- sh -c "$FORMATGAUGE_COMMAND"
formatgauge test "$@"
