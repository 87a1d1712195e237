//===- WidenTypes.cpp - Operators computed in wider types ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Most lowerings widen narrow elements as they compute (ScalarBuilder). The
// operators of the table here are computed on wider tensors instead: those that
// keep state between steps, and those whose bodies in the onnx library are
// written for operands of one type only.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

#include "onnxc/Schema/ProtoConversion.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

/// `x` with another element type; null stays null.
static Value castTo(PatternRewriter &rewriter, Location loc, Value x,
                    Type element) {
  auto type = x ? dyn_cast<TensorType>(x.getType()) : TensorType();
  if (!type || type.getElementType() == element)
    return x;
  NamedAttribute to = rewriter.getNamedAttr(
      "to",
      rewriter.getI64IntegerAttr(onnxc::onnx::getElementTypeNumber(element)));
  return CastOp::create(rewriter, loc, type.clone(element), x, to)
      ->getResult(0);
}

static Type floatElement(Value value) {
  auto type = value ? dyn_cast<TensorType>(value.getType()) : TensorType();
  return type ? Type(dyn_cast<FloatType>(type.getElementType())) : Type();
}

/// A type that holds the values of both.
static Type common(Type a, Type b) {
  if (!a || a == b)
    return b;
  bool isDouble = a.isF64() || b.isF64();
  return isDouble ? Type(Float64Type::get(a.getContext()))
                  : Type(Float32Type::get(a.getContext()));
}

namespace {

/// The floats of an operator get one type, and its results their own again.
template <typename OnnxOp>
struct UniteFloats : public OpRewritePattern<OnnxOp> {
  /// Whether types narrower than f32 are too narrow.
  UniteFloats(MLIRContext *context, bool widen)
      : OpRewritePattern<OnnxOp>(context), widen(widen) {}

  LogicalResult matchAndRewrite(OnnxOp op,
                                PatternRewriter &rewriter) const override {
    Type target = widen ? Type(rewriter.getF32Type()) : Type();
    for (Value operand : op->getOperands())
      if (Type element = takesPart(op, operand))
        target = common(target, element);
    bool fits = llvm::all_of(op->getOperands(), [&](Value operand) {
      Type element = takesPart(op, operand);
      return !element || element == target;
    });
    if (!target || fits)
      return rewriter.notifyMatchFailure(op, "types are united");
    rewriter.setInsertionPoint(op);
    Operation *wide = rewriter.clone(*op.getOperation());
    for (OpOperand &operand : wide->getOpOperands())
      if (takesPart(op, operand.get())) {
        rewriter.setInsertionPoint(wide);
        operand.set(castTo(rewriter, op.getLoc(), operand.get(), target));
      }
    rewriter.setInsertionPointAfter(wide);
    SmallVector<Value> results;
    for (auto [result, original] :
         llvm::zip_equal(wide->getResults(), op->getResults())) {
      if (Type element = floatElement(result)) {
        result.setType(cast<TensorType>(result.getType()).clone(target));
        results.push_back(castTo(rewriter, op.getLoc(), result, element));
      } else {
        results.push_back(result);
      }
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// The float type of an operand, but for masks: they are of any type.
  static Type takesPart(OnnxOp op, Value operand) {
    if constexpr (std::is_same_v<OnnxOp, AttentionOp>)
      if (operand == op.getAttnMask())
        return {};
    return floatElement(operand);
  }

  bool widen;
};

/// Sizes become i64.
LogicalResult widenCenterCropPad(CenterCropPadOp op,
                                 PatternRewriter &rewriter) {
  auto type = dyn_cast<TensorType>(op.getShape().getType());
  if (!type || !type.getElementType().isInteger(32))
    return rewriter.notifyMatchFailure(op, "sizes are wide enough");
  Value sizes =
      castTo(rewriter, op.getLoc(), op.getShape(), rewriter.getI64Type());
  rewriter.modifyOpInPlace(op, [&] { op.getShapeMutable().set(sizes); });
  return success();
}

/// The body that the library has adds numbers of f32; in f64 it is written
/// here: (x - mean) / (sqrt(mean(x * x) - mean * mean) + 1e-9)
LogicalResult expandMeanVariance(MeanVarianceNormalizationOp op,
                                 PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || !type.getElementType().isF64())
    return rewriter.notifyMatchFailure(op, "elements are not f64");
  Location loc = op.getLoc();
  Value x = op->getOperand(0);
  ArrayRef<int64_t> axes = op.getAxes();
  SmallVector<int64_t> reduced(type.getShape());
  for (int64_t given : axes) {
    std::optional<int64_t> axis = normalizeAxis(given, type.getRank());
    if (!axis)
      return rewriter.notifyMatchFailure(op, "axis out of range");
    reduced[*axis] = 1;
  }
  Value along = NodeMaker(rewriter, loc).ints(axes);
  auto small = RankedTensorType::get(reduced, type.getElementType());
  auto mean = [&](Value of) {
    return ReduceMeanOp::create(rewriter, loc, small, ValueRange{of, along})
        ->getResult(0);
  };
  auto square = [&](Value of) {
    return MulOp::create(rewriter, loc, of.getType(), ValueRange{of, of})
        ->getResult(0);
  };
  Value center = mean(x);
  Value variance = SubOp::create(rewriter, loc, small,
                                 ValueRange{mean(square(x)), square(center)})
                       ->getResult(0);
  Value deviation =
      SqrtOp::create(rewriter, loc, small, variance)->getResult(0);
  Value epsilon = NodeMaker(rewriter, loc).number(1e-9, type.getElementType());
  Value divisor =
      AddOp::create(rewriter, loc, small, ValueRange{deviation, epsilon})
          ->getResult(0);
  Value distance =
      SubOp::create(rewriter, loc, type, ValueRange{x, center})->getResult(0);
  rewriter.replaceOpWithNewOp<DivOp>(op, TypeRange(type),
                                     ValueRange{distance, divisor});
  return success();
}

} // namespace

void onnxc::onnx::populateWidenTypesPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<UniteFloats<AttentionOp>, UniteFloats<RMSNormalizationOp>>(
      context, /*widen=*/false);
  patterns.add<UniteFloats<GRUOp>, UniteFloats<LSTMOp>, UniteFloats<RNNOp>,
               UniteFloats<MeanVarianceNormalizationOp>>(context,
                                                         /*widen=*/true);
  addRewrites<expandMeanVariance, widenCenterCropPad>(patterns);
}
