//===- CommandLine.h - The words after onnx-compile ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TOOLS_ONNX_COMPILE_COMMANDLINE_H
#define ONNXC_TOOLS_ONNX_COMPILE_COMMANDLINE_H

#include <string>
#include <utility>
#include <vector>

/// A parsed command line.
struct CommandLine {
  /// Path of the model, "-" for the standard input.
  std::string input;
  /// Keys and values for omCompilerSetOption.
  std::vector<std::pair<std::string, std::string>> options;
  /// Empty, "text" or "json".
  std::string report;
  bool help = false;
  bool version = false;
  bool quiet = false;
  /// The error in it; empty if there is none.
  std::string error;
};

CommandLine parseCommandLine(int argc, char **argv);

std::string helpText();

#endif // ONNXC_TOOLS_ONNX_COMPILE_COMMANDLINE_H
