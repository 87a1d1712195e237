//===- EmitOperands.cpp - Operands and results of an op ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where lanes are rows of a tensor and the instances of another loop its
// columns, the rows are loaded or stored as they lie, and transposed in
// registers.
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Shuffles.h"

using namespace mlir;

namespace onnxc::krnl {

/// The loop of a shuffle, unrolled `minInstances` to `maxInstances` times
/// here, whose instances are neighbours in the last dimension of an access.
std::optional<unsigned> OpEmitter::instanceLoop(const OpState &state,
                                                OpOperand &operand,
                                                bool LoopUse::*shuffle,
                                                int64_t minInstances,
                                                int64_t maxInstances) {
  for (const LoopUse &use : nest.op(state.number).loops) {
    const ActiveLoop &at = active[use.loop];
    if (use.*shuffle && at.instances >= minInstances &&
        at.instances <= maxInstances && at.staticLimit < 0 &&
        !at.dynamicLimit && hasRows(state.access(operand), operand, use.loop))
      return use.loop;
  }
  return std::nullopt;
}

/// The loop of a transpose step that the last dimension of an access follows
/// while its lanes are rows of it.
std::optional<unsigned> OpEmitter::transposedLoop(const OpState &state,
                                                  OpOperand &operand) {
  std::optional<unsigned> lane = laneLoop(state);
  const Access &along = state.access(operand);
  if (!lane || along.getRank() == 0 ||
      along.getIndex(along.getRank() - 1).isFunctionOfDim(*lane))
    return std::nullopt;
  return instanceLoop(state, operand, &LoopUse::transpose, 2,
                      active[*lane].lanes);
}

/// Reads the elements of all instances of the transposed loop, a row for each
/// lane, and transposes it. False where the operand does not lie so.
bool OpEmitter::loadTransposed(OpState &state, OpOperand &operand,
                               const Instance &instance, Value memref) {
  ComputeOp reader = state.op;
  if (reader.isDpsInit(&operand))
    return false;
  std::optional<unsigned> transposed = transposedLoop(state, operand);
  if (!transposed)
    return false;
  const ActiveLoop &lane = active[*laneLoop(state)];
  Instance first = instance;
  first[*transposed] = 0;
  SmallVector<LaneIndex> at =
      indicesOf(state, operand, first,
                storage.slots[storage.chainRoot(operand.get())].local);
  if (llvm::any_of(at, [](const LaneIndex &index) { return index.vec; }))
    return false;
  int64_t before = instance[*laneLoop(state)] * lane.lanes;
  OpFoldResult rows = b.getIndexAttr(
      lane.staticLimit >= 0 ? std::min(lane.lanes, lane.staticLimit - before)
                            : lane.lanes);
  if (lane.dynamicLimit)
    rows = math.scalar(
        math.add({lane.dynamicLimit, 0, 0, {}}, {{}, -before, 0, {}}));
  int64_t count = active[*transposed].instances;
  SmallVector<Value> columns =
      access.loadTransposed(memref, at, lane.lanes, rows, count);
  for (int64_t copy = 0; copy < count; ++copy) {
    first[*transposed] = copy;
    Instance key = restrictTo(first, [&](unsigned loop) {
      return state.access(operand).dependsOn(loop);
    });
    state.reads[{operand.getOperandNumber(), key}] = columns[copy];
  }
  return true;
}

/// Reads the elements of all instances of the lanes and of a loop whose
/// instances lie between them, and takes each vector out of these. False where
/// the operand does not lie so.
bool OpEmitter::loadInterleaved(OpState &state, OpOperand &operand,
                                const Instance &instance, Value memref) {
  unsigned across = *laneLoop(state);
  const ActiveLoop &lane = active[across];
  const Access &along = state.access(operand);
  if (state.op.isDpsInit(&operand))
    return false;
  auto between =
      llvm::find_if(nest.op(state.number).loops, [&](const LoopUse &use) {
        const ActiveLoop &at = active[use.loop];
        return use.interleave && at.staticLimit < 0 && !at.dynamicLimit &&
               liesBetween(along, across, use.loop, at.instances);
      });
  if (between == nest.op(state.number).loops.end())
    return false;
  Instance first = instance;
  first[between->loop] = first[across] = 0;
  SmallVector<LaneIndex> at =
      indicesOf(state, operand, first,
                storage.slots[storage.chainRoot(operand.get())].local);
  if (access.evenStep(memref, at) != along.stride(across))
    return false;
  int64_t all = lane.lanes * lane.instances;
  LaneWindow window{lane.lanes,
                    lane.instances,
                    active[between->loop].instances,
                    along.stride(across),
                    lane.staticLimit >= 0 ? lane.staticLimit : all,
                    lane.dynamicLimit};
  SmallVector<Value> vectors = access.loadInterleaved(memref, at, window);
  for (auto [number, vector] : llvm::enumerate(vectors)) {
    first[across] = int64_t(number) / window.copies;
    first[between->loop] = int64_t(number) % window.copies;
    if (vector)
      state.reads[readKey(state, operand, first)] = vector;
  }
  return true;
}

/// Memory of a tile for registers, made where the function begins.
Value OpEmitter::allocateTile(Value like, int64_t rows, int64_t columns) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&outside.func.getBody().front());
  return policy.allocate(
      b, outside.func,
      MemRefType::get({rows, columns},
                      cast<MemRefType>(like.getType()).getElementType()));
}

/// Keeps the value until all instances of the transposed loop are there, and
/// then writes their elements of each lane, which are neighbours. False where
/// the result does not lie so. The columns of a register tile are written
/// together.
bool OpEmitter::storeTransposed(OpState &state, unsigned result,
                                const Instance &instance, Value memref,
                                ArrayRef<LaneIndex> at, Value value) {
  OpOperand &init = *state.op.getDpsInitOperand(result);
  std::optional<unsigned> transposed = transposedLoop(state, init);
  if (!transposed || scatterStoreOf(state.op, result))
    return false;
  unsigned across = *laneLoop(state);
  const ActiveLoop &lane = active[across];
  int64_t count = active[*transposed].instances, lanes = lane.lanes;
  if ((lane.dynamicLimit && lane.instances > 1) ||
      int64_t(llvm::bit_ceil(uint64_t(count))) > lanes ||
      !llvm::isPowerOf2_64(lanes) ||
      llvm::any_of(at, [](const LaneIndex &index) { return index.vec; }))
    return false;
  bool wholeTile = lane.instances > 1 && registerLoops.isTile(across) &&
                   state.access(init).isLinearAlong(across);
  int64_t columns = wholeTile ? lane.instances : 1,
          column = wholeTile ? instance[across] : 0;
  Instance first = instance;
  first[*transposed] = 0;
  first[across] -= column;
  SmallVector<Value> &waiting = state.waiting[memref][first];
  waiting.resize(count * columns);
  waiting[column * count + instance[*transposed]] = broadcast(b, value, lanes);
  if (llvm::is_contained(waiting, Value()))
    return true;
  SmallVector<Value> rows = std::move(waiting);
  state.waiting[memref].erase(first);
  // The last instance comes last; lines begin at the first.
  Lines lines{memref, llvm::to_vector(at), count,
              nest.op(state.number).find(*transposed)->masked};
  lines.at.back().offset -= instance[*transposed];
  for (LaneIndex &index : lines.at)
    index.offset -= column * lanes * index.step;
  int64_t left = (first[across] + columns) * lanes;
  left = (lane.staticLimit >= 0 ? std::min(left, lane.staticLimit) : left) -
         first[across] * lanes;
  int64_t whole = left / lanes;
  if (whole > 1)
    access.storeColumns(ArrayRef(rows).take_front(whole * count), lines,
                        allocateTile(memref, count, whole * lanes));
  for (int64_t c = whole > 1 ? whole : 0; c < columns; ++c) {
    Lines there = lines;
    for (LaneIndex &index : there.at)
      index.offset += c * lanes * index.step;
    access.storeLines(ArrayRef(rows).slice(c * count, count), there,
                      lane.dynamicLimit
                          ? OpFoldResult(lane.dynamicLimit)
                          : b.getIndexAttr(std::min(lanes, left - c * lanes)));
  }
  return true;
}

/// Keeps the value until those for the positions between its lanes are there,
/// and then writes all as vectors of neighbours. False where the result does
/// not lie so.
bool OpEmitter::storeInterleaved(OpState &state, unsigned result,
                                 const Instance &instance, Value memref,
                                 ArrayRef<LaneIndex> at, Value value,
                                 Value mask) {
  std::optional<int64_t> step = access.evenStep(memref, at);
  if (!step || *step < 2)
    return false;
  std::optional<unsigned> between =
      instanceLoop(state, *state.op.getDpsInitOperand(result),
                   &LoopUse::interleave, *step, *step);
  if (!between)
    return false;
  int64_t lanes = lanesHere(state);
  Instance first = instance;
  first[*between] = 0;
  SmallVector<Value> &parts = state.waiting[memref][first];
  parts.resize(*step);
  parts[instance[*between]] = broadcast(b, value, lanes);
  if (llvm::is_contained(parts, Value()))
    return true;
  SmallVector<Value> all = std::move(parts);
  state.waiting[memref].erase(first);
  // The last instance is written last: its first lane is as many elements
  // further.
  SmallVector<LaneIndex> from(at);
  from.back().offset -= instance[*between];
  access.storeInterleaved(memref, from, all, mask);
  return true;
}

SmallVector<LaneIndex> OpEmitter::indicesOf(OpState &state, OpOperand &operand,
                                            const Instance &instance,
                                            bool local) {
  SmallVector<LaneIndex> axes = loops.axisValues(state.number, instance, local);
  SmallVector<LaneIndex> at;
  for (auto [position, subscript] :
       llvm::enumerate(state.op.getSubscripts(operand))) {
    LaneIndex index = math.eval(subscript.index, axes, loops.extents);
    if (Value inside = isInRange(operand, position, subscript, index))
      index = toLaneIndex(OpFoldResult(b.createOrFold<arith::SelectOp>(
          inside, math.scalar(index),
          math.scalar({{}, subscript.range->first, 0, {}}))));
    at.push_back(index);
  }
  return at;
}

/// Emits an i1 that is true if the index is in the range in which the operand
/// is read; null without a range.
Value OpEmitter::isInRange(OpOperand &operand, unsigned position,
                           const Subscript &subscript, LaneIndex index) {
  if (!subscript.range)
    return {};
  auto [first, end] = *subscript.range;
  Value moved = math.scalar(math.add(index, {{}, -first, 0, {}}));
  Value size =
      ShapedType::isDynamic(end)
          ? memref::DimOp::create(
                b, storage.slots[storage.chainRoot(operand.get())].memref,
                position)
          : math.scalar({{}, end - first, 0, {}});
  // Unsigned: also false for indices before the first one.
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, moved, size);
}

/// `at`, as far away as a computed index says; nothing moves without one.
SmallVector<LaneIndex> OpEmitter::movedBy(ArrayRef<LaneIndex> slot,
                                          ArrayRef<LaneIndex> at) {
  SmallVector<LaneIndex> moved(at);
  for (auto [index, distance] : llvm::zip(moved, slot))
    index = math.add(index, distance);
  return moved;
}

/// The value of another op in registers. Lanes are put together from single
/// columns; those that there are not may be anything.
Value OpEmitter::keptValue(const OpState &state, OpResult result,
                           const RegisterValue &kept,
                           const Instance &instance) {
  Instance key = restrictTo(instance, [&](unsigned loop) {
    return llvm::is_contained(kept.loops, loop);
  });
  std::optional<unsigned> lane = laneLoop(state);
  unsigned producer = nest.indexOf(result.getDefiningOp());
  const LoopUse *use = lane ? nest.op(producer).find(*lane) : nullptr;
  if (!use || use->width() > 1 || active[*lane].lanes == 1)
    return kept.values.at(key);
  SmallVector<Value> elements;
  int64_t first = key[*lane] * active[*lane].lanes;
  for (int64_t i = 0; i < active[*lane].lanes; ++i) {
    key[*lane] = first + i;
    auto known = kept.values.find(key);
    elements.push_back(known != kept.values.end() ? known->second
                                                  : elements.front());
  }
  return vector::FromElementsOp::create(
      b, VectorType::get({active[*lane].lanes}, elements.front().getType()),
      elements);
}

Value OpEmitter::readOperand(OpState &state, OpOperand &operand,
                             const Instance &instance) {
  Value source = operand.get();
  if (!isa<ShapedType>(source.getType()))
    return outside.uniform.lookup(source);
  ComputeOp reader = state.op;
  if (reader.isDpsInit(&operand))
    if (Value start =
            state.startOf(reader.getTiedOpResult(&operand).getResultNumber()))
      return outside.uniform.lookup(start);
  if (auto result = dyn_cast<OpResult>(source)) {
    auto kept = registers.find(result);
    if (kept != registers.end() && storage.canForward(result, operand))
      return keptValue(state, result, kept->second, instance);
  }
  Value &value = state.reads[readKey(state, operand, instance)];
  if (!value)
    value = loadOperand(state, operand, instance);
  return value;
}

/// The operand, and the instance as far as its element depends on it.
std::pair<unsigned, Instance> OpEmitter::readKey(const OpState &state,
                                                 OpOperand &operand,
                                                 const Instance &instance) {
  return {operand.getOperandNumber(), restrictTo(instance, [&](unsigned loop) {
            return state.access(operand).dependsOn(loop);
          })};
}

/// Reads it from memory.
Value OpEmitter::loadOperand(OpState &state, OpOperand &operand,
                             const Instance &instance) {
  Value source = operand.get();
  ComputeOp reader = state.op;
  Storage slot = storage.slots[storage.chainRoot(
      reader.isDpsInit(&operand) ? reader.getTiedOpResult(&operand) : source)];
  const CachedSlice *slice = llvm::find_if(
      caches, [&](const CachedSlice &other) { return other.use == &operand; });
  bool isCached = slice != caches.end();
  if (isCached) {
    slot = Storage();
    slot.memref = slice->memref;
    slot.byLoops = true;
  }
  std::optional<unsigned> lane = laneLoop(state);
  bool varies = lane && state.access(operand).dependsOn(*lane);
  SmallVector<LaneIndex> at;
  if (isCached)
    at.push_back(indexIn(*slice, instance));
  else if (!slot.byLoops)
    at = indicesOf(state, operand, instance, slot.local);
  else
    for (unsigned loop : slot.packed)
      at.push_back(loops.loopIndex(loop, instance, false));
  if (varies && !slot.byLoops &&
      (loadTransposed(state, operand, instance, slot.memref) ||
       loadInterleaved(state, operand, instance, slot.memref)))
    return state.reads.at(readKey(state, operand, instance));
  // Packed buffers have room for whole blocks.
  bool full = !varies || (slot.byLoops && !nest.loop(*lane).isDynamic() &&
                          nest.loop(*lane).extent % lanesHere(state) == 0);
  Value mask = full ? Value() : loops.laneMask(state.number, instance);
  Value loaded = access.load(slot.memref, at, varies ? lanesHere(state) : 1,
                             mask, stridesHere(state));
  return isCached ? loaded
                  : zeroOutside(state.number, operand, instance, loaded);
}

/// Emits the conjunction of `all` and an i1 that is true if the indices of the
/// operand are in their ranges; null where all are.
Value OpEmitter::andInRanges(unsigned op, OpOperand &operand,
                             const Instance &instance, Value all) {
  if (!Access(operand).hasRanges())
    return all;
  SmallVector<LaneIndex> axes = loops.axisValues(op, instance, false);
  ComputeOp user = storage.plan(op).op;
  for (auto [position, subscript] :
       llvm::enumerate(user.getSubscripts(operand))) {
    Value inside = isInRange(operand, position, subscript,
                             math.eval(subscript.index, axes, loops.extents));
    if (inside)
      all = all ? b.createOrFold<arith::AndIOp>(all, inside) : inside;
  }
  return all;
}

/// Emits an i1 that is true if the operand has the element, neither past the
/// end of a loop that sums up products nor outside of a range; null where it
/// has all.
Value OpEmitter::hasElement(unsigned op, OpOperand &operand,
                            const Instance &instance) {
  SmallVector<unsigned> padded =
      paddedLoops(nest, op, Access(operand), /*reduced=*/true);
  return andInRanges(op, operand, instance,
                     loops.isInside(op, padded, instance));
}

/// The value, or what the operand has where there is no such element.
Value OpEmitter::zeroOutside(unsigned op, OpOperand &operand,
                             const Instance &instance, Value value) {
  Value inside = hasElement(op, operand, instance);
  if (!inside)
    return value;
  TypedAttr otherwise = Access(operand).outside();
  if (!otherwise)
    otherwise = b.getZeroAttr(value.getType());
  else if (auto lanes = dyn_cast<VectorType>(value.getType()))
    otherwise = DenseElementsAttr::get(lanes, ArrayRef<Attribute>(otherwise));
  Value outside = arith::ConstantOp::create(b, otherwise);
  return arith::SelectOp::create(b, inside, value, outside);
}

/// Stores a result where somebody needs it in memory, and keeps it for those
/// who can take it from registers.
void OpEmitter::recordResult(OpState &state, unsigned result,
                             const Instance &instance, Value value) {
  OpResult produced = state.op->getResult(result);
  auto isKept = [&](unsigned loop) { return !isReduced(state, loop); };
  bool accumulated = llvm::is_contained(state.accumulated, result);
  if (accumulated && storage.isCompleteInRegisters(state.number)) {
    RegisterValue &kept = registers[produced];
    if (kept.loops.empty())
      for (const LoopUse &use : nest.op(state.number).loops)
        if (isKept(use.loop))
          kept.loops.push_back(use.loop);
    kept.values[restrictTo(instance, isKept)] = value;
  }
  SmallVector<Value> aliases = storage.destinationAliases(produced);
  if (storage.needsMemory(produced))
    aliases.push_back(storage.chainRoot(produced));
  if (aliases.empty())
    return;
  SmallVector<unsigned> reduced = paddedLoops(nest, state.number, true);
  SmallVector<unsigned> padded = llvm::filter_to_vector(
      paddedLoops(nest, state.number),
      [&](unsigned loop) { return !llvm::is_contained(reduced, loop); });
  Value inside =
      andInRanges(state.number, *state.op.getDpsInitOperand(result), instance,
                  loops.isInside(state.number, padded, instance));
  if (!inside)
    return storeResult(state, result, instance, value, aliases);
  auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storeResult(state, result, instance, value, aliases);
}

void OpEmitter::storeResult(OpState &state, unsigned result,
                            const Instance &instance, Value value,
                            ArrayRef<Value> aliases) {
  bool accumulated = llvm::is_contained(state.accumulated, result);
  int64_t lanes = lanesHere(state);
  std::optional<unsigned> lane = laneLoop(state);
  Value mask;
  if (lane && isReduced(state, *lane))
    lanes = 1;
  else
    mask = loops.laneMask(state.number, instance);
  for (Value alias : aliases) {
    const Storage &slot = storage.slots[alias];
    SmallVector<LaneIndex> at = indicesOf(
        state, *state.op.getDpsInitOperand(result), instance, slot.local);
    if (!accumulated)
      at = movedBy(state.scatterOffsets[result], at);
    if (lanes > 1 &&
        (storeInterleaved(state, result, instance, slot.memref, at, value,
                          mask) ||
         storeTransposed(state, result, instance, slot.memref, at, value)))
      continue;
    access.store(slot.memref, at, value, lanes, mask, stridesHere(state));
  }
}

} // namespace onnxc::krnl
