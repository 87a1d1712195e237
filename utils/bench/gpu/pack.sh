#!/usr/bin/env bash
# ===- pack.sh - Compile models for a GPU, for a machine that has one -------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   utils/bench/gpu/pack.sh FOLDER MODEL.onnx... [-- OPTION...]
#
# Fills FOLDER with each model compiled for CUDA and for any processor, onnx-run
# with its libraries, and run.sh. Nothing else is needed on the other machine. The
# options go to onnx-compile: --shape=..., --device=....
# ===------------------------------------------------------------------------===#
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
[ $# -ge 2 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
folder=$1
shift
models=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  models+=("$1")
  shift
done
shift $(($# > 0))

mkdir -p "$folder/lib"
runner=$(command -v onnx-run)
cp "$runner" "$here/run.sh" "$folder"
ldd "$runner" | awk '$3 ~ /^\// && $1 !~ /^lib(c|m|dl|pthread)\.so/ { print $3 }' | xargs cp -Lt "$folder/lib"
for model in "${models[@]}"; do
  name=$(basename "$model" .onnx)
  onnx-compile -q "$model" --cpu=x86-64-v3 --device=cuda "$@" -o "$folder/$name.cuda.so"
  onnx-compile -q "$model" --cpu=x86-64-v3 "$@" --device=cpu -o "$folder/$name.host.so"
done
