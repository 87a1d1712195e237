//===- ByteProduct.cpp - Ops that sum up products of bytes -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <climits>
#include <limits>

using namespace mlir;

namespace onnxc::krnl {

/// Payload ops on bytes, and those on the values of loops that they shift by.
static bool isByteOp(Operation *op) {
  return isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShRUIOp,
             arith::ShLIOp, arith::ConstantOp, arith::IndexCastOp,
             arith::MulIOp, arith::AddIOp, IndexOp>(op);
}

/// Inputs that the value is made from by such ops, and these ops, in order;
/// false if others take part.
static bool collect(Block *body, Value value,
                    SmallVectorImpl<BlockArgument> &inputs,
                    llvm::SetVector<Operation *> &ops) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    inputs.push_back(argument);
    return argument.getOwner() == body;
  }
  Operation *op = value.getDefiningOp();
  // Values from outside are the same for all bytes.
  if (op->getBlock() != body || ops.contains(op))
    return true;
  if (!isByteOp(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(body, operand, inputs, ops))
      return false;
  ops.insert(op);
  return true;
}

/// The factor that `value` extends, if it is a byte computed from one input.
static std::optional<ByteFactor> factorOf(ComputeOp op, Value value) {
  Operation *extend = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(extend))
    return std::nullopt;
  SmallVector<BlockArgument> inputs;
  llvm::SetVector<Operation *> ops;
  ByteFactor factor;
  factor.byte = extend->getOperand(0);
  factor.isSigned = isa<arith::ExtSIOp>(extend);
  if (!factor.byte.getType().isInteger(8) ||
      !collect(op.getBlock(), factor.byte, inputs, ops) || inputs.size() != 1 ||
      !inputs.front().getType().isInteger(8))
    return std::nullopt;
  factor.operand = op.getMatchingOpOperand(inputs.front());
  return op.isDpsInput(factor.operand) ? std::optional(factor) : std::nullopt;
}

SmallVector<Operation *> opsOf(const ByteFactor &factor) {
  SmallVector<BlockArgument> inputs;
  llvm::SetVector<Operation *> ops;
  Value byte = factor.byte;
  collect(byte.getParentBlock(), byte, inputs, ops);
  return ops.takeVector();
}

/// The largest number that the operations on a byte leave of it, unsigned.
static uint64_t largestOf(Value byte) {
  uint64_t largest = std::numeric_limits<uint8_t>::max();
  Operation *op = byte.getDefiningOp();
  if (auto shift = dyn_cast_if_present<arith::ShRUIOp>(op)) {
    largest = largestOf(shift.getLhs());
    APInt bits;
    if (matchPattern(shift.getRhs(), m_ConstantInt(&bits)))
      largest >>= bits.getLimitedValue(CHAR_BIT);
  } else if (auto mask = dyn_cast_if_present<arith::AndIOp>(op)) {
    largest = std::min(largestOf(mask.getLhs()), largestOf(mask.getRhs()));
  } else if (APInt value; op && matchPattern(byte, m_ConstantInt(&value))) {
    largest = value.getZExtValue();
  }
  return largest;
}

int64_t groupsOfShortSums(const ByteProduct &product) {
  if (product.lhs.isSigned == product.rhs.isSigned)
    return 0;
  const ByteFactor &factor = product.lhs.isSigned ? product.rhs : product.lhs;
  constexpr int64_t largestSigned =
      -int64_t(std::numeric_limits<int8_t>::min());
  int64_t ofPair = bytesOfPair * largestSigned *
                   std::max<int64_t>(int64_t(largestOf(factor.byte)), 1);
  return std::numeric_limits<int16_t>::max() / ofPair;
}

/// The operands of a sum or product of one of these kinds.
template <typename FloatOp, typename IntOp>
static std::optional<std::pair<Value, Value>> operandsOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<FloatOp, IntOp>(op))
    return std::nullopt;
  return std::pair(op->getOperand(0), op->getOperand(1));
}

std::optional<std::pair<Value, Value>> factorsOfSum(ComputeOp op) {
  return op.getNumDpsInits() == 1 ? factorsOfSum(op, 0) : std::nullopt;
}

std::optional<std::pair<Value, Value>> factorsOfSum(ComputeOp op,
                                                    unsigned result) {
  if (op.getNumReductionLoops() == 0)
    return std::nullopt;
  Value sum = op.getRegionOutputArgs()[result];
  auto terms = operandsOf<arith::AddFOp, arith::AddIOp>(
      op.getBlock()->getTerminator()->getOperand(result));
  if (!terms || !sum.hasOneUse() ||
      (terms->first != sum && terms->second != sum))
    return std::nullopt;
  return operandsOf<arith::MulFOp, arith::MulIOp>(
      terms->first == sum ? terms->second : terms->first);
}

std::optional<ByteProduct> byteProductOf(ComputeOp op) {
  auto factors = factorsOfSum(op);
  if (!factors || !factors->first.getType().isInteger(32))
    return std::nullopt;
  std::optional<ByteFactor> lhs = factorOf(op, factors->first),
                            rhs = factorOf(op, factors->second);
  if (!lhs || !rhs || lhs->operand == rhs->operand)
    return std::nullopt;
  return ByteProduct{*lhs, *rhs};
}

LogicalResult DotOp::verify() {
  int64_t sums = cast<VectorType>(getAcc().getType()).getNumElements();
  auto factors = cast<VectorType>(getLhs().getType());
  int64_t bytes = factors.getNumElements();
  if (factors.getElementType().isInteger(16))
    return bytes == bytesOfPair * sums
               ? success()
               : emitOpError("expects ")
                     << bytesOfPair * sums << " numbers of 16 bits for " << sums
                     << " sums, but got " << bytes;
  if (bytes != bytesOfDot * sums && (sums != 1 || bytes != bytesOfLongDot))
    return emitOpError("expects ") << bytesOfDot * sums << " bytes for " << sums
                                   << " sums, but got " << bytes;
  return success();
}

LogicalResult PairSumsOp::verify() {
  int64_t sums = cast<VectorType>(getType()).getNumElements();
  int64_t bytes = cast<VectorType>(getLhs().getType()).getNumElements();
  if (bytes != bytesOfPair * sums)
    return emitOpError("expects ") << bytesOfPair * sums << " bytes for "
                                   << sums << " sums, but got " << bytes;
  return success();
}

} // namespace onnxc::krnl
