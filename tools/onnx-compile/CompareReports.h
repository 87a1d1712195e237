//===- CompareReports.h - Differences of two reports -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TOOLS_ONNX_COMPILE_COMPAREREPORTS_H
#define ONNXC_TOOLS_ONNX_COMPILE_COMPAREREPORTS_H

#include <string>

/// Prints the totals of two reports in JSON and the nodes that differ, those
/// with the largest differences of cost first. Returns the exit status.
int compareReports(const std::string &before, const std::string &after,
                   bool asJson);

#endif // ONNXC_TOOLS_ONNX_COMPILE_COMPAREREPORTS_H
