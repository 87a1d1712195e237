#===- complete.sh - What bash would offer -------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#===------------------------------------------------------------------------===#
# complete.sh COMPLETIONS PROGRAM WORD...: what bash would offer for the last.
compopt() { :; }
source "$1"
shift
COMP_LINE="$*"
word=${!#}
_onnx_compile "$1" "${word##*=}"
echo "${COMPREPLY[@]}"
