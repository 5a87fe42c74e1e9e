#!/bin/bash -eu
# Builds every fuzz target as OSS-Fuzz asks for it.
#
# Given in the environment: CC CXX CFLAGS CXXFLAGS, LIB_FUZZING_ENGINE, SRC (the folder that
# holds gguf-cts), OUT (where what is built goes), WORK (a folder for the build).  For each target OUT gets <target>_fuzzer,
# its seeds as <target>_fuzzer_seed_corpus.zip, its dictionary and its options.
#
# A build that shall be short may name GCTS_TARGETS (default: all that can be built), GCTS_TOOLS
# (a folder with write_seeds and write_dictionary; default: built here) and GCTS_OPTIONS of CMake.
root=$(cd "$SRC/gguf-cts" && pwd -P)
build=$WORK/gguf-cts
tools=${GCTS_TOOLS:-$build/bin}

# No preset: the flags are the environment's.  Static libcrypto: the machine that runs the
# targets has nothing but a C library.
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DGCTS_FUZZ=ON -DGCTS_PROGRAM=OFF -DGCTS_BUILD_TESTS=OFF \
  -DOPENSSL_USE_STATIC_LIBS=ON ${GCTS_OPTIONS:-}
[ -n "${GCTS_TOOLS:-}" ] || ninja -C "$build" write_seeds write_dictionary
case "${GCTS_TARGETS:-}" in
  "") ninja -C "$build" gcts_fuzzers ;;
  *) ninja -C "$build" $(printf 'fuzz_%s ' $GCTS_TARGETS) ;;
esac

"$tools/write_dictionary" >"$WORK/gguf.dict"
sed -n 's/^TARGET(\([a-z0-9_]*\), *\([a-z]*\),.*/\1 \2/p' "$root/fuzz/targets.inc" | while read -r target kind; do
  case " ${GCTS_TARGETS:-$target} " in *" $target "*) ;; *) continue ;; esac
  [ -x "$build/bin/fuzz_$target" ] || continue  # its parts are not in this build
  name=${target}_fuzzer
  cp "$build/bin/fuzz_$target" "$OUT/$name"
  rm -rf "$WORK/seeds"
  "$tools/write_seeds" "$kind" "$WORK/seeds"
  [ ! -d "$root/fuzz/regressions/$target" ] || cp "$root/fuzz/regressions/$target/"* "$WORK/seeds/"
  (cd "$WORK/seeds" && find . -type f | sort | zip -q -@ "$OUT/${name}_seed_corpus.zip")
  [ "$kind" = blocks ] || cp "$WORK/gguf.dict" "$OUT/$name.dict"
  printf '[libfuzzer]\nmax_len = 4096\ntimeout = 10\nrss_limit_mb = 2048\nmalloc_limit_mb = 256\n' >"$OUT/$name.options"
done
