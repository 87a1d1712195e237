//===- PayloadEmitter.h - The body of an op on lanes ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Repeats the scalar body of an op on scalars or vectors. The
// operands of a value alone say which: a value that all lanes share stays a
// scalar, and sums and multiples of loop indices stay evenly spaced, so that
// elements at such addresses can be loaded as a vector.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_PAYLOADEMITTER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_PAYLOADEMITTER_H

#include "LaneIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// The point at which a payload is emitted.
class PayloadPoint {
public:
  virtual ~PayloadPoint() = default;
  virtual int64_t getLanes() = 0;
  /// Which lanes count; null if all do.
  virtual mlir::Value getMask() = 0;
  /// The value of an iterator dimension.
  virtual LaneIndex getIndex(unsigned dim) = 0;
  /// A value that is the same at all points.
  virtual mlir::Value getUniform(mlir::Value outside) = 0;
  /// Reads at computed indices, for as many lanes, under a mask if there is
  /// one.
  virtual mlir::Value read(mlir::tensor::ExtractOp op,
                           llvm::ArrayRef<LaneIndex> at, int64_t lanes,
                           mlir::Value mask) = 0;
  virtual mlir::Value read(ScatterLoadOp op, llvm::ArrayRef<LaneIndex> at) = 0;
  /// Called where the op has met an index out of range; both are of 64 bits.
  virtual void noteError(WrapIndexOp op, mlir::Value index,
                         mlir::Value size) = 0;
};

class PayloadEmitter {
public:
  /// `contract`: a multiply and an add may become one operation.
  PayloadEmitter(mlir::ImplicitLocOpBuilder &b, LaneMath &math,
                 PayloadPoint &point, bool contract)
      : b(b), math(math), point(point), contract(contract) {}

  void map(mlir::Value original, mlir::Value value) {
    values.map(original, value);
  }
  void emit(mlir::Operation *op);
  /// The emitted form of a value of the payload, as a scalar or vector, and as
  /// an index with the facts on its lanes.
  mlir::Value valueOf(mlir::Value original);
  LaneIndex indexOf(mlir::Value original);
  llvm::SmallVector<LaneIndex> indicesOf(mlir::ValueRange original);

private:
  bool emitIndexOp(mlir::Operation *op);
  mlir::Value emitValueOp(mlir::Operation *op);
  mlir::Value emitRead(mlir::tensor::ExtractOp op);
  mlir::Value emitWrapIndex(WrapIndexOp op);
  mlir::Value emitLaneCompare(mlir::arith::CmpIOp op);
  void noteError(WrapIndexOp op, mlir::Value index, mlir::Value size,
                 mlir::Value isBad);
  mlir::Value emitPlainOp(mlir::Operation *op);

  mlir::ImplicitLocOpBuilder &b;
  LaneMath &math;
  PayloadPoint &point;
  bool contract;
  mlir::IRMapping values;
  /// The values of index type whose lanes are evenly spaced, which become
  /// vectors only where they must.
  llvm::DenseMap<mlir::Value, LaneIndex> indices;
};

/// Returns true if the lanes have different indices.
bool variesByLane(llvm::ArrayRef<LaneIndex> at);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_PAYLOADEMITTER_H
