//===- InputSizes.h - Sizes that are those of inputs ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_INPUTSIZES_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_INPUTSIZES_H

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Gives the values that replace the results of `op` the sizes of the inputs
/// that the graph knows these by. A run in which they differ ends.
void useInputSizes(mlir::RewriterBase &rewriter, mlir::Operation *op,
                   mlir::ValueRange values);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_INPUTSIZES_H
