//===- ControlFlow.cpp - Verifiers of operations with graphs ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A body takes and yields values that belong to operands and results of the
// operation around it. Their shapes may differ (one branch may have more static
// sizes than the other), the rest of their types may not.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using namespace onnxc::onnx;

static LogicalResult checkCount(Operation *op, StringRef region, StringRef what,
                                size_t expected, size_t found) {
  if (expected == found)
    return success();
  return op->emitOpError() << "expects its " << region << " to " << what << " "
                           << expected << " values, but got " << found;
}

/// Returns true if a value of type `given` may be passed as one of type
/// `taken`: an optional takes values of its element type.
static bool mayGoOnAs(Type given, Type taken) {
  auto optional = dyn_cast<OptType>(taken);
  return mayBeSameUpToShape(given, taken) ||
         (optional && mayBeSameUpToShape(given, optional.getElementType()));
}

/// Values inside that must be of the types of values outside, in order.
static LogicalResult checkTypes(Operation *op, StringRef region, StringRef what,
                                TypeRange inside, TypeRange outside) {
  for (auto [index, inner, outer] : llvm::enumerate(inside, outside))
    if (!mayGoOnAs(inner, outer) && !mayGoOnAs(outer, inner))
      return op->emitOpError()
             << "expects value #" << index << " that its " << region << " "
             << what << " to be of type " << outer
             << " up to its shape, but got " << inner;
  return success();
}

static ValueRange getYielded(Region &region) {
  return cast<YieldOp>(region.front().getTerminator()).getValues();
}

static LogicalResult verifyBranch(Operation *op, StringRef name,
                                  Region &branch) {
  ValueRange yielded = getYielded(branch);
  return success(
      succeeded(checkCount(op, name, "take", 0, branch.getNumArguments())) &&
      succeeded(
          checkCount(op, name, "yield", op->getNumResults(), yielded.size())) &&
      succeeded(checkTypes(op, name, "yields", yielded.getTypes(),
                           op->getResultTypes())));
}

LogicalResult IfOp::verifyRegions() {
  return success(
      succeeded(verifyBranch(*this, "then_branch", getThenBranch())) &&
      succeeded(verifyBranch(*this, "else_branch", getElseBranch())));
}

/// The body takes the trip count, the condition and the carried values; it
/// yields the condition, the carried values and one slice of each scan output.
LogicalResult LoopOp::verifyRegions() {
  Region &body = getBody();
  ValueRange yielded = getYielded(body), carried = getVInitial();
  if (getNumResults() < carried.size())
    return emitOpError() << "carries " << carried.size()
                         << " values, but has only " << getNumResults()
                         << " results";
  if (failed(checkCount(*this, "body", "take", carried.size() + 2,
                        body.getNumArguments())) ||
      failed(checkCount(*this, "body", "yield", getNumResults() + 1,
                        yielded.size())))
    return failure();
  TypeRange taken = TypeRange(body.getArgumentTypes()).drop_front(2);
  return success(
      succeeded(checkTypes(*this, "body", "carries",
                           yielded.slice(1, carried.size()).getTypes(),
                           taken)) &&
      succeeded(checkTypes(*this, "body", "takes", taken, carried.getTypes())));
}

/// The body takes the states and one slice of each scan input; it yields the
/// states and one slice of each scan output.
LogicalResult ScanOp::verifyRegions() {
  Region &body = getBody();
  ValueRange yielded = getYielded(body);
  int64_t numOperands = static_cast<int64_t>(getNumOperands());
  int64_t numStates = numOperands - getNumScanInputs();
  if (getNumScanInputs() < 1 || numStates < 0 || numStates > getNumResults())
    return emitOpError() << "cannot scan " << getNumScanInputs() << " of "
                         << numOperands << " operands to " << getNumResults()
                         << " results";
  if (failed(checkCount(*this, "body", "take", getNumOperands(),
                        body.getNumArguments())) ||
      failed(
          checkCount(*this, "body", "yield", getNumResults(), yielded.size())))
    return failure();
  TypeRange states = TypeRange(body.getArgumentTypes()).take_front(numStates);
  return success(
      succeeded(checkTypes(*this, "body", "carries",
                           yielded.take_front(numStates).getTypes(), states)) &&
      succeeded(checkTypes(*this, "body", "takes", states,
                           getOperands().take_front(numStates).getTypes())));
}

/// After a failure that depends on data there are other values to read.
LogicalResult FailOp::verify() {
  if (getCondition() && getNumResults() != 0)
    return emitOpError("has results and a condition");
  return success();
}

/// The body takes an element of every input and yields one of every output.
LogicalResult SequenceMapOp::verifyRegions() {
  return success(succeeded(checkCount(*this, "body", "take", getNumOperands(),
                                      getBody().getNumArguments())) &&
                 succeeded(checkCount(*this, "body", "yield", getNumResults(),
                                      getYielded(getBody()).size())));
}
