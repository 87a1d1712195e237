# ===- env.sh - A shell that finds the build -----------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# `. utils/env.sh`: the programs of the build, the Python with the packages that examples
# use, and the package onnx_compile; ptxas and nvdisasm, if they are installed there. In bash
# and zsh from any folder, in other shells from that of the repository.
# ===------------------------------------------------------------------------===//
onnxc_root=$(cd "$(dirname "${BASH_SOURCE:-$0}")/.." && pwd)
[ -f "$onnxc_root/utils/env.sh" ] || onnxc_root=$PWD
[ -f "$onnxc_root/utils/env.sh" ] ||
  echo "env.sh: this shell does not tell where the file is: use bash or zsh, or the folder of the repository" >&2
export PATH="$onnxc_root/build/bin:$onnxc_root/build/venv/bin:$PATH" PYTHONPATH="$onnxc_root/build/python"
onnxc_tools=$(find "$onnxc_root/build/venv/lib" -maxdepth 5 -path '*/nvidia/cu*/bin' 2>/dev/null | head -n 1)
[ -z "$onnxc_tools" ] || PATH="$onnxc_tools:$PATH"
unset onnxc_root onnxc_tools
