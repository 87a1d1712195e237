//===- Console.h - Progress and messages for people ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TOOLS_ONNX_COMPILE_CONSOLE_H
#define ONNXC_TOOLS_ONNX_COMPILE_CONSOLE_H

#include "onnxc/Compile.h"

/// Writes messages to the standard error, and numbered steps with their
/// seconds if it is a terminal, without --quiet.
class Console {
public:
  Console(OMCompiler *compiler, bool quiet);

  /// Where the artefact went and how to run it.
  void finish(OMCompiler *compiler);

private:
  static void onMessage(void *self, OM_SEVERITY severity, const char *location,
                        const char *text);
  static void onProgress(void *self, unsigned number, unsigned total,
                         const char *name, double seconds);

  bool showsSteps;
  bool isTerminal;
  double total = 0;
};

#endif // ONNXC_TOOLS_ONNX_COMPILE_CONSOLE_H
