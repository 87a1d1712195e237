//===- PartialAccess.h - Loops over a part of a dimension -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An access by a loop alone implies that the loop runs over the whole
// dimension. Where it runs over the first elements only, the access is `loop
// mod 2^62`: the same index, as no loop is that long, but no extent.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_IR_PARTIALACCESS_H
#define ONNXC_DIALECT_KRNL_IR_PARTIALACCESS_H

#include "mlir/IR/AffineExpr.h"

namespace onnxc::krnl {

inline constexpr int64_t beyondAnyLoop = int64_t(1) << 62;

/// The loop that runs over the first elements only; any other index as it is.
inline mlir::AffineExpr wholeIndex(mlir::AffineExpr index) {
  auto part = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(index);
  bool isPart = part && part.getKind() == mlir::AffineExprKind::Mod &&
                part.getRHS() == beyondAnyLoop;
  return isPart ? part.getLHS() : index;
}

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_PARTIALACCESS_H
