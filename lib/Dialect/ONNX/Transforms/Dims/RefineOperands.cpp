//===- RefineOperands.cpp - Types from results to operands -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The declared outputs of a model constrain the values they are computed from.
// And a tensor of four dimensions was reshaped to four sizes: where these come
// from the shapes of tensors of unknown rank, that determines these ranks.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/RefineOperands.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"

#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace onnxc::onnx;

/// Gives `value`, if of unknown rank and computed, this shape: its lowering
/// checks it. Implications of a branch for outer values hold in it alone.
static bool refine(Operation *user, Value value, ArrayRef<int64_t> shape) {
  auto type = dyn_cast<UnrankedTensorType>(value.getType());
  if (!type || !value.getDefiningOp() || mayVaryInRank(value.getDefiningOp()) ||
      value.getParentBlock() != user->getBlock())
    return false;
  value.setType(RankedTensorType::get(shape, type.getElementType()));
  return true;
}

//===----------------------------------------------------------------------===//
// Lengths of lists
//===----------------------------------------------------------------------===//

void onnxc::onnx::castInBlock(Operation *user, Value value, Type type) {
  Block *block = user->getBlock();
  OpBuilder builder(user->getContext());
  if (value.getParentBlock() == block && value.getDefiningOp())
    builder.setInsertionPointAfter(value.getDefiningOp());
  else
    builder.setInsertionPointToStart(block);
  auto cast = IdentityOp::create(builder, user->getLoc(), TypeRange(type),
                                 ValueRange(value));
  value.replaceUsesWithIf(cast.getResult(), [&](OpOperand &use) {
    return use.getOwner() != cast &&
           block->findAncestorOpInBlock(*use.getOwner());
  });
}

/// `user` requires this length of `list`, and so lengths of its parts.
static bool expectLength(Operation *user, Value list, int64_t length) {
  auto type = dyn_cast<RankedTensorType>(list.getType());
  if (!type || type.getRank() != 1 || !type.isDynamicDim(0) || length < 0 ||
      length > maxListLength)
    return false;
  if (auto concat = list.getDefiningOp<ConcatOp>()) {
    SmallVector<Value> unknown;
    int64_t rest = length;
    for (Value part : concat->getOperands()) {
      auto known = dyn_cast<RankedTensorType>(part.getType());
      if (known && known.getRank() == 1 && !known.isDynamicDim(0))
        rest -= known.getDimSize(0);
      else
        unknown.push_back(part);
    }
    if (unknown.size() == 1)
      return expectLength(user, unknown[0], rest);
    bool changed = false;
    if (listLength(list).max == length)
      for (Value part : unknown)
        changed |= expectLength(user, part, *listLength(part).max);
    return changed;
  }
  auto shape = list.getDefiningOp<ShapeOp>();
  auto data = shape ? dyn_cast<UnrankedTensorType>(shape.getData().getType())
                    : UnrankedTensorType();
  if (data && shape.getStart() == 0 && !shape.getEnd()) {
    SmallVector<int64_t> sizes(length, ShapedType::kDynamic);
    castInBlock(user, shape.getData(),
                RankedTensorType::get(sizes, data.getElementType()));
    return true;
  }
  castInBlock(user, list, RankedTensorType::get(length, type.getElementType()));
  return true;
}

/// The rank of a result, or of its cast in the same block.
static std::optional<int64_t> rankOf(Operation *op) {
  if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
    return type.getRank();
  for (Operation *user : op->getResult(0).getUsers())
    if (isa<IdentityOp>(user) && user->getBlock() == op->getBlock())
      if (auto type = dyn_cast<RankedTensorType>(user->getResult(0).getType()))
        return type.getRank();
  return std::nullopt;
}

/// reshape(x, sizes : tensor<?xi64>) : tensor<?x?xf32> has two sizes
static bool refineLengths(Operation *op) {
  if (!isa<ConstantOfShapeOp, ExpandOp, ReshapeOp, UnsqueezeOp>(op))
    return false;
  std::optional<int64_t> rank = rankOf(op);
  Value data = op->getOperand(0), list = op->getOperands().back();
  auto type = dyn_cast<RankedTensorType>(data.getType());
  if (!rank || (isa<ExpandOp, UnsqueezeOp>(op) && !type))
    return false;
  // An operand of at least this rank implies nothing about the sizes.
  if (isa<ExpandOp>(op) && type.getRank() >= *rank)
    return false;
  return expectLength(op, list,
                      isa<UnsqueezeOp>(op) ? *rank - type.getRank() : *rank);
}

/// shape(x)[1:2] has a size where shape(x)[2:3] has to have one
static bool refineSlice(ShapeOp slice) {
  auto type = dyn_cast<RankedTensorType>(slice.getResult().getType());
  std::optional<int64_t> reach = ranksReached(slice);
  bool isKnown = llvm::all_of(slice->getUsers(), [](Operation *user) {
    return isa<IdentityOp>(user) || isa<SizeOp>(user);
  });
  if (isKnown || !type || !type.isDynamicDim(0) || !reach ||
      *reach > minRank(slice.getData(), *slice->getBlock()))
    return false;
  castInBlock(slice, slice.getResult(),
              RankedTensorType::get(*listLength(slice.getResult()).max,
                                    type.getElementType()));
  return true;
}

bool onnxc::onnx::refineOperands(ModuleOp module) {
  bool changed = refineSequences(module);
  module.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
    if (isa_and_present<ONNXDialect>(op->getDialect()))
      changed |= refineLengths(op);
    if (auto slice = dyn_cast<ShapeOp>(op))
      changed |= refineSlice(slice);
    auto type = op->getNumResults() == 0
                    ? RankedTensorType()
                    : dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return;
    // relu(x : tensor<*xf32>) : tensor<?x4xf32> has x : tensor<?x4xf32>
    if (isElementwiseUnary(op) || isa<IdentityOp, LogSoftmaxOp, SoftmaxOp>(op))
      changed |= refine(op, op->getOperand(0), type.getShape());
    // add(x, y) : tensor<f32> has scalars x and y
    else if (isElementwise(op) && type.getRank() == 0)
      for (Value operand : op->getOperands())
        changed |= refine(op, operand, {});
  });
  return changed;
}
