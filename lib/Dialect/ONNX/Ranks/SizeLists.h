//===- SizeLists.h - Sizes of tensors of unknown rank ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where a rank is not known, a shape is a list that is cut, joined and padded
// like other data.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_RANKS_SIZELISTS_H
#define ONNXC_LIB_DIALECT_ONNX_RANKS_SIZELISTS_H

#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

#include <limits>
#include <optional>

namespace onnxc::onnx {

/// Makes operations on tensors of unknown rank, and on the lists of their
/// sizes.
class SizeListMaker : public NodeMaker {
public:
  using NodeMaker::NodeMaker;

  /// Where a cut ends that goes on to the end of a list.
  static constexpr int64_t toEnd = std::numeric_limits<int64_t>::max();

  /// A tensor of elements like those of `x`, all of its `rank` sizes unknown.
  static mlir::Type typeLike(mlir::Value x, int64_t rank);

  /// The sizes of `x`; the operand of its Reshape, if that is a shape.
  mlir::Value sizesOf(mlir::Value x);
  /// The sizes of `x` from `start` to `end`, or to the last one.
  mlir::Value sizesOf(mlir::Value x, int64_t start,
                      std::optional<int64_t> end = {});

  /// How many elements sizes stand for, as a list of one.
  mlir::Value product(mlir::Value list);
  /// `list`, which the run checks to have `length` elements.
  mlir::Value ofLength(mlir::Value list, int64_t length);
  /// The elements from `start` to `end`: numbers, or lists of one number.
  mlir::Value cut(mlir::Value list, int64_t start, int64_t end);
  mlir::Value cut(mlir::Value list, mlir::Value start, mlir::Value end);
  /// The last `length` elements, with ones in front where there are fewer.
  mlir::Value padded(mlir::Value list, int64_t length);
  /// The last `count` elements, a scalar, of a list of `length` elements.
  mlir::Value last(mlir::Value list, int64_t length, mlir::Value count);

  /// `x` with the sizes that a list has; sizes of 0 are meant as such.
  mlir::Value reshapeTo(mlir::Value x, mlir::Value sizes, mlir::Type type);
  /// `x` with a known number of sizes that a list has; sizes of 0 are meant as
  /// such.
  mlir::Value reshapeTo(mlir::Value x, mlir::Value sizes, int64_t rank) {
    return reshapeTo(x, sizes, typeLike(x, rank));
  }
  /// The elements of `x` in one dimension.
  mlir::Value flatten(mlir::Value x);

  /// A tensor with dimensions of size 1 in front, and how many it has without
  /// them, which is a scalar.
  struct Wide {
    mlir::Value view;
    mlir::Value rank;
  };
  /// `x` on `maxRank` dimensions; the operand, if `x` is a result of `narrow`.
  Wide widen(mlir::Value x);
  /// The tensor itself, of type `type`.
  mlir::Value narrow(Wide wide, mlir::Type type);
  /// Returns true for a result of `narrow`.
  static bool isNarrowed(mlir::Value x);
};

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_RANKS_SIZELISTS_H
