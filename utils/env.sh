# ===- env.sh - A shell that finds the build -----------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# `. utils/env.sh` in the folder of the repository: the programs of the build, the Python
# with the packages that examples use, and the package onnx_compile.
# ===------------------------------------------------------------------------===//
export PATH="$PWD/build/bin:$PWD/build/venv/bin:$PATH" PYTHONPATH="$PWD/build/python"
