#!/usr/bin/env bash
# ===- pack.sh - Compile models for a GPU, for a machine that has one -------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   utils/bench/gpu/pack.sh FOLDER MODEL.onnx... [-- OPTION...]
#
# Fills FOLDER with each model, compiled for CUDA and for any processor, onnx-run
# with its libraries, and run.sh. Nothing else is needed on the other machine. The
# options go to onnx-compile: --shape=..., --device=..., else cuda:sm_80,sm_90a. Models of
# tests/ are small, one for each form of kernel: they are compared first, with several inputs.
# TESTS is a regular expression for those that are packed, all by default.
# Products of warpgroups among them are for the last GPU that is named. Where ptxas is, artefacts
# have cubins beside PTX, so that the driver there need not compile what it takes.
# ===------------------------------------------------------------------------===#
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$(readlink -f "$here/../../..")
[ $# -ge 2 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
folder=$1
shift
models=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  models+=("$1")
  shift
done
shift $(($# > 0))

mkdir -p "$folder/lib" "$folder/tests"
runner=$(command -v onnx-run)
# That of the package needs no library of LLVM, which has 200 MB.
packaged=$(dirname "$runner")/../self-contained/bin/onnx-run-self-contained
[ ! -x "$packaged" ] || runner=$packaged
cp "$runner" "$folder/onnx-run"
cp "$here/run.sh" "$here/torch_times.py" "$folder"
ldd "$runner" | awk '$3 ~ /^\// && $1 !~ /^lib(c|m|dl|pthread)\.so/ { print $3 }' | xargs -r cp -Lt "$folder/lib"

# Recipes are for one GPU: the last one.
one_gpu() {
  local gpus=${device%,cpu}
  [[ $gpus == *,* ]] && echo "${gpus%%sm_*}${gpus##*,}" || echo "$gpus"
}

# MODEL TO OPTION...: both forms, and what the launches do. With `way` those of warpgroups copy by it.
pack() {
  local model=$1 to=$2
  local device_only=()
  shift 2
  [[ $model != *tf32* ]] || device_only=(--tf32)
  if [[ $model == "$small"/warpgroups_* ]]; then
    "$python" "$root/test/Target/Inputs/warpgroup_recipes.py" "$model" "$small/recipes" ${way:+"$way"}
    device_only+=("--recipes=$small/recipes" "--device=$(one_gpu)")
  fi
  onnx-compile -q "$model" --cpu=x86-64-v3 --profile --cuda-code=both "$@" "--device=$device" "${device_only[@]}" -o "$to.cuda.so"
  onnx-compile -q "$model" --cpu=x86-64-v3 "$@" --device=cpu -o "$to.host.so"
  onnx-run info "$to.host.so" --nodes --json >"$to.launches.json"
}

python=$(command -v python3)
[ ! -x "$root/build/venv/bin/python" ] || python=$root/build/venv/bin/python
small=$(mktemp -d)
trap 'rm -rf "$small"' EXIT
"$python" "$root/test/Target/Inputs/device_models.py" "$small"
device=cuda:sm_80,sm_90a
# The options that change the model, for simplify: --dim=batch=8, and --dim batch=8 in two words.
of_model=()
given=("$@")
for ((i = 0; i < ${#given[@]}; ++i)); do
  option=${given[i]}
  case $option in
    --device | --shape | --dim | --from | --to | --custom-op-lib | --level | --limit)
      i=$((i + 1))
      option+=${given[i]:+=${given[i]}}
      ;;
  esac
  case $option in
    --device=*) device=${option#--device=} ;;
    --shape=* | --dim=* | --from=* | --to=* | --custom-op-lib=* | --level=* | -O[0-3] | --limit=* | \
      --strict | --strict-dims) of_model+=("$option") ;;
  esac
done
for model in "$small"/*.onnx; do
  name=$(basename "$model" .onnx)
  [[ $name =~ ${TESTS:-.} ]] || continue
  pack "$model" "$folder/tests/$name"
  case $name in
    # Factors of bytes and of f32 lie along the sums; those that lie across are copied by threads.
    warpgroups_*f16* | warpgroups_tails)
      for by in tma cluster producer; do
        way=$by pack "$model" "$folder/tests/${name}_$by"
      done
      ;;
  esac
done
for model in "${models[@]}"; do
  name=$(basename "$model" .onnx)
  pack "$model" "$folder/$name" "$@"
  # For other programs that are installed there; PyTorch reads no ONNX.
  cp "$model" "$folder/$name.onnx"
  onnx-compile simplify -q "$model" "${of_model[@]}" -o "$small/$name.simplified.onnx"
  "$python" "$here/write_graph.py" "$small/$name.simplified.onnx" "$folder/$name.graph.npz" || true
done
