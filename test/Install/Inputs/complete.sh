#===- complete.sh - What bash would offer -------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#===------------------------------------------------------------------------===#
# complete.sh COMPLETIONS PROGRAM WORD: what bash would offer for the word.
compopt() { :; }
source "$1"
COMP_LINE="$2 $3"
_onnx_compile "$2" "${3##*=}"
echo "${COMPREPLY[@]}"
