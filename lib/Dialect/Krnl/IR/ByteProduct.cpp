//===- ByteProduct.cpp - Ops that sum up products of bytes -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace onnxc::krnl {

/// The input of the op that `value` extends from a byte; null if it is none.
static OpOperand *extendedInput(linalg::LinalgOp op, Value value,
                                bool &isSigned) {
  Operation *extend = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(extend))
    return nullptr;
  isSigned = isa<arith::ExtSIOp>(extend);
  auto argument = dyn_cast<BlockArgument>(extend->getOperand(0));
  if (!argument || argument.getOwner() != op.getBlock() ||
      !argument.getType().isInteger(8))
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return op.isDpsInput(operand) ? operand : nullptr;
}

std::optional<ByteProduct> byteProductOf(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  Block *body = op.getBlock();
  Value sum = op.getRegionOutputArgs().front();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!add || !add.getType().isInteger(32) || !sum.hasOneUse())
    return std::nullopt;
  if (add.getLhs() != sum && add.getRhs() != sum)
    return std::nullopt;
  Value term = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  auto product = term.getDefiningOp<arith::MulIOp>();
  if (!product)
    return std::nullopt;
  ByteProduct result;
  result.lhs = extendedInput(op, product.getLhs(), result.lhsSigned);
  result.rhs = extendedInput(op, product.getRhs(), result.rhsSigned);
  if (!result.lhs || !result.rhs || result.lhs == result.rhs)
    return std::nullopt;
  return result;
}

LogicalResult DotOp::verify() {
  int64_t sums = cast<VectorType>(getAcc().getType()).getNumElements();
  int64_t bytes = cast<VectorType>(getLhs().getType()).getNumElements();
  if (bytes != 4 * sums)
    return emitOpError("expects ")
           << 4 * sums << " bytes for " << sums << " sums, but got " << bytes;
  return success();
}

} // namespace onnxc::krnl
