//===- Indexed.cpp - Gradients of indexed reads -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The gradient of an indexed read is a scatter that adds: an element that was
// read several times gets the sum.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

/// x[:, index, :] for an index of any rank: its axis moves to the front.
static LogicalResult gather(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0), index = op->getOperand(1);
  if (!back.needs(x))
    return success();
  int64_t rank = rankOf(x), many = rankOf(index);
  if (rank < 0 || many < 0)
    return op->emitOpError("has no gradient for an unknown rank");
  int64_t axis = positiveAxis(integerOf(op, "axis", 0), rank);
  // dy: before axis, index, after axis --> index, before, after.
  SmallVector<int64_t> perm = range(axis, axis + many);
  llvm::append_range(perm, range(0, axis));
  llvm::append_range(perm, range(axis + many, rank + many - 1));
  Value updates = back.transpose(dy, perm);
  // x: axis, before, after.
  SmallVector<int64_t> order{axis}, inverse = range(1, axis + 1);
  llvm::append_range(order, range(0, axis));
  llvm::append_range(order, range(axis + 1, rank));
  inverse.push_back(0);
  llvm::append_range(inverse, range(axis + 1, rank));
  SmallVector<Value> sizes;
  for (int64_t d : order)
    sizes.push_back(back.sizeOf(x, d));
  Value zeros = back.make("Expand", {back.number(0, x), back.joined(sizes)});
  // ScatterND, unlike Gather, takes no narrower numbers.
  Value positions =
      back.unsqueeze(back.castLike(index, back.integerScalar(0)), many);
  Value sum = back.make("ScatterND", {zeros, positions, updates},
                        back.text("reduction", "add"));
  back.give(x, back.transpose(sum, inverse));
  return success();
}

static LogicalResult gatherElements(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  back.give(x, back.make("ScatterElements",
                         {back.zerosLike(x), op->getOperand(1), dy},
                         {back.integer("axis", integerOf(op, "axis", 0)),
                          back.text("reduction", "add")}));
  return success();
}

/// Adds up dy at `positions`, numbers of elements of x.
static Value addAtElements(Backward &back, Value x, Value positions, Value dy) {
  Value zeros = back.reshape(back.zerosLike(x), {-1});
  Value sum =
      back.make("ScatterElements",
                {zeros, back.reshape(positions, {-1}), back.reshape(dy, {-1})},
                back.text("reduction", "add"));
  return back.reshapeLike(sum, x);
}

/// The number of each element of x.
static Value elementNumbers(Backward &back, Value x) {
  Value size = back.make("Size", x);
  Value numbers =
      back.make("Range", {back.integerScalar(0), size, back.integerScalar(1)});
  return back.reshapeLike(numbers, x);
}

static LogicalResult gatherND(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0), index = op->getOperand(1);
  if (integerOf(op, "batch_dims", 0) == 0) {
    back.give(x, back.make("ScatterND", {back.zerosLike(x), index, dy},
                           back.text("reduction", "add")));
    return success();
  }
  Value positions =
      back.make("GatherND", {elementNumbers(back, x), index},
                back.integer("batch_dims", integerOf(op, "batch_dims", 0)));
  back.give(x, addAtElements(back, x, positions, dy));
  return success();
}

static LogicalResult compress(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  SmallVector<NamedAttribute> attributes;
  if (auto axis = op->getAttrOfType<IntegerAttr>("axis"))
    attributes.push_back(back.integer("axis", axis.getInt()));
  Value positions = back.make(
      "Compress", {elementNumbers(back, x), op->getOperand(1)}, attributes);
  back.give(x, addAtElements(back, x, positions, dy));
  return success();
}

static LogicalResult topK(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  back.give(x, back.make("ScatterElements",
                         {back.zerosLike(x), op->getResult(1), dy},
                         {back.integer("axis", integerOf(op, "axis", -1)),
                          back.text("reduction", "add")}));
  return success();
}

/// ScatterElements and ScatterND: the gradient at replaced elements goes to the
/// updates.
static LogicalResult scatter(Backward &back, Operation *op, Value dy,
                             StringRef gather,
                             ArrayRef<NamedAttribute> attributes) {
  auto reduction = op->getAttrOfType<StringAttr>("reduction");
  bool adds = reduction && reduction.getValue() == "add";
  if (!adds && reduction && reduction.getValue() != "none")
    return op->emitOpError("has a gradient for reductions none and add only");
  Value x = op->getOperand(0), index = op->getOperand(1),
        updates = op->getOperand(2);
  if (back.needs(updates))
    back.give(updates, back.make(gather, {dy, index}, attributes));
  if (!back.needs(x))
    return success();
  if (!adds) {
    Value zeros =
        back.make("Expand", {back.number(0, dy), back.shapeOf(updates)});
    dy =
        back.make(op->getName().stripDialect(), {dy, index, zeros}, attributes);
  }
  back.give(x, dy);
  return success();
}

static LogicalResult scatterElements(Backward &back, Operation *op, Value dy) {
  return scatter(back, op, dy, "GatherElements",
                 back.integer("axis", integerOf(op, "axis", 0)));
}

static LogicalResult scatterND(Backward &back, Operation *op, Value dy) {
  return scatter(back, op, dy, "GatherND", {});
}

/// dy goes to where the largest elements are.
static LogicalResult maxPool(Backward &back, Operation *op, Value dy) {
  auto pool = cast<MaxPoolOp>(op);
  if (pool.getStorageOrder() != 0)
    return op->emitOpError("has a gradient for storage_order 0 only");
  Value positions = pool.getIndices();
  if (!positions)
    positions =
        back.makeOp("MaxPool", pool.getX(), attributesOf(op), 2)->getResult(1);
  back.give(pool.getX(), addAtElements(back, pool.getX(), positions, dy));
  return success();
}

ArrayRef<GradientRow> onnxc::training::indexedGradients() {
  static constexpr GradientRow rows[] = {
      {"Compress", compress},
      {"Gather", gather},
      {"GatherElements", gatherElements},
      {"GatherND", gatherND},
      {"MaxPool", maxPool},
      {"ScatterElements", scatterElements},
      {"ScatterND", scatterND},
      {"TopK", topK},
  };
  return rows;
}
