#!/usr/bin/env bash
# Does what OSS-Fuzz does, without its images: builds the targets with its variables into
# an empty folder, moves that elsewhere, and runs each target from there, from its seeds
# and its dictionary.
#
#   emulate.sh ROOT FOLDER [TOOLS TARGET...]     default: all targets, as OSS-Fuzz has them
#
# With TOOLS, a folder that holds write_seeds and write_dictionary, the targets named are
# built alone and without optimization: the contract in less time.
set -eu
mkdir -p "$2"
root=$(cd "$1" && pwd) folder=$(cd "$2" && pwd); shift 2

for tool in clang++-19 cmake ninja zip unzip; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 0; }
done
rm -rf "$folder/out" "$folder/runner" "$folder/src"
mkdir -p "$folder/out" "$folder/work" "$folder/src"
ln -s "$root" "$folder/src/gguf-cts"

# The flags of OSS-Fuzz for libFuzzer with the address sanitizer, as the preset throughput
# has them too, but for its own C++ library.
speed="-O1 -g1"
if [ $# -gt 0 ]; then
  export GCTS_TOOLS=$1 GCTS_TARGETS="${*:2}" GCTS_OPTIONS=-DGCTS_PRECOMPILE=ON
  # Else ccache keeps nothing that is precompiled, and preprocesses what it does not have.
  export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
  speed=-O0
fi
flags="$speed -fno-omit-frame-pointer -fsanitize=address -fsanitize=fuzzer-no-link"
SRC=$folder/src OUT=$folder/out WORK=$folder/work CC=clang-19 CXX=clang++-19 CFLAGS=$flags CXXFLAGS=$flags \
  LIB_FUZZING_ENGINE=-fsanitize=fuzzer bash -eu "$root/fuzz/oss-fuzz/build.sh" >"$folder/build.log" 2>&1 ||
  { tail -40 "$folder/build.log"; exit 1; }

mv "$folder/out" "$folder/runner"
cd "$folder/runner"
ran=0
for target in *_fuzzer; do
  fail() { echo "$target: $1"; tail -20 "$folder/$target.log" 2>/dev/null || true; exit 1; }
  libraries=$(ldd "$target" | sed -n 's/^\t*\([^ ]*\)\.so.*/\1/p' | grep -vE '^(linux-vdso|/lib64/ld-linux.*|lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+))$' || true)
  [ -z "$libraries" ] || fail "needs libraries that are not there: $libraries"
  unzip -q "${target}_seed_corpus.zip" -d "seeds_$target"
  mkdir "corpus_$target"
  set --
  [ ! -f "$target.dict" ] || set -- -dict="$target.dict"
  env -i PATH="$PATH" "./$target" "$@" -max_total_time=2 -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    "corpus_$target" "seeds_$target" >"$folder/$target.log" 2>&1 || fail "ended with an error"
  grep -q 'inline 8-bit counters' "$folder/$target.log" || fail "is not instrumented"
  seeds=$(ls "seeds_$target" | wc -l)
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log")
  [ "$seeds" -gt 0 ] && [ "${executions:-0}" -ge "$seeds" ] || fail "${executions:-0} executions of $seeds seeds"
  echo "$target: $seeds seeds, $executions executions"
  ran=$((ran + 1))
done
set -- ${GCTS_TARGETS:-reader}
[ "$ran" -ge $# ] || { echo "$ran targets were built of $#"; exit 1; }
