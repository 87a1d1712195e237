//===- Contraction.h - Sums of products -------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_CONTRACTION_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_CONTRACTION_H

#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

namespace onnxc {

/// Element types of a contraction, as the onnx dialect has them: operands are
/// cast to `sum`, in whose compute type they are multiplied and added.
struct ContractionTypes {
  /// All three the same.
  ContractionTypes(mlir::Type element)
      : lhs(element), rhs(element), sum(element) {}
  ContractionTypes(mlir::Type lhs, mlir::Type rhs, mlir::Type sum)
      : lhs(lhs), rhs(rhs), sum(sum) {}
  mlir::Type lhs, rhs, sum;
};

/// out = sum over `reduced` of lhs * rhs, starting from zero; `out.tensor` has
/// the compute type of the sum. Every operator that multiplies and sums goes
/// through here.
mlir::Value buildContraction(krnl::KernelBuilder &kernel,
                             ContractionTypes types,
                             const krnl::KernelBuilder::Access &lhs,
                             const krnl::KernelBuilder::Access &rhs,
                             const krnl::KernelBuilder::Access &out,
                             llvm::ArrayRef<mlir::AffineExpr> reduced);

/// `x` itself, or its elements as f32 if they are half as wide: products that
/// read them row by row would widen them again for every few columns.
mlir::Value widenHalves(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
/// A factor of products with `other`, its elements as f32 if they are half as
/// wide; `x` itself where the target has an instruction for products of
/// matrices of such elements.
mlir::Value widenFactor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        mlir::Value other);

/// The matrix product of ONNX's MatMul, for operands of known rank that is not
/// 0, in the storage type of the sum.
mlir::Value buildMatMul(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs,
                        mlir::Value rhs, ContractionTypes types);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_CONTRACTION_H
