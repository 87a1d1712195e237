/*===- static.c - A compiler inside a program with LLVM ---------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 *===----------------------------------------------------------------------===*/
#include <stdio.h>

int compile(int argc, char **argv);
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch);

int main(int argc, char **argv) {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  int status = compile(argc, argv);
  printf("status %d beside LLVM %u\n", status, major);
  return status;
}
