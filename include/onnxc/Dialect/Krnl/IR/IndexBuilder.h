//===- IndexBuilder.h - Arithmetic of sizes and indices ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_IR_INDEXBUILDER_H
#define ONNXC_DIALECT_KRNL_IR_INDEXBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace onnxc {

/// Makes the arithmetic of the host program on sizes and indices. Known numbers
/// stay numbers, and products of them saturate: no tensor has such a size.
/// Constants are added up at the end of a sum, so that equal sizes become equal
/// values.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpFoldResult number(int64_t x) { return builder.getIndexAttr(x); }
  /// `x` as a value, a constant for a number.
  mlir::Value value(mlir::OpFoldResult x);

  mlir::OpFoldResult add(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult sub(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult mul(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Quotients; of numbers, 0 where `y` is 0.
  mlir::OpFoldResult floorDiv(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Rounded towards zero: cheaper than floorDiv().
  mlir::OpFoldResult div(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult min(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult max(mlir::OpFoldResult x, mlir::OpFoldResult y);

private:
  template <typename Op, typename Fold>
  mlir::OpFoldResult combine(mlir::OpFoldResult x, mlir::OpFoldResult y,
                             Fold fold);
  mlir::OpFoldResult offset(mlir::OpFoldResult base, int64_t by);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// A size that is the product of a known number and of one that is not known,
/// or null.
struct ScaledSize {
  int64_t factor = 1;
  mlir::Value unknown;

  bool operator==(const ScaledSize &other) const {
    return factor == other.factor && unknown == other.unknown;
  }
};

/// The number that a size was multiplied by, and what was multiplied.
ScaledSize splitFactor(mlir::OpFoldResult size);

/// A lower bound of an index: sizes are not negative, and bounds of values
/// computed from them follow. INT64_MIN where nothing is known.
int64_t lowerBoundOf(mlir::OpFoldResult index);

} // namespace onnxc

#endif // ONNXC_DIALECT_KRNL_IR_INDEXBUILDER_H
