#!/bin/bash -eu
# Installs what the targets are built with into an image of OSS-Fuzz, whose distribution
# has older versions of some.  Only headers end up in the targets.
apt-get update
apt-get install -y --no-install-recommends libssl-dev ninja-build zip

fetch() {  # fetch PROJECT TAG
  git clone --quiet --depth 1 --branch "$2" "https://github.com/$1" "/tmp/${1#*/}"
}
fetch fmtlib/fmt 9.1.0
cmake -S /tmp/fmt -B /tmp/fmt/build -G Ninja -DFMT_TEST=OFF -DFMT_DOC=OFF
ninja -C /tmp/fmt/build install
fetch nlohmann/json v3.11.2
cmake -S /tmp/json -B /tmp/json/build -G Ninja -DJSON_BuildTests=OFF
ninja -C /tmp/json/build install
fetch Cyan4973/xxHash v0.8.1
cp /tmp/xxHash/xxhash.h /usr/local/include/
rm -rf /tmp/fmt /tmp/json /tmp/xxHash
