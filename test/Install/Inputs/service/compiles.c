/*===- compiles.c - Compiles its first argument to its second ---*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 *===----------------------------------------------------------------------===*/
#include <onnxc/Compile.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  OMCompiler *compiler = omCompilerCreate();
  omCompilerSetOption(compiler, "output", argv[2]);
  OM_COMPILE_STATUS status = omCompilerCompileFile(compiler, argv[1]);
  fputs(omCompilerGetMessages(compiler), stderr);
  omCompilerDestroy(compiler);
  return status;
}
