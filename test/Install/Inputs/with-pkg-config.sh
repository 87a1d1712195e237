#===- with-pkg-config.sh - A build without CMake ------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#===------------------------------------------------------------------------===#
# with-pkg-config.sh COMPILER SOURCE OUTPUT: builds a program with the library
# of the compiler, as a Makefile would.
set -e
$1 $2 $(pkg-config --cflags --libs onnx-compile) -o $3
