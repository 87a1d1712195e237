//===- Movement.cpp - Gradients of data movement ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"

using namespace mlir;
using namespace onnxc::onnx;
using namespace onnxc::training;

static LogicalResult expand(Backward &back, Operation *op, Value dy) {
  back.giveBroadcast(op->getOperand(0), dy, op->getResult(0));
  return success();
}

/// Reshape, Flatten, Squeeze, Unsqueeze.
static LogicalResult view(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0);
  back.give(x, back.reshapeLike(dy, x));
  return success();
}

static LogicalResult transpose(Backward &back, Operation *op, Value dy) {
  auto perm = cast<TransposeOp>(op).getPerm();
  SmallVector<NamedAttribute> attributes;
  if (perm) {
    SmallVector<int64_t> inverse(perm->size());
    for (auto [i, d] : llvm::enumerate(*perm)) {
      if (d < 0 || d >= int64_t(perm->size()))
        return op->emitOpError("has no permutation as perm");
      inverse[d] = i;
    }
    attributes.push_back(back.list("perm", inverse));
  }
  back.give(op->getOperand(0), back.make("Transpose", dy, attributes));
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static LogicalResult concat(Backward &back, Operation *op, Value dy) {
  int64_t rank = rankOf(op->getResult(0));
  if (rank < 0)
    return op->emitOpError("has no gradient for an unknown rank");
  int64_t axis = positiveAxis(integerOf(op, "axis", 0), rank);
  SmallVector<Value> sizes;
  for (Value part : op->getOperands())
    sizes.push_back(back.sizeOf(part, axis));
  Operation *split =
      back.makeOp("Split", {dy, back.joined(sizes)}, back.integer("axis", axis),
                  op->getNumOperands());
  for (auto [part, gradient] :
       llvm::zip(op->getOperands(), split->getResults()))
    back.give(part, gradient);
  return success();
}

static LogicalResult split(Backward &back, Operation *op, Value) {
  SmallVector<Value> parts;
  for (Value part : op->getResults())
    parts.push_back(back.gradientOrZeros(part));
  back.give(op->getOperand(0),
            back.make("Concat", parts,
                      back.integer("axis", integerOf(op, "axis", 0))));
  return success();
}

/// As much is cut off as was added, and added as was cut off.
static LogicalResult padWithConstant(Backward &back, PadOp pad, Value dy) {
  Value pads = pad.getPads();
  if (auto known = back.knownInts(pads)) {
    for (int64_t &n : *known)
      n = -n;
    pads = back.ints(*known);
  } else {
    pads = back.make("Neg", pads);
  }
  SmallVector<Value> operands{dy, pads};
  if (pad.getAxes())
    operands.append({Value(), pad.getAxes()});
  back.give(pad.getData(), back.make("Pad", operands));
  if (pad.getConstantValue() && back.needs(pad.getConstantValue()))
    return pad.emitOpError("has no gradient by its constant_value");
  return success();
}

//===----------------------------------------------------------------------===//
// Where each index of an axis goes
//===----------------------------------------------------------------------===//

/// Element i of `axis` of dy came from index positions[i] of the operand, whose
/// size there is `size`: adds it up there.
static Value addAtPositions(Backward &back, Value dy, int64_t rank,
                            int64_t axis, Value positions, Value size) {
  SmallVector<int64_t> perm = range(0, rank);
  std::swap(perm[0], perm[axis]);
  Value front = back.transpose(dy, perm);
  Value shape = size;
  if (rank > 1)
    shape = back.joined(
        {size, back.make("Shape", front, back.integer("start", 1))});
  Value zeros = back.make("Expand", {back.number(0, dy), shape});
  Value sum =
      back.make("ScatterND", {zeros, back.unsqueeze(positions, 1), front},
                back.text("reduction", "add"));
  return back.transpose(sum, perm);
}

/// The axes that Slice and Pad name, counted from the front; all without them.
static FailureOr<SmallVector<int64_t>> axesOf(Backward &back, Operation *op,
                                              Value axes) {
  int64_t rank = rankOf(op->getOperand(0));
  if (rank < 0)
    return op->emitOpError("has no gradient for an unknown rank");
  if (!axes)
    return range(0, rank);
  auto known = back.knownInts(axes);
  if (!known)
    return op->emitOpError("has a gradient for constant axes only");
  for (int64_t &axis : *known) {
    axis = positiveAxis(axis, rank);
    if (axis < 0 || axis >= rank)
      return op->emitOpError("names an axis that its operand does not have");
  }
  return *known;
}

static Value element(Backward &back, Value vector, int64_t index) {
  return back.make("Slice",
                   {vector, back.ints({index}), back.ints({index + 1})});
}

/// With steps of 1, zeros are put around dy.
static Value sliceOfSteps1(Backward &back, SliceOp slice, Value dy,
                           ArrayRef<int64_t> axes) {
  SmallVector<Value> before, after;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value x = slice.getData();
    // The elements before the start, which may be negative or outside.
    Value start = element(back, slice.getStarts(), i);
    Value skipped = back.shapeOf(
        back.make("Slice", {back.positions(x, axis), back.ints({0}), start}));
    before.push_back(skipped);
    Value taken = back.add(skipped, back.sizeOf(dy, axis));
    after.push_back(back.sub(back.sizeOf(x, axis), taken));
  }
  llvm::append_range(before, after);
  return back.make("Pad", {dy, back.joined(before), Value(), back.ints(axes)});
}

static LogicalResult slice(Backward &back, Operation *op, Value dy) {
  auto slice = cast<SliceOp>(op);
  FailureOr<SmallVector<int64_t>> axes = axesOf(back, op, slice.getAxes());
  if (failed(axes))
    return failure();
  if (!slice.getAxes())
    if (auto type = dyn_cast<RankedTensorType>(slice.getStarts().getType());
        type && type.hasStaticShape())
      axes->resize(std::min<int64_t>(axes->size(), type.getDimSize(0)));
  auto steps = back.knownInts(slice.getSteps());
  bool isDense =
      !slice.getSteps() ||
      (steps && llvm::all_of(*steps, [](int64_t s) { return s == 1; }));
  if (isDense) {
    back.give(slice.getData(), sliceOfSteps1(back, slice, dy, *axes));
    return success();
  }
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    Value positions =
        back.make("Slice", {back.positions(slice.getData(), axis),
                            element(back, slice.getStarts(), i),
                            element(back, slice.getEnds(), i), back.ints({0}),
                            element(back, slice.getSteps(), i)});
    dy = addAtPositions(back, dy, rankOf(slice.getData()), axis, positions,
                        back.sizeOf(slice.getData(), axis));
  }
  back.give(slice.getData(), dy);
  return success();
}

static LogicalResult pad(Backward &back, Operation *op, Value dy) {
  auto pad = cast<PadOp>(op);
  if (pad.getMode() == "constant")
    return padWithConstant(back, pad, dy);
  FailureOr<SmallVector<int64_t>> axes = axesOf(back, op, pad.getAxes());
  if (failed(axes))
    return failure();
  int64_t count = axes->size();
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    Value own = back.joined({element(back, pad.getPads(), i),
                             element(back, pad.getPads(), i + count)});
    Value positions =
        back.make("Pad", {back.positions(pad.getData(), axis), own},
                  back.text("mode", pad.getMode()));
    dy = addAtPositions(back, dy, rankOf(op->getOperand(0)), axis, positions,
                        back.sizeOf(pad.getData(), axis));
  }
  back.give(pad.getData(), dy);
  return success();
}

/// Each axis becomes two, of which the first is the copies.
static LogicalResult tile(Backward &back, Operation *op, Value dy) {
  Value x = op->getOperand(0), repeats = op->getOperand(1);
  int64_t rank = rankOf(x);
  if (rank < 0)
    return op->emitOpError("has no gradient for an unknown rank");
  SmallVector<Value> sizes;
  SmallVector<int64_t> copies;
  for (int64_t d = 0; d < rank; ++d) {
    sizes.append({element(back, repeats, d), back.sizeOf(x, d)});
    copies.push_back(2 * d);
  }
  if (rank > 0)
    dy = back.reduce("ReduceSum",
                     back.make("Reshape", {dy, back.joined(sizes)},
                               back.integer("allowzero", 1)),
                     copies, /*keepdims=*/false);
  back.give(x, dy);
  return success();
}

/// The gradients of Trilu and ReverseSequence are the same operators on dy.
static LogicalResult sameAgain(Backward &back, Operation *op, Value dy) {
  SmallVector<Value> operands(op->getOperands());
  operands[0] = dy;
  back.give(op->getOperand(0), back.make(op->getName().stripDialect(), operands,
                                         attributesOf(op)));
  return success();
}

ArrayRef<GradientRow> onnxc::training::movementGradients() {
  static constexpr GradientRow rows[] = {
      {"Concat", concat},       {"Expand", expand},
      {"Flatten", view},        {"Pad", pad},
      {"Reshape", view},        {"ReverseSequence", sameAgain},
      {"Slice", slice},         {"Split", split, /*takesAllResults=*/true},
      {"Squeeze", view},        {"Tile", tile},
      {"Transpose", transpose}, {"Trilu", sameAgain},
      {"Unsqueeze", view},
  };
  return rows;
}
