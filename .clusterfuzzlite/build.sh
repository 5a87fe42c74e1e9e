#!/bin/bash -eu
# What ClusterFuzzLite runs: the build of OSS-Fuzz.
exec "$SRC/gguf-cts/fuzz/oss-fuzz/build.sh"
