//===- ExpandGradient.cpp - Gradient becomes what computes it ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The operands of Gradient are the points where it is taken, one for each of
// xs and zs; the tensors that xs and zs name; the tensor that y names. Where
// points are not the tensors themselves, y is computed again from the points.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Schema/TypeInference.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_EXPANDGRADIENT
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// What rules work with
//===----------------------------------------------------------------------===//

Operation *Backward::makeOp(StringRef name, ValueRange operands,
                            ArrayRef<NamedAttribute> attributes,
                            unsigned results) {
  OperationState state(loc, ("onnx." + name).str());
  SmallVector<Type> types(results, NoneType::get(builder.getContext()));
  buildBySignature(state, types, operands, attributes);
  Operation *op = builder.create(state);
  // A form that inference does not take would be a mistake of a rule; the
  // types that stay unknown then are refused where they are needed.
  FailureOr<SmallVector<Type>> inferred = schema::inferResultTypes(op);
  if (succeeded(inferred))
    for (auto [result, type] : llvm::zip(op->getResults(), *inferred))
      result.setType(type);
  return op;
}

Value Backward::make(StringRef name, ValueRange operands,
                     ArrayRef<NamedAttribute> attributes) {
  return makeOp(name, operands, attributes, 1)->getResult(0);
}

Value Backward::number(double value, Value like) {
  Type element = getElementTypeOrSelf(like.getType());
  auto type = RankedTensorType::get({}, element);
  auto attr = DenseElementsAttr::get(
      type, Attribute(builder.getFloatAttr(element, value)));
  return ConstantOp::create(builder, loc, type, ValueRange(),
                            builder.getNamedAttr("value", attr))
      ->getResult(0);
}

Value Backward::ints(ArrayRef<int64_t> values) {
  auto type =
      RankedTensorType::get(int64_t(values.size()), builder.getI64Type());
  return ConstantOp::create(builder, loc, type, ValueRange(),
                            builder.getNamedAttr(
                                "value", DenseElementsAttr::get(type, values)))
      ->getResult(0);
}

Value Backward::zerosLike(Value value) {
  return make("Expand", {number(0, value), shapeOf(value)});
}

void Backward::give(Value operand, Value gradient) {
  if (!needs(operand))
    return;
  // All gradients are values of our own; inference knows less of their sizes.
  if (isa<RankedTensorType>(operand.getType()))
    gradient.setType(operand.getType());
  Value &sum = gradients[operand];
  sum = sum ? make("Add", {sum, gradient}) : gradient;
}

void Backward::giveBroadcast(Value operand, Value gradient) {
  if (!needs(operand))
    return;
  auto type = dyn_cast<RankedTensorType>(operand.getType()),
       wide = dyn_cast<RankedTensorType>(gradient.getType());
  if (type && wide && type == wide && type.hasStaticShape())
    return give(operand, gradient);
  if (type && wide && type.hasStaticShape() && wide.hasStaticShape()) {
    SmallVector<int64_t> axes;
    int64_t lead = wide.getRank() - type.getRank();
    for (int64_t d = 0; d < wide.getRank(); ++d)
      if (d < lead || type.getDimSize(d - lead) != wide.getDimSize(d))
        axes.push_back(d);
    Value sum = make("ReduceSum", {gradient, ints(axes)});
    return give(operand, reshape(sum, type.getShape()));
  }
  // Axes whose sizes turn out to differ, the operand's shape filled up with 1.
  Value shape = shapeOf(operand), whole = shapeOf(gradient);
  Value one = ints({1}),
        missing = make("Sub", {make("Size", whole), make("Size", shape)});
  missing = reshape(missing, {1});
  Value lead = make("Expand", {one, missing});
  Value padded = make("Concat", {lead, shape}, integer("axis", 0));
  Value differs = make("Not", make("Equal", {padded, whole}));
  Value axes = reshape(make("NonZero", differs), {-1});
  Value sum =
      make("ReduceSum", {gradient, axes}, integer("noop_with_empty_axes", 1));
  // Inference gives up on axes that it does not know; dimensions are kept.
  if (wide)
    sum.setType(RankedTensorType::get(
        SmallVector<int64_t>(wide.getRank(), ShapedType::kDynamic),
        wide.getElementType()));
  give(operand, make("Reshape", {sum, shape}));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// One Gradient and the operations between its tensors.
class Expansion {
public:
  Expansion(TrainingGradientOp op, const GradientRules &rules)
      : op(op), rules(rules) {}

  LogicalResult run();

private:
  LogicalResult readOperands();
  void collectPath();
  void moveToPoints();
  LogicalResult goBack(Backward &backward);

  TrainingGradientOp op;
  const GradientRules &rules;
  SmallVector<Value> points, tensors;
  unsigned xs = 0;
  Value y;
  /// Values that depend on some x, and the operations that make them, in order.
  llvm::DenseSet<Value> onPath;
  SmallVector<Operation *> path;
};

} // namespace

LogicalResult Expansion::readOperands() {
  xs = op.getXs().size();
  unsigned count = xs + (op.getZs() ? op.getZs()->size() : 0);
  if (xs == 0 || op->getNumOperands() != 2 * count + 1 ||
      op->getNumResults() != xs)
    return op.emitOpError("needs a point for each of xs and zs, and the "
                          "tensors that they and y name");
  points = llvm::to_vector(op->getOperands().take_front(count));
  tensors = llvm::to_vector(op->getOperands().slice(count, count));
  y = op->getOperands().back();
  return success();
}

/// Shapes, indices and truth do not change a little.
static bool mayHaveGradient(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return isa<FloatType, NoneType>(element);
}

void Expansion::collectPath() {
  onPath.clear();
  path.clear();
  for (Value x : ArrayRef(tensors).take_front(xs))
    onPath.insert(x);
  for (Operation &before : *op->getBlock()) {
    if (&before == op)
      break;
    bool depends = llvm::any_of(before.getOperands(), [&](Value operand) {
      return onPath.contains(operand);
    });
    before.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        depends |= onPath.contains(operand);
    });
    // An x that is computed from another one is a point of its own.
    if (!depends || llvm::any_of(before.getResults(), [&](Value result) {
          return onPath.contains(result);
        }))
      continue;
    path.push_back(&before);
    for (Value result : before.getResults())
      if (mayHaveGradient(result))
        onPath.insert(result);
  }
}

/// Computes y from the points instead.
void Expansion::moveToPoints() {
  if (points == tensors)
    return;
  IRMapping mapping;
  for (auto [tensor, point] : llvm::zip(tensors, points))
    if (tensor != point)
      mapping.map(tensor, point);
  // Not the copies: they come before the Gradient, too.
  SmallVector<Operation *> originals;
  for (Operation &before : *op->getBlock()) {
    if (&before == op)
      break;
    originals.push_back(&before);
  }
  OpBuilder builder(op);
  for (Operation *original : originals) {
    bool moves = false;
    original->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        moves |= mapping.contains(operand);
    });
    if (moves && !llvm::any_of(original->getResults(), [&](Value result) {
          return mapping.contains(result);
        })) {
      Operation *moved = builder.clone(*original, mapping);
      mapping.map(original->getResults(), moved->getResults());
    }
  }
  y = mapping.lookupOrDefault(y);
  tensors = points;
}

LogicalResult Expansion::goBack(Backward &backward) {
  backward.give(
      y, backward.make("Expand", {backward.number(1, y), backward.shapeOf(y)}));
  for (Operation *step : llvm::reverse(path)) {
    Value dy = backward.gradientOf(step->getResult(0));
    for (Value other : step->getResults().drop_front())
      if (backward.gradientOf(other))
        return step->emitOpError("has no gradient by its result ")
               << cast<OpResult>(other).getResultNumber();
    if (!dy)
      continue;
    auto rule = rules.find(step->getName().stripDialect());
    if (rule == rules.end())
      return step->emitOpError("is between the tensors of a Gradient, and has "
                               "no rule for it");
    if (failed(rule->second(backward, step, dy)))
      return failure();
  }
  return success();
}

LogicalResult Expansion::run() {
  if (failed(readOperands()))
    return failure();
  moveToPoints();
  collectPath();
  OpBuilder builder(op);
  if (!isa<FloatType>(getElementTypeOrSelf(y.getType())))
    return op.emitOpError("y is no tensor of floats");
  Backward backward(builder, op.getLoc(), onPath);
  if (onPath.contains(y) && failed(goBack(backward)))
    return failure();
  for (auto [result, x] : llvm::zip(op->getResults(), tensors)) {
    Value gradient = backward.gradientOf(x);
    result.replaceAllUsesWith(gradient ? gradient : backward.zerosLike(x));
  }
  op.erase();
  return success();
}

namespace {
struct ExpandGradientPass
    : public onnxc::onnx::impl::ExpandGradientBase<ExpandGradientPass> {
  void runOnOperation() override {
    SmallVector<TrainingGradientOp> gradients;
    getOperation()->walk(
        [&](TrainingGradientOp op) { gradients.push_back(op); });
    if (gradients.empty())
      return;
    GradientRules rules;
    addElementGradients(rules);
    addLayerGradients(rules);
    for (TrainingGradientOp op : gradients)
      if (failed(Expansion(op, rules).run()))
        return signalPassFailure();
    // A gradient's type is sharper than that of Gradient.
    getOperation()->walk([](func::ReturnOp end) {
      auto func = cast<func::FuncOp>(end->getParentOp());
      func.setFunctionType(FunctionType::get(
          func.getContext(), func.getArgumentTypes(), end->getOperandTypes()));
    });
  }
};
} // namespace
