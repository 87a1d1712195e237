# ===- env.sh - A shell that finds the build -----------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# `. utils/env.sh`: the programs of the build, the Python with the packages that examples
# use, and the package onnx_compile. In bash and zsh from any folder, in other shells from
# that of the repository.
# ===------------------------------------------------------------------------===//
onnxc_root=$(cd "$(dirname "${BASH_SOURCE:-$0}")/.." && pwd)
[ -f "$onnxc_root/utils/env.sh" ] || onnxc_root=$PWD
export PATH="$onnxc_root/build/bin:$onnxc_root/build/venv/bin:$PATH" PYTHONPATH="$onnxc_root/build/python"
unset onnxc_root
