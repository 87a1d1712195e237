//===- SimplifyIdentity.cpp - Nodes that do nothing ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Schema/TypeInference.h"
#include "onnxc/Schema/TypeLattice.h"
#include "onnxc/Support/RewriteFunction.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace onnxc::onnx;

#include "SimplifyIdentity.inc"

LogicalResult onnxc::onnx::replaceIfAsSharp(PatternRewriter &rewriter,
                                            Operation *op, Value value) {
  if (!onnxc::schema::isAtLeastAsSharp(value.getType(),
                                       op->getResult(0).getType()))
    return rewriter.notifyMatchFailure(
        op, "the type of the operand is less precise than that of the result");
  // Nothing uses the others.
  SmallVector<Value> values(op->getNumResults());
  values.front() = value;
  rewriter.replaceOp(op, values);
  return success();
}

namespace {

/// dropout(x) -> x, outside of training and if the mask has no use
LogicalResult removeDropout(DropoutOp op, PatternRewriter &rewriter) {
  if (op.getTrainingMode()) {
    std::optional<SmallVector<int64_t>> mode =
        constantInts(op.getTrainingMode());
    if (!mode || llvm::any_of(*mode, [](int64_t m) { return m != 0; }))
      return rewriter.notifyMatchFailure(op, "may be training");
  }
  if (op.getMask() && !op.getMask().use_empty())
    return rewriter.notifyMatchFailure(op, "the mask is used");
  return replaceIfAsSharp(rewriter, op, op.getData());
}

/// pad(x, pads = [0, 0, ...]) -> x, in each mode
LogicalResult removePad(PadOp op, PatternRewriter &rewriter) {
  std::optional<SmallVector<int64_t>> pads = constantInts(op.getPads());
  if (!pads || llvm::any_of(*pads, [](int64_t pad) { return pad != 0; }))
    return rewriter.notifyMatchFailure(op, "may pad");
  if (op.getAxes() && !constantInts(op.getAxes()))
    return rewriter.notifyMatchFailure(op, "a run may refuse the axes");
  return replaceIfAsSharp(rewriter, op, op.getData());
}

/// sum(x) -> x; concat, max, min and mean of one operand likewise
template <typename Op>
LogicalResult removeUnaryUse(Op op, PatternRewriter &rewriter) {
  if (op->getNumOperands() != 1)
    return rewriter.notifyMatchFailure(op, "has several operands");
  return replaceIfAsSharp(rewriter, op, op->getOperand(0));
}

/// Returns true if all values of type `from` have an equal one in `to`.
bool isExactConversion(Type from, Type to) {
  auto fromInt = dyn_cast<IntegerType>(from), toInt = dyn_cast<IntegerType>(to);
  if (fromInt && toInt) {
    if (fromInt.getWidth() == 1)
      return true;
    bool signFits =
        fromInt.isUnsigned()
            ? toInt.isUnsigned() || toInt.getWidth() > fromInt.getWidth()
            : !toInt.isUnsigned();
    return signFits && toInt.getWidth() >= fromInt.getWidth() &&
           toInt.getWidth() != 1;
  }
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromInt && toFloat)
    return toFloat.getWidth() >= 32 &&
           fromInt.getWidth() <= toFloat.getFPMantissaWidth();
  if (!fromFloat || !toFloat)
    return false;
  return from == to || toFloat.isF64() ||
         (toFloat.isF32() && (fromFloat.isF16() || fromFloat.isBF16()));
}

/// cast(cast(x : T) to U) to V -> cast(x) to V, if U holds all of T. The text
/// of a number depends on its type: true is "True", and as an integer "1".
LogicalResult mergeCasts(CastOp op, PatternRewriter &rewriter) {
  if (isa<StringType>(getElementTypeOrSelf(op.getOutput())))
    return rewriter.notifyMatchFailure(op, "the result is text");
  auto inner = op.getInput().getDefiningOp<CastOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the operand is not a cast");
  if (!isExactConversion(getElementTypeOrSelf(inner.getInput()),
                         getElementTypeOrSelf(inner.getOutput())))
    return rewriter.notifyMatchFailure(op, "the inner cast loses values");
  rewriter.modifyOpInPlace(
      op, [&] { op.getInputMutable().assign(inner.getInput()); });
  return success();
}

/// cast_like(x, y : tensor<?xf16>) -> cast(x) {to = f16}
LogicalResult castLikeToCast(CastLikeOp op, PatternRewriter &rewriter) {
  auto like = dyn_cast<TensorType>(op.getTargetType().getType());
  if (!like)
    return rewriter.notifyMatchFailure(op, "the target type is unknown");
  int32_t to = onnxc::schema::dataTypeNumber(like.getElementType());
  SmallVector<NamedAttribute> attributes(op->getAttrDictionary().getValue());
  attributes.push_back(
      rewriter.getNamedAttr("to", rewriter.getI64IntegerAttr(to)));
  rewriter.replaceOpWithNewOp<CastOp>(op, op->getResultTypes(),
                                      ValueRange{op.getInput()}, attributes);
  return success();
}

/// Returns true if `value` is a constant of floats or integers that all are
/// `number`, with its sign if that is zero.
bool isConstantOf(Value value, double number) {
  TypedAttr attr = constantValue(value);
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!dense || dense.empty())
    return false;
  if (auto floats = dyn_cast<DenseFPElementsAttr>(dense))
    return llvm::all_of(floats.getValues<APFloat>(), [&](const APFloat &f) {
      return f.convertToDouble() == number &&
             f.isNegative() == std::signbit(number);
    });
  if (auto ints = dyn_cast<DenseIntElementsAttr>(dense))
    return llvm::all_of(ints.getValues<APInt>(), [&](const APInt &i) {
      return i == static_cast<uint64_t>(number);
    });
  return false;
}

/// Returns true if `value` is one constant number that broadcasts to `other`.
bool isNeutralFor(Value value, Value other, double neutral) {
  if (!isConstantOf(value, neutral))
    return false;
  auto constant = cast<RankedTensorType>(value.getType());
  auto type = dyn_cast<RankedTensorType>(other.getType());
  return type && constant.getNumElements() == 1 &&
         constant.getRank() <= type.getRank();
}

/// softmax(add(x, 0)) -> softmax(x), unless that broadcasts x: which zero an
/// element is makes no difference to its exponential.
LogicalResult removeAddedZero(SoftmaxOp op, PatternRewriter &rewriter) {
  auto add = op.getInput().getDefiningOp<AddOp>();
  if (!add)
    return rewriter.notifyMatchFailure(op, "the operand is not a sum");
  for (auto [x, zero] :
       {std::pair(add.getA(), add.getB()), std::pair(add.getB(), add.getA())}) {
    if ((!isNeutralFor(zero, x, 0.0) && !isNeutralFor(zero, x, -0.0)) ||
        !onnxc::schema::isAtLeastAsSharp(x.getType(), add.getC().getType()))
      continue;
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(x); });
    return success();
  }
  return rewriter.notifyMatchFailure(op, "neither operand is zero");
}

/// mul(x, 1) -> x, div(x, 1) -> x, sub(x, 0) -> x, unless that broadcasts x.
/// Not add(x, 0) and sub(x, -0.0): they turn -0.0 into 0.0.
template <typename Op>
struct RemoveNeutral final : OpRewritePattern<Op> {
  RemoveNeutral(MLIRContext *context, double neutral)
      : OpRewritePattern<Op>(context), neutral(neutral) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isNeutralFor(op->getOperand(1), op->getOperand(0), neutral))
      return rewriter.notifyMatchFailure(op, "the operand is not neutral");
    return replaceIfAsSharp(rewriter, op, op->getOperand(0));
  }

  double neutral;
};

} // namespace

void onnxc::onnx::populateSimplifyIdentityPatterns(
    RewritePatternSet &patterns) {
  populateWithGenerated(patterns);
  addRewrites<castLikeToCast, mergeCasts, removeAddedZero, removeDropout,
              removePad, removeUnaryUse<ConcatOp>, removeUnaryUse<MaxOp>,
              removeUnaryUse<MeanOp>, removeUnaryUse<MinOp>,
              removeUnaryUse<SumOp>>(patterns);
  patterns.add<RemoveNeutral<MulOp>, RemoveNeutral<DivOp>>(
      patterns.getContext(), 1.0);
  patterns.add<RemoveNeutral<SubOp>>(patterns.getContext(), 0.0);
}
