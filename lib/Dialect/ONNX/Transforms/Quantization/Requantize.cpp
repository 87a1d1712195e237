//===- Requantize.cpp - The way back to bytes -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Reals that become bytes again: scales go into constants, and operators that
// only move elements move bytes.
//
//===----------------------------------------------------------------------===//
#include "Requantize.h"

#include "QuantizedProduct.h"
#include "Simplify/ConstantFloats.h"

#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

DequantizeLinearOp onnxc::onnx::dequantizedBytes(Value value) {
  auto op =
      value ? value.getDefiningOp<DequantizeLinearOp>() : DequantizeLinearOp();
  bool hasForm = op && areBytes(op.getX()) && rankOf(op.getX()) >= 0 &&
                 isF32(op.getXScale()) && isF32(op.getY()) &&
                 op.getBlockSize() == 0;
  return hasForm ? op : DequantizeLinearOp();
}

bool onnxc::onnx::isUniform(DequantizeLinearOp op) {
  return elementCount(op.getXScale()) == 1 &&
         (!op.getXZeroPoint() || elementCount(op.getXZeroPoint()) == 1);
}

/// Returns true if `value` is computed from dequantised tensors and products so
/// that a factor can be folded into constants.
static bool takesFactor(Value value, unsigned depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (isa<DequantizeLinearOp>(op))
    return isFromConstants(op->getOperand(1)) && isF32(value) &&
           isF32(op->getOperand(1));
  if (!op->hasOneUse())
    return false;
  if (isa<MulOp>(op))
    return isFromConstants(op->getOperand(1)) && isF32(value);
  if (isa<ReluOp>(op))
    return takesFactor(op->getOperand(0), depth - 1);
  if (!isa<AddOp, SubOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isFromConstants(operand) || takesFactor(operand, depth - 1);
  });
}

/// value * factor, for a value that takes it.
static Value withFactor(NodeMaker &maker, Value value, Value factor) {
  if (isFromConstants(value))
    return maker.make("Mul", {value, factor});
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands(op->getOperands());
  if (isa<DequantizeLinearOp, MulOp>(op))
    operands[1] = maker.make("Mul", {operands[1], factor});
  else
    for (Value &operand : operands)
      operand = withFactor(maker, operand, factor);
  Operation *made = maker.builder.clone(*op);
  made->setOperands(operands);
  return made->getResult(0);
}

namespace {

/// Left to RemoveRequantize.
bool isCopy(QuantizeLinearOp op) {
  return op.getX().getDefiningOp<DequantizeLinearOp>() != nullptr;
}

/// quantize(x, ys) -> quantize(x * (1 / ys), 1), where the factor costs nothing
LogicalResult scaleBeforeQuantize(QuantizeLinearOp op,
                                  PatternRewriter &rewriter) {
  auto scale = ConstantFloats::read(op.getYScale());
  if (!scale || scale->values.size() != 1 || !isF32(op.getYScale()) ||
      !(scale->values[0] > 0) || scale->values[0] == 1 ||
      op.getBlockSize() != 0 || op.getPrecision() != 0 || !areBytes(op.getY()))
    return rewriter.notifyMatchFailure(op, "no scale to take out");
  if (!takesFactor(op.getX()) || isCopy(op))
    return rewriter.notifyMatchFailure(op, "nothing takes the factor");
  NodeMaker maker(rewriter, op.getLoc());
  // Of the shape of the scale: that of the zero point.
  scale->values.front() = 1;
  Value one = scale->create(rewriter, op.getLoc());
  Value factor = maker.make("Div", {maker.number(1, rewriter.getF32Type()),
                                    maker.reshape(op.getYScale(), {})});
  Value x = withFactor(maker, op.getX(), factor);
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(x);
    op.getYScaleMutable().assign(one);
  });
  return success();
}

/// quantize(dequantize(x, s, z), s, z) -> x
LogicalResult removeRequantize(QuantizeLinearOp op, PatternRewriter &rewriter) {
  DequantizeLinearOp x = dequantizedBytes(op.getX());
  bool same = x && isUniform(x) && x.getXScale() == op.getYScale() &&
              x.getXZeroPoint() == op.getYZeroPoint() &&
              op.getBlockSize() == 0 && op.getPrecision() == 0 &&
              getElementTypeOrSelf(x.getX().getType()) ==
                  getElementTypeOrSelf(op.getY().getType());
  auto scale = same ? ConstantFloats::read(op.getYScale()) : std::nullopt;
  if (!scale || !std::isnormal(float(scale->values.front())))
    return rewriter.notifyMatchFailure(op, "other parameters than before");
  return replaceIfAsSharp(rewriter, op, x.getX());
}

/// quantize(relu(x)) -> quantize(x), if numbers below zero are cut off anyway
LogicalResult removeReluBeforeQuantize(QuantizeLinearOp op,
                                       PatternRewriter &rewriter) {
  auto relu = op.getX().getDefiningOp<ReluOp>();
  auto scale = ConstantFloats::read(op.getYScale());
  if (!relu || !scale || !areBytes(op.getY()) || op.getBlockSize() != 0 ||
      !llvm::all_of(scale->values, [](double s) { return s > 0; }))
    return rewriter.notifyMatchFailure(op, "no relu before");
  bool isSigned =
      !getElementTypeOrSelf(op.getY().getType()).isUnsignedInteger();
  if (isSigned || !isZero(op.getYZeroPoint()))
    return rewriter.notifyMatchFailure(op, "bytes below zero");
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(relu.getX());
    op->setLoc(onnxc::fuseLocations(relu.getLoc(), op.getLoc()));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

bool isPositive(Value scale) {
  auto constant = ConstantFloats::read(scale);
  return constant && constant->values.front() > 0;
}

/// move(dequantize(x)) -> dequantize(move(x)); the move's other operands stay
template <typename Move>
LogicalResult moveBytes(Move op, PatternRewriter &rewriter) {
  DequantizeLinearOp first = dequantizedBytes(op->getOperand(0));
  // Weights are moved when the model is compiled, unless a run picks some.
  bool staysConstant =
      first && isFromConstants(first.getX()) &&
      llvm::all_of(op->getOperands().drop_front(),
                   [](Value operand) { return isFromConstants(operand); });
  if (!first || !isUniform(first) || staysConstant)
    return rewriter.notifyMatchFailure(op, "moves no uniform bytes");
  if (op->getNumResults() != 1 && !op->getResult(1).use_empty())
    return rewriter.notifyMatchFailure(op, "has other results");
  if (isa<MaxPoolOp>(op) && !isPositive(first.getXScale()))
    return rewriter.notifyMatchFailure(op, "the order may turn over");
  SmallVector<Value> operands(op->getOperands());
  unsigned data = isa<ConcatOp>(op) ? operands.size() : 1;
  for (Value &operand : MutableArrayRef(operands).take_front(data)) {
    DequantizeLinearOp part = dequantizedBytes(operand);
    if (!part || part.getXScale() != first.getXScale() ||
        part.getXZeroPoint() != first.getXZeroPoint() ||
        getElementTypeOrSelf(part.getX()) != getElementTypeOrSelf(first.getX()))
      return rewriter.notifyMatchFailure(op, "joins different scales");
    operand = part.getX();
  }
  auto moved = cast<Move>(rewriter.clone(*op));
  moved->setOperands(operands);
  Type bytes = getElementTypeOrSelf(first.getX().getType());
  auto shape = cast<TensorType>(op->getResult(0).getType());
  moved->getResult(0).setType(shape.cloneWith(std::nullopt, bytes));
  NodeMaker maker(rewriter, op->getLoc());
  Value y =
      maker.make("DequantizeLinear", {moved->getResult(0), first.getXScale(),
                                      first.getXZeroPoint()});
  y.setType(shape);
  SmallVector<Value> results(moved->getResults());
  results[0] = y;
  rewriter.replaceOp(op, results);
  return success();
}

} // namespace

void onnxc::onnx::populateRequantizePatterns(RewritePatternSet &patterns) {
  addRewrites<removeReluBeforeQuantize, removeRequantize, scaleBeforeQuantize,
              moveBytes<ConcatOp>, moveBytes<DepthToSpaceOp>,
              moveBytes<ExpandOp>, moveBytes<FlattenOp>, moveBytes<GatherOp>,
              moveBytes<MaxPoolOp>, moveBytes<ReshapeOp>, moveBytes<SliceOp>,
              moveBytes<SpaceToDepthOp>, moveBytes<SqueezeOp>,
              moveBytes<TransposeOp>, moveBytes<UnsqueezeOp>>(patterns);
}
