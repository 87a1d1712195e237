//===- JoinRecipes.cpp - One recipe out of two --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Both recipes are replayed; their fused outer loops must be made in the same
// way. The joined recipe makes all loops first (the producer's steps, then
// those of the consumer that are not the same), shares the common prefix, then
// orders the inner loops. The verifier checks the result.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/StepRenaming.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace onnxc::krnl {

namespace {
class RecipeJoiner {
public:
  RecipeJoiner(KernelOp producer, KernelOp consumer, const LoopMapping &plan,
               std::string &reason)
      : producer(producer), consumer(consumer), plan(plan),
        made(LoopNest::replay(producer)), used(LoopNest::replay(consumer)),
        reason(reason) {}

  LogicalResult compareFusedOuter();
  void nameOwnLoops();
  FailureOr<SmallVector<Attribute>> join(const OperandMapping &operands);

private:
  LogicalResult refuse(const Twine &why) {
    reason = why.str();
    return failure();
  }
  static std::string nameOf(KernelOp kernel) { return kernel.getName().str(); }
  LogicalResult compare(unsigned a, unsigned b);
  LogicalResult compareBlocks(const Loop &a, const Loop &b);
  void pairInner(unsigned a, unsigned b);
  LogicalResult rename(KernelOp kernel, const StepRenaming &renaming,
                       SmallVectorImpl<Attribute> &steps);

  KernelOp producer, consumer;
  const LoopMapping &plan;
  LoopNest made, used;
  std::string &reason;
  /// The consumer's derived loops to the names they get.
  llvm::StringMap<std::string> derived;
};
} // namespace

/// Blocks of the same loop by different sizes are distinguished by number.
LogicalResult RecipeJoiner::compareBlocks(const Loop &a, const Loop &b) {
  if (a.blockSize == b.blockSize && a.tail == b.tail)
    return success();
  if (a.blockSize == b.blockSize)
    return refuse("loop '" + Twine(a.name) + "' ends with tail=" +
                  stringifyTail(a.tail) + " in " + nameOf(producer) + " but " +
                  stringifyTail(b.tail) + " in " + nameOf(consumer));
  bool inner = a.kind == Loop::Kind::BlockInner;
  if (inner || a.isDynamic() || b.isDynamic())
    return refuse("loop '" + Twine(a.name) +
                  (inner ? "' has blocks of " : "' steps by ") +
                  Twine(a.blockSize) + " in " + nameOf(producer) + " but " +
                  Twine(b.blockSize) + " in " + nameOf(consumer));
  return refuse("loop '" + Twine(a.name) + "' makes " + Twine(a.extent) +
                " blocks in " + nameOf(producer) + " but " + Twine(b.extent) +
                " in " + nameOf(consumer));
}

/// Fails unless loop `a` of the producer and loop `b` of the consumer have the
/// same iterations.
LogicalResult RecipeJoiner::compare(unsigned a, unsigned b) {
  const Loop &first = made.loop(a), &second = used.loop(b);
  auto differ = [&] {
    return refuse("loop '" + Twine(first.name) + "' of " + nameOf(producer) +
                  " is not loop '" + second.name + "' of " + nameOf(consumer));
  };
  if (first.kind != second.kind)
    return differ();
  if (first.kind == Loop::Kind::Axis) {
    auto name = plan.rename.find(second.name);
    return name->second == first.name ? success() : differ();
  }
  for (auto [mine, theirs] : llvm::zip_equal(first.parents, second.parents))
    if (failed(compare(mine, theirs)))
      return failure();
  if (first.kind != Loop::Kind::Fused && failed(compareBlocks(first, second)))
    return failure();
  derived[second.name] = first.name;
  return success();
}

/// The inner loops of blocks that are the same get the same names too.
void RecipeJoiner::pairInner(unsigned a, unsigned b) {
  for (const Loop &theirs : used.loops())
    if (theirs.kind == Loop::Kind::BlockInner && theirs.onlyOp < 0 &&
        theirs.parents[0] == b)
      for (const Loop &mine : made.loops())
        if (mine.kind == Loop::Kind::BlockInner && mine.onlyOp < 0 &&
            mine.parents[0] == a)
          derived[theirs.name] = mine.name;
}

LogicalResult RecipeJoiner::compareFusedOuter() {
  SmallVector<unsigned> a = made.fusedOuterLoops(), b = used.fusedOuterLoops();
  for (auto [kernel, outerLoops] : {std::pair(producer, ArrayRef<unsigned>(a)),
                                    std::pair(consumer, ArrayRef<unsigned>(b))})
    if (outerLoops.empty())
      return refuse(nameOf(kernel) + " has no fuse_outer loop");
  for (auto [mine, theirs] : llvm::zip(a, b)) {
    if (failed(compare(mine, theirs)))
      return failure();
    if (made.loop(mine).kind == Loop::Kind::BlockOuter)
      pairInner(made.loop(mine).parents[0], used.loop(theirs).parents[0]);
    if (made.loop(mine).parallel != used.loop(theirs).parallel)
      return refuse("loop '" + Twine(made.loop(mine).name) +
                    "' is parallel only in " +
                    nameOf(made.loop(mine).parallel ? producer : consumer));
  }
  if (a.size() != b.size())
    return refuse(nameOf(producer) + " has " + Twine(a.size()) +
                  " fuse_outer loops but " + nameOf(consumer) + " " +
                  Twine(b.size()));
  return success();
}

/// Loops that only the consumer makes keep their names unless those are taken.
void RecipeJoiner::nameOwnLoops() {
  llvm::StringSet<> taken;
  for (const Loop &loop : made.loops())
    taken.insert(loop.name);
  for (LoopAttr loop : plan.loops)
    taken.insert(loop.getName());
  for (const Loop &loop : used.loops().drop_front(used.numAxes())) {
    if (derived.contains(loop.name))
      continue;
    std::string name = loop.name;
    for (unsigned i = 2; !taken.insert(name).second; ++i)
      name = loop.name + "_" + std::to_string(i);
    derived[loop.name] = name;
  }
  for (const auto &axis : plan.rename)
    derived.try_emplace(axis.first(), axis.second);
}

namespace {
/// What the steps of one of the kernels refer to, in the merged one.
class MergedNames : public StepRenaming {
public:
  /// The loops keep their names without `names`; the ops come after `firstOp`.
  MergedNames(const llvm::StringMap<std::string> *names, ArrayRef<int> operands,
              const LoopNest &nest, unsigned firstOp)
      : names(names), operands(operands), nest(nest), firstOp(firstOp) {}

  std::string loop(StringRef name) const override {
    return names ? names->lookup(name) : name.str();
  }
  std::optional<unsigned> operand(unsigned number) const override {
    return operands[number] < 0 ? std::nullopt
                                : std::optional<unsigned>(operands[number]);
  }
  std::string op(StringRef nameOrNumber) const override {
    return std::to_string(*nest.findOp(nameOrNumber) + firstOp);
  }

private:
  const llvm::StringMap<std::string> *names;
  ArrayRef<int> operands;
  const LoopNest &nest;
  unsigned firstOp;
};
} // namespace

/// The steps of the kernel under the names of the merged one. The tensor
/// between the kernels is not an operand any more.
LogicalResult RecipeJoiner::rename(KernelOp kernel,
                                   const StepRenaming &renaming,
                                   SmallVectorImpl<Attribute> &steps) {
  for (auto step : kernel.getRecipe().getAsRange<RecipeStep>()) {
    steps.push_back(step.renamed(renaming));
    if (!steps.back())
      return refuse("step '" + stepText(step) + "' of " + nameOf(kernel) +
                    " names the tensor between them");
  }
  return success();
}

/// Returns true if the step makes or orders loops, or computes slices of the
/// result of an op, which has no loops then; such a result has a number from
/// `numOperands` on. These steps come before any use of the loops.
static bool isStructural(Attribute step, unsigned numOperands) {
  if (auto only = dyn_cast<OnlyStepAttr>(step))
    step = only.getStep();
  if (auto cache = dyn_cast<CacheStepAttr>(step))
    return cache.getOperand() >= numOperands;
  return isa<BlockStepAttr, FuseStepAttr, OrderStepAttr, SplitReductionStepAttr,
             HoistStepAttr>(step);
}

static bool isPlacement(Attribute step) {
  return isa<FuseOuterStepAttr, ParallelStepAttr, ComputeAtStepAttr>(step);
}

/// Steps that depend on the vectors and copies of all ops.
static bool isAccess(Attribute step) {
  if (auto only = dyn_cast<OnlyStepAttr>(step))
    step = only.getStep();
  return isa<PrefetchStepAttr, TransposeStepAttr, InterleaveStepAttr,
             StridedStepAttr, EarlyExitStepAttr, SkipMaskedStepAttr,
             ArenaStepAttr>(step);
}

/// Returns true if `order` lists a loop that `use` has put into registers.
static bool ordersUsed(Attribute order, Attribute use) {
  auto limited = dyn_cast<OnlyStepAttr>(order),
       other = dyn_cast<OnlyStepAttr>(use);
  if (limited && other && limited.getOp() != other.getOp())
    return false;
  auto loops = dyn_cast<OrderStepAttr>(limited ? limited.getStep() : order);
  use = other ? other.getStep() : use;
  auto vectors = dyn_cast<VectorizeStepAttr>(use);
  auto copies = dyn_cast<UnrollStepAttr>(use);
  return loops && llvm::any_of(loops.getLoops(), [&](StringAttr loop) {
           return (vectors && loop == vectors.getLoop()) ||
                  (copies && loop == copies.getLoop());
         });
}

/// Takes out the orders of loops that are in registers: those come after what
/// puts the loops there.
static SmallVector<Attribute>
takeRegisterOrders(SmallVectorImpl<Attribute> &steps) {
  SmallVector<Attribute> orders, others;
  for (Attribute step : steps) {
    bool isUsed = llvm::any_of(
        others, [&](Attribute use) { return ordersUsed(step, use); });
    (isUsed ? orders : others).push_back(step);
  }
  steps = others;
  return orders;
}

FailureOr<SmallVector<Attribute>>
RecipeJoiner::join(const OperandMapping &operands) {
  MergedNames mine(nullptr, operands.producer, made, 0);
  MergedNames theirs(&derived, operands.consumer, used, made.ops().size());
  SmallVector<Attribute> first, second;
  if (failed(rename(producer, mine, first)) ||
      failed(rename(consumer, theirs, second)))
    return failure();
  auto isFirst = [&](Attribute step) {
    return isStructural(step, operands.numOperands);
  };
  auto isUse = [&](Attribute step) {
    return !isFirst(step) && !isPlacement(step) && !isAccess(step);
  };
  SmallVector<Attribute> steps;
  auto take = [&](ArrayRef<Attribute> from, auto wanted) {
    for (Attribute step : from)
      if (wanted(step) && !llvm::is_contained(steps, step))
        steps.push_back(step);
  };
  SmallVector<Attribute> orders = takeRegisterOrders(first);
  llvm::append_range(orders, takeRegisterOrders(second));
  take(first, isFirst);
  take(second, isFirst);
  take(first, isPlacement);
  // The steps fuse_outer and parallel are the same in both.
  take(second, [](Attribute step) { return isa<ComputeAtStepAttr>(step); });
  take(first, isUse);
  take(second, isUse);
  take(orders, isFirst);
  take(first, isAccess);
  take(second, isAccess);
  return steps;
}

FailureOr<ArrayAttr> joinRecipes(KernelOp producer, KernelOp consumer,
                                 const LoopMapping &plan,
                                 const OperandMapping &operands,
                                 std::string &reason) {
  MLIRContext *context = producer.getContext();
  if (producer.getRecipe().empty() && consumer.getRecipe().empty())
    return ArrayAttr::get(context, {});
  RecipeJoiner joiner(producer, consumer, plan, reason);
  if (failed(joiner.compareFusedOuter()))
    return failure();
  joiner.nameOwnLoops();
  FailureOr<SmallVector<Attribute>> steps = joiner.join(operands);
  if (failed(steps))
    return failure();
  return ArrayAttr::get(context, *steps);
}

} // namespace onnxc::krnl
