//===- Steps.cpp - Steps that make and place loops --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// block, split_reduction, fuse, order, fuse_outer, compute_at, parallel, map.
// One method per step: resolve the names, check, change. Messages name loops
// and ops as the recipe does. Steps for loops inside are in Registers.cpp,
// those for operands in PackedOperands.cpp and Slices.cpp; the invariants after
// each are in Checks.cpp.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Iterations that a block may have.
static constexpr int64_t maxBlock = int64_t(1) << 20;

//===----------------------------------------------------------------------===//
// Names and common checks
//===----------------------------------------------------------------------===//

LogicalResult NestBuilder::checkConcernsAll(EmitErrorFn emitError) const {
  if (limit >= 0)
    return emitError() << "concerns all ops; it cannot be limited to one";
  return success();
}

FailureOr<unsigned> NestBuilder::resolve(StringRef name,
                                         EmitErrorFn emitError) const {
  if (auto number = find(name, limit))
    return *number;
  for (auto [number, loop] : llvm::enumerate(allLoops)) {
    if (loop.name != name)
      continue;
    if (loop.onlyOp >= 0 && loop.onlyOp != limit)
      return emitError() << "loop '" << name << "' exists only for op '"
                         << bodyOps[loop.onlyOp].name << "'";
    if (loop.live && limit >= 0)
      return emitError() << "op '" << bodyOps[limit].name
                         << "' does not run over loop '" << name << "'";
    return emitError() << "loop '" << name
                       << "' was replaced by an earlier step";
  }
  return emitError() << "there is no loop '" << name << "'";
}

FailureOr<SmallVector<unsigned>>
NestBuilder::resolveAll(ArrayRef<StringRef> names,
                        EmitErrorFn emitError) const {
  SmallVector<unsigned> numbers;
  for (StringRef name : names) {
    FailureOr<unsigned> number = resolve(name, emitError);
    if (failed(number))
      return failure();
    if (llvm::is_contained(numbers, *number))
      return emitError() << "loop '" << name << "' is listed twice";
    numbers.push_back(*number);
  }
  return numbers;
}

LogicalResult NestBuilder::checkFree(StringRef name,
                                     EmitErrorFn emitError) const {
  for (const Loop &loop : allLoops)
    if (loop.name == name &&
        (loop.onlyOp < 0 || limit < 0 || loop.onlyOp == limit))
      return emitError() << "the name '" << name << "' is taken";
  return success();
}

/// A loop that is to be replaced must not have been put to use yet.
LogicalResult NestBuilder::checkPlain(unsigned number, StringRef verb,
                                      EmitErrorFn emitError) const {
  const Loop &loop = allLoops[number];
  auto refuse = [&](const Twine &state) {
    return emitError() << "loop '" << loop.name << "' is " << state << "; "
                       << verb << " it before that";
  };
  if (loop.fusedOuter)
    return refuse("in fuse_outer");
  for (const BodyOp &op : bodyOps)
    if (op.hoistedFrom == number)
      return refuse("what op '" + Twine(op.name) + "' is hoisted from");
  if (loop.computeAt)
    return refuse("in compute_at");
  if (loop.mapped || loop.isCluster)
    return refuse("mapped");
  if (peels(number))
    return emitError() << "loop '" << loop.name
                       << "' peels its last block, so it must stay a loop; "
                          "without tail=peel it need not";
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    const LoopUse *use = concerns(i) ? op.find(number) : nullptr;
    if (!use)
      continue;
    if (use->earlyExit)
      return refuse("ended early");
    if (use->skipsMasked)
      return refuse("ended where elements are masked");
    if (use->role != RegisterRole::None)
      return refuse("part of a register tile");
    if (use->lanes)
      return refuse("vectorized");
    if (use->unroll != 1)
      return refuse("unrolled");
  }
  for (const Pack &pack : allPacks)
    if (llvm::is_contained(pack.loops, number))
      return refuse("a dimension of packed operand " + Twine(pack.operand));
  for (const Cache &cache : allCaches)
    if (cache.at == number)
      return refuse("where operand " + Twine(cache.operand) + " is cached");
  return success();
}

/// Puts `fresh` where `old` (adjacent loops) stood, in the concerned ops and,
/// unless limited to one op, in the order of all.
void NestBuilder::replace(ArrayRef<unsigned> old, ArrayRef<unsigned> fresh) {
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    if (!concerns(i) || !op.find(old.front()))
      continue;
    LoopUse like = *op.find(old.front());
    auto *it = llvm::find_if(
        op.loops, [&](const LoopUse &use) { return use.loop == old.front(); });
    it = op.loops.erase(it, it + old.size());
    SmallVector<LoopUse> uses;
    for (unsigned loop : fresh) {
      like.loop = loop;
      uses.push_back(like);
    }
    op.loops.insert(it, uses.begin(), uses.end());
  }
  if (limit >= 0)
    return;
  auto *it = llvm::find(liveOrder, old.front());
  it = liveOrder.erase(it, it + old.size());
  liveOrder.insert(it, fresh.begin(), fresh.end());
  for (unsigned loop : old)
    allLoops[loop].live = false;
}

//===----------------------------------------------------------------------===//
// block, split_reduction, fuse
//===----------------------------------------------------------------------===//

LogicalResult NestBuilder::splitLoop(unsigned number, int64_t size,
                                     TailStrategy tail, bool split,
                                     StringRef outer, StringRef inner,
                                     EmitErrorFn emitError) {
  if (failed(checkFree(outer, emitError)) ||
      failed(checkFree(inner, emitError)))
    return failure();
  if (outer == inner)
    return emitError() << "the name '" << outer << "' is taken";
  Loop blocks;
  blocks.name = outer.str();
  blocks.kind = Loop::Kind::BlockOuter;
  blocks.parents = {number};
  blocks.blockSize = size;
  blocks.tail = tail;
  blocks.split = split;
  blocks.onlyOp = limit >= 0 ? limit : allLoops[number].onlyOp;
  Loop inside = blocks;
  inside.name = inner.str();
  inside.kind = Loop::Kind::BlockInner;
  inside.extent = size;
  if (!allLoops[number].isDynamic())
    blocks.extent = llvm::divideCeil(allLoops[number].extent, size);
  unsigned first = addLoop(std::move(blocks));
  replace({number}, {first, addLoop(std::move(inside))});
  return success();
}

LogicalResult NestBuilder::block(StringRef name, int64_t size,
                                 TailStrategy tail, StringRef outer,
                                 StringRef inner, EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number) || failed(checkPlain(*number, "block", emitError)))
    return failure();
  if (size < 1 || size > maxBlock)
    return emitError() << "block size must be 1 to " << maxBlock << ", but is "
                       << size;
  if (failed(splitLoop(*number, size, tail, /*split=*/false, outer, inner,
                       emitError)))
    return failure();
  // Sums of f32 have zeros added to them, which turn -0 into 0.
  for (auto [i, op] : llvm::enumerate(bodyOps))
    if (concerns(i) && op.find(allLoops.size() - 1) && op.op)
      orderPreserved &= paddedLoops(*this, i, /*reduced=*/true).empty() ||
                        getElementTypeOrSelf(op.op->getResult(0)).isInteger();
  return success();
}

LogicalResult NestBuilder::splitReduction(StringRef name, int64_t parts,
                                          StringRef outer, StringRef inner,
                                          EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number) || failed(checkPlain(*number, "split", emitError)))
    return failure();
  if (parts < 2 || parts > maxBlock)
    return emitError() << "needs 2 to " << maxBlock << " parts, but got "
                       << parts;
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    const LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (use && !use->reduced)
      return emitError() << "op '" << op.name << "' does not reduce loop '"
                         << name << "'";
    if (use && failed(checkPartial(op, *use, emitError)))
      return failure();
    orderPreserved &= !use;
  }
  return splitLoop(*number, parts, TailStrategy::Mask, /*split=*/true, outer,
                   inner, emitError);
}

static LogicalResult refuseApart(const LoopNest &nest, unsigned outer,
                                 unsigned inner, EmitErrorFn emitError) {
  return emitError() << "loop '" << nest.loop(outer).name
                     << "' is not directly outside '" << nest.loop(inner).name
                     << "'";
}

/// Fails unless the op runs over both loops or none, with nothing between them.
static LogicalResult checkFuse(const LoopNest &nest, const BodyOp &op,
                               unsigned outer, unsigned inner,
                               EmitErrorFn emitError) {
  const LoopUse *first = op.find(outer), *second = op.find(inner);
  if (!first && !second)
    return success();
  auto refuse = [&](StringRef what) {
    return emitError() << "op '" << op.name << "' " << what << " only one of '"
                       << nest.loop(outer).name << "' and '"
                       << nest.loop(inner).name << "'";
  };
  if (!first || !second)
    return refuse("runs over");
  if (first->reduced != second->reduced)
    return refuse("reduces");
  return first + 1 == second ? success()
                             : refuseApart(nest, outer, inner, emitError);
}

LogicalResult NestBuilder::fuse(StringRef outerName, StringRef innerName,
                                StringRef result, EmitErrorFn emitError) {
  FailureOr<SmallVector<unsigned>> pair =
      resolveAll({outerName, innerName}, emitError);
  if (failed(pair) || failed(checkPlain((*pair)[0], "fuse", emitError)) ||
      failed(checkPlain((*pair)[1], "fuse", emitError)) ||
      failed(checkFree(result, emitError)))
    return failure();
  unsigned outer = (*pair)[0], inner = (*pair)[1];
  auto adjacent = [&](ArrayRef<unsigned> order) {
    const unsigned *it = llvm::find(order, outer);
    return it + 1 < order.end() && it[1] == inner;
  };
  if (limit < 0 && !adjacent(liveOrder))
    return refuseApart(*this, outer, inner, emitError);
  for (auto [i, op] : llvm::enumerate(bodyOps))
    if (concerns(i) && failed(checkFuse(*this, op, outer, inner, emitError)))
      return failure();
  Loop fused;
  fused.name = result.str();
  fused.kind = Loop::Kind::Fused;
  fused.parents = {outer, inner};
  fused.onlyOp = limit;
  if (!allLoops[outer].isDynamic() && !allLoops[inner].isDynamic() &&
      llvm::MulOverflow(allLoops[outer].extent, allLoops[inner].extent,
                        fused.extent))
    return emitError() << "loop '" << result
                       << "' would have more iterations than can be counted";
  replace({outer, inner}, {addLoop(std::move(fused))});
  return success();
}

//===----------------------------------------------------------------------===//
// order, fuse_outer, compute_at, parallel
//===----------------------------------------------------------------------===//

/// Lets the listed elements take, in list order, the positions they hold
/// together.
template <typename T, typename KeyFn>
static void permute(SmallVectorImpl<T> &elements, ArrayRef<unsigned> keys,
                    KeyFn keyOf) {
  SmallVector<T> taken;
  for (unsigned key : keys)
    for (const T &element : elements)
      if (keyOf(element) == key)
        taken.push_back(element);
  auto *next = taken.begin();
  for (T &element : elements)
    if (llvm::is_contained(keys, keyOf(element)))
      element = *next++;
}

/// The loops that an op reduces, outermost first.
static SmallVector<unsigned> reducedLoops(const BodyOp &op) {
  SmallVector<unsigned> loops;
  for (const LoopUse &use : op.loops)
    if (use.reduced)
      loops.push_back(use.loop);
  return loops;
}

LogicalResult NestBuilder::reorderOp(BodyOp &op, ArrayRef<unsigned> order,
                                     EmitErrorFn emitError) {
  SmallVector<unsigned> before = reducedLoops(op);
  permute(op.loops, order, [](const LoopUse &use) { return use.loop; });
  if (reducedLoops(op) != before) {
    if (op.ordered)
      return emitError() << "op '" << op.name
                         << "' needs the loops that it reduces in order";
    orderPreserved = false;
  }
  return checkInnermost(op, emitError);
}

LogicalResult NestBuilder::reorder(ArrayRef<StringRef> names,
                                   EmitErrorFn emitError) {
  FailureOr<SmallVector<unsigned>> numbers = resolveAll(names, emitError);
  if (failed(numbers))
    return failure();
  for (unsigned number : *numbers) {
    if (allLoops[number].fusedOuter)
      return emitError() << "loop '" << allLoops[number].name
                         << "' is in fuse_outer; order it before that";
    if (allLoops[number].computeAt && limit < 0)
      return emitError() << "ops run inside loop '" << allLoops[number].name
                         << "' together; order it before that";
  }
  if (limit >= 0)
    return reorderOp(bodyOps[limit], *numbers, emitError);
  permute(liveOrder, *numbers, [](unsigned loop) { return loop; });
  for (BodyOp &op : bodyOps) {
    SmallVector<unsigned> common = llvm::filter_to_vector(
        liveOrder, [&](unsigned loop) { return op.find(loop) != nullptr; });
    if (failed(reorderOp(op, common, emitError)))
      return failure();
  }
  return success();
}

static unsigned numberOf(const LoopNest &nest, const BodyOp &op) {
  return &op - nest.ops().begin();
}

/// Returns true if the op runs outside of the next fused outer loop.
static bool isOutside(const LoopNest &nest, unsigned number, const BodyOp &op) {
  return op.hoistedFrom &&
         (op.hoistedFrom == number || nest.loop(*op.hoistedFrom).fusedOuter);
}

/// Why op `op` cannot run inside the fused outer loop `number` with the others.
static LogicalResult checkFuseOuter(const LoopNest &nest, unsigned number,
                                    const BodyOp &op, EmitErrorFn emitError) {
  const Loop &loop = nest.loop(number);
  const LoopUse *use = op.find(number);
  const BodyOp &first = *llvm::find_if(nest.ops(), [&](const BodyOp &other) {
    return !isInSlices(nest, numberOf(nest, other)) &&
           !isOutside(nest, number, other);
  });
  if (&first == nest.ops().end())
    return emitError() << "all ops are hoisted from loop '" << loop.name << "'";
  if (isInSlices(nest, numberOf(nest, op)) || isOutside(nest, number, op))
    return success();
  if (!use)
    return emitError() << "op '" << op.name << "' does not run over loop '"
                       << loop.name << "'";
  if (use->unroll != 1)
    return emitError() << "loop '" << loop.name << "' is unrolled in op '"
                       << op.name << "'; only loops inside can be";
  if (use->lanes != first.find(number)->lanes)
    return emitError() << "loop '" << loop.name << "' has " << use->lanes
                       << " lanes in op '" << op.name << "', but "
                       << first.find(number)->lanes << " in op '" << first.name
                       << "'";
  if (use->role != RegisterRole::None)
    return emitError() << "loop '" << loop.name
                       << "' is part of a register tile";
  if (!use->reduced)
    return success();
  if (op.op)
    for (Operation *user : op.op->getUsers())
      if (isa<ComputeOp>(user) &&
          !isOutside(nest, number, nest.op(nest.indexOf(user))))
        return emitError() << "loop '" << loop.name << "' is reduced by op '"
                           << op.name << "', whose result op '"
                           << nest.op(nest.indexOf(user)).name << "' uses";
  return success();
}

/// Fails unless the loop is the live one of so many from outside.
static LogicalResult checkNext(const LoopNest &nest, unsigned number,
                               unsigned position, EmitErrorFn emitError) {
  unsigned next = nest.order()[position];
  if (next == number)
    return success();
  return emitError() << "loop '" << nest.loop(number).name
                     << "' is not the next loop from outside, '"
                     << nest.loop(next).name << "' is";
}

LogicalResult NestBuilder::markOuter(
    ArrayRef<StringRef> names, bool Loop::*mark,
    function_ref<LogicalResult(const Loop &, unsigned)> check,
    EmitErrorFn emitError) {
  if (failed(checkConcernsAll(emitError)))
    return failure();
  FailureOr<SmallVector<unsigned>> numbers = resolveAll(names, emitError);
  if (failed(numbers))
    return failure();
  for (unsigned number : *numbers) {
    if (failed(check(allLoops[number], number)))
      return failure();
    allLoops[number].*mark = true;
  }
  return success();
}

LogicalResult NestBuilder::fuseOuter(ArrayRef<StringRef> names,
                                     EmitErrorFn emitError) {
  auto check = [&](const Loop &loop, unsigned number) -> LogicalResult {
    if (loop.fusedOuter)
      return emitError() << "loop '" << loop.name
                         << "' is already in fuse_outer";
    if (loop.mapped || loop.isCluster)
      return emitError() << "loop '" << loop.name
                         << "' is mapped; put it in fuse_outer before that";
    for (const BodyOp &op : bodyOps)
      if (failed(checkFuseOuter(*this, number, op, emitError)))
        return failure();
    unsigned position = fusedOuterLoops().size();
    if (failed(checkNext(*this, number, position, emitError)))
      return failure();
    for (const BodyOp &op : bodyOps)
      if (!isInSlices(*this, numberOf(*this, op)) &&
          !isOutside(*this, number, op) && op.loops[position].loop != number)
        return emitError() << "loop '" << loop.name
                           << "' is not the next loop from outside in op '"
                           << op.name << "'";
    return success();
  };
  return markOuter(names, &Loop::fusedOuter, check, emitError);
}

LogicalResult NestBuilder::computeAt(StringRef name, EmitErrorFn emitError) {
  if (failed(checkConcernsAll(emitError)))
    return failure();
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  if (allLoops[*number].fusedOuter)
    return emitError() << "loop '" << name << "' is already in fuse_outer";
  if (std::optional<unsigned> other = computeAtLoop())
    return emitError() << "ops run inside loop '" << allLoops[*other].name
                       << "' together already";
  allLoops[*number].computeAt = true;
  return checkComputeAt(emitError);
}

LogicalResult NestBuilder::parallel(ArrayRef<StringRef> names,
                                    EmitErrorFn emitError) {
  auto check = [&](const Loop &loop, unsigned number) -> LogicalResult {
    if (!loop.fusedOuter)
      return emitError()
             << "loop '" << loop.name
             << "' is not in fuse_outer; only loops in fuse_outer run parallel";
    if (loop.parallel)
      return emitError() << "loop '" << loop.name << "' is parallel already";
    for (const BodyOp &op : bodyOps)
      if (!isInSlices(*this, numberOf(*this, op)) &&
          !isAround(number, numberOf(*this, op)))
        return emitError() << "op '" << op.name << "' is outside of loop '"
                           << loop.name << "'";
    for (const BodyOp &op : bodyOps)
      if (!isInSlices(*this, numberOf(*this, op)) && op.find(number)->reduced)
        return emitError() << "loop '" << loop.name << "' is reduced by op '"
                           << op.name << "'";
    if (!mappedLoops(*this).empty())
      return emitError() << "loop '" << loop.name
                         << "' comes after a mapped loop";
    return checkNext(*this, number, parallelLoops().size(), emitError);
  };
  return markOuter(names, &Loop::parallel, check, emitError);
}

} // namespace onnxc::krnl
