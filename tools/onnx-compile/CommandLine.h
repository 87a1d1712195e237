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

/// What a command line asks for.
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
  /// What is wrong with it; empty if nothing is.
  std::string error;
};

CommandLine parseCommandLine(int argc, char **argv);

std::string helpText();

#endif // ONNXC_TOOLS_ONNX_COMPILE_COMMANDLINE_H
