//===- RankDependents.cpp - Dependents of an unknown rank -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "RankDependents.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"

using namespace mlir;
using namespace onnxc::onnx;

RankedTensorType Unknown::typeFor(int64_t number) const {
  auto type = cast<TensorType>(value.getType());
  SmallVector<int64_t> shape;
  if (dim) {
    llvm::append_range(shape, type.getShape());
    shape[*dim] = number;
  } else if (std::optional<SqueezedRanks> ranks = squeezedRanks(value);
             ranks && number == ranks->max) {
    llvm::append_range(shape, ranks->shape);
  } else {
    shape.assign(number, ShapedType::kDynamic);
  }
  return RankedTensorType::get(shape, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Unknown ranks and sizes
//===----------------------------------------------------------------------===//

std::optional<SqueezedRanks> onnxc::onnx::squeezedRanks(Value value) {
  auto op = value.getDefiningOp<SqueezeOp>();
  auto from = op && !op.getAxes()
                  ? dyn_cast<RankedTensorType>(op.getData().getType())
                  : RankedTensorType();
  if (!from)
    return std::nullopt;
  SqueezedRanks ranks;
  for (int64_t size : from.getShape())
    if (size != 1)
      ranks.shape.push_back(size);
  ranks.max = static_cast<int64_t>(ranks.shape.size());
  ranks.min = ranks.max - from.getNumDynamicDims();
  return ranks;
}

static bool isDynamicList(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 1 && type.isDynamicDim(0);
}

/// The value that determines the length of a list: the list itself, the operand
/// of its Cast, or the one part of unknown length of its Concat. Where that is
/// known, so are the lengths of all lists that were made of it.
static Unknown lengthGiver(Value list) {
  while (Operation *op = list.getDefiningOp()) {
    auto shape = dyn_cast<ShapeOp>(op);
    if (shape && isUnranked(shape.getData()) && shape.getStart() == 0 &&
        !shape.getEnd())
      return {shape.getData(), std::nullopt};
    if (!isa<CastOp, ConcatOp, IdentityOp>(op))
      break;
    auto unresolved = llvm::make_filter_range(op->getOperands(), isDynamicList);
    if (!llvm::hasSingleElement(unresolved))
      break;
    list = *unresolved.begin();
  }
  return {list, 0u};
}

/// The dimension of an operand that determines the rank of a result: the number
/// of axes or sizes, or the length of the index tuples of GatherND.
static std::optional<Unknown> rankGiver(Operation *op) {
  // Others have no rank yet, as their bodies have not been visited.
  if (!mayVaryInRank(op) || llvm::none_of(op->getResults(), isUnranked))
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (takesUnknownRank(operand) || !type)
      return std::nullopt;
  }
  // The length of the data operand does not matter.
  unsigned lists = isa<ConstantOfShapeOp>(op) ? 0 : 1;
  for (Value operand : op->getOperands().drop_front(lists)) {
    auto type = cast<RankedTensorType>(operand.getType());
    bool isTuple = isa<GatherNDOp>(op) && operand == op->getOperand(1);
    if (type.getRank() == 0 || !type.getElementType().isInteger() ||
        !type.isDynamicDim(type.getRank() - 1))
      continue;
    if (type.getRank() == 1 && !isa<GatherNDOp>(op))
      return lengthGiver(operand);
    if (isTuple)
      return Unknown{operand, static_cast<unsigned>(type.getRank() - 1)};
  }
  return std::nullopt;
}

std::optional<Unknown> onnxc::onnx::unknownOf(Operation *op) {
  if (!isa_and_present<ONNXDialect>(op->getDialect()))
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands())
    if (isUnranked(operand.get()) && !takesUnknownRank(operand))
      return Unknown{operand.get(), std::nullopt};
  return rankGiver(op);
}

//===----------------------------------------------------------------------===//
// The operations that depend on it
//===----------------------------------------------------------------------===//

static bool anyOperand(Operation *op, function_ref<bool(Value)> holds) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), holds)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Block *onnxc::onnx::blockOfSwitch(Operation *op, Value value) {
  Block *block = op->getBlock();
  for (Block *outer = block; outer != value.getParentBlock();) {
    Operation *around = outer->getParentOp();
    outer = around->getBlock();
    if (isa<LoopOp, ScanOp, SequenceMapOp>(around))
      block = outer;
  }
  return block;
}

/// Returns true if the rank of `value` is not known, or the length of a list
/// that may determine a rank. For other values, variants for the ranks of the
/// operands that they were computed from would have no effect.
static bool isUnresolved(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return !type || (type.getRank() > 0 && type.getElementType().isInteger() &&
                   type.isDynamicDim(type.getRank() - 1));
}

/// The operations of the block that depend on a value, with those inside of
/// them. Fills `needing` with those that need the rank of one of them, and
/// `kept` with those of the block around them.
static SmallVector<Operation *>
collectDependents(Block &block, Value value,
                  SmallVectorImpl<Operation *> &needing,
                  llvm::DenseSet<Operation *> &kept) {
  llvm::DenseSet<Value> depending{value}, unresolved{value};
  SmallVector<Operation *> dependents;
  auto depends = [&](Value v) { return depending.contains(v); };
  auto dependsOnRank = [&](Value v) { return unresolved.contains(v); };
  for (Operation &op : block.without_terminator()) {
    if (!anyOperand(&op, depends))
      continue;
    dependents.push_back(&op);
    depending.insert(op.result_begin(), op.result_end());
    if (!anyOperand(&op, dependsOnRank))
      continue;
    for (Value result : op.getResults())
      if (isUnresolved(result))
        unresolved.insert(result);
    op.walk([&](Operation *inner) {
      std::optional<Unknown> needed = unknownOf(inner);
      if (!needed ||
          (!dependsOnRank(needed->value) &&
           !op.isAncestor(needed->value.getParentBlock()->getParentOp())))
        return;
      needing.push_back(inner);
      kept.insert(&op);
    });
  }
  return dependents;
}

RankDependents onnxc::onnx::dependentsOf(Block &block, Value value) {
  RankDependents dependents;
  llvm::DenseSet<Operation *> kept;
  SmallVector<Operation *> all =
      collectDependents(block, value, dependents.needing, kept);
  for (Operation *op : llvm::reverse(all))
    if (llvm::any_of(op->getUsers(), [&](Operation *user) {
          return kept.contains(block.findAncestorOpInBlock(*user));
        }))
      kept.insert(op);
  llvm::DenseSet<Value> results;
  auto isResult = [&](Value v) { return results.contains(v); };
  for (Operation *op : all) {
    bool isKept = kept.contains(op);
    if (!isKept && !anyOperand(op, isResult))
      continue;
    (isKept ? dependents.ops : dependents.later).push_back(op);
    results.insert(op->result_begin(), op->result_end());
  }
  llvm::erase_if(dependents.later, [&](Operation *op) {
    return dependents.ops.back()->isBeforeInBlock(op);
  });
  return dependents;
}
