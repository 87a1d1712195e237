//===- Merge.cpp - One kernel out of two --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Support/NodeLocations.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace onnxc::krnl {

//===----------------------------------------------------------------------===//
// Where the merged kernel can stand
//===----------------------------------------------------------------------===//

/// Returns true if the value is available at `op`, perhaps after moving pure
/// ops without regions that make it. Collects these in `moved`, operands first.
static bool availableBefore(Value value, Operation *op, unsigned depth,
                            SetVector<Operation *> &moved) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getBlock() != op->getBlock() ||
      maker->isBeforeInBlock(op))
    return true;
  if (depth == 0 || maker->getNumRegions() != 0 || !isPure(maker))
    return false;
  for (Value operand : maker->getOperands())
    if (!availableBefore(operand, op, depth - 1, moved))
      return false;
  moved.insert(maker);
  return true;
}

/// Finds the position, and moves the ops that are in its way. Where the
/// consumer needs nothing of the producer it is that of the latter: what this
/// reads may be written over after it.
static Operation *findPosition(RewriterBase &rewriter, KernelOp producer,
                               KernelOp consumer, std::string &reason) {
  if (producer->getBlock() != consumer->getBlock()) {
    reason = "the kernels are in different blocks";
    return nullptr;
  }
  Block *block = producer->getBlock();
  bool usedBefore = llvm::any_of(producer->getUsers(), [&](Operation *user) {
    Operation *position = block->findAncestorOpInBlock(*user);
    return !position ||
           (position != consumer && position->isBeforeInBlock(consumer));
  });
  bool isNeeded = llvm::is_contained(producer->getUsers(), consumer);
  if (!usedBefore && isNeeded)
    return consumer;
  SetVector<Operation *> moved;
  for (Value operand : consumer->getOperands())
    if (operand.getDefiningOp() != producer &&
        !availableBefore(operand, producer, /*depth=*/8, moved)) {
      reason = "a value made between the kernels depends on " +
               producer.getName().str() + " and is needed by " +
               consumer.getName().str();
      return nullptr;
    }
  for (Operation *op : moved)
    rewriter.moveOpBefore(op, producer);
  return producer;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
class KernelMerger {
public:
  KernelMerger(RewriterBase &rewriter, KernelOp producer, KernelOp consumer,
               const LoopMapping &plan, bool keepAll = false)
      : rewriter(rewriter), producer(producer), consumer(consumer), plan(plan),
        keepAll(keepAll) {}

  void collectOperands();
  KernelOp build(Operation *position);

  OperandMapping operands;

private:
  int addIn(Value value);
  void numberResults();
  void mapArguments(KernelOp merged);
  void mapExtents(KernelOp from, KernelOp merged, bool rename);
  void cloneBody(KernelOp from, bool rename);

  RewriterBase &rewriter;
  KernelOp producer, consumer;
  const LoopMapping &plan;
  SmallVector<Value> ins, outs;
  bool keepAll;
  /// Results of the producer that others use too, or all.
  SmallVector<unsigned> kept;
  IRMapping mapping;
};
} // namespace

int KernelMerger::addIn(Value value) {
  auto *position = llvm::find(ins, value);
  if (position == ins.end()) {
    ins.push_back(value);
    return ins.size() - 1;
  }
  return position - ins.begin();
}

void KernelMerger::collectOperands() {
  for (Value in : producer.getIns())
    operands.producer.push_back(addIn(in));
  for (Value in : consumer.getIns())
    operands.consumer.push_back(in.getDefiningOp() == producer ? -1
                                                               : addIn(in));
  for (OpResult result : producer.getResults()) {
    bool isKept =
        keepAll || llvm::any_of(result.getUsers(), [&](Operation *user) {
          return user != consumer;
        });
    operands.producer.push_back(isKept ? int(ins.size() + outs.size()) : -1);
    if (!isKept)
      continue;
    kept.push_back(result.getResultNumber());
    outs.push_back(producer.getOuts()[result.getResultNumber()]);
  }
  for (Value out : consumer.getOuts()) {
    operands.consumer.push_back(ins.size() + outs.size());
    outs.push_back(out);
  }
  numberResults();
}

/// The results of ops have numbers after the extents, which no step names.
void KernelMerger::numberResults() {
  operands.numOperands = ins.size() + outs.size() + plan.extents.size();
  unsigned next = operands.numOperands;
  for (auto [kernel, numbers] : {std::pair(producer, &operands.producer),
                                 std::pair(consumer, &operands.consumer)}) {
    numbers->append(kernel.getExtents().size(), -1);
    for ([[maybe_unused]] ComputeOp op : kernel.getBody().getOps<ComputeOp>())
      numbers->push_back(next++);
  }
}

/// The body of `from` may use the extents of its loops.
void KernelMerger::mapExtents(KernelOp from, KernelOp merged, bool rename) {
  for (auto [number, loop] :
       llvm::enumerate(from.getLoops().getAsRange<LoopAttr>()))
    if (auto inside = dyn_cast<Value>(from.getExtentInside(number))) {
      StringRef name = loop.getName();
      unsigned now = *merged.findLoop(rename ? plan.rename.at(name) : name);
      mapping.map(inside,
                  getValueOrCreateConstantIndexOp(rewriter, merged.getLoc(),
                                                  merged.getExtentInside(now)));
    }
}

void KernelMerger::mapArguments(KernelOp merged) {
  mapExtents(producer, merged, /*rename=*/false);
  mapExtents(consumer, merged, /*rename=*/true);
  for (unsigned number : llvm::seq<unsigned>(producer.getIns().size()))
    mapping.map(producer.getInArgument(number),
                merged.getInArgument(operands.producer[number]));
  for (unsigned number : llvm::seq<unsigned>(consumer.getIns().size()))
    if (int position = operands.consumer[number]; position >= 0)
      mapping.map(consumer.getInArgument(number),
                  merged.getInArgument(position));
  for (auto [position, number] : llvm::enumerate(kept))
    mapping.map(producer.getOutArgument(number),
                merged.getOutArgument(position));
  for (unsigned number : llvm::seq<unsigned>(consumer.getOuts().size()))
    mapping.map(consumer.getOutArgument(number),
                merged.getOutArgument(kept.size() + number));
  for (unsigned number : llvm::seq<unsigned>(producer.getOuts().size()))
    if (!llvm::is_contained(kept, number))
      mapping.map(producer.getOutArgument(number),
                  TemporaryOp::create(rewriter, merged.getLoc(),
                                      producer.getOuts()[number].getType()));
}

void KernelMerger::cloneBody(KernelOp from, bool rename) {
  for (Operation &op : from.getBody().front().without_terminator()) {
    Operation *clone = rewriter.clone(op, mapping);
    auto compute = dyn_cast<ComputeOp>(clone);
    if (!rename || !compute)
      continue;
    compute.setAxes(llvm::map_to_vector(compute.getAxes(), [&](StringRef name) {
      return StringRef(plan.rename.find(name)->second);
    }));
  }
}

KernelOp KernelMerger::build(Operation *position) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(position);
  std::string name = fuseNames(producer.getName(), consumer.getName());
  Location loc = fuseLocations(producer.getLoc(), consumer.getLoc());
  auto merged = KernelOp::create(rewriter, loc, name, plan.loops, plan.extents,
                                 ins, outs);
  merged.setKeepUnitLoops(producer.getKeepUnitLoops() ||
                          consumer.getKeepUnitLoops());
  rewriter.setInsertionPointToStart(&merged.getBody().front());
  mapArguments(merged);
  cloneBody(producer, /*rename=*/false);
  YieldOp made = producer.getYield();
  for (auto [number, in] : llvm::enumerate(consumer.getIns()))
    if (in.getDefiningOp() == producer)
      mapping.map(consumer.getInArgument(number),
                  mapping.lookup(
                      made.getValues()[cast<OpResult>(in).getResultNumber()]));
  cloneBody(consumer, /*rename=*/true);
  SmallVector<Value> yielded;
  for (unsigned number : kept)
    yielded.push_back(mapping.lookup(made.getValues()[number]));
  for (Value value : consumer.getYield().getValues())
    yielded.push_back(mapping.lookup(value));
  YieldOp::create(rewriter, loc, yielded);
  return merged;
}

LogicalResult checkOps(KernelOp producer, KernelOp consumer, unsigned maxOps,
                       std::string &reason) {
  constexpr unsigned maxValues = 512;
  unsigned ops = 0, values = 0;
  for (KernelOp kernel : {producer, consumer})
    for (Operation &op : kernel.getBody().front()) {
      ++values;
      if (auto structured = dyn_cast<ComputeOp>(op)) {
        ++ops;
        for ([[maybe_unused]] Operation &inner : *structured.getBlock())
          if (++values > maxValues)
            break;
      }
      if (ops > maxOps || values > maxValues) {
        bool manyOps = ops > maxOps;
        reason = llvm::formatv("the kernel would have more than {0} {1}",
                               manyOps ? maxOps : maxValues,
                               manyOps ? "ops" : "values");
        return failure();
      }
    }
  return success();
}

/// The merged kernel must verify, its recipe included.
static LogicalResult checkMerged(KernelOp merged, std::string &reason) {
  bool valid = false;
  std::string message = captureMessage(merged.getContext(), [&] {
    valid = succeeded(mlir::verify(merged, /*verifyRecursively=*/true));
  });
  if (valid)
    return success();
  StringRef text = message;
  text.consume_front("'krnl.kernel' op ");
  reason = ("the merged kernel would be wrong: " + text).str();
  return failure();
}

/// The loops of the second kernel are those of the first, in their order.
static std::optional<LoopMapping> pairLoops(KernelOp first, KernelOp second) {
  LoopMapping plan;
  if (first.getLoops().size() != second.getLoops().size())
    return std::nullopt;
  for (unsigned number : llvm::seq<unsigned>(first.getLoops().size())) {
    LoopAttr mine = first.getLoop(number), theirs = second.getLoop(number);
    OpFoldResult extent = first.getExtent(number);
    if (extent != second.getExtent(number) ||
        mine.getLimit() != theirs.getLimit() ||
        mine.getAtLeast() != theirs.getAtLeast())
      return std::nullopt;
    plan.rename[theirs.getName()] = mine.getName().str();
    plan.loops.push_back(mine);
    plan.common.push_back(mine.getName().str());
    if (mine.isDynamic())
      plan.extents.push_back(cast<Value>(extent));
  }
  return plan;
}

/// Returns true if each destination is memory of the kernel's own.
static bool writesOwnMemory(KernelOp kernel) {
  return llvm::all_of(kernel.getOuts(), [](Value out) {
    return out.getDefiningOp<tensor::EmptyOp>();
  });
}

KernelOp joinSiblings(RewriterBase &rewriter, KernelOp first, KernelOp second) {
  std::optional<LoopMapping> plan = pairLoops(first, second);
  if (!plan || !first.getRecipe().empty() || !second.getRecipe().empty() ||
      !writesOwnMemory(first) || !writesOwnMemory(second) ||
      llvm::is_contained(first->getUsers(), second))
    return nullptr;
  std::string reason;
  Operation *position = findPosition(rewriter, first, second, reason);
  if (!position)
    return nullptr;
  KernelMerger merger(rewriter, first, second, *plan, /*keepAll=*/true);
  merger.collectOperands();
  KernelOp joined = merger.build(position);
  if (succeeded(checkMerged(joined, reason)))
    return joined;
  rewriter.eraseOp(joined);
  return nullptr;
}

FailureOr<KernelOp> mergeKernels(RewriterBase &rewriter, KernelOp producer,
                                 KernelOp consumer, std::string &reason) {
  for (OpResult result : producer.getResults())
    if (!producer.getOuts()[result.getResultNumber()]
             .getDefiningOp<tensor::EmptyOp>()) {
      reason =
          producer.getName().str() + " writes into a tensor that is in use";
      return failure();
    }
  FailureOr<LoopMapping> plan = mapLoops(producer, consumer, reason);
  if (failed(plan))
    return failure();
  KernelMerger merger(rewriter, producer, consumer, *plan);
  merger.collectOperands();
  FailureOr<ArrayAttr> recipe =
      joinRecipes(producer, consumer, *plan, merger.operands, reason);
  if (failed(recipe))
    return failure();
  Operation *position = findPosition(rewriter, producer, consumer, reason);
  if (!position)
    return failure();
  KernelOp merged = merger.build(position);
  merged.setRecipeAttr(*recipe);
  if (failed(checkMerged(merged, reason))) {
    rewriter.eraseOp(merged);
    return failure();
  }
  unsigned next = 0;
  for (OpResult result : producer.getResults())
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return user != consumer; }))
      rewriter.replaceUsesWithIf(
          result, merged->getResult(next++),
          [&](OpOperand &use) { return use.getOwner() != consumer; });
  rewriter.replaceOp(consumer, merged->getResults().drop_front(next));
  rewriter.eraseOp(producer);
  return merged;
}

void reportApart(KernelOp producer, KernelOp consumer, StringRef name,
                 StringRef pass, StringRef reason) {
  using Arg = remark::detail::Remark::Arg;
  // Its arguments are made even where nothing reads them.
  if (auto remark = remark::missed(
          consumer.getLoc(), remark::RemarkOpts::name(name).category(pass)))
    remark << remark::add("{0}, {1}", producer.getName().str(),
                          consumer.getName().str())
           << remark::reason("{0}", reason.str())
           << Arg("Producer", Attribute(LocationAttr(producer.getLoc())));
}

} // namespace onnxc::krnl
