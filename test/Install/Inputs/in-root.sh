#===- in-root.sh - A program in a root folder of its own -------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# in-root.sh ROOT PROGRAM ARGUMENTS...: runs PROGRAM with ROOT as its root folder,
# with the processes and devices of this machine if ROOT has folders for them.
root=$1
shift
exec unshare -rm sh -c \
  'for part in proc dev; do
     [ ! -d "$0/$part" ] || mount --rbind "/$part" "$0/$part" || exit
   done
   exec chroot "$0" "$@"' "$root" "$@"
