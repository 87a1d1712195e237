#!/bin/sh
# ===- tutorial-setup.sh - Install TensorFlow for its lesson ------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Makes build/tutorial-venv with TensorFlow for processors and tf2onnx from PyPI: 330 MB to
# fetch, 1.4 GB on disk; does nothing if it is there. Nothing of it is used by the build; the
# test of docs/Tutorial/6-tensorflow.md is unsupported without it.
# ===------------------------------------------------------------------------===//
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/build/tutorial-venv
cmp -s "$0" "$venv/.made-by" && exit 0
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir \
    'tensorflow-cpu==2.18.1' 'tf2onnx==1.17.0'
"$venv/bin/pip" list --disable-pip-version-check | grep -E '^(tensorflow_cpu|tf2onnx) '
cp "$0" "$venv/.made-by"
