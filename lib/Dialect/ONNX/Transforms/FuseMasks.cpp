//===- FuseMasks.cpp - Masks and the softmax of what they hide --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The function of Attention adds a bias to scores, and looks through the rows
// of that bias for those that are -infinity as a whole:
//
//   where(reduce_max(b) == -inf, 0, softmax(s + b))
//
// The softmax finds these rows by its own maximum, if scores are -infinity
// where the bias is, whatever they were. Conditions of the bias hide scores
// directly, so that no tensor of zeros and infinities is left.
//
//===----------------------------------------------------------------------===//
#include "Simplify/ConstantFloats.h"
#include "Simplify/Simplify.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/Masks.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Support/KeepNodes.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

namespace onnxc::onnx {
#define GEN_PASS_DEF_FUSEMASKS
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Returns true for a constant of one element, of the number.
static bool isNumber(Value value, double number) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() != 1)
    return false;
  std::optional<ConstantFloats> constant = ConstantFloats::read(value);
  return constant && constant->values[0] == number;
}

/// Returns true if all elements are 0.
static bool isZero(Value value) {
  auto fill = value.getDefiningOp<ConstantOfShapeOp>();
  TypedAttr attribute = fill ? fill.getValueAttr() : constantValue(value);
  if (!attribute)
    return fill != nullptr;
  SmallVector<char> scratch;
  ArrayRef<char> bytes = constantBytes(attribute, scratch);
  return !bytes.empty() &&
         llvm::all_of(bytes, [](char byte) { return byte == 0; });
}

/// What the value is cast from, if it is a number of another type.
static Value withoutCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && isa<FloatType>(getElementTypeOrSelf(cast.getInput())) &&
                 isa<FloatType>(getElementTypeOrSelf(value))
             ? cast.getInput()
             : value;
}

/// The tensor of whose rows the condition says that they are -infinity; null
/// for another condition.
static Value rowsOf(Value condition) {
  auto equal = condition.getDefiningOp<EqualOp>();
  if (!equal)
    return {};
  for (auto [largest, other] : {std::pair(equal.getA(), equal.getB()),
                                std::pair(equal.getB(), equal.getA())}) {
    auto max = largest.getDefiningOp<ReduceMaxOp>();
    if (!max || max.getKeepdims() != 1 || !max.getAxes() ||
        !isNumber(other, -INFINITY))
      continue;
    std::optional<SmallVector<int64_t>> axes = constantInts(max.getAxes());
    int64_t rank = rankOf(max.getData());
    if (axes && rank > 0 && *axes == SmallVector<int64_t>{rank - 1})
      return max.getData();
  }
  return {};
}

/// Returns true if the value follows from constants and sizes, in at most
/// `steps` operations.
static bool followsFromSizes(Value value, unsigned steps) {
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0 || op->getNumRegions() != 0)
    return false;
  return isa<ShapeOp, SizeOp>(op) ||
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return followsFromSizes(operand, steps - 1);
         });
}

namespace {

/// where(reduce_max(bias) == -inf, 0, softmax(scores + bias))
struct GuardedSoftmax {
  SoftmaxOp softmax;
  AddOp add;
  Value scores, bias;

  static std::optional<GuardedSoftmax> find(WhereOp choice);
};

} // namespace

std::optional<GuardedSoftmax> GuardedSoftmax::find(WhereOp choice) {
  GuardedSoftmax found;
  found.bias = rowsOf(choice.getCondition());
  found.softmax = withoutCast(choice.getY()).getDefiningOp<SoftmaxOp>();
  if (!found.bias || !found.softmax || !found.softmax->hasOneUse() ||
      !choice.getY().hasOneUse() || !isNumber(choice.getX(), 0) ||
      found.softmax.getAxis() != rankOf(found.softmax.getInput()) - 1)
    return std::nullopt;
  found.add = withoutCast(found.softmax.getInput()).getDefiningOp<AddOp>();
  if (!found.add)
    return std::nullopt;
  bool isFirst = found.add.getA() == found.bias;
  found.scores = isFirst ? found.add.getB() : found.add.getA();
  if (!isFirst && found.add.getB() != found.bias)
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The names of the sizes of a result, which the lowering uses.
static constexpr llvm::StringLiteral dimsAttrName = "onnx.dims";

namespace {

/// A condition by which a score is -infinity.
struct Condition {
  Value value;
  bool hides;
};

/// A sum of zeros and -infinities by conditions, and of the rest.
struct Bias {
  SmallVector<Condition> conditions;
  /// Null for zero.
  Value rest;
};

/// Addends of a bias with the scores whose shape and values they do not change.
/// Known before anything is rewritten: the analysis knows values by their
/// addresses, which those of new operations may have again.
using NeutralAddends = DenseSet<std::pair<Value, Value>>;

class MaskFuser {
public:
  MaskFuser(PatternRewriter &rewriter, GuardedSoftmax &guarded,
            const NeutralAddends &neutral, bool isDevice)
      : make(rewriter, guarded.add.getLoc()), guarded(guarded),
        neutral(neutral), isDevice(isDevice) {}

  /// The scores and the bias, -infinity wherever the bias is.
  Value hide();

private:
  bool mayHide(const Condition &condition);
  Bias split(Value bias);
  std::optional<Condition> conditionFor(Value number);
  Condition move(Operation *op, const Condition &condition);
  Value hideRest(Value rest);

  NodeMaker make;
  GuardedSoftmax &guarded;
  const NeutralAddends &neutral;
  bool isDevice;
};

} // namespace

/// Operations of comparisons of positions, through sums and views.
static constexpr unsigned maxConditionSteps = 12;

/// The condition of where(c, 0, -inf), or where(c, -inf, 0), of the result's
/// shape.
static std::optional<Condition> conditionOf(WhereOp choice) {
  if (rankOf(choice.getCondition()) != rankOf(choice.getOutput()))
    return std::nullopt;
  for (bool hides : {false, true})
    if (isNumber(hides ? choice.getY() : choice.getX(), 0) &&
        isNumber(hides ? choice.getX() : choice.getY(), -INFINITY))
      return Condition{choice.getCondition(), hides};
  return std::nullopt;
}

/// Returns true if each element of the result is an element of the first
/// operand, or -infinity.
static bool movesElements(Operation *op) {
  if (auto pad = dyn_cast<PadOp>(op))
    return pad.getMode() == "constant" && pad.getConstantValue() &&
           isNumber(pad.getConstantValue(), -INFINITY);
  return viewedData(op->getResult(0)) != nullptr;
}

/// A processor computes the numbers of a mask once for all heads, and adds them
/// in less time than it selects by bytes; comparisons of positions are computed
/// where they are read.
bool MaskFuser::mayHide(const Condition &condition) {
  return isDevice || followsFromSizes(condition.value, maxConditionSteps);
}

/// The operation on the condition, which is that of its first operand.
Condition MaskFuser::move(Operation *op, const Condition &condition) {
  OpBuilder &b = make.builder;
  Operation *moved = b.clone(*op);
  moved->setOperand(0, condition.value);
  auto type = cast<ShapedType>(op->getResult(0).getType());
  moved->getResult(0).setType(type.clone(b.getI1Type()));
  if (auto pad = dyn_cast<PadOp>(moved)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(moved);
    pad.getConstantValueMutable().assign(
        make.number(condition.hides, b.getI1Type()));
  }
  return {moved->getResult(0), condition.hides};
}

/// The condition by which all elements of the number are 0 or -infinity, of its
/// shape.
std::optional<Condition> MaskFuser::conditionFor(Value number) {
  number = withoutCast(number);
  Operation *op = number.getDefiningOp();
  if (auto choice = dyn_cast_if_present<WhereOp>(op)) {
    std::optional<Condition> condition = conditionOf(choice);
    return condition && mayHide(*condition) ? condition : std::nullopt;
  }
  if (!op || !movesElements(op))
    return std::nullopt;
  std::optional<Condition> condition = conditionFor(op->getOperand(0));
  return condition ? std::optional(move(op, *condition)) : std::nullopt;
}

Bias MaskFuser::split(Value bias) {
  if (std::optional<Condition> condition = conditionFor(bias))
    return {{*condition}, {}};
  Value number = withoutCast(bias);
  if (neutral.contains({number, guarded.scores}))
    return {};
  auto sum = number.getDefiningOp<AddOp>();
  if (!sum)
    return {{}, bias};
  Bias left = split(sum.getA()), right = split(sum.getB());
  // Sums are rounded where they are cast.
  if (number != bias && (left.rest || right.rest))
    return {{}, bias};
  llvm::append_range(left.conditions, right.conditions);
  if (left.rest && right.rest)
    left.rest = sum.getC();
  else if (right.rest)
    left.rest = right.rest;
  return left;
}

/// scores + rest
Value MaskFuser::hideRest(Value rest) {
  Value sum = make.add(guarded.scores, rest);
  sum.getDefiningOp()->setDiscardableAttr(hidesAttrName,
                                          make.builder.getUnitAttr());
  return sum;
}

Value MaskFuser::hide() {
  Bias bias = split(guarded.bias);
  Value hidden = bias.rest ? hideRest(bias.rest) : guarded.scores;
  for (const Condition &condition : bias.conditions) {
    Value none = make.number(-INFINITY, hidden);
    hidden = condition.hides
                 ? make.make("Where", {condition.value, none, hidden})
                 : make.make("Where", {condition.value, hidden, none});
  }
  if (hidden == guarded.scores)
    return hidden;
  // The sizes are those of the sum.
  hidden.setType(guarded.add.getC().getType());
  if (Attribute dims = guarded.add->getDiscardableAttr(dimsAttrName))
    hidden.getDefiningOp()->setDiscardableAttr(dimsAttrName, dims);
  return hidden;
}

/// Finds zeros among the addends of a bias of the scores.
static void findNeutral(Value bias, Value scores, DimAnalysis &analysis,
                        NeutralAddends &neutral) {
  Value number = withoutCast(bias);
  if (isZero(number) && alwaysBroadcasts(number, scores, analysis))
    neutral.insert({number, scores});
  if (auto sum = number.getDefiningOp<AddOp>())
    for (Value addend : {sum.getA(), sum.getB()})
      findNeutral(addend, scores, analysis, neutral);
}

namespace {

/// where(reduce_max(b) == -inf, 0, softmax(s + b))
///   -> softmax(s + b {onnx.hides}) {onnx.hidden_rows_are_zero}
struct FuseMask final : OpRewritePattern<WhereOp> {
  FuseMask(MLIRContext *context, const NeutralAddends &neutral, bool isDevice)
      : OpRewritePattern(context), neutral(neutral), isDevice(isDevice) {}

  LogicalResult matchAndRewrite(WhereOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<GuardedSoftmax> guarded = GuardedSoftmax::find(op);
    if (!guarded)
      return rewriter.notifyMatchFailure(op, "no softmax that a bias guards");
    Value hidden = MaskFuser(rewriter, *guarded, neutral, isDevice).hide();
    SoftmaxOp softmax = guarded->softmax;
    NodeMaker make(rewriter, softmax.getLoc());
    Type element = getElementTypeOrSelf(softmax.getInput());
    Value weights =
        make.make<SoftmaxOp>(softmax.getOutput().getType(),
                             make.cast(hidden, element), softmax->getAttrs());
    weights.getDefiningOp()->setDiscardableAttr(hiddenRowsAttrName,
                                                rewriter.getUnitAttr());
    Value result = make.cast(weights, getElementTypeOrSelf(op.getOutput()));
    result.setType(op.getOutput().getType());
    rewriter.replaceOp(op, result);
    return success();
  }

  const NeutralAddends &neutral;
  bool isDevice;
};

struct FuseMasks final : onnxc::onnx::impl::FuseMasksBase<FuseMasks> {
  void runOnOperation() override {
    SmallVector<GuardedSoftmax> all;
    getOperation()->walk([&](WhereOp op) {
      if (std::optional<GuardedSoftmax> found = GuardedSoftmax::find(op))
        all.push_back(*found);
    });
    if (all.empty())
      return;
    DimAnalysis analysis(getOperation());
    NeutralAddends neutral;
    for (const GuardedSoftmax &guarded : all)
      findNeutral(guarded.bias, guarded.scores, analysis, neutral);
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseMask>(
        &getContext(), neutral,
        onnxc::krnl::TargetAttr::processorOf(getOperation()).isDevice());
    onnxc::KeepNodes keepNodes(getArgument());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setListener(&keepNodes);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
