//===- LaneIndex.h - Index values across the lanes of a vector --*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// While a kernel is emitted, an index is a scalar, or it differs from lane to
// lane of the vector being computed. Nearly always the difference is a fixed
// step, which distinguishes a contiguous vector load from a gather. Constants
// are kept apart so that unrolled instances share their base.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_LANEINDEX_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_LANEINDEX_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace onnxc::krnl {

/// The index of lane `i` is `base + offset + i * step`, or `vec[i] + offset`
/// when `vec` is set (then `base` is null and `step` is 0).
struct LaneIndex {
  mlir::Value base;
  int64_t offset = 0;
  int64_t step = 0;
  mlir::Value vec;

  bool isUniform() const { return !vec && step == 0; }
  bool isConstant() const { return isUniform() && !base; }
};

/// A uniform index: the same for all lanes.
LaneIndex toLaneIndex(mlir::OpFoldResult value);

/// Arithmetic on LaneIndex; emits code only where a value is not constant.
class LaneMath {
public:
  explicit LaneMath(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  /// Lanes of the vectors that general (unevenly spaced) indices need.
  void setLanes(int64_t count) { lanes = count; }

  LaneIndex add(LaneIndex x, LaneIndex y);
  LaneIndex scale(LaneIndex x, int64_t factor);
  /// x * factor for a factor known only at run time.
  LaneIndex scale(LaneIndex x, mlir::Value factor);
  LaneIndex floorDiv(LaneIndex x, int64_t divisor);
  LaneIndex floorDiv(LaneIndex x, mlir::Value divisor);
  LaneIndex mod(LaneIndex x, int64_t divisor);
  LaneIndex mod(LaneIndex x, mlir::Value divisor);
  /// The index, or the last ones before `end` where it is not before it; all
  /// lanes are before it, or none.
  LaneIndex minimum(LaneIndex x, LaneIndex end);
  /// Value of an affine (or semi-affine) expression.
  LaneIndex eval(mlir::AffineExpr expr, llvm::ArrayRef<LaneIndex> dims,
                 llvm::ArrayRef<LaneIndex> symbols = {});

  /// The index of lane 0 (of all lanes when uniform) as an `index` value.
  mlir::Value scalar(LaneIndex x);
  /// The index of lane 0 (of all lanes when uniform); an attribute if it is
  /// constant.
  mlir::OpFoldResult foldResult(LaneIndex x);
  /// All lanes as `vector<lanes x index>`.
  mlir::Value vector(LaneIndex x);

private:
  mlir::Value constant(int64_t value);
  template <typename Op>
  LaneIndex binary(LaneIndex x, mlir::Value y);

  mlir::ImplicitLocOpBuilder &b;
  int64_t lanes = 1;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_LANEINDEX_H
