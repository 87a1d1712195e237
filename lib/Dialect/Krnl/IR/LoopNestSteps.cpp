//===- LoopNestSteps.cpp - What each recipe step does to the nest -*- C++
//-*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One method per step: resolve the names, check, change. Messages name loops
// and ops as the recipe does.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

/// No loop is written out more than this many times.
static constexpr int64_t maxUnroll = 64;

//===----------------------------------------------------------------------===//
// Names and common checks
//===----------------------------------------------------------------------===//

FailureOr<unsigned> LoopNest::resolve(StringRef name,
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
LoopNest::resolveAll(ArrayRef<StringRef> names, EmitErrorFn emitError) const {
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

LogicalResult LoopNest::checkFree(StringRef name, EmitErrorFn emitError) const {
  for (const Loop &loop : allLoops)
    if (loop.name == name &&
        (loop.onlyOp < 0 || limit < 0 || loop.onlyOp == limit))
      return emitError() << "the name '" << name << "' is taken";
  return success();
}

/// A loop that is to be replaced must not have been put to use yet.
LogicalResult LoopNest::checkPlain(unsigned number, StringRef verb,
                                   EmitErrorFn emitError) const {
  const Loop &loop = allLoops[number];
  auto refuse = [&](const Twine &state) {
    return emitError() << "loop '" << loop.name << "' is " << state << "; "
                       << verb << " it before that";
  };
  if (loop.shared)
    return refuse("shared");
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    const LoopUse *use = concerns(i) ? op.find(number) : nullptr;
    if (!use)
      continue;
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

/// Vectors and register tiles stay the innermost loops of each op.
LogicalResult LoopNest::checkInnermost(EmitErrorFn emitError) const {
  for (const BodyOp &op : bodyOps)
    for (auto [place, use] : llvm::enumerate(op.loops)) {
      unsigned inside = op.loops.size() - 1 - place;
      bool vector = use.lanes || use.role == RegisterRole::Column;
      if ((vector && inside != 0) ||
          (use.role == RegisterRole::Row && inside != 1))
        return emitError() << "loop '" << allLoops[use.loop].name
                           << "' would not be "
                           << (vector ? "the innermost"
                                      : "the second innermost")
                           << " loop of op '" << op.name << "' any more";
    }
  return success();
}

/// A number that divides every trip count the loop can have.
static int64_t tripCountDivisor(const LoopNest &nest, unsigned number) {
  const Loop &loop = nest.loop(number);
  if (loop.kind == Loop::Kind::Axis)
    return loop.isDynamic() ? 1 : loop.extent;
  int64_t whole = tripCountDivisor(nest, loop.parents[0]);
  if (loop.kind == Loop::Kind::Fused)
    return whole * tripCountDivisor(nest, loop.parents[1]);
  if (loop.kind == Loop::Kind::BlockInner)
    return std::gcd(loop.blockSize, whole);
  return whole % loop.blockSize == 0 ? whole / loop.blockSize : 1;
}

/// Can the loop end early, in the last block of a loop that it stems from?
static bool endsEarly(const LoopNest &nest, unsigned number) {
  const Loop &loop = nest.loop(number);
  if (loop.kind == Loop::Kind::Axis)
    return false;
  unsigned parent = loop.parents[0];
  if (loop.kind == Loop::Kind::Fused)
    return endsEarly(nest, parent) || endsEarly(nest, loop.parents[1]);
  if (loop.kind == Loop::Kind::BlockOuter)
    return endsEarly(nest, parent);
  return tripCountDivisor(nest, parent) % loop.blockSize != 0;
}

/// A loop that ends early gets its bound from the loop over the blocks, which
/// must stand outside; and a tile of parallel loops has no bounds of its own.
static LogicalResult checkTail(const LoopNest &nest, const BodyOp &op,
                               const LoopUse &use, unsigned number,
                               EmitErrorFn emitError) {
  const Loop &loop = nest.loop(number);
  if (!endsEarly(nest, number)) {
    for (unsigned parent : loop.parents)
      if (failed(checkTail(nest, op, use, parent, emitError)))
        return failure();
    return success();
  }
  auto refuse = [&](const Twine &reason) {
    return emitError() << "loop '" << loop.name
                       << "' ends early in its last block, so " << reason;
  };
  if (loop.kind == Loop::Kind::Fused)
    return refuse("what it is made of cannot be fused");
  if (nest.loop(use.loop).parallel)
    return refuse("it cannot run parallel");
  if (loop.kind == Loop::Kind::BlockInner) {
    // The loop over the blocks was made just before.
    const LoopUse *outer = op.find(number - 1);
    if (!outer || outer > &use)
      return refuse("it must be inside loop '" +
                    Twine(nest.loop(number - 1).name) + "'");
  }
  return checkTail(nest, op, use, loop.parents[0], emitError);
}

LogicalResult LoopNest::checkTails(EmitErrorFn emitError) const {
  for (const BodyOp &op : bodyOps)
    for (const LoopUse &use : op.loops)
      if (failed(checkTail(*this, op, use, use.loop, emitError)))
        return failure();
  return success();
}

/// Puts `fresh` where `old` (adjacent loops) stood, in the concerned ops and,
/// unless limited to one op, in the order of all.
void LoopNest::replace(ArrayRef<unsigned> old, ArrayRef<unsigned> fresh) {
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    if (!concerns(i) || !op.find(old.front()))
      continue;
    LoopUse like = *op.find(old.front());
    auto *place = llvm::find_if(
        op.loops, [&](const LoopUse &use) { return use.loop == old.front(); });
    place = op.loops.erase(place, place + old.size());
    SmallVector<LoopUse> uses;
    for (unsigned loop : fresh) {
      like.loop = loop;
      uses.push_back(like);
    }
    op.loops.insert(place, uses.begin(), uses.end());
  }
  if (limit >= 0)
    return;
  auto *place = llvm::find(liveOrder, old.front());
  place = liveOrder.erase(place, place + old.size());
  liveOrder.insert(place, fresh.begin(), fresh.end());
  for (unsigned loop : old)
    allLoops[loop].live = false;
}

//===----------------------------------------------------------------------===//
// block, split_reduction, fuse
//===----------------------------------------------------------------------===//

LogicalResult LoopNest::splitLoop(unsigned number, int64_t size, Tail tail,
                                  bool split, StringRef outer, StringRef inner,
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

LogicalResult LoopNest::block(StringRef name, int64_t size, Tail tail,
                              StringRef outer, StringRef inner,
                              EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number) || failed(checkPlain(*number, "block", emitError)))
    return failure();
  if (size < 1)
    return emitError() << "block size must be at least 1, but is " << size;
  return splitLoop(*number, size, tail, /*split=*/false, outer, inner,
                   emitError);
}

LogicalResult LoopNest::splitReduction(StringRef name, int64_t parts,
                                       StringRef outer, StringRef inner,
                                       EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number) || failed(checkPlain(*number, "split", emitError)))
    return failure();
  if (parts < 2)
    return emitError() << "needs at least 2 parts, but got " << parts;
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    const LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (use && !use->reduced)
      return emitError() << "op '" << op.name << "' does not reduce loop '"
                         << name << "'";
  }
  return splitLoop(*number, parts, Tail::Mask, /*split=*/true, outer, inner,
                   emitError);
}

LogicalResult LoopNest::fuse(StringRef outerName, StringRef innerName,
                             StringRef result, EmitErrorFn emitError) {
  FailureOr<SmallVector<unsigned>> pair =
      resolveAll({outerName, innerName}, emitError);
  if (failed(pair) || failed(checkPlain((*pair)[0], "fuse", emitError)) ||
      failed(checkPlain((*pair)[1], "fuse", emitError)) ||
      failed(checkFree(result, emitError)))
    return failure();
  unsigned outer = (*pair)[0], inner = (*pair)[1];
  auto adjacent = [&](ArrayRef<unsigned> order) {
    const unsigned *place = llvm::find(order, outer);
    return place + 1 < order.end() && place[1] == inner;
  };
  auto refuseApart = [&] {
    return emitError() << "loop '" << outerName << "' is not directly outside '"
                       << innerName << "'";
  };
  if (limit < 0 && !adjacent(liveOrder))
    return refuseApart();
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    const LoopUse *first = op.find(outer), *second = op.find(inner);
    if (!concerns(i) || (!first && !second))
      continue;
    if (!first || !second)
      return emitError() << "op '" << op.name << "' runs over only one of '"
                         << outerName << "' and '" << innerName << "'";
    if (first->reduced != second->reduced)
      return emitError() << "op '" << op.name << "' reduces only one of '"
                         << outerName << "' and '" << innerName << "'";
    if (first + 1 != second)
      return refuseApart();
  }
  Loop fused;
  fused.name = result.str();
  fused.kind = Loop::Kind::Fused;
  fused.parents = {outer, inner};
  fused.onlyOp = limit;
  if (!allLoops[outer].isDynamic() && !allLoops[inner].isDynamic())
    fused.extent = allLoops[outer].extent * allLoops[inner].extent;
  replace({outer, inner}, {addLoop(std::move(fused))});
  return success();
}

//===----------------------------------------------------------------------===//
// order, share, parallel
//===----------------------------------------------------------------------===//

/// Lets the listed elements take, in list order, the places they hold together.
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

LogicalResult LoopNest::reorder(ArrayRef<StringRef> names,
                                EmitErrorFn emitError) {
  FailureOr<SmallVector<unsigned>> numbers = resolveAll(names, emitError);
  if (failed(numbers))
    return failure();
  for (unsigned number : *numbers)
    if (allLoops[number].shared)
      return emitError() << "loop '" << allLoops[number].name
                         << "' is shared; order it before that";
  auto ofUse = [](const LoopUse &use) { return use.loop; };
  if (limit >= 0) {
    permute(bodyOps[limit].loops, *numbers, ofUse);
    return checkInnermost(emitError);
  }
  permute(liveOrder, *numbers, [](unsigned loop) { return loop; });
  for (BodyOp &op : bodyOps) {
    SmallVector<unsigned> common = llvm::filter_to_vector(
        liveOrder, [&](unsigned loop) { return op.find(loop) != nullptr; });
    permute(op.loops, common, ofUse);
  }
  return checkInnermost(emitError);
}

/// Why op `op` cannot run inside the shared loop `number` with the others.
static LogicalResult checkShare(const LoopNest &nest, unsigned number,
                                const BodyOp &op, EmitErrorFn emitError) {
  const Loop &loop = nest.loop(number);
  const LoopUse *use = op.find(number);
  if (!use)
    return emitError() << "op '" << op.name << "' does not run over loop '"
                       << loop.name << "'";
  if (!use->reduced)
    return success();
  if (op.op)
    for (Operation *user : op.op->getUsers())
      if (isa<linalg::LinalgOp>(user))
        return emitError() << "loop '" << loop.name << "' is reduced by op '"
                           << op.name << "', whose result op '"
                           << nest.op(nest.numberOf(user)).name << "' uses";
  return success();
}

LogicalResult LoopNest::share(ArrayRef<StringRef> names,
                              EmitErrorFn emitError) {
  if (limit >= 0)
    return emitError() << "concerns all ops; it cannot be limited to one";
  FailureOr<SmallVector<unsigned>> numbers = resolveAll(names, emitError);
  if (failed(numbers))
    return failure();
  for (unsigned number : *numbers) {
    Loop &loop = allLoops[number];
    if (loop.shared)
      return emitError() << "loop '" << loop.name << "' is shared already";
    for (const BodyOp &op : bodyOps)
      if (failed(checkShare(*this, number, op, emitError)))
        return failure();
    unsigned next = liveOrder[sharedLoops().size()];
    if (next != number)
      return emitError() << "loop '" << loop.name
                         << "' is not the next loop from outside, '"
                         << allLoops[next].name << "' is";
    unsigned place = sharedLoops().size();
    for (const BodyOp &op : bodyOps)
      if (op.loops[place].loop != number)
        return emitError() << "loop '" << loop.name
                           << "' is not the next loop from outside in op '"
                           << op.name << "'";
    loop.shared = true;
  }
  return success();
}

LogicalResult LoopNest::parallel(ArrayRef<StringRef> names,
                                 EmitErrorFn emitError) {
  if (limit >= 0)
    return emitError() << "concerns all ops; it cannot be limited to one";
  FailureOr<SmallVector<unsigned>> numbers = resolveAll(names, emitError);
  if (failed(numbers))
    return failure();
  for (unsigned number : *numbers) {
    Loop &loop = allLoops[number];
    if (!loop.shared)
      return emitError() << "loop '" << loop.name
                         << "' is not shared; only shared loops run parallel";
    for (const BodyOp &op : bodyOps)
      if (op.find(number)->reduced)
        return emitError() << "loop '" << loop.name << "' is reduced by op '"
                           << op.name << "'";
    unsigned next = liveOrder[parallelLoops().size()];
    if (next != number)
      return emitError() << "loop '" << loop.name
                         << "' is not the next loop from outside, '"
                         << allLoops[next].name << "' is";
    loop.parallel = true;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// unroll, vectorize, register_tile
//===----------------------------------------------------------------------===//

LogicalResult LoopNest::unroll(StringRef name, int64_t factor,
                               EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  const Loop &loop = allLoops[*number];
  if (factor < 1 || factor > maxUnroll)
    return emitError() << "unroll factor must be 1 to " << maxUnroll
                       << ", but is " << factor;
  if (!loop.isDynamic() && factor > std::max<int64_t>(loop.extent, 1))
    return emitError() << "unroll factor " << factor << " exceeds the "
                       << loop.extent << " iterations of loop '" << name << "'";
  if (loop.shared)
    return emitError() << "loop '" << name
                       << "' is shared; only loops inside can be unrolled";
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (!use)
      continue;
    if (use->role != RegisterRole::None)
      return emitError() << "loop '" << name << "' is part of a register tile";
    use->unroll = factor;
  }
  return success();
}

LogicalResult LoopNest::vectorize(StringRef name, int64_t lanes,
                                  EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  if (lanes < 2 || lanes > 64 || !llvm::isPowerOf2_64(lanes))
    return emitError() << "lanes must be a power of two from 2 to 64, but are "
                       << lanes;
  if (allLoops[*number].parallel)
    return emitError() << "loop '" << name << "' is parallel; block it first";
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (!use)
      continue;
    if (use->role != RegisterRole::None)
      return emitError() << "loop '" << name << "' is part of a register tile";
    if (use != &op.loops.back())
      return emitError() << "loop '" << name
                         << "' is not the innermost loop of op '" << op.name
                         << "', '" << allLoops[op.loops.back().loop].name
                         << "' is";
    use->lanes = lanes;
  }
  return success();
}

/// Checks that the op can hold its tile in registers, and marks it.
static LogicalResult tileOp(const LoopNest &nest, BodyOp &op, unsigned rows,
                            unsigned columns, EmitErrorFn emitError) {
  LoopUse *row = op.find(rows), *column = op.find(columns);
  auto refuse = [&](const Twine &reason) {
    return emitError() << "op '" << op.name << "' " << reason;
  };
  if (!row || !column)
    return refuse("runs over only one of '" + Twine(nest.loop(rows).name) +
                  "' and '" + nest.loop(columns).name + "'");
  if (column != &op.loops.back() || row + 1 != column)
    return refuse("does not have '" + Twine(nest.loop(rows).name) + "', '" +
                  nest.loop(columns).name + "' as its innermost loops");
  for (LoopUse *use : {row, column}) {
    if (use->reduced)
      return refuse("reduces loop '" + Twine(nest.loop(use->loop).name) + "'");
    if (use->lanes || use->unroll != 1 || use->role != RegisterRole::None)
      return refuse("has loop '" + Twine(nest.loop(use->loop).name) +
                    "' vectorized, unrolled or tiled already");
  }
  bool contraction =
      llvm::any_of(op.loops, [](const LoopUse &use) { return use.reduced; });
  for (const LoopUse &use : op.loops)
    if (contraction && &use != row && &use != column && !use.reduced &&
        !nest.loop(use.loop).shared)
      return refuse("has loop '" + Twine(nest.loop(use.loop).name) +
                    "' around the tile, which is neither shared nor reduced");
  row->role = RegisterRole::Row;
  column->role = RegisterRole::Column;
  return success();
}

LogicalResult LoopNest::registerTile(StringRef rowName, StringRef columnName,
                                     EmitErrorFn emitError) {
  FailureOr<SmallVector<unsigned>> pair =
      resolveAll({rowName, columnName}, emitError);
  if (failed(pair))
    return failure();
  for (unsigned number : *pair) {
    const Loop &loop = allLoops[number];
    if (loop.isDynamic())
      return emitError() << "the extent of loop '" << loop.name
                         << "' is not known; block it first";
    if (loop.shared)
      return emitError() << "loop '" << loop.name
                         << "' is shared; a tile needs it inside";
  }
  if (allLoops[(*pair)[0]].extent > maxUnroll)
    return emitError() << "a tile has at most " << maxUnroll
                       << " rows, but loop '" << rowName << "' has "
                       << allLoops[(*pair)[0]].extent;
  bool reduces = false;
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    if (!concerns(i) || (!op.find((*pair)[0]) && !op.find((*pair)[1])))
      continue;
    if (failed(tileOp(*this, op, (*pair)[0], (*pair)[1], emitError)))
      return failure();
    reduces |=
        llvm::any_of(op.loops, [](const LoopUse &use) { return use.reduced; });
  }
  if (!reduces)
    return emitError() << "no op with loops '" << rowName << "' and '"
                       << columnName << "' reduces anything";
  return success();
}

//===----------------------------------------------------------------------===//
// cache, pack
//===----------------------------------------------------------------------===//

LogicalResult LoopNest::cache(unsigned operand, StringRef at,
                              EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(at, emitError);
  if (failed(number))
    return failure();
  if (operand >= operands.size() || !operands[operand].known)
    return emitError() << "no op reads a tensor operand " << operand;
  if (llvm::any_of(allCaches,
                   [&](const Cache &c) { return c.operand == operand; }))
    return emitError() << "operand " << operand << " is cached already";
  allCaches.push_back({operand, *number});
  return success();
}

LogicalResult LoopNest::pack(unsigned operand, ArrayRef<StringRef> names,
                             EmitErrorFn emitError) {
  FailureOr<SmallVector<unsigned>> numbers = resolveAll(names, emitError);
  if (failed(numbers))
    return failure();
  if (operand >= operands.size() || !operands[operand].known)
    return emitError() << "no op reads a tensor operand " << operand;
  if (packOf(operand))
    return emitError() << "operand " << operand << " is packed already";
  const OperandUse &use = operands[operand];
  if (!use.plain)
    return emitError() << "operand " << operand
                       << " is not indexed by one loop in each dimension";
  for (unsigned number : *numbers) {
    if (llvm::none_of(use.dimAxes, [&](int axis) {
          return axis >= 0 && stemsFrom(number, axis);
        }))
      return emitError() << "operand " << operand << " is not indexed by loop '"
                         << allLoops[number].name << "'";
    if (axesOf(number).size() != 1)
      return emitError() << "loop '" << allLoops[number].name
                         << "' is fused; a packed dimension is one loop";
  }
  Pack pack;
  pack.operand = operand;
  pack.loops.assign(numbers->begin(), numbers->end());
  allPacks.push_back(std::move(pack));
  return success();
}

} // namespace onnxc::krnl
