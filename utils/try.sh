#!/usr/bin/env bash
#===- try.sh - From a fresh machine to a compiled model that answers -------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Installs missing packages, builds, compiles examples/digits and shows the ten
# handwritten digits beside it with what the network makes of them.
#===------------------------------------------------------------------------===#
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
digits=$root/examples/digits
model=$build/examples/digits.so

compile_digits() {
  mkdir -p "$build/examples"
  "$build/bin/onnx-compile" "$digits/digits.onnx" -o "$model"
}

run_digits() {
  PYTHONPATH=$build/python "$venv/bin/python" "$digits/run.py" "$model"
}

begin_steps 8
"$root/utils/setup.sh"
ONNXC_STEP=4 "$root/utils/build.sh"
ONNXC_STEP=6
step "Compile examples/digits/digits.onnx" compile_digits
step "Recognise ten handwritten digits" run_digits
cat "$step_log"
echo "The compiled model is $model; compile another one with"
echo "  . utils/env.sh"
echo "  onnx-compile MODEL.onnx -o MODEL.so"
