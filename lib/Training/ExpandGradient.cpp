//===- ExpandGradient.cpp - Gradient becomes its computation ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The operands of Gradient are the points where it is taken, one for each of
// xs and zs; the tensors that xs and zs name; the tensor that y names. Where
// points are not the tensors themselves, y is computed again from the points.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Training/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace onnxc::training {
#define GEN_PASS_DEF_EXPANDGRADIENT
#include "onnxc/Training/Passes.h.inc"
} // namespace onnxc::training

using namespace mlir;
using namespace onnxc;
using namespace onnxc::training;
using onnxc::onnx::TrainingGradientOp;

namespace {

/// One Gradient and the tensors it is about.
class Expansion {
public:
  Expansion(TrainingGradientOp op, const GradientTable &table)
      : op(op), table(table) {}

  LogicalResult run();

private:
  LogicalResult readOperands();
  void moveToPoints();

  TrainingGradientOp op;
  const GradientTable &table;
  SmallVector<Value> points, tensors;
  unsigned xs = 0;
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
  if (!isa<FloatType>(getElementTypeOrSelf(op->getOperands().back().getType())))
    return op.emitOpError("y is not a tensor of floats");
  return success();
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
    forEachOperand(original,
                   [&](Value operand) { moves |= mapping.contains(operand); });
    if (moves && !llvm::any_of(original->getResults(), [&](Value result) {
          return mapping.contains(result);
        })) {
      Operation *moved = builder.clone(*original, mapping);
      mapping.map(original->getResults(), moved->getResults());
    }
  }
  unsigned last = op->getNumOperands() - 1;
  op->setOperand(last, mapping.lookupOrDefault(op->getOperand(last)));
  tensors = points;
}

LogicalResult Expansion::run() {
  if (failed(readOperands()))
    return failure();
  moveToPoints();
  auto ones = [](Backward &backward, unsigned number) {
    Value y = backward.builder.getInsertionPoint()->getOperand(number);
    return backward.make("Expand",
                         {backward.number(1, y), backward.shapeOf(y)});
  };
  ArrayRef<Value> from = ArrayRef(tensors).take_front(xs);
  FailureOr<SmallVector<Value>> gradients =
      differentiate(table, op, from, op->getNumOperands() - 1, ones,
                    op->getParentOfType<ModuleOp>());
  if (failed(gradients))
    return failure();
  OpBuilder builder(op);
  NodeMaker graph(builder, op.getLoc());
  for (auto [result, x, gradient] :
       llvm::zip(op->getResults(), from, *gradients))
    result.replaceAllUsesWith(gradient ? gradient : graph.zerosLike(x));
  op.erase();
  return success();
}

namespace {
struct ExpandGradientPass
    : public onnxc::training::impl::ExpandGradientBase<ExpandGradientPass> {
  void runOnOperation() override {
    SmallVector<TrainingGradientOp> gradients;
    getOperation()->walk(
        [&](TrainingGradientOp op) { gradients.push_back(op); });
    if (gradients.empty())
      return;
    // Known ranks and sizes make rules simpler.
    onnx::InferShapesOptions options;
    options.annotateOps = false;
    OpPassManager infer(ModuleOp::getOperationName());
    infer.addPass(onnx::createInferShapes(options));
    if (failed(runPipeline(infer, getOperation())))
      return signalPassFailure();
    GradientTable table;
    for (TrainingGradientOp op : gradients)
      if (failed(Expansion(op, table).run()))
        return signalPassFailure();
    // A gradient's type is more precise than that of Gradient.
    getOperation()->walk([](func::ReturnOp end) {
      auto func = cast<func::FuncOp>(end->getParentOp());
      func.setFunctionType(FunctionType::get(
          func.getContext(), func.getArgumentTypes(), end->getOperandTypes()));
    });
  }
};
} // namespace
