//===- KernelWork.cpp - Operations and bytes of kernels --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/KernelWork.h"

#include "KernelShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

static bool isSum(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op);
}

static bool isProduct(Operation *op) {
  return isa<arith::MulFOp, arith::MulIOp>(op);
}

/// Selections, comparisons and conversions do not count, nor do indices.
static bool isArithmetic(Operation *op) {
  if (op->getNumResults() != 1 || op->getResult(0).getType().isIndex())
    return false;
  return isSum(op) || isProduct(op) ||
         isa<math::MathDialect>(op->getDialect()) ||
         isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
             arith::RemSIOp, arith::RemUIOp, arith::NegFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(
             op);
}

/// Is it the product of a multiply-add?
static bool isMultiplyAdd(Operation *op) {
  return isProduct(op) && op->hasOneUse() && isSum(*op->user_begin());
}

void forEachOperation(KernelOp kernel, int64_t unknown,
                      function_ref<void(Location, const KernelWork &)> visit) {
  for (ComputeOp op : kernel.getBody().getOps<ComputeOp>()) {
    int64_t points = 1;
    for (StringRef axis : op.getAxes())
      points = estimatedProduct(points, extentOf(kernel, axis, unknown));
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (!isArithmetic(&inner))
        continue;
      bool isWide = inner.getResult(0).getType().getIntOrFloatBitWidth() == 64;
      visit(inner.getLoc(), {isMultiplyAdd(&inner) ? double(points) : 0,
                             double(points), 0, isWide ? double(points) : 0});
    }
  }
}

KernelWork workOf(KernelOp kernel, int64_t unknown) {
  KernelWork sum;
  forEachOperation(kernel, unknown, [&](Location, const KernelWork &work) {
    sum.multiplyAdds += work.multiplyAdds;
    sum.operations += work.operations;
    sum.wideOperations += work.wideOperations;
  });
  sum.bytes = double(trafficBytes(kernel, unknown));
  return sum;
}

} // namespace onnxc
