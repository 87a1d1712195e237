//===- EmptyLoops.cpp - Where loops have nothing to do ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A tensor without elements may have any number of rows. Walking along rows
// that have nothing in them would take for ever.
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

using namespace mlir;

namespace onnxc::krnl {

/// The axes that the parallel loops stem from: if one is empty, there are no
/// tiles and the kernel does not run.
static SmallVector<bool> parallelAxes(const LoopNest &nest) {
  SmallVector<bool> isParallel(nest.numAxes(), false);
  for (unsigned loop : nest.parallelLoops())
    for (unsigned axis : nest.axesOf(loop))
      isParallel[axis] = true;
  return isParallel;
}

/// Returns true if every op along `axis` has the other axis, too.
static bool alwaysTogether(const LoopNest &nest, unsigned axis,
                           unsigned other) {
  return llvm::all_of(nest.ops(), [&](const BodyOp &op) {
    return !llvm::is_contained(op.axes, axis) ||
           llvm::is_contained(op.axes, other);
  });
}

/// Whether one of the dynamic axes that all results have, but those in
/// `except`, is empty; null where there is no such axis.
static Value hasNoResults(KernelOp kernel, const LoopNest &nest,
                          ArrayRef<unsigned> except, ValueRange extents,
                          OpBuilder &b) {
  Value zero, isEmpty;
  for (unsigned axis = 0; axis < nest.numAxes(); ++axis) {
    if (!nest.loop(axis).isDynamic() || llvm::is_contained(except, axis) ||
        !kernel.isOfResults(axis))
      continue;
    if (!zero)
      zero = arith::ConstantIndexOp::create(b, kernel.getLoc(), 0);
    Value nothing = b.createOrFold<arith::CmpIOp>(
        kernel.getLoc(), arith::CmpIPredicate::eq, extents[axis], zero);
    isEmpty = isEmpty ? b.createOrFold<arith::OrIOp>(kernel.getLoc(), isEmpty,
                                                     nothing)
                      : nothing;
  }
  return isEmpty;
}

Value tilesForResults(KernelOp kernel, const LoopNest &nest,
                      ArrayRef<unsigned> except, ValueRange extents,
                      OpBuilder &b, Value tiles) {
  Value isIdle = hasNoResults(kernel, nest, except, extents, b);
  if (!isIdle)
    return tiles;
  Value none = arith::ConstantIndexOp::create(b, kernel.getLoc(), 0);
  return b.createOrFold<arith::SelectOp>(kernel.getLoc(), isIdle, none, tiles);
}

/// Whether one of these loops is empty; null if it is known that none is.
static Value isAnyEmpty(ArrayRef<unsigned> axes, ArrayRef<LaneIndex> extents,
                        ImplicitLocOpBuilder &b) {
  LaneMath math(b);
  Value isEmpty;
  for (unsigned axis : axes) {
    if (extents[axis].isConstant() && extents[axis].offset != 0)
      continue;
    Value nothing = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          math.scalar(extents[axis]),
                                          arith::ConstantIndexOp::create(b, 0));
    isEmpty = isEmpty ? arith::OrIOp::create(b, isEmpty, nothing).getResult()
                      : nothing;
  }
  return isEmpty;
}

/// Whether each op along `axis` has an empty loop of those that the others
/// lack, as where all parts of a concatenation are empty; null if it is known
/// that one has none.
static Value isEachEmpty(const LoopNest &nest, unsigned axis,
                         ArrayRef<unsigned> others, ArrayRef<LaneIndex> extents,
                         ImplicitLocOpBuilder &b) {
  Value isEmpty;
  for (const BodyOp &op : nest.ops()) {
    if (!llvm::is_contained(op.axes, axis))
      continue;
    SmallVector<unsigned> own =
        llvm::filter_to_vector(others, [&](unsigned other) {
          return llvm::is_contained(op.axes, other);
        });
    Value ofOp = isAnyEmpty(own, extents, b);
    if (!ofOp)
      return {};
    isEmpty =
        isEmpty ? arith::AndIOp::create(b, isEmpty, ofOp).getResult() : ofOp;
  }
  return isEmpty;
}

SmallVector<LaneIndex> extentsWithWork(KernelOp kernel, const LoopNest &nest,
                                       bool ofTiles,
                                       ArrayRef<LaneIndex> extents,
                                       ImplicitLocOpBuilder &b) {
  SmallVector<bool> isParallel = parallelAxes(nest);
  SmallVector<LaneIndex> result(extents);
  LaneMath math(b);
  for (unsigned axis = 0; axis < nest.numAxes(); ++axis) {
    if (isParallel[axis] != ofTiles)
      continue;
    SmallVector<unsigned> common, own;
    for (unsigned other = 0; other < nest.numAxes(); ++other)
      if (!isParallel[other] && other != axis)
        (kernel.isOfResults(other) || alwaysTogether(nest, axis, other) ? common
                                                                        : own)
            .push_back(other);
    if (llvm::any_of(common, [&](unsigned other) {
          return extents[other].isConstant() && extents[other].offset == 0;
        }))
      result[axis] = {};
    if (result[axis].isConstant())
      continue;
    Value isEmpty = isAnyEmpty(common, extents, b);
    if (Value each = isEachEmpty(nest, axis, own, extents, b))
      isEmpty =
          isEmpty ? arith::OrIOp::create(b, isEmpty, each).getResult() : each;
    if (isEmpty)
      result[axis].base = arith::SelectOp::create(
          b, isEmpty, arith::ConstantIndexOp::create(b, 0),
          math.scalar(result[axis]));
  }
  return result;
}

} // namespace onnxc::krnl
