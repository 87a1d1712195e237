#===- fill-root.sh - Libraries of a program, in a root folder --------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# fill-root.sh ROOT FILE: copies the libraries that FILE loads into ROOT.
set -e
ldd "$2" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$1$(dirname "$library")"
  cp -L "$library" "$1$library"
done
mkdir -p "$1/proc" "$1/tmp"
