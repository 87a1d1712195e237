//===- UnitViews.cpp - Views with dimensions of one element -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/UnitViews.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// The sizes of a tensor, as far as the op that makes it has them.
static SmallVector<OpFoldResult> sizesOf(Value tensor) {
  Builder b(tensor.getContext());
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes =
      llvm::map_to_vector(type.getShape(), [&](int64_t size) -> OpFoldResult {
        return ShapedType::isDynamic(size) ? OpFoldResult()
                                           : b.getIndexAttr(size);
      });
  Operation *maker = tensor.getDefiningOp();
  if (auto kernel = dyn_cast_if_present<KernelOp>(maker))
    maker = kernel.getOuts()[cast<OpResult>(tensor).getResultNumber()]
                .getDefiningOp();
  if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(maker))
    return empty.getMixedSizes();
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(maker))
    return expand.getMixedOutputShape();
  if (auto reshape = dyn_cast_if_present<tensor::ReshapeOp>(maker))
    if (auto shape = reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
      for (auto [size, given] : llvm::zip_equal(sizes, shape.getElements()))
        if (!size)
          size = given;
  return sizes;
}

std::optional<SmallVector<std::optional<unsigned>>>
dimensionsOfView(Value view, Value viewed) {
  SmallVector<OpFoldResult> from = sizesOf(viewed), to = sizesOf(view);
  SmallVector<std::optional<unsigned>> dims(from.size());
  auto isUnit = [](OpFoldResult size) {
    return size && isConstantIntValue(size, 1);
  };
  unsigned next = 0, unknown = 0;
  for (auto [dim, size] : llvm::enumerate(from)) {
    if (isUnit(size))
      continue;
    while (next < to.size() && isUnit(to[next]))
      ++next;
    if (next == to.size())
      return std::nullopt;
    // One size follows from the others.
    unknown += !size || !to[next] || size != to[next];
    dims[dim] = next++;
  }
  bool isOnly = llvm::all_of(ArrayRef(to).drop_front(next), isUnit);
  return isOnly && unknown < 2 ? std::optional(dims) : std::nullopt;
}

} // namespace onnxc
