# ===- small-disk.sh - Compile to a disk of 64 KiB --------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   small-disk.sh FOLDER COMPILER EMIT SUFFIX [OPTION...]
# ===------------------------------------------------------------------------===#
folder=$1 compiler=$2 emit=$3 suffix=$4
shift 4
mount -t tmpfs -o size=64k tmpfs "$folder/disk" || exit 1
"$compiler" -q "$folder/m.onnx" --emit="$emit" -o "$folder/disk/m.$suffix" "$@"
echo "status $?, $(ls -A "$folder/disk" | wc -l) files"
