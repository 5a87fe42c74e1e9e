#!/usr/bin/env bash
# What a campaign of the target reader reaches of the reference's reader.
#
#   fuzz/coverage.sh FUZZ_BUILD COVERAGE_BUILD SECONDS
#
# Begins from the seeds alone, runs for SECONDS of processor time, and replays all that was
# kept in a build that counts.  Writes COVERAGE_BUILD/html, an HTML report of lines and
# branches of all of reference/, and prints for each file of reader.cc and checks/ how much
# was reached and what was not.  fuzz/coverage_exclusions.txt names what does not count,
# with the reason.  Ends 1 below 97 % of lines or 95 % of branches.
set -eu
cd "$(dirname "$0")/.."
fuzz=$1 counted=$2 seconds=$3
folder=$counted/campaign
cov=llvm-cov-19 profdata=llvm-profdata-19

rm -rf "$folder" "$counted/html" "$counted"/*.profraw
echo "reader: seconds, executions, edges, found: $(fuzz/run_target.sh "$fuzz" reader "$seconds" "$folder")"
LLVM_PROFILE_FILE=$counted/reader.profraw "$counted/bin/replay_reader" --seeds files "$folder/corpus"
$profdata merge -sparse "$counted/reader.profraw" -o "$counted/reader.profdata"
program=$counted/bin/replay_reader
$cov show "$program" -instr-profile="$counted/reader.profdata" -format=html -show-branches=count -show-line-counts-or-regions \
  -output-dir="$counted/html" reference >/dev/null
$cov export "$program" -instr-profile="$counted/reader.profdata" -format=lcov reference/reader.cc reference/checks >"$counted/reader.lcov"
echo "HTML report: $counted/html/index.html"
awk -v root="$PWD/" -f fuzz/coverage.awk fuzz/coverage_exclusions.txt "$counted/reader.lcov"
