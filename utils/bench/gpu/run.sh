#!/usr/bin/env bash
# ===- run.sh - Packed models on a GPU, beside the processor ----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   FOLDER/run.sh
#
# In a folder of pack.sh, on a machine with a GPU. Inputs are random, the same in
# both runs. Prints one row for each model: whether the outputs agree, and the
# median time of a run with its copies, in milliseconds. Ends with 1 if outputs do
# not agree or a model does not run.
# ===------------------------------------------------------------------------===#
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
libraries=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {
  LD_LIBRARY_PATH=$libraries ./onnx-run "$@"
}

# --expect for each output, in the files that --save has written.
expectations() {
  run info "$1" | sed -n '/^outputs:/,/^[^ o]/s/^  \(.*\): [a-z0-9]*\[.*$/\1/p' | while read -r name; do
    echo "--expect=$name=@$work/expected/${name//[^A-Za-z0-9._-]/_}.npy"
  done
}

median() {
  run bench "$1" --iterations=30 --warmup=3 2>"$work/log" | awk '$1 == "p50" { print $2 }'
}

status=0
echo "| model | agrees | GPU | processor |"
echo "|---|---|---|---|"
for gpu in ./*.cuda.so; do
  host=${gpu%.cuda.so}.host.so
  rm -rf "$work/expected"
  run "$host" --quiet --save="$work/expected" 2>"$work/log"
  mapfile -t expected < <(expectations "$host")
  if [ ${#expected[@]} -gt 0 ] && run "$gpu" --quiet --atol=1e-4 --rtol=1e-3 "${expected[@]}" >"$work/log" 2>&1; then
    row="yes | $(median "$gpu") | $(median "$host")"
  else
    row="no: $(tail -n 1 "$work/log") | |"
    status=1
  fi
  echo "| $(basename "$gpu" .cuda.so) | $row |"
done
exit $status
