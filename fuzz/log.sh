#!/usr/bin/env bash
# Lets fuzz targets run for so many seconds of processor time each, one after the other,
# and adds a row for each to fuzz/LOG.md.
#
#   fuzz/log.sh BUILD SECONDS [TARGET...]      default: every target of targets.inc
#
# Ends 1 after the first target that finds something.
set -eu
cd "$(dirname "$0")/.."
build=$1 seconds=$2; shift 2
[ $# -gt 0 ] || set -- $(sed -n 's/^TARGET(\([a-z0-9_]*\),.*/\1/p' fuzz/targets.inc)
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
git diff --quiet HEAD -- . ':!fuzz/LOG.md' 2>/dev/null || commit=$commit+
for target in "$@"; do
  status=0
  result=$(fuzz/run_target.sh "$build" "$target" "$seconds" "$build/campaign/$target") || status=1
  read -r spent executions edges found <<<"$result"
  printf '| %s | %s | %s | %s | %s | %s |\n' "$target" "$commit" "$spent" "$executions" "$edges" "$found" | tee -a fuzz/LOG.md
  [ $status = 0 ] || { tail -30 "$build/campaign/$target/log"; exit 1; }
done
