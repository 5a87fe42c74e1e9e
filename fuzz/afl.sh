#!/usr/bin/env bash
# Runs one target under AFL++ for so many seconds: built as fuzz/oss-fuzz/build.sh builds
# for any engine, with Clang's own edge callbacks and the runtime of AFL++.
#
#   fuzz/afl.sh TARGET SECONDS [TOOLS]
#
# TOOLS is a folder with write_seeds and write_dictionary, as build.sh takes it.
#
# AFL++ of Debian 12 brings a compiler too old for this code; its runtime is linked by
# hand instead, so that any Clang serves.  Ends 1 if AFL++ did not run the target or found
# something, which then lies in build/afl/TARGET/default/crashes.
set -eu
cd "$(dirname "$0")/.."
target=$1 seconds=$2
[ $# -lt 3 ] || export GCTS_TOOLS=$(cd "$3" && pwd)
command -v afl-fuzz >/dev/null || { echo "skipped: no afl-fuzz"; exit 0; }
runtime=$(dirname "$(find /usr/lib /usr/local/lib -path '*afl*' -name afl-compiler-rt.o 2>/dev/null | head -1)")
[ -f "$runtime/libAFLDriver.a" ] || { echo "skipped: afl++ without libAFLDriver.a"; exit 0; }

folder=$PWD/build/afl
mkdir -p "$folder/out" "$folder/work" "$folder/src"
ln -sfn "$PWD" "$folder/src/gguf-cts"
flags="-O2 -g1 -fsanitize-coverage=trace-pc-guard"
export GCTS_TARGETS=$target GCTS_OPTIONS=-DGCTS_PRECOMPILE=ON
export CCACHE_SLOPPINESS=pch_defines,time_macros  # else nothing that is precompiled is kept
SRC=$folder/src OUT=$folder/out WORK=$folder/work CC=clang-19 CXX=clang++-19 CFLAGS=$flags CXXFLAGS=$flags \
  LDFLAGS=$runtime/afl-compiler-rt.o LIB_FUZZING_ENGINE=$runtime/libAFLDriver.a \
  bash -eu fuzz/oss-fuzz/build.sh >"$folder/build.log" 2>&1 || { tail -40 "$folder/build.log"; exit 1; }

rm -rf "$folder/seeds" "$folder/$target"
unzip -q "$folder/out/${target}_fuzzer_seed_corpus.zip" -d "$folder/seeds"
find "$folder/seeds" -size 0 -delete  # AFL++ takes no empty seed
dictionary=()
[ ! -f "$folder/out/${target}_fuzzer.dict" ] || dictionary=(-x "$folder/out/${target}_fuzzer.dict")
# It need not be the only work of the machine, and cores may go elsewhere.
AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
  afl-fuzz -i "$folder/seeds" -o "$folder/$target" -V "$seconds" ${dictionary[@]+"${dictionary[@]}"} -- \
  "$folder/out/${target}_fuzzer" >"$folder/afl.log" 2>&1 || { tail -40 "$folder/afl.log"; exit 1; }
stats=$folder/$target/default/fuzzer_stats
grep -E '^(execs_done|execs_per_sec|corpus_count|edges_found|total_edges|saved_crashes|saved_hangs) ' "$stats"
value() { sed -n "s/^$1 *: *//p" "$stats"; }
[ "$(value execs_done)" -gt 0 ] && [ "$(value edges_found)" -gt 0 ] && [ "$(value saved_crashes)" -eq 0 ]
