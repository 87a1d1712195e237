#!/bin/sh
# ===- setup.sh - Install the peers that bench.py compares with -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Makes build/bench-venv with onnxruntime and OpenVINO from PyPI. Nothing of it
# is used by the build or the tests; delete the folder when done.
# ===------------------------------------------------------------------------===//
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
venv=$root/build/bench-venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check \
    numpy onnx ml_dtypes onnxruntime openvino
"$venv/bin/python" -c 'import onnxruntime, openvino
print("onnxruntime", onnxruntime.__version__, "OpenVINO", openvino.__version__)'
