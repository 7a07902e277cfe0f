#!/usr/bin/env bash
# campaign.sh [-e native] [-c full] [-t LIMIT] [-j JOBS] [-l LEDGER] [TARGET...]: runs fuzz
# targets of this checkout, and enters the executions of each in fuzz/LEDGER.md. LIMIT is
# seconds for each target, or executions, such as 100000x; without it, 60 seconds. Targets
# are those of libFuzzer, or with -e native those of Go whose names match; without one, all.
# campaign.sh -s: prints the rows of the ledger for the present codecs, and their sum.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
engine=libfuzzer check=quick limit=60 jobs=$(nproc) ledger=$PWD/fuzz/LEDGER.md show=""
while getopts e:c:t:j:l:s option; do
  case $option in
  e) engine=$OPTARG ;;
  c) check=$OPTARG ;;
  t) limit=$OPTARG ;;
  j) jobs=$OPTARG ;;
  l) ledger=$(realpath "$OPTARG") ;;
  s) show=yes ;;
  *) sed -n '2,/^set/s/^# //p' "$0" >&2 && exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[[ $engine =~ ^(native|libfuzzer)$ && $check =~ ^(quick|full)$ && $limit =~ ^[1-9][0-9]*x?$ && $jobs =~ ^[1-9][0-9]*$ ]] ||
  { sed -n '2,/^set/s/^# //p' "$0" >&2 && exit 2; }
dir=${FORMATGAUGE_CAMPAIGN:-out/campaign}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# codec TARGET: the family of a target, and a hash of the sources of its codec.
codec() {
  local name=${1#Fuzz} family='*'
  for f in ka uasset ubi upkg; do [[ ${name,,} != "$f"* ]] || family=$f; done
  # shellcheck disable=SC2086 # a pattern
  hash=$(find codec/wire codec/$family model/$family -name '*.go' ! -name '*_test.go' | LC_ALL=C sort -u | xargs sha256sum | sha256sum)
  echo "${family/\*/all} ${hash:0:10}"
}

if [ -n "$show" ]; then
  sum=0
  while IFS='|' read -r _ target _ _ state executions rest; do
    # shellcheck disable=SC2086 # a blank on both sides
    [[ "$state" != *" $(codec $target) "* ]] || { echo "|$target|$executions|$rest" && sum=$((sum + executions)); }
  done < <(grep -E '^\| [A-Za-z_0-9]+ \| (native|libfuzzer) ' "$ledger")
  echo "$sum executions on the present codecs"
  exit
fi

# row TARGET: runs a target in its folder, and writes its row of the ledger to the file row.
row() {
  local start=$SECONDS status=0 executions findings state
  state=$(codec "$1")
  mkdir -p "$dir/$1/corpus"
  cd "$dir/$1"
  case $engine in
  native)
    # If Go's engine shortened each new input for as long as by default, that would take
    # much of the time.
    [[ $limit = *x ]] || limit+=s
    ../bin/fuzz.test -check="$check" -test.run='^$' -test.fuzz="^$1\$" -test.fuzztime="$limit" -test.fuzzminimizetime=200x \
      -test.parallel=1 -test.fuzzcachedir=corpus > log 2>&1 || status=$? ;;
  libfuzzer)
    local flags bound=-max_total_time=$limit
    [[ $limit != *x ]] || bound=-runs=${limit%x}
    mapfile -t flags < <(sed -n 's/^[a-z]/-&/p' "../bin/$1.options")
    FORMATGAUGE_CHECK=$check "../bin/$1" "${flags[@]}" -dict="../bin/$1.dict" -print_final_stats=1 "$bound" corpus "../bin/$1.seeds" \
      > log 2>&1 || status=$? ;;
  esac
  executions=$(grep -oE '^(#|stat::number_of_executed_units: +|fuzz: elapsed: [^,]*, (execs|gathering baseline coverage): )[0-9]+' log | tail -n 1) || true
  findings=$(sed -nE 's/^.*(Test unit written to \.\/|Failing input written to |failure while testing seed corpus entry: )((crash|leak|oom|timeout|testdata|Fuzz)[^ ]*)$/\2 open/p' log | paste -s -d ,)
  # Another failure, such as a lack of memory, is a finding without an input. Go's engine can
  # report its limit as a failure (golang/go#75804).
  if [ $status != 0 ] && [ -z "$findings" ] && [ ! -e ../stopped ] && ! grep -q 'context deadline exceeded' log; then
    findings="exit $status open"
  fi
  [ -z "$findings" ] || echo "$1: $findings: see $dir/$1/log" >&2
  echo "| $1 | $engine | $check | $state | ${executions##*[: #]} | $((SECONDS - start)) | $(date -u +%F) $revision | ${findings:-none} |" > row.new
  mv row.new row
  if [ "$engine" = libfuzzer ] && [ ! -e ../stopped ]; then
    rm -rf merged && mkdir merged
    "../bin/$1" "${flags[@]}" -merge=1 merged corpus "../bin/$1.seeds" > log.merge 2>&1
    rm -r corpus && mv merged corpus
  fi
  [ -n "$executions" ] && [ -z "$findings" ]
}

# enter: adds the rows that exist to the ledger. What a target ran on the same codec is added
# up; open findings remain until their word is replaced.
enter() {
  local rows new=$ledger.new
  rows=$(find "$dir" -mindepth 2 -maxdepth 2 -name row)
  [ -n "$rows" ] || return 0
  [ -e "$ledger" ] || sed -E '/^\| [^ ]+ \| (native|libfuzzer) /d' fuzz/LEDGER.md > "$ledger"
  # shellcheck disable=SC2086 # names of targets
  awk -F ' [|] ?|^[|] ' -v OFS=' | ' '
    function key() { return $2 "|" $3 "|" $4 }
    FILENAME != ledger { fresh[key()] = $0; next }
    key() in fresh {
      old = $0; findings = $9; state = $5; executions = $6; seconds = $7
      $0 = fresh[key()]; delete fresh[key()]
      if (state == $5) { $6 += executions; $7 += seconds } else if (findings !~ / open/) findings = "none"
      if (findings != "none") $9 = $9 == "none" ? findings : findings ", " $9
      print "| " $2, $3, $4, $5, $6, $7, $8, $9 " |"; next
    }
    { print }
    END { for (k in fresh) print fresh[k] }' ledger="$ledger" $rows "$ledger" > "$new"
  mv "$new" "$ledger"
  # shellcheck disable=SC2086
  cat $rows && rm $rows
}

revision=$(git rev-parse --short=10 HEAD)
# A plus sign: what the targets are built from has other changes.
[ -z "$(git status --porcelain -- . ':!fuzz/LEDGER.md')" ] || revision+=+
mkdir -p "$dir/bin"
case $engine in
native)
  go test -c -fuzz=. -o "$dir/bin/fuzz.test" ./fuzz
  mapfile -t names < <("$dir/bin/fuzz.test" -test.list "^($(IFS='|' && echo "${*:-Fuzz.*}"))\$") ;;
libfuzzer)
  OUT=$dir/bin WORK=$dir/bin/work bash .clusterfuzzlite/build.sh "$@"
  names=("$@")
  [ $# -gt 0 ] || mapfile -t names < <(basename -s .options "$dir"/bin/*.options)
  for t in "${names[@]}"; do unzip -qo "$dir/bin/${t}_seed_corpus.zip" -d "$dir/bin/$t.seeds"; done ;;
esac
[ "${#names[@]}" != 0 ] || { echo "no target matches" >&2 && exit 2; }

# After an interrupt no further target starts; those that run end and are entered.
rm -f "$dir/stopped"
trap 'touch "$dir/stopped"' INT TERM
failed=0 running=0
for t in "${names[@]}" ""; do
  while [ $running -ge "$jobs" ] || { [ -z "$t" ] && [ $running -gt 0 ]; }; do
    wait -n || { [ $? -gt 128 ] && [ -e "$dir/stopped" ] && continue; failed=1; }
    running=$((running - 1))
    enter
  done
  if [ -n "$t" ] && [ ! -e "$dir/stopped" ]; then row "$t" & running=$((running + 1)); fi
done
exit $failed
