//===- NestEmitter.cpp - The loops around all ops ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace onnxc::krnl {

Instance restrictTo(const Instance &instance,
                    function_ref<bool(unsigned)> pick) {
  Instance result(instance.size(), 0);
  for (unsigned loop = 0; loop < instance.size(); ++loop)
    if (pick(loop))
      result[loop] = instance[loop];
  return result;
}

SmallVector<Instance>
NestEmitter::enumerate(unsigned op, function_ref<bool(unsigned)> pick) const {
  // Vectors of results take each step of a sum before the next one.
  std::optional<unsigned> lane = laneLoop(op);
  bool sumsFirst = lane && !nest.op(op).find(*lane)->reduced;
  SmallVector<const LoopUse *> uses;
  for (bool isSum : {true, false})
    for (const LoopUse &use : nest.op(op).loops)
      if ((sumsFirst && use.reduced) == isSum)
        uses.push_back(&use);
  SmallVector<Instance> all{Instance(active.size(), 0)};
  for (const LoopUse *use : uses) {
    if (active[use->loop].instances == 1 || !pick(use->loop))
      continue;
    SmallVector<Instance> longer;
    for (const Instance &instance : all)
      for (int64_t c = 0; c < active[use->loop].instances; ++c) {
        longer.push_back(instance);
        longer.back()[use->loop] = c;
      }
    all = std::move(longer);
  }
  return all;
}

std::optional<unsigned> NestEmitter::laneLoop(unsigned op) const {
  for (const LoopUse &use : nest.op(op).loops)
    if (active[use.loop].lanes > 1)
      return use.loop;
  return std::nullopt;
}

int64_t NestEmitter::lanesOf(unsigned op) const {
  std::optional<unsigned> loop = laneLoop(op);
  return loop ? active[*loop].lanes : 1;
}

Value NestEmitter::laneMask(unsigned op, const Instance &instance) {
  std::optional<unsigned> loop = laneLoop(op);
  if (!loop)
    return {};
  const ActiveLoop &at = active[*loop];
  int64_t first = instance[*loop] * at.lanes;
  if (at.dynamicLimit) {
    Value rest =
        math.scalar(math.add({at.dynamicLimit, 0, 0, {}}, {{}, -first, 0, {}}));
    return vector::CreateMaskOp::create(
        b, VectorType::get({at.lanes}, b.getI1Type()), rest);
  }
  if (at.staticLimit < 0 || at.staticLimit - first >= at.lanes)
    return {};
  return firstLanesMask(b, at.lanes, at.staticLimit - first);
}

LaneIndex NestEmitter::loopIndex(unsigned loop, const Instance &instance,
                                 std::optional<unsigned> local) const {
  const ActiveLoop &at = active[loop];
  LaneIndex index{
      at.base, at.offset + instance[loop] * at.lanes, at.lanes > 1 ? 1 : 0, {}};
  if (local && isAroundPart(nest, loop, *local)) {
    index.base = Value();
    index.offset = instance[loop] * at.lanes;
  }
  return index;
}

SmallVector<LaneIndex> NestEmitter::axisValues(unsigned op,
                                               const Instance &instance,
                                               std::optional<unsigned> local) {
  SmallVector<LaneIndex> loops(nest.loops().size());
  for (const LoopUse &use : nest.op(op).loops)
    loops[use.loop] = loopIndex(use.loop, instance, local);
  math.setLanes(lanesOf(op));
  SmallVector<unsigned> padded = paddedLoops(nest, op);
  SmallVector<LaneIndex> axes;
  for (auto [dim, axis] : llvm::enumerate(nest.op(op).axes)) {
    bool isPadded = llvm::any_of(
        padded, [&](unsigned loop) { return nest.stemsFrom(loop, axis); });
    axes.push_back(isPadded
                       ? insideValue(op, axis, loops)
                       : math.eval(nest.axisExpr(op, dim), loops, extents));
  }
  return axes;
}

/// Returns true if lanes along the values of the loop begin at multiples of
/// their number, and so have one quotient by the divisor.
bool NestEmitter::staysWithin(unsigned op, unsigned number,
                              int64_t divisor) const {
  std::optional<unsigned> lane = laneLoop(op);
  int64_t lanes = lanesOf(op);
  if (!lane || divisor % lanes != 0 ||
      nest.tripCountDivisor(number) % lanes != 0)
    return false;
  AffineExpr value = nest.valueExpr(op, number);
  AffineExpr dim = getAffineDimExpr(*lane, value.getContext());
  return value.replace(dim, dim * lanes).getLargestKnownDivisor() % lanes == 0;
}

/// The value of a loop as LoopNest::valueExpr has it, brought back to the last
/// ones where padded blocks reach further.
LaneIndex NestEmitter::insideValue(unsigned op, unsigned number,
                                   ArrayRef<LaneIndex> values) {
  if (nest.op(op).find(number))
    return values[number];
  unsigned child = nest.childOf(op, number);
  const Loop &loop = nest.loop(child);
  LaneIndex value = insideValue(op, child, values);
  if (loop.kind == Loop::Kind::Fused) {
    LaneIndex inner = math.eval(nest.extentExpr(loop.parents[1]), {}, extents);
    bool isOuter = loop.parents[0] == number;
    if (value.step == 1 && inner.isConstant() &&
        staysWithin(op, child, inner.offset)) {
      value.step = 0;
      LaneIndex first = isOuter ? math.floorDiv(value, inner.offset)
                                : math.mod(value, inner.offset);
      first.step = isOuter ? 0 : 1;
      return first;
    }
    if (inner.isConstant())
      return isOuter ? math.floorDiv(value, inner.offset)
                     : math.mod(value, inner.offset);
    return isOuter ? math.floorDiv(value, math.scalar(inner))
                   : math.mod(value, math.scalar(inner));
  }
  // The loop inside the blocks was made just after that over them.
  value = math.add(math.scale(value, loop.blockSize),
                   insideValue(op, child + 1, values));
  if (!nest.pads(child) || nest.tripCountDivisor(number) % loop.blockSize == 0)
    return value;
  LaneIndex end = math.eval(nest.extentExpr(number), {}, extents);
  return math.minimum(value, end);
}

Value NestEmitter::isInside(unsigned op, ArrayRef<unsigned> padded,
                            const Instance &instance) {
  SmallVector<LaneIndex> values(nest.loops().size());
  for (const LoopUse &use : nest.op(op).loops)
    values[use.loop] = loopIndex(use.loop, instance);
  Value all;
  for (unsigned loop : padded) {
    LaneIndex value = math.eval(nest.valueExpr(op, loop), values, extents),
              end = math.eval(nest.extentExpr(loop), {}, extents);
    value.step = 0;
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                         math.scalar(value), math.scalar(end));
    all = all ? arith::AndIOp::create(b, all, inside) : inside;
  }
  return all;
}

SmallVector<OpFoldResult> NestEmitter::tileExtents() {
  SmallVector<unsigned> tiles = nest.parallelLoops();
  if (cluster)
    tiles.push_back(cluster->front());
  return llvm::map_to_vector(
      tiles, [&](unsigned loop) { return math.foldResult(fullExtent(loop)); });
}

void NestEmitter::enterTile(ArrayRef<OpFoldResult> indices) {
  if (cluster) {
    for (unsigned loop : *cluster)
      thread[loop] = math.scalar(toLaneIndex(indices.back()));
    indices = indices.drop_back();
  }
  for (auto [number, index] : llvm::zip_equal(nest.parallelLoops(), indices)) {
    LaneIndex at = toLaneIndex(index);
    active[number].base = at.base;
    active[number].offset = at.offset;
  }
}

void NestEmitter::emitTile(function_ref<void(unsigned)> atLoop,
                           function_ref<void(unsigned, LoopSide)> besideLoop,
                           function_ref<void()> atPoint) {
  onLoop = atLoop;
  onSide = besideLoop;
  onPoint = atPoint;
  emitParallel(0);
}

/// A tile of peeled blocks is a full one, or it is the last.
void NestEmitter::emitParallel(unsigned position) {
  SmallVector<unsigned> parallel = nest.parallelLoops();
  if (position == parallel.size()) {
    for (unsigned number : parallel)
      onLoop(number);
    return emitFusedOuter(position);
  }
  unsigned number = parallel[position];
  if (!nest.peels(number))
    return emitParallel(position + 1);
  ActiveLoop &at = active[number];
  Value isFull = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                       math.scalar({at.base, at.offset, 0, {}}),
                                       math.scalar(fullBlocks(number, 0)));
  auto branch = scf::IfOp::create(b, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (auto [block, part] :
       {std::pair(branch.thenBlock(), ActiveLoop::BlockKind::Full),
        std::pair(branch.elseBlock(), ActiveLoop::BlockKind::Last)}) {
    b.setInsertionPointToStart(block);
    active[number].part = part;
    emitParallel(position + 1);
  }
  active[number].part = ActiveLoop::BlockKind::Any;
}

/// How the first op inside of all fused outer loops that has the loop iterates
/// over it; these are iterated over the same way by all ops.
static LoopUse useOf(const LoopNest &nest, unsigned loop, unsigned &op) {
  for (auto [number, body] : llvm::enumerate(nest.ops()))
    if (const LoopUse *use = body.find(loop); use && !body.hoistedFrom) {
      op = number;
      return *use;
    }
  op = 0;
  LoopUse plain;
  plain.loop = loop;
  return plain;
}

void NestEmitter::emitFusedOuter(unsigned position) {
  SmallVector<unsigned> outerLoops = nest.fusedOuterLoops();
  if (position == outerLoops.size())
    return emitTileVariants(0);
  unsigned op;
  LoopUse use = useOf(nest, outerLoops[position], op);
  auto body = [&](ValueRange) {
    onLoop(use.loop);
    emitFusedOuter(position + 1);
    return SmallVector<Value>();
  };
  onSide(use.loop, LoopSide::Before);
  emitLoop(use, op, {}, body);
  onSide(use.loop, LoopSide::After);
}

/// The iteration of this thread, if the loop has one for it.
SmallVector<Value> NestEmitter::emitMapped(unsigned loop, unsigned op,
                                           Value index, ValueRange carried,
                                           Body body) {
  LaneIndex bound = boundOf(loop, op);
  int64_t extent = nest.loop(loop).extent;
  if (!bound.isConstant() || bound.offset != extent)
    return emitStrip(loop, {index, 0, 0, {}}, bound, extent, {}, carried, body);
  ActiveLoop saved = active[loop];
  active[loop] = {};
  active[loop].base = index;
  SmallVector<Value> values = body(carried);
  active[loop] = saved;
  return values;
}

/// The first `extent` iterations of a loop of a register tile.
static ActiveLoop tileOf(int64_t extent, int64_t lanes) {
  ActiveLoop state;
  state.instances = llvm::divideCeil(extent, lanes);
  state.lanes = lanes;
  return state;
}

/// As tileOf, with a limit where they fill the last vector in part.
static ActiveLoop limitedTile(int64_t extent, int64_t lanes) {
  ActiveLoop state = tileOf(extent, lanes);
  if (extent % lanes)
    state.staticLimit = extent;
  return state;
}

/// Opens the register-tile loops: one variant of the code for full tiles, one
/// for the tile that is cut off by the end of an axis.
void NestEmitter::emitTileVariants(unsigned position) {
  if (position == registers.tiles().size())
    return onPoint();
  const LoopUse &use = registers.tiles()[position];
  unsigned op;
  int64_t lanes = useOf(nest, use.loop, op).width();
  int64_t extent = nest.loop(use.loop).extent;
  LaneIndex bound = boundOf(use.loop, op);
  ActiveLoop saved = active[use.loop];
  llvm::scope_exit restore([&] { active[use.loop] = saved; });

  auto emitWith = [&](const ActiveLoop &state) {
    active[use.loop] = state;
    emitTileVariants(position + 1);
  };
  if (bound.isConstant())
    return emitWith(limitedTile(bound.offset, lanes));
  // The length of the tail may be known only at run time: lanes are masked.
  auto emitMasked = [&](int64_t vectors) {
    ActiveLoop state = tileOf(vectors * lanes, lanes);
    state.dynamicLimit = math.scalar(bound);
    emitWith(state);
  };
  std::optional<int64_t> rest = nest.knownRest(use.loop);
  if (inRowTail && use.masked)
    return emitMasked(extent / lanes);

  Value isFull =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, math.scalar(bound),
                            arith::ConstantIndexOp::create(b, extent));
  auto branch = scf::IfOp::create(b, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitWith(limitedTile(extent, lanes));
  b.setInsertionPointToStart(branch.elseBlock());
  if (rest)
    return emitWith(limitedTile(*rest, lanes));
  if (lanes > 1)
    return emitColumnTail(bound, extent / lanes, lanes, emitMasked);
  emitRowTail(use, bound, [&] { emitTileVariants(position + 1); });
}

/// What is left of the columns of a tile, which has so many vectors: half of
/// them, and so on, where these hold it.
void NestEmitter::emitColumnTail(LaneIndex bound, int64_t vectors,
                                 int64_t lanes,
                                 function_ref<void(int64_t)> emitMasked) {
  while (vectors > 1) {
    int64_t half = vectors / 2;
    Value isMore =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, math.scalar(bound),
                              arith::ConstantIndexOp::create(b, half * lanes));
    auto branch = scf::IfOp::create(b, isMore, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    emitMasked(vectors);
    b.setInsertionPointToStart(branch.elseBlock());
    vectors = half;
  }
  emitMasked(vectors);
}

/// The rows that are left of a tile, as many side by side as the recipe says.
void NestEmitter::emitRowTail(const LoopUse &use, LaneIndex bound,
                              function_ref<void()> body) {
  llvm::SaveAndRestore inside(inRowTail, true);
  LaneIndex done;
  SmallVector<int64_t> sizes = llvm::to_vector(use.tail);
  sizes.push_back(1);
  for (int64_t rows : sizes) {
    LaneIndex rest = math.mod(math.add(bound, math.scale(done, -1)), rows);
    LaneIndex end = math.add(bound, math.scale(rest, -1));
    ActiveLoop state;
    state.instances = rows;
    emitStrip(use.loop, done, end, rows, state, {}, [&](ValueRange) {
      body();
      return SmallVector<Value>();
    });
    done = end;
  }
}

} // namespace onnxc::krnl
