//===- HostBuffers.h - Utilities of passes on buffers ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTBUFFERS_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc::krnl {

/// Every buffer starts at a multiple of this.
inline constexpr int64_t bufferAlignment = 64;

/// The functions of the host program: those that are no kernels.
llvm::SmallVector<mlir::func::FuncOp> hostFunctions(mlir::ModuleOp module);

/// The buffer that `buffer` is a view of: through casts and reshapes.
mlir::Value viewBase(mlir::Value buffer);

/// Returns true for operations that neither read nor write what a buffer
/// contains.
bool isAboutMemory(mlir::Operation *op);

/// The dynamic sizes of `buffer`, in order.
llvm::SmallVector<mlir::Value>
dynamicSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer);

/// Ends the run unless a buffer can have these dynamic sizes.
void checkBytes(mlir::OpBuilder &b, mlir::Location loc, mlir::MemRefType type,
                mlir::ValueRange sizes);

/// Constants and their offsets among the weights; each is placed once.
class WeightTable {
public:
  /// Byte offset of a constant that takes `bytes` with `layout` (or null).
  int64_t add(mlir::TypedAttr value, mlir::Attribute layout, int64_t bytes);

  /// Writes `krnl.weights` and `krnl.weights_bytes` to the module.
  void record(mlir::ModuleOp module) const;

private:
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, int64_t> offsets;
  llvm::SmallVector<mlir::Attribute> entries;
  int64_t size = 0;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTBUFFERS_H
