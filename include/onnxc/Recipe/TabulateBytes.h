//===- TabulateBytes.h - Functions of a byte as tables ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_TABULATEBYTES_H
#define ONNXC_RECIPE_TABULATEBYTES_H

#include "onnxc/Dialect/ONNX/Transforms/FoldConstants.h"

namespace onnxc {

/// The pass krnl-tabulate-bytes, which has tables computed by `evaluator`;
/// without one it does nothing.
std::unique_ptr<mlir::Pass>
createTabulateBytes(const onnx::Evaluator &evaluator);

} // namespace onnxc

#endif // ONNXC_RECIPE_TABULATEBYTES_H
