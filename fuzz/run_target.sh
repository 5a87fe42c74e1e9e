#!/usr/bin/env bash
# Runs one fuzz target for so many seconds of processor time.
#
#   fuzz/run_target.sh BUILD TARGET SECONDS FOLDER
#
# BUILD is a build with the preset fuzz in which fuzz_TARGET, write_seeds and
# write_dictionary are built.  FOLDER holds corpus/, which grows, found/ and log.  Prints
# one line: seconds spent, executions, edges, and what was found; ends 1 if anything was.
# SIGTERM ends it early, with the line for what was done.
set -eu
cd "$(dirname "$0")/.."
build=$1 target=$2 seconds=$3 folder=$4
kind=$(sed -n "s/^TARGET($target, *\([a-z]*\),.*/\1/p" fuzz/targets.inc)
[ -n "$kind" ] || { echo "fuzz/targets.inc has no target $target" >&2; exit 2; }

# Processor time of a process in seconds.
cpu_seconds() {
  local fields
  fields=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) || return 1
  set -- $fields
  echo $(((${12} + ${13}) / $(getconf CLK_TCK)))
}

mkdir -p "$folder/corpus" "$folder/found"
"$build/bin/write_seeds" "$kind" "$folder/seeds"
"$build/bin/write_dictionary" >"$folder/dictionary"
# A copy, so that building does not change what is running.
cp "$build/bin/fuzz_$target" "$folder/running"
regressions=fuzz/regressions/$target
[ -d "$regressions" ] || regressions=
# The engine's limit for one input is by the clock on the wall, which runs on while a busy
# machine does other things: far more than the seconds that an input may take.
"$folder/running" -max_len=4096 -timeout=300 -rss_limit_mb=2048 -malloc_limit_mb=256 -dict="$folder/dictionary" \
  -artifact_prefix="$folder/found/" -print_final_stats=1 "$folder/corpus" "$folder/seeds" $regressions >"$folder/log" 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
trap 'seconds=0' TERM
spent=0
while now=$(cpu_seconds $pid); do
  spent=$now
  [ "$spent" -lt "$seconds" ] || break
  sleep 1
done
trap '' TERM
kill -USR1 $pid 2>/dev/null || true  # the engine ends after the input that is running
status=0
wait $pid || status=1
trap - EXIT
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log")
edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$folder/log" | tail -1)
found=none
[ $status = 0 ] || found="see $folder/found"
echo "$spent ${executions:-?} ${edges:-?} $found"
exit $status
