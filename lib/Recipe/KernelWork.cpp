//===- KernelWork.cpp - Operations and bytes of kernels --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/KernelWork.h"

#include "KernelShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"

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

/// Is it the product of a multiply-add? Only sums over loops count: that
/// elementwise products and sums are fused makes them none.
static bool isMultiplyAdd(ComputeOp around, Operation *op) {
  return around.getNumReductionLoops() > 0 && isProduct(op) &&
         op->hasOneUse() && isSum(*op->user_begin());
}

/// Points of the loops of an op.
static int64_t pointsOf(KernelOp kernel, ComputeOp op, int64_t unknown) {
  int64_t points = 1;
  for (StringRef axis : op.getAxes())
    points = estimatedProduct(points, extentOf(kernel, axis, unknown));
  return points;
}

void forEachOperation(KernelOp kernel, int64_t unknown,
                      function_ref<void(Location, const KernelWork &)> visit) {
  for (ComputeOp op : kernel.getBody().getOps<ComputeOp>()) {
    auto points = double(pointsOf(kernel, op, unknown));
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (!isArithmetic(&inner))
        continue;
      Type type = inner.getResult(0).getType();
      bool isWide = type.getIntOrFloatBitWidth() == 64;
      visit(inner.getLoc(), {isMultiplyAdd(op, &inner) ? points : 0, points, 0,
                             isWide ? points : 0, type.isF32() ? points : 0});
    }
  }
}

/// The most elements of an argument of the body that the loops touch.
static int64_t touchedElements(KernelOp kernel, BlockArgument argument,
                               int64_t unknown) {
  int64_t touched = 0;
  for (Operation *user : argument.getUsers()) {
    auto op = dyn_cast<ComputeOp>(user);
    if (!op)
      op = user->getParentOfType<ComputeOp>();
    if (op)
      touched += pointsOf(kernel, op, unknown);
  }
  return touched;
}

/// Bytes that the loops touch of an operand.
static double touchedBytes(KernelOp kernel, unsigned operand, int64_t unknown) {
  auto type = dyn_cast<RankedTensorType>(kernel.getOperand(operand).getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return 0;
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    elements = estimatedProduct(elements,
                                ShapedType::isDynamic(size) ? unknown : size);
  BlockArgument argument = kernel.getBody().getArgument(operand);
  elements = std::min(elements, touchedElements(kernel, argument, unknown));
  return double(elements) *
         std::max(type.getElementTypeBitWidth() / 8, unsigned(1));
}

KernelWork workOf(KernelOp kernel, int64_t unknown) {
  KernelWork sum;
  forEachOperation(kernel, unknown, [&](Location, const KernelWork &work) {
    sum.multiplyAdds += work.multiplyAdds;
    sum.operations += work.operations;
    sum.wideOperations += work.wideOperations;
    sum.f32Operations += work.f32Operations;
  });
  for (unsigned operand : llvm::seq(kernel->getNumOperands()))
    sum.bytes += touchedBytes(kernel, operand, unknown);
  return sum;
}

std::optional<KernelWork> exactWorkOf(KernelOp kernel) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (llvm::any_of(kernel->getOperandTypes(), isDynamic) ||
      !kernel.getExtents().empty() ||
      llvm::any_of(kernel.getBody().getOps<ComputeOp>(), isTraversal))
    return std::nullopt;
  return workOf(kernel, /*unknown=*/1);
}

} // namespace onnxc
