#!/bin/sh
# ===- serve-setup.sh - Install the engines that serve and spread models ------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Makes build/serve-venv with MLServer, Dask and Ray from PyPI, 600 MB; does nothing if it
# is there. Nothing of it is used by the build; tests that need it are unsupported without it.
# ===------------------------------------------------------------------------===//
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/build/serve-venv
cmp -s "$0" "$venv/.made-by" && exit 0
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir \
    'mlserver==1.7.1' 'dask[array,distributed]==2026.8.0' 'ray==2.60.0'
"$venv/bin/python" -c 'import dask, mlserver, ray
print("MLServer", mlserver.__version__, "Dask", dask.__version__, "Ray", ray.__version__)'
cp "$0" "$venv/.made-by"
