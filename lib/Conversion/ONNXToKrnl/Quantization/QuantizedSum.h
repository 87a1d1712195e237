//===- QuantizedSum.h - Sums of quantised tensors ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_QUANTIZEDSUM_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_QUANTIZEDSUM_H

#include "mlir/IR/Operation.h"

namespace onnxc {

/// Returns true if the QLinearAdd `op` becomes one kernel: its scales and zero
/// points are constant scalars, and the ranks of its operands are known. Other
/// nodes become their function bodies.
bool hasConstantScales(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_QUANTIZEDSUM_H
