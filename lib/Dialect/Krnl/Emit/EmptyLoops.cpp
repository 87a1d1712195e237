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

Value hasNoResults(KernelOp kernel, const LoopNest &nest,
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

SmallVector<LaneIndex> extentsWithWork(KernelOp kernel, const LoopNest &nest,
                                       bool ofTiles,
                                       ArrayRef<LaneIndex> extents,
                                       ImplicitLocOpBuilder &b) {
  SmallVector<bool> isParallel = parallelAxes(nest);
  SmallVector<LaneIndex> result(extents);
  LaneMath math(b);
  for (unsigned axis = 0; axis < nest.numAxes(); ++axis) {
    Value isEmpty;
    for (unsigned other = 0; other < nest.numAxes(); ++other) {
      if (isParallel[axis] != ofTiles || isParallel[other] || other == axis ||
          !(kernel.isOfResults(other) || alwaysTogether(nest, axis, other)))
        continue;
      if (extents[other].isConstant()) {
        if (extents[other].offset == 0)
          result[axis] = {};
        continue;
      }
      if (extents[axis].isConstant())
        continue;
      Value zero = arith::ConstantIndexOp::create(b, 0);
      Value nothing = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                            math.scalar(extents[other]), zero);
      isEmpty = isEmpty ? arith::OrIOp::create(b, isEmpty, nothing).getResult()
                        : nothing;
    }
    if (isEmpty && !result[axis].isConstant())
      result[axis].base = arith::SelectOp::create(
          b, isEmpty, arith::ConstantIndexOp::create(b, 0),
          math.scalar(result[axis]));
  }
  return result;
}

} // namespace onnxc::krnl
