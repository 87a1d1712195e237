#!/bin/sh
# ===- setup.sh - Install the exporters of models ---------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Makes build/exports-venv with torch, torchvision and transformers from PyPI:
# several gigabytes, as torch comes with its libraries for GPUs. The build needs none of
# it; test/Runtime/python-torch.test is skipped without it. Delete the folder when done.
# ===------------------------------------------------------------------------===//
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
venv=$root/build/exports-venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir \
    torch torchvision transformers onnxscript onnx numpy
"$venv/bin/python" -c 'import torch, torchvision, transformers
print("torch", torch.__version__, "torchvision", torchvision.__version__, "transformers", transformers.__version__)'
