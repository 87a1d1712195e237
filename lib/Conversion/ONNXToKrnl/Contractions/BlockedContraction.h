//===- BlockedContraction.h - Products with packed weights ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_BLOCKEDCONTRACTION_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_BLOCKEDCONTRACTION_H

#include "mlir/IR/Operation.h"

namespace onnxc {

/// Returns true if the MatMulNBits `op` becomes one kernel: its weights, scales
/// and zero points are constants of the sizes that follow from its attributes.
/// Other nodes are replaced by their function bodies.
bool hasBlockedForm(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_BLOCKEDCONTRACTION_H
