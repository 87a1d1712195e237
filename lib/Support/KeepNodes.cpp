//===- KeepNodes.cpp - Nodes that rewrites remove --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Support/KeepNodes.h"

#include "onnxc/Support/NodeLocations.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace onnxc {

/// A constant has the name of a tensor.
static void addLocations(Operation *op, ArrayRef<Location> others) {
  if (op && !op->hasTrait<OpTrait::ConstantLike>())
    op->setLoc(fuseLocations(op->getLoc(), others));
}

/// The locations of the operations that nothing but `op` uses, and of those
/// that nothing but these use.
static void collectDying(Operation *op, unsigned depth,
                         SmallVectorImpl<Location> &locations) {
  for (Value operand : op->getOperands()) {
    Operation *maker = operand.getDefiningOp();
    if (!maker || depth == 0 || maker->hasTrait<OpTrait::ConstantLike>() ||
        maker->getNumRegions() != 0 ||
        !llvm::all_of(maker->getUsers(),
                      [&](Operation *user) { return user == op; }))
      continue;
    locations.push_back(maker->getLoc());
    collectDying(maker, depth - 1, locations);
  }
}

void KeepNodes::notifyOperationInserted(Operation *op,
                                        OpBuilder::InsertPoint previous) {
  if (!previous.isSet())
    made.push_back(op);
}

void KeepNodes::notifyOperationReplaced(Operation *op, ValueRange replacement) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return;
  for (Value value : replacement)
    addLocations(value.getDefiningOp(), op->getLoc());
}

void KeepNodes::notifyOperationErased(Operation *op) {
  llvm::erase(made, op);
  if (made.empty())
    return;
  constexpr unsigned maxDepth = 4;
  SmallVector<Location> dying;
  collectDying(op, maxDepth, dying);
  if (!dying.empty())
    for (Operation *other : made)
      addLocations(other, dying);
}

} // namespace onnxc
