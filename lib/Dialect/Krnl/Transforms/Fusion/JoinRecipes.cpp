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
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

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
  LogicalResult checkOperands(ArrayRef<int> consumerOperands);
  void nameOwnLoops();
  SmallVector<Attribute> join(ArrayRef<int> producerOperands,
                              ArrayRef<int> consumerOperands);

private:
  LogicalResult refuse(const Twine &why) {
    reason = why.str();
    return failure();
  }
  static std::string nameOf(KernelOp kernel) { return kernel.getName().str(); }
  LogicalResult compare(unsigned a, unsigned b);
  LogicalResult compareBlocks(const Loop &a, const Loop &b);
  void pairInner(unsigned a, unsigned b);

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

/// The tensor between the kernels is not an operand any more.
LogicalResult RecipeJoiner::checkOperands(ArrayRef<int> consumerOperands) {
  for (const Pack &pack : used.packs())
    if (consumerOperands[pack.operand] < 0)
      return refuse(nameOf(consumer) + " packs the tensor between them");
  for (const Cache &cache : used.caches())
    if (!makerOf(used, cache.operand) && consumerOperands[cache.operand] < 0)
      return refuse(nameOf(consumer) + " caches the tensor between them");
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
/// Rewrites the names and numbers in a step.
struct StepRenamer {
  const llvm::StringMap<std::string> *names;
  ArrayRef<int> operands;
  /// Added to the number of an op that a step is limited to.
  const LoopNest *nest;
  unsigned firstOp;

  StringRef name(StringRef old) const {
    return names ? StringRef(names->find(old)->second) : old;
  }
  SmallVector<StringAttr> all(ArrayRef<StringAttr> old) const {
    return llvm::map_to_vector(old, [&](StringAttr n) {
      return StringAttr::get(n.getContext(), name(n));
    });
  }
  Attribute operator()(Attribute step) const;
  Attribute withMadeLoops(Attribute step) const;
  Attribute renumbered(Attribute step) const;
};
} // namespace

/// Steps that have the number of an operand or an op as well.
Attribute StepRenamer::renumbered(Attribute step) const {
  MLIRContext *ctx = step.getContext();
  return TypeSwitch<Attribute, Attribute>(step)
      .Case([&](CacheStepAttr s) {
        return CacheStepAttr::get(ctx, operands[s.getOperand()],
                                  name(s.getAt()), s.getShared(), s.getByTma());
      })
      .Case([&](PackStepAttr s) {
        return PackStepAttr::get(ctx, operands[s.getOperand()],
                                 all(s.getLoops()), s.getShuffle(),
                                 s.getLanes());
      })
      .Case([&](ArenaStepAttr s) {
        return ArenaStepAttr::get(
            ctx, std::to_string(*nest->findOp(s.getOp()) + firstOp));
      })
      .Case([](GridStepAttr s) { return s; })
      .Case([&](PrefetchStepAttr s) {
        return PrefetchStepAttr::get(ctx, operands[s.getOperand()],
                                     s.getDistance(), s.getLine());
      })
      .Case([&](OnlyStepAttr s) {
        unsigned number = *nest->findOp(s.getOp()) + firstOp;
        return OnlyStepAttr::get(ctx, std::to_string(number),
                                 (*this)(s.getStep()));
      });
}

/// Steps that name the loops which they make as well.
Attribute StepRenamer::withMadeLoops(Attribute step) const {
  MLIRContext *ctx = step.getContext();
  return TypeSwitch<Attribute, Attribute>(step)
      .Case([&](BlockStepAttr s) {
        return BlockStepAttr::get(ctx, name(s.getLoop()), s.getSize(),
                                  s.getTail(), name(s.getOuter()),
                                  name(s.getInner()));
      })
      .Case([&](FuseStepAttr s) {
        return FuseStepAttr::get(ctx, name(s.getOuter()), name(s.getInner()),
                                 name(s.getResult()));
      })
      .Case([&](SplitReductionStepAttr s) {
        return SplitReductionStepAttr::get(ctx, name(s.getLoop()), s.getParts(),
                                           name(s.getOuter()),
                                           name(s.getInner()));
      })
      .Default([&](Attribute s) { return renumbered(s); });
}

Attribute StepRenamer::operator()(Attribute step) const {
  MLIRContext *ctx = step.getContext();
  return TypeSwitch<Attribute, Attribute>(step)
      .Case<ComputeAtStepAttr, DotStepAttr, EarlyExitStepAttr,
            InterleaveStepAttr, SkipMaskedStepAttr>(
          [&](auto s) { return s.get(ctx, name(s.getLoop())); })
      .Case<FuseOuterStepAttr, MmaStepAttr, OrderStepAttr, ParallelStepAttr,
            WgmmaStepAttr>(
          [&](auto s) { return s.get(ctx, all(s.getLoops())); })
      .Case([&](UnrollStepAttr s) {
        return UnrollStepAttr::get(ctx, name(s.getLoop()), s.getFactor(),
                                   s.getTail());
      })
      .Case([&](VectorizeStepAttr s) {
        return VectorizeStepAttr::get(ctx, name(s.getLoop()), s.getLanes());
      })
      .Case([&](RegisterTileStepAttr s) {
        return RegisterTileStepAttr::get(ctx, name(s.getRows()),
                                         name(s.getColumns()), s.getLanes(),
                                         s.getTail(), s.getMasked());
      })
      .Case([&](PipelineStepAttr s) {
        return PipelineStepAttr::get(ctx, name(s.getLoop()), s.getStages(),
                                     s.getInFlight(), s.getProducer());
      })
      .Case([&](TransposeStepAttr s) {
        return TransposeStepAttr::get(ctx, name(s.getLoop()), s.getMasked());
      })
      .Case([&](StridedStepAttr s) {
        return StridedStepAttr::get(ctx, name(s.getLoop()), s.getDistance());
      })
      .Default([&](Attribute s) { return withMadeLoops(s); });
}

/// Returns true if the step makes or orders loops. Such steps come before any
/// use of the loops.
static bool isStructural(Attribute step) {
  if (auto only = dyn_cast<OnlyStepAttr>(step))
    step = only.getStep();
  return isa<BlockStepAttr, FuseStepAttr, OrderStepAttr,
             SplitReductionStepAttr>(step);
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

static bool isUse(Attribute step) {
  return !isStructural(step) && !isPlacement(step) && !isAccess(step);
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

SmallVector<Attribute> RecipeJoiner::join(ArrayRef<int> producerOperands,
                                          ArrayRef<int> consumerOperands) {
  StepRenamer mine{nullptr, producerOperands, &made, 0};
  StepRenamer theirs{&derived, consumerOperands, &used,
                     unsigned(made.ops().size())};
  SmallVector<Attribute> first =
      llvm::map_to_vector(producer.getRecipe(), mine);
  SmallVector<Attribute> second =
      llvm::map_to_vector(consumer.getRecipe(), theirs);
  SmallVector<Attribute> steps;
  auto take = [&](ArrayRef<Attribute> from, auto wanted) {
    for (Attribute step : from)
      if (wanted(step) && !llvm::is_contained(steps, step))
        steps.push_back(step);
  };
  SmallVector<Attribute> orders = takeRegisterOrders(first);
  llvm::append_range(orders, takeRegisterOrders(second));
  take(first, isStructural);
  take(second, isStructural);
  take(first, isPlacement);
  // The steps fuse_outer and parallel are the same in both.
  take(second, [](Attribute step) { return isa<ComputeAtStepAttr>(step); });
  take(first, isUse);
  take(second, isUse);
  take(orders, isStructural);
  take(first, isAccess);
  take(second, isAccess);
  return steps;
}

FailureOr<ArrayAttr> joinRecipes(KernelOp producer, KernelOp consumer,
                                 const LoopMapping &plan,
                                 ArrayRef<int> producerOperands,
                                 ArrayRef<int> consumerOperands,
                                 std::string &reason) {
  MLIRContext *context = producer.getContext();
  if (producer.getRecipe().empty() && consumer.getRecipe().empty())
    return ArrayAttr::get(context, {});
  RecipeJoiner joiner(producer, consumer, plan, reason);
  if (failed(joiner.compareFusedOuter()))
    return failure();
  joiner.nameOwnLoops();
  if (failed(joiner.checkOperands(consumerOperands)))
    return failure();
  return ArrayAttr::get(context,
                        joiner.join(producerOperands, consumerOperands));
}

} // namespace onnxc::krnl
