//===- RankBounds.cpp - Bounds of unknown ranks -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "RankBounds.h"
#include "RankAgnostic.h"
#include "RankDependents.h"
#include "onnxc/Dialect/ONNX/Transforms/RefineOperands.h"

using namespace mlir;
using namespace onnxc::onnx;

using Bounds = RankBounds::Bounds;

/// Each round goes through the block once; chains longer than this are rare.
static constexpr unsigned maxRounds = 16;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The operations of a block and of the bodies of loops in it.
static void collect(Block &block, SmallVectorImpl<Operation *> &ops) {
  for (Operation &op : block) {
    if (isa<LoopOp, ScanOp>(op))
      collect(op.getRegion(0).front(), ops);
    ops.push_back(&op);
  }
}

RankBounds::RankBounds(Block &block) : block(block) {
  collect(block, ops);
  if (auto choice = dyn_cast<IfOp>(block.getParentOp()))
    for (auto [result, yielded] :
         llvm::zip(choice->getResults(), block.back().getOperands()))
      narrow(yielded, of(result).min, of(result).max);
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (isUnranked(operand))
        narrow(operand, minRank(operand, *op->getBlock()), unlimited);
  for (unsigned round = 0; round < maxRounds; ++round) {
    bool changed = false;
    for (Operation *op : ops)
      changed |= visit(op);
    for (Operation *op : llvm::reverse(ops))
      changed |= visit(op);
    if (!changed || isContradiction)
      return;
  }
}

Bounds RankBounds::of(Value value) const {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return {type.getRank(), type.getRank()};
  return isContradiction ? Bounds() : ranges.lookup(value);
}

SmallVector<RankBounds::Settled> RankBounds::settled() const {
  SmallVector<Settled> found;
  if (isContradiction)
    return found;
  llvm::SmallPtrSet<Value, 16> seen;
  for (Operation *op : ops)
    for (Value value : op->getOperands()) {
      Bounds range = of(value);
      if (!isUnranked(value) || range.min != range.max ||
          !seen.insert(value).second)
        continue;
      bool isInside = block.getParent()->isProperAncestor(
          value.getParentBlock()->getParent());
      Block &around = isInside ? *value.getParentBlock() : block;
      found.push_back({value, around.findAncestorOpInBlock(*op), range.min});
    }
  return found;
}

bool RankBounds::narrow(Value value, int64_t min, int64_t max) {
  Bounds old = of(value);
  min = std::max(old.min, std::min(min, unlimited));
  max = std::min(old.max, max);
  if (min > max) {
    isContradiction = true;
    return false;
  }
  if (min == old.min && max == old.max)
    return false;
  ranges[value] = {min, max};
  return true;
}

/// The bound plus `by`, unless there is none.
static int64_t shifted(int64_t max, int64_t by) {
  return max >= RankBounds::unlimited ? RankBounds::unlimited : max + by;
}

//===----------------------------------------------------------------------===//
// Bounds by operations
//===----------------------------------------------------------------------===//

/// rank(result) = rank(operand) + more
bool RankBounds::tie(Value result, Value operand, int64_t more) {
  Bounds x = of(operand);
  bool changed = narrow(result, x.min + more, shifted(x.max, more));
  Bounds y = of(result);
  return narrow(operand, y.min - more, shifted(y.max, -more)) || changed;
}

/// The result has the largest rank of the operands.
bool RankBounds::tieMaximum(Operation *op) {
  bool changed = false;
  Bounds all{0, 0};
  for (Value operand : op->getOperands()) {
    Bounds x = of(operand);
    all = {std::max(all.min, x.min), std::max(all.max, x.max)};
  }
  for (Value result : op->getResults())
    changed |= narrow(result, all.min, all.max);
  Bounds y = of(op->getResult(0));
  for (OpOperand &operand : op->getOpOperands()) {
    // One that alone can be so large is.
    bool isLargest = llvm::all_of(op->getOpOperands(), [&](OpOperand &other) {
      return other.get() == operand.get() || of(other.get()).max < y.min;
    });
    changed |= narrow(operand.get(), isLargest ? y.min : 0, y.max);
  }
  return changed;
}

/// rank(result) = rank(data) + rank(indices) - 1
bool RankBounds::tieGather(Operation *op) {
  Value data = op->getOperand(0), indices = op->getOperand(1);
  Value result = op->getResult(0);
  Bounds d = of(data), i = of(indices);
  bool changed =
      narrow(result, d.min + i.min - 1, std::min(unlimited, d.max + i.max - 1));
  Bounds y = of(result);
  changed |= narrow(data, y.min - i.max + 1, shifted(y.max, 1 - i.min));
  return narrow(indices, y.min - d.max + 1, shifted(y.max, 1 - d.min)) ||
         changed;
}

/// The rank of a product of these, which are at least 1.
static int64_t productRank(int64_t left, int64_t right) {
  return std::max({left, right, int64_t(2)}) - (left == 1) - (right == 1);
}

/// Narrows the ranks of a product and its operands to those that are part of
/// some product.
bool RankBounds::tieProduct(Operation *op) {
  // More dimensions than that imply nothing here.
  constexpr int64_t largest = maxRank + 2;
  Value operands[] = {op->getOperand(0), op->getOperand(1), op->getResult(0)};
  Bounds found[3], given[3];
  for (unsigned i = 0; i < 3; ++i) {
    given[i] = of(operands[i]);
    found[i] = {unlimited, 0};
  }
  for (int64_t l = std::max<int64_t>(given[0].min, 1);
       l <= std::min(given[0].max, largest); ++l)
    for (int64_t r = std::max<int64_t>(given[1].min, 1);
         r <= std::min(given[1].max, largest); ++r) {
      int64_t ranks[] = {l, r, productRank(l, r)};
      if (ranks[2] < given[2].min || ranks[2] > given[2].max)
        continue;
      for (unsigned i = 0; i < 3; ++i)
        found[i] = {std::min(found[i].min, ranks[i]),
                    std::max(found[i].max, ranks[i])};
    }
  bool changed = false;
  for (unsigned i = 0; i < 3; ++i)
    changed |= narrow(operands[i], found[i].min,
                      found[i].max >= largest - 2 ? unlimited : found[i].max);
  return changed;
}

/// The least rank that has this axis.
static int64_t minWith(int64_t axis) {
  constexpr int64_t max = RankBounds::unlimited;
  return axis < 0 ? -std::max(axis, -max) : std::min(axis, max - 1) + 1;
}

/// Axes that are constants are among those of the operand, or of the result of
/// Unsqueeze.
bool RankBounds::visitAxes(Operation *op) {
  bool changed = false;
  Value x = op->getOperand(0);
  // As many axes as there are positions to begin at, if no axes are given.
  if (auto slice = dyn_cast<SliceOp>(op)) {
    auto starts = dyn_cast<RankedTensorType>(slice.getStarts().getType());
    if (starts && starts.hasStaticShape())
      changed |= narrow(x, starts.getNumElements(), unlimited);
  }
  for (int64_t axis : knownAxes(op))
    changed |= narrow(isa<UnsqueezeOp>(op) ? op->getResult(0) : x,
                      minWith(axis), unlimited);
  return changed;
}

static std::optional<int64_t> knownLength(Value list) {
  auto type = dyn_cast<RankedTensorType>(list.getType());
  return type && type.hasStaticShape() ? std::optional(type.getNumElements())
                                       : std::nullopt;
}

/// The last k of ones and the sizes of `x`: a tensor broadcast to k dimensions
/// has no more.
static std::optional<int64_t> rankAfterPadding(Value x, Value list) {
  auto slice = list.getDefiningOp<SliceOp>();
  auto joined = slice ? slice.getData().getDefiningOp<ConcatOp>() : ConcatOp();
  if (!joined || joined->getNumOperands() != 2)
    return std::nullopt;
  auto shape = joined->getOperand(1).getDefiningOp<ShapeOp>();
  std::optional<SmallVector<int64_t>> ones =
      constantInts(joined->getOperand(0));
  bool isPadding = shape && shape.getData() == x && shape.getStart() == 0 &&
                   !shape.getEnd() && ones &&
                   llvm::all_of(*ones, [](int64_t i) { return i == 1; });
  return isPadding ? listLength(list).max : std::nullopt;
}

bool RankBounds::visitReshape(ReshapeOp op) {
  Value list = op.getShape();
  bool changed = false;
  if (std::optional<int64_t> max = rankAfterPadding(op.getData(), list))
    changed = narrow(op.getData(), 0, *max);
  return narrow(op->getResult(0), listLength(list).min,
                listLength(list).max.value_or(unlimited)) ||
         changed;
}

bool RankBounds::visitRelation(Operation *op) {
  Value x = op->getOperand(0), y = op->getResult(0);
  if (isElementwise(op))
    return tieMaximum(op);
  if (isa<MatMulOp, MatMulIntegerOp>(op))
    return tieProduct(op);
  if (isa<GatherOp>(op))
    return tieGather(op);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return visitReshape(reshape);
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    bool changed = false;
    for (Value operand : op->getOperands())
      changed |= tie(y, operand, 0);
    return changed;
  }
  if (std::optional<SqueezedRanks> ranks = squeezedRanks(y))
    return narrow(y, ranks->min, ranks->max);
  std::optional<int64_t> more = rankChange(op, knownLength);
  bool changed = false;
  for (Value result :
       op->getResults().take_front(std::max(1u, countLikeFirst(op))))
    changed |= more && tie(result, x, *more);
  return changed;
}

/// Ranks that the operator itself takes.
bool RankBounds::visitRules(Operation *op) {
  bool changed = false;
  for (auto [slot, rule] : llvm::enumerate(OpRanks::of(op).operands)) {
    OpOperand *operand = operandInSlot(op, slot);
    if (!operand)
      continue;
    changed |= narrow(operand->get(), rule.min, std::min(rule.max, unlimited));
    OpOperand *like = rule.like < 0 ? nullptr : operandInSlot(op, rule.like);
    if (like)
      changed |= tie(operand->get(), like->get(), rule.more);
    if (rule.form == OperandRank::Broadcast)
      changed |= narrow(operand->get(), 0, of(op->getOperand(0)).max);
  }
  auto transpose = dyn_cast<TransposeOp>(op);
  if (transpose && transpose.getPerm()) {
    int64_t rank = static_cast<int64_t>(transpose.getPerm()->size());
    changed |= narrow(transpose.getData(), rank, rank);
  }
  auto window = dyn_cast_or_null<DenseI64ArrayAttr>(
      op->getInherentAttr("kernel_shape").value_or(Attribute()));
  if (window && !isa<Col2ImOp>(op))
    changed |= narrow(op->getOperand(0), window.size() + 2, window.size() + 2);
  return changed;
}

//===----------------------------------------------------------------------===//
// Bounds by loops
//===----------------------------------------------------------------------===//

/// Returns true if the rank of `value` follows from the ranks of the arguments
/// of the body: it does not depend on lists of the run.
static bool followsFromRanks(Value value, Block &body) {
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!isUnranked(next) || !op || op->getBlock() != &body ||
        !seen.insert(op).second)
      continue;
    if (!isElementwise(op) && countLikeFirst(op) == 0 &&
        !isa<ConcatOp, GatherOp, MatMulIntegerOp, MatMulOp>(op))
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

/// The argument of an iteration is the initial value or the one that the
/// iteration before yields. If that rank follows from ranks alone, the next
/// iterations accept it.
bool RankBounds::tieState(Value initial, Value argument, Value yielded,
                          Value result) {
  Bounds x = of(argument);
  bool changed = narrow(initial, x.min, x.max);
  Bounds first = of(initial), next = of(yielded);
  bool isTaken = next.min <= x.max && x.min <= next.max;
  if (isTaken && followsFromRanks(yielded, *argument.getParentBlock()))
    changed |= narrow(yielded, x.min, x.max);
  next = of(yielded);
  int64_t min = std::min(first.min, next.min),
          max = std::max(first.max, next.max);
  changed |= narrow(argument, min, max);
  return narrow(result, min, max) || changed;
}

bool RankBounds::tieLoop(Operation *op) {
  auto loop = cast<LoopOp>(op);
  Block &body = loop.getBody().front();
  Operation *yield = body.getTerminator();
  size_t states = loop.getVInitial().size();
  if (body.getNumArguments() != states + 2 ||
      yield->getNumOperands() != op->getNumResults() + 1 ||
      op->getNumResults() < states)
    return false;
  bool changed = false;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Value yielded = yield->getOperand(i + 1);
    changed |= i < states ? tieState(loop.getVInitial()[i],
                                     body.getArgument(i + 2), yielded, result)
                          : tie(result, yielded, 1);
  }
  return changed;
}

/// States keep their shape.
bool RankBounds::tieScan(Operation *op) {
  auto scan = cast<ScanOp>(op);
  Block &body = scan.getBody().front();
  Operation *yield = body.getTerminator();
  int64_t count = op->getNumOperands(),
          states = count - scan.getNumScanInputs();
  if (states < 0 || states > op->getNumResults() ||
      body.getNumArguments() != count ||
      yield->getNumOperands() != op->getNumResults())
    return false;
  bool changed = false;
  for (int64_t i = 0; i < count; ++i)
    changed |= tie(op->getOperand(i), body.getArgument(i), i < states ? 0 : 1);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    bool isState = static_cast<int64_t>(i) < states;
    changed |= tie(result, yield->getOperand(i), isState ? 0 : 1);
    if (isState)
      changed |= tie(result, op->getOperand(i), 0);
  }
  return changed;
}

bool RankBounds::visit(Operation *op) {
  if (isContradiction)
    return false;
  if (isa<LoopOp>(op))
    return tieLoop(op);
  if (isa<ScanOp>(op))
    return tieScan(op);
  bool isUnknown = llvm::any_of(op->getOperands(), isUnranked) ||
                   llvm::any_of(op->getResults(), isUnranked);
  if (!isUnknown || op->getNumResults() == 0 || op->getNumOperands() == 0 ||
      op->getNumRegions() != 0 ||
      !isa_and_present<ONNXDialect>(op->getDialect()))
    return false;
  bool changed = visitRules(op);
  changed |= visitAxes(op);
  return visitRelation(op) || changed;
}
