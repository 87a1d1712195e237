//===- EinsumEquation.h - The equation of an Einsum ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_EINSUMEQUATION_H
#define ONNXC_DIALECT_ONNX_IR_EINSUMEQUATION_H

#include "mlir/Support/LLVM.h"

namespace onnxc::onnx {

/// The labels of the dimensions of operands and result: "...ij,...jk->...ik".
struct EinsumEquation {
  /// A letter; the dimensions of an ellipsis are those below zero, the last
  /// being -1.
  using Label = int;
  using Labels = mlir::SmallVector<Label>;

  /// One list for each operand.
  mlir::SmallVector<Labels> operands;
  Labels result;

  /// The equation for operands of these ranks; fails for texts that are none,
  /// or none for these ranks.
  static mlir::FailureOr<EinsumEquation> parse(mlir::StringRef text,
                                               mlir::ArrayRef<int64_t> ranks);
};

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_EINSUMEQUATION_H
