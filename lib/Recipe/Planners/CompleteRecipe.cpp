//===- CompleteRecipe.cpp - Steps that loops determine ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Planners/CompleteRecipe.h"

#include "Cost/DeviceCost.h"
#include "Kernels/KernelShape.h"
#include "Planners/Planners.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/EarlyReads.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/LoopEnds.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Shuffles.h"
#include "onnxc/Recipe/RecipeBuilder.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "llvm/ADT/DenseSet.h"

#include <numeric>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// What many copies leave is still unrolled, by a quarter of the factor.
static SmallVector<int64_t> quartersOf(int64_t factor) {
  SmallVector<int64_t> tail;
  while (factor >= minUnrolledTail)
    tail.push_back(factor /= 4);
  return tail;
}

/// What is left is unrolled by halves of the factor.
static SmallVector<int64_t> halvesOf(int64_t factor) {
  SmallVector<int64_t> tail;
  while ((factor /= 2) > 1)
    tail.push_back(factor);
  return tail;
}

/// What is left of rows that are transposed in registers: as few as two take
/// one square, a single one the time of reads one by one. The same of rows of
/// sums that are in registers: two or three take the time of one.
static SmallVector<int64_t> partsOfSquare(int64_t factor) {
  SmallVector<int64_t> tail = halvesOf(factor);
  if (factor > 3)
    tail.insert(llvm::find(tail, 2), 3);
  return tail;
}

/// Returns true if the op adds up, in registers, what no loop is left around.
static bool hasUnrolledSums(const LoopNest &nest, const BodyOp &op) {
  return llvm::is_contained(op.reduced, true) &&
         llvm::all_of(op.loops, [&](const LoopUse &use) {
           return !use.reduced || (use.width() == 1 &&
                                   use.unroll == nest.loop(use.loop).extent);
         });
}

/// What unrolling the loop leaves, in parts that are unrolled as well. Sums
/// that are transposed wait for each other, the more the fewer stand side by
/// side. A known number of other rows that are transposed is one part.
static SmallVector<int64_t> tailOf(const LoopNest &nest, ArrayRef<BodyOp> ops,
                                   unsigned loop, int64_t factor) {
  bool isTransposed = false, sums = false, waits = false;
  for (const BodyOp &op : ops) {
    const LoopUse *use = op.find(loop);
    if (!use)
      continue;
    sums |= llvm::is_contained(op.reduced, true);
    waits |= hasUnrolledSums(nest, op);
    isTransposed |=
        canShuffle(nest, &op - nest.ops().data(), *use, Shuffle::Transpose);
  }
  bool isUnknown = nest.loop(loop).isDynamic() || nest.leavesUnknownRest(loop);
  if (int64_t rest = isUnknown ? 0 : nest.loop(loop).extent % factor;
      rest > 1 && isTransposed && !sums)
    return {rest};
  if (!isUnknown || (!isTransposed && !waits))
    return quartersOf(factor);
  return isTransposed && sums ? halvesOf(factor) : partsOfSquare(factor);
}

/// Packing at run time goes through registers where that is legal and worth it:
/// rows that lie along the last dimension as they are, others in squares, and
/// groups of bytes between each other.
static Attribute withShuffle(PackStepAttr step, const LoopNest &nest,
                             KernelOp kernel, const Processor &target) {
  Value operand = kernel.getOperand(step.getOperand());
  auto type = cast<RankedTensorType>(operand.getType());
  Pack pack = *nest.packOf(step.getOperand());
  ArrayRef<int64_t> sizes = packedLayout(nest, pack).getSizes();
  int64_t bytes = type.getElementType().isIntOrFloat()
                      ? int64_t(type.getElementTypeBitWidth()) / 8
                      : 0;
  bool isStored =
      isStorable(operand) && llvm::none_of(sizes, ShapedType::isDynamic);
  if (isStored || bytes == 0 || sizes.size() < 2)
    return step;
  pack.lanes = std::gcd(target.vectorBytes / bytes,
                        ShapedType::isDynamic(sizes.back()) ? 1 : sizes.back());
  if (pack.lanes >= minLanes && reasonAgainst(nest, pack, type).empty())
    return PackStepAttr::get(step.getContext(), step.getOperand(),
                             step.getLoops(), pack.shuffle, pack.lanes);
  pack.shuffle = Shuffle::Transpose;
  pack.lanes = std::min(target.vectorBytes / bytes, target.squareLanes);
  int64_t rows = sizes[sizes.size() - 2];
  bool isWorth = pack.lanes >= minLanes &&
                 (ShapedType::isDynamic(rows) || rows >= minLanes);
  if (!isWorth || !reasonAgainst(nest, pack, type).empty()) {
    pack.shuffle = Shuffle::Interleave;
    constexpr int64_t interleaved = 16;
    if (bytes != 1 || pack.lanes != interleaved ||
        !reasonAgainst(nest, pack, type).empty())
      return step;
  }
  return PackStepAttr::get(step.getContext(), step.getOperand(),
                           step.getLoops(), pack.shuffle, pack.lanes);
}

/// The step with the arguments that the nest determines: a tail, if it unrolls
/// scalar code that leaves a rest, and masks.
static Attribute withArguments(Attribute step, const LoopNest &nest,
                               KernelOp kernel, const Processor &target,
                               int op = -1) {
  MLIRContext *context = step.getContext();
  if (auto only = dyn_cast<OnlyStepAttr>(step))
    return OnlyStepAttr::get(context, only.getOp(),
                             withArguments(only.getStep(), nest, kernel, target,
                                           int(*nest.findOp(only.getOp()))));
  if (auto pack = dyn_cast<PackStepAttr>(step))
    return withShuffle(pack, nest, kernel, target);
  if (auto tile = dyn_cast<RegisterTileStepAttr>(step)) {
    bool masked = target.freeMasks &&
                  nest.leavesUnknownRest(*nest.find(tile.getRows())) &&
                  nest.leavesUnknownRest(*nest.find(tile.getColumns()));
    return RegisterTileStepAttr::get(context, tile.getRows(), tile.getColumns(),
                                     tile.getLanes(), tile.getTail(), masked);
  }
  auto unroll = dyn_cast<UnrollStepAttr>(step);
  if (!unroll || !unroll.getTail().empty())
    return step;
  std::optional<unsigned> loop = nest.find(unroll.getLoop(), op);
  auto hasLanes = [&](const BodyOp &body) {
    const LoopUse *use = body.find(*loop);
    return use && use->width() > 1;
  };
  ArrayRef<BodyOp> ops = op < 0 ? nest.ops() : nest.ops().slice(op, 1);
  if (!loop || !nest.leavesRest(*loop, unroll.getFactor()) ||
      llvm::any_of(ops, hasLanes))
    return step;
  return UnrollStepAttr::get(context, unroll.getLoop(), unroll.getFactor(),
                             tailOf(nest, ops, *loop, unroll.getFactor()));
}

/// The loops of an op in the order in which its results stay in registers:
/// loops that are whole in them run outside of the reduced ones beside them.
/// Empty if they do already. What runs inside by compute_at must run once for
/// each of their iterations: they have to be one strip.
static SmallVector<std::string> registerOrder(const LoopNest &nest,
                                              unsigned number) {
  auto op = cast<ComputeOp>(nest.op(number).op);
  bool accumulates =
      llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
        return op.payloadUsesValueFromOperand(&init);
      });
  if (!accumulates || isOrdered(op))
    return {};
  std::optional<unsigned> computeAt = nest.computeAtLoop();
  bool holdsOthers = computeAt && nest.op(number).find(*computeAt) &&
                     !nest.isAround(*computeAt, number);
  SmallVector<std::string> kept, reduced;
  bool isChanged = false;
  for (const LoopUse &use : llvm::reverse(nest.op(number).loops)) {
    if (use.role != RegisterRole::None)
      continue;
    bool isKept = !use.reduced && nest.isInRegisters(use) &&
                  !(holdsOthers && nest.endsEarly(use.loop));
    if (nest.isAround(use.loop, number) || !(use.reduced || isKept))
      break;
    isChanged |= use.reduced && !kept.empty();
    (isKept ? kept : reduced).push_back(nest.loop(use.loop).name);
  }
  if (!isChanged)
    return {};
  std::reverse(kept.begin(), kept.end());
  std::reverse(reduced.begin(), reduced.end());
  llvm::append_range(kept, reduced);
  return kept;
}

/// Lets the results of all ops stay in registers: by one order of the loops
/// where that is enough.
static void addOrders(RecipeBuilder &recipe, const LoopNest &nest) {
  NestBuilder limited(nest), common(nest);
  SmallVector<std::pair<unsigned, SmallVector<std::string>>> orders;
  for (unsigned number : llvm::seq<unsigned>(nest.ops().size()))
    if (auto loops = registerOrder(nest, number); !loops.empty())
      orders.push_back({number, std::move(loops)});
  if (orders.empty())
    return;
  auto isOrdered = [&](NestBuilder &copy, int op, ArrayRef<std::string> loops) {
    bool isLegal = false;
    SmallVector<StringRef> names(loops.begin(), loops.end());
    copy.limitTo(op);
    captureMessage(nest.getContext(), [&] {
      isLegal = succeeded(copy.reorder(names, [&] {
        return emitError(UnknownLoc::get(nest.getContext()));
      }));
    });
    return isLegal;
  };
  for (auto &[number, loops] : orders)
    if (!isOrdered(limited, int(number), loops))
      return;
  auto isEqual = [](auto pair) {
    return llvm::equal(
        std::get<0>(pair).loops, std::get<1>(pair).loops,
        [](const LoopUse &x, const LoopUse &y) { return x.loop == y.loop; });
  };
  if (isOrdered(common, -1, orders.front().second) &&
      llvm::all_of(llvm::zip_equal(limited.ops(), common.ops()), isEqual))
    return recipe.order(orders.front().second);
  for (auto &[number, loops] : orders)
    recipe.order(loops, int(number));
}

/// Returns true if sums are continued after other ones: the slices of panels
/// that they need are near when they are.
static bool haveSlices(const LoopNest &nest) {
  return llvm::any_of(nest.ops(), [](const BodyOp &op) {
    const auto *slices =
        llvm::find_if(op.loops, [](const LoopUse &use) { return use.reduced; });
    return std::any_of(slices, op.loops.end(), [](const LoopUse &use) {
      return !use.reduced && use.role == RegisterRole::None;
    });
  });
}

/// While all tiles of rows read a panel, the next one arrives.
static void addPrefetches(RecipeBuilder &recipe, const LoopNest &nest,
                          const Processor &target) {
  if (haveSlices(nest))
    return;
  for (const Pack &pack : nest.packs()) {
    Prefetch next{pack.operand, /*distance=*/1, target.lineBytes};
    if (reasonAgainst(nest, next).empty())
      recipe.prefetch(next);
  }
}

/// What ops after sums read arrives while these are computed, where a device
/// is done earlier so.
static void addEarlyReads(RecipeBuilder &recipe, KernelOp kernel,
                          const LoopNest &nest, const Processor &target) {
  RecipeBuilder changed(recipe.finish());
  bool hasAny = false;
  for (unsigned operand : llvm::seq(kernel.getNumOperands())) {
    Prefetch early{operand, /*distance=*/0, target.lineBytes};
    std::string reason;
    std::optional<EarlyRead> read = earlyReadOf(nest, early, reason);
    if (!read || read->sharers.empty() || prefetchOf(nest, operand))
      continue;
    changed.prefetch(early);
    hasAny = true;
  }
  if (!hasAny)
    return;
  FailureOr<LoopNest> ahead = replayWith(kernel, changed.finish(), {});
  if (succeeded(ahead) && deviceCost(kernel, *ahead, target).cycles <
                              deviceCost(kernel, nest, target).cycles)
    recipe = changed;
}

/// The op that a step for the loop is limited to: none if all ops have it.
static int limitOf(const LoopNest &nest, unsigned loop, unsigned op) {
  bool isCommon =
      nest.loop(loop).onlyOp < 0 && llvm::is_contained(nest.order(), loop);
  return isCommon ? -1 : int(op);
}

/// Returns true if an op with the loop has padded blocks. No access of such an
/// op is shuffled.
static bool hasPaddedOp(const LoopNest &nest, unsigned loop) {
  return llvm::any_of(
      llvm::seq<unsigned>(nest.ops().size()), [&](unsigned number) {
        return nest.op(number).find(loop) && !paddedLoops(nest, number).empty();
      });
}

/// Adds a shuffle of the copies of the loop, for all ops that have the loop or
/// for those alone that it was made for.
static void
addShuffle(RecipeBuilder &recipe, const LoopNest &nest, unsigned loop,
           Shuffle shuffle, bool freeMasks,
           function_ref<bool(unsigned, const LoopUse &)> isProfitable) {
  if (hasPaddedOp(nest, loop))
    return;
  auto isMasked = [&](unsigned number) {
    const LoopUse *use = nest.op(number).find(loop);
    return use && canShuffle(nest, number, *use, shuffle, /*masked=*/true);
  };
  for (auto [number, op] : llvm::enumerate(nest.ops())) {
    const LoopUse *use = op.find(loop);
    if (!use || !isProfitable(number, *use) ||
        !canShuffle(nest, number, *use, shuffle))
      continue;
    int limit = limitOf(nest, loop, number);
    auto ops = llvm::seq<unsigned>(limit < 0 ? 0 : number,
                                   limit < 0 ? nest.ops().size() : number + 1);
    recipe.shuffle(nest.loop(loop).name, shuffle,
                   freeMasks && llvm::any_of(ops, isMasked), limit);
    if (limit < 0)
      return;
  }
}

/// Returns true if inputs of the op have lanes up to `maxStride` elements
/// apart, of which all copies of the loop, and no others, use up what is read
/// at once.
static bool readsAtOnce(const LoopNest &nest, unsigned number,
                        const LoopUse &use, int64_t maxStride) {
  const BodyOp &op = nest.op(number);
  return readsBetween(nest, number, use, maxStride) &&
         llvm::all_of(op.loops, [&](const LoopUse &inner) {
           return &inner <= &use || inner.width() > 1 || inner.unroll == 1;
         });
}

/// Vectors are shuffled where their lanes are only a few elements apart.
static void addStrides(RecipeBuilder &recipe, const LoopNest &nest,
                       unsigned loop, int64_t maxStride) {
  if (hasPaddedOp(nest, loop))
    return;
  for (int64_t distance = 2; distance <= maxStride; ++distance)
    for (auto [number, op] : llvm::enumerate(nest.ops())) {
      const LoopUse *use = op.find(loop);
      if (!use || !hasStride(nest, number, *use, distance))
        continue;
      int limit = limitOf(nest, loop, number);
      recipe.strided(nest.loop(loop).name, distance, limit);
      if (limit < 0)
        break;
    }
}

static void addEarlyExits(RecipeBuilder &recipe, const LoopNest &nest) {
  llvm::DenseSet<unsigned> ended;
  for (auto [number, op] : llvm::enumerate(nest.ops()))
    for (const LoopUse &use : op.loops) {
      if (!canExitEarly(nest, number, use) || ended.contains(use.loop))
        continue;
      int limit = limitOf(nest, use.loop, number);
      recipe.earlyExit(nest.loop(use.loop).name, limit);
      if (limit < 0)
        ended.insert(use.loop);
    }
}

void completeRecipe(KernelOp kernel, const Processor &target) {
  LoopNest loops = LoopNest::replay(kernel);
  kernel.setRecipeAttr(ArrayAttr::get(
      kernel.getContext(),
      llvm::map_to_vector(kernel.getRecipe(), [&](Attribute step) {
        return withArguments(step, loops, kernel, target);
      })));
  LoopNest nest = LoopNest::replay(kernel);
  RecipeBuilder recipe(kernel.getRecipeAttr());
  addOrders(recipe, nest);
  kernel.setRecipeAttr(recipe.finish());
  nest = LoopNest::replay(kernel);
  addPrefetches(recipe, nest, target);
  if (target.isDevice())
    addEarlyReads(recipe, kernel, nest, target);
  addEarlyExits(recipe, nest);
  auto isNear = [&](unsigned number, const LoopUse &use) {
    bool isWritten = llvm::any_of(copiesOf(nest, use), [&](int64_t copies) {
      return copies > 1 && copies <= target.shuffledStep;
    });
    return readsBetween(nest, number, use)
               ? readsAtOnce(nest, number, use, target.shuffledStep)
               : isWritten;
  };
  for (unsigned loop : llvm::seq<unsigned>(nest.loops().size())) {
    addShuffle(recipe, nest, loop, Shuffle::Transpose, target.freeMasks,
               [](unsigned, const LoopUse &) { return true; });
    addShuffle(recipe, nest, loop, Shuffle::Interleave, /*freeMasks=*/false,
               isNear);
  }
  kernel.setRecipeAttr(recipe.finish());
  LoopNest shuffled = LoopNest::replay(kernel);
  for (unsigned loop : llvm::seq<unsigned>(shuffled.loops().size()))
    addStrides(recipe, shuffled, loop, target.shuffledStep);
  kernel.setRecipeAttr(recipe.finish());
}

} // namespace onnxc
