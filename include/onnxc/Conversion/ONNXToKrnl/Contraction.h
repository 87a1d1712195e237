//===- Contraction.h - Sums of products -------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERSION_ONNXTOKRNL_CONTRACTION_H
#define ONNXC_CONVERSION_ONNXTOKRNL_CONTRACTION_H

#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

namespace onnxc {

/// out = sum over `reduced` of lhs * rhs, starting from zero, in the compute
/// type of `onnxElement` (the element type of `out.tensor`). Every operator
/// that multiplies and sums goes through here.
mlir::Value buildContraction(krnl::KernelBuilder &kernel,
                             mlir::Type onnxElement,
                             const krnl::KernelBuilder::Access &lhs,
                             const krnl::KernelBuilder::Access &rhs,
                             const krnl::KernelBuilder::Access &out,
                             llvm::ArrayRef<mlir::AffineExpr> reduced);

} // namespace onnxc

#endif // ONNXC_CONVERSION_ONNXTOKRNL_CONTRACTION_H
