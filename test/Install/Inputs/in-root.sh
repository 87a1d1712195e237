#===- in-root.sh - A program in a root folder of its own -------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# in-root.sh ROOT PROGRAM ARGUMENTS...: runs PROGRAM with ROOT as its root folder.
root=$1
shift
exec unshare -rm sh -c \
  'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
