/*===- HeaderC99.c - Compile.h is C99 -----------------------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 *===----------------------------------------------------------------------===*/

#include "onnxc/Compile.h"

int compileFromC(const char *path, const char *runtimeDir, const char *output);

int compileFromC(const char *path, const char *runtimeDir, const char *output) {
  OMCompiler *compiler = omCompilerCreate();
  OM_COMPILE_STATUS status;
  omCompilerSetOption(compiler, "runtime-dir", runtimeDir);
  omCompilerSetOption(compiler, "output", output);
  status = omCompilerCompileFile(compiler, path);
  omCompilerDestroy(compiler);
  return status;
}
