//===- Differentiate.cpp - The way between values, there and back ---------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "onnxc/Importer/FunctionBodies.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::training;

void training::forEachOperand(Operation *op, function_ref<void(Value)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      visit(operand);
  });
}

bool training::mayHaveGradient(Value value) {
  Type type = value.getType();
  // Containers: their elements may have one.
  if (!isa<TensorType>(type))
    return true;
  return isa<FloatType, ComplexType, NoneType>(getElementTypeOrSelf(type));
}

namespace {

/// The operations of the block of `end` that lead from some values to operands
/// of `end`.
class Path {
public:
  Path(const GradientTable &table, Operation *end, ValueRange from,
       ArrayRef<unsigned> operands)
      : table(table), end(end), from(from), operands(operands) {}

  /// Every operation has a rule then.
  LogicalResult prepare();

  llvm::DenseSet<Value> values;
  SmallVector<Operation *> operations;

private:
  void collect();
  void followFrom();
  void keepWhatLeadsToEnd();
  FailureOr<bool> replace(Operation *op);

  const GradientTable &table;
  Operation *end;
  SmallVector<Value> from;
  SmallVector<unsigned> operands;
  /// Bodies hold other bodies, but never nearly as deep.
  static constexpr int maxRounds = 16;
};

} // namespace

void Path::collect() {
  values.clear();
  operations.clear();
  values.insert(from.begin(), from.end());
  followFrom();
  keepWhatLeadsToEnd();
}

void Path::followFrom() {
  for (Operation &before : *end->getBlock()) {
    if (&before == end)
      break;
    bool depends = false;
    forEachOperand(&before,
                   [&](Value operand) { depends |= values.contains(operand); });
    // An x that is computed from another one is a point of its own.
    bool isPoint = llvm::any_of(before.getResults(), [&](Value result) {
      return values.contains(result);
    });
    if (!depends || isPoint)
      continue;
    operations.push_back(&before);
    for (Value result : before.getResults())
      if (mayHaveGradient(result))
        values.insert(result);
  }
}

void Path::keepWhatLeadsToEnd() {
  llvm::DenseSet<Value> needed;
  for (unsigned number : operands)
    needed.insert(end->getOperand(number));
  SmallVector<Operation *> kept;
  for (Operation *op : llvm::reverse(operations)) {
    bool leads = llvm::any_of(op->getResults(), [&](Value result) {
      return values.contains(result) && needed.contains(result);
    });
    if (!leads)
      continue;
    kept.push_back(op);
    forEachOperand(op, [&](Value operand) { needed.insert(operand); });
  }
  operations.assign(kept.rbegin(), kept.rend());
}

/// Puts values in the place of the results; users rely on the types they see.
static void replaceResults(Operation *op, ArrayRef<Value> results) {
  for (auto [old, result] : llvm::zip_equal(op->getResults(), results)) {
    Value value = result;
    if (isa<RankedTensorType>(old.getType()) && value.use_empty())
      value.setType(old.getType());
    old.replaceAllUsesWith(value);
  }
  op->erase();
}

/// Makes `op` something that has a rule; false if it has one already.
FailureOr<bool> Path::replace(Operation *op) {
  const GradientRow *row = table.find(op);
  if (row && row->composition) {
    OpBuilder builder(op);
    NodeMaker graph(builder, op->getLoc());
    SmallVector<Value> results;
    if (failed(row->composition(graph, op, results)))
      return failure();
    if (!results.empty()) {
      replaceResults(op, results);
      return true;
    }
  }
  if (row && row->rule)
    return false;
  if (!importer::hasFunctionBody(op))
    return op->emitOpError(
        "is between the tensors of a Gradient, and has no rule for it");
  IRRewriter rewriter(op->getContext());
  if (failed(importer::expandFunction(op, rewriter)))
    return failure();
  return true;
}

LogicalResult Path::prepare() {
  for (int round = 0; round < maxRounds; ++round) {
    collect();
    bool changed = false;
    for (Operation *op : operations) {
      FailureOr<bool> replaced = replace(op);
      if (failed(replaced))
        return failure();
      changed |= *replaced;
    }
    if (!changed)
      return success();
  }
  llvm_unreachable("bodies of operators are not nested so deep");
}

FailureOr<SmallVector<Value>>
training::differentiate(const GradientTable &table, Operation *end,
                        ValueRange from, ArrayRef<unsigned> operands,
                        SeedOf seedOf, Operation *root) {
  Path path(table, end, from, operands);
  if (failed(path.prepare()))
    return failure();
  std::optional<onnx::DimAnalysis> dims;
  if (root)
    dims.emplace(root);
  OpBuilder builder(end);
  Backward backward(builder, end->getLoc(), table, path.values,
                    dims ? &*dims : nullptr);
  for (unsigned number : operands) {
    Value target = end->getOperand(number);
    if (backward.needs(target))
      backward.give(target, seedOf(backward, number));
  }
  if (failed(backward.run(path.operations)))
    return failure();
  SmallVector<Value> gradients;
  for (Value value : from)
    gradients.push_back(backward.gradientOf(value));
  return gradients;
}
