//===- Broadcasting.h - Multidirectional broadcasting -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_BROADCASTING_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_BROADCASTING_H

#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

namespace onnxc {

/// Operands brought to a state where each dimension is, for the compiler to
/// see, either 1 or the size of the result.
struct BroadcastOperands {
  llvm::SmallVector<mlir::Value> values;
  /// One size for each dimension of the result.
  llvm::SmallVector<mlir::Value> sizes;
  llvm::SmallVector<int64_t> shape;
};

/// Emits, on the host, the sizes of the result, the check that the operands
/// agree, and, for an operand whose dimension may turn out to be 1 only at run
/// time, an expansion on that cold path. The last `kept` dimensions of each
/// operand are left as they are, and have no size in the result.
BroadcastOperands broadcastOperands(mlir::OpBuilder &b, mlir::Location loc,
                                    mlir::ValueRange operands,
                                    int64_t kept = 0);

/// The size that these broadcast to, and the check that they do.
mlir::Value broadcastSize(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::ValueRange sizes);

/// Ends the run with `message` unless `size` is `wanted` or 1; nothing where
/// that is known.
void checkBroadcasts(mlir::OpBuilder &b, mlir::Location loc, mlir::Value size,
                     mlir::Value wanted, llvm::StringRef message);

/// `operand` with these sizes, where there is one and that of the operand is
/// dynamic: it is the same, or 1.
mlir::Value expandTo(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value operand, llvm::ArrayRef<mlir::Value> wanted);

/// Where `operand` is read for the result element at `loops`.
krnl::KernelBuilder::Access
broadcastAccess(krnl::KernelBuilder &kernel, mlir::Value operand,
                llvm::ArrayRef<mlir::AffineExpr> loops);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_BROADCASTING_H
