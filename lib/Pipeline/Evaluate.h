//===- Evaluate.h - Running a piece of the model now -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_PIPELINE_EVALUATE_H
#define ONNXC_LIB_PIPELINE_EVALUATE_H

#include "onnxc/Dialect/ONNX/Transforms/FoldConstants.h"
#include "onnxc/Pipeline/Options.h"

namespace onnxc {

/// Computes constants by the phases of this compiler: compiled for the least
/// processor of this machine's kind, with empty recipes, and run in this
/// process on one thread. The same bits for every target. Without a runtime to
/// run them with, nothing is computed.
onnx::Evaluator makeEvaluator(const CompileOptions &options);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINE_EVALUATE_H
