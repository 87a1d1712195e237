//===- ResultWriter.cpp - Results of ops ------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "ResultWriter.h"

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/ExchangedStores.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace onnxc::krnl {

/// Memory of a tile for registers, made where the function begins.
Value ResultWriter::allocateTile(Value like, int64_t rows, int64_t columns) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&outside.func.getBody().front());
  return policy.allocate(
      b, outside.func,
      MemRefType::get({rows, columns},
                      cast<MemRefType>(like.getType()).getElementType()));
}

/// The unrolled loop along which the result is in adjacent elements, if its
/// vectors can be transposed in registers.
std::optional<unsigned> ResultWriter::loopToTranspose(OpState &state,
                                                      unsigned result,
                                                      ArrayRef<LaneIndex> at) {
  std::optional<unsigned> transposed =
      positions.transposedLoop(state, *state.op.getDpsInitOperand(result));
  if (!transposed || scatterStoreOf(state.op, result))
    return std::nullopt;
  const ActiveLoop &lane = active[*laneLoop(state)];
  int64_t count = active[*transposed].instances, lanes = lane.lanes;
  if ((lane.dynamicLimit && lane.instances > 1) ||
      int64_t(llvm::bit_ceil(uint64_t(count))) > lanes ||
      !llvm::isPowerOf2_64(lanes) ||
      llvm::any_of(at, [](const LaneIndex &index) { return index.vec; }))
    return std::nullopt;
  return transposed;
}

/// Stores the vectors of all instances in `rows`, column by column, transposed
/// to `lines`. Columns are instances of `lane`, from the instance `first` on.
void ResultWriter::storeTile(ArrayRef<Value> rows, const Lines &lines,
                             const ActiveLoop &lane, int64_t first,
                             int64_t columns) {
  int64_t count = lines.length, lanes = lane.lanes;
  int64_t left = (first + columns) * lanes;
  left = (lane.staticLimit >= 0 ? std::min(left, lane.staticLimit) : left) -
         first * lanes;
  int64_t whole = left / lanes;
  if (whole > 1)
    access.storeColumns(rows.take_front(whole * count), lines,
                        allocateTile(lines.memref, count, whole * lanes));
  for (int64_t c = whole > 1 ? whole : 0; c < columns; ++c) {
    Lines there = lines;
    for (LaneIndex &index : there.at)
      index.offset += c * lanes * index.step;
    access.storeLines(rows.slice(c * count, count), there,
                      lane.dynamicLimit
                          ? OpFoldResult(lane.dynamicLimit)
                          : b.getIndexAttr(std::min(lanes, left - c * lanes)));
  }
}

/// Keeps the value until all instances of the transposed loop are there, and
/// then writes their elements of each lane, which are adjacent. False where
/// the result does not lie so. The columns of a register tile are written
/// together.
bool ResultWriter::storeTransposed(OpState &state, unsigned result,
                                   const Instance &instance, Value memref,
                                   ArrayRef<LaneIndex> at, Value value) {
  std::optional<unsigned> transposed = loopToTranspose(state, result, at);
  if (!transposed)
    return false;
  unsigned across = *laneLoop(state);
  const ActiveLoop &lane = active[across];
  int64_t count = active[*transposed].instances, lanes = lane.lanes;
  bool wholeTile =
      lane.instances > 1 &&
      nest.op(state.number).find(across)->role != RegisterRole::None &&
      state.access(*state.op.getDpsInitOperand(result)).isLinearAlong(across);
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
  storeTile(rows, lines, lane, first[across], columns);
  return true;
}

/// Keeps the value until those for the positions between its lanes are there,
/// and then writes all as vectors of adjacent elements. False where the result
/// does not lie so.
bool ResultWriter::storeInterleaved(OpState &state, unsigned result,
                                    const Instance &instance, Value memref,
                                    ArrayRef<LaneIndex> at, Value value,
                                    Value mask) {
  std::optional<int64_t> step = access.evenStep(memref, at);
  if (!step || *step < 2)
    return false;
  std::optional<unsigned> between =
      positions.instanceLoop(state, *state.op.getDpsInitOperand(result),
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

/// Stores parts of tiles that adjacent threads exchange, each one of the tiles.
/// The last tile is `at`.
void ResultWriter::storeTileOf(const ExchangedStore &exchange,
                               ArrayRef<Value> parts, Value memref,
                               const Instance &instance, ArrayRef<LaneIndex> at,
                               Value inside) {
  int64_t lanes = cast<VectorType>(parts.front().getType()).getNumElements();
  int64_t count = exchange.count, line = count * lanes,
          size = exchange.tileElements;
  Value tile = policy.tileThreads()->exchangeTiles(b, parts);
  // The first tile begins at a multiple of its size, which LLVM does not find
  // in the sum of what all loops contribute.
  SmallVector<LaneIndex> begin(at);
  LaneIndex &column = begin.back();
  int64_t offset = column.offset - (count - 1) * size;
  LaneIndex own = {column.base, offset % size, 0, {}};
  LaneIndex thread = loops.loopIndex(exchange.threads, instance);
  column = math.scale(
      math.add(math.floorDiv(own, size), math.mod(thread, count)), size);
  column = math.add(column, math.scale(math.floorDiv(thread, count), line));
  column.offset += offset - offset % size;
  column.step = 1;
  OpBuilder::InsertionGuard guard(b);
  if (inside) {
    auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  access.store(memref, begin, tile, line, /*mask=*/Value());
}

/// Keeps the value until those of the other tiles are there that adjacent
/// threads exchange, and then writes one of these, if its row is `inside`.
/// False where the result does not lie so.
bool ResultWriter::storeExchanged(OpState &state, unsigned result,
                                  const Instance &instance, Value alias,
                                  Value value, Value inside) {
  const Storage &slot = storage.slots[alias];
  OpOperand &init = *state.op.getDpsInitOperand(result);
  std::optional<ExchangedStore> exchange;
  if (policy.tileThreads() && !slot.local && !slot.isShared &&
      !scatterStoreOf(state.op, result))
    exchange = exchangedStore(nest, state.number, init);
  if (!exchange)
    return false;
  int64_t place = instance[exchange->tiles] % exchange->count;
  Instance first = instance;
  first[exchange->tiles] -= place;
  SmallVector<Value> &waiting = state.waiting[slot.memref][first];
  waiting.resize(exchange->count);
  waiting[place] = broadcast(b, value, lanesHere(state));
  if (llvm::is_contained(waiting, Value()))
    return true;
  SmallVector<Value> parts = std::move(waiting);
  state.waiting[slot.memref].erase(first);
  storeTileOf(*exchange, parts, slot.memref, instance,
              positions.indicesOf(state, init, instance), inside);
  return true;
}

void ResultWriter::store(OpState &state, unsigned result,
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
    SmallVector<LaneIndex> at =
        positions.indicesOf(state, *state.op.getDpsInitOperand(result),
                            instance, slot.localDepth());
    if (!accumulated)
      at = movedBy(math, state.scatterOffsets[result], at);
    if (lanes > 1 &&
        (storeInterleaved(state, result, instance, slot.memref, at, value,
                          mask) ||
         storeTransposed(state, result, instance, slot.memref, at, value)))
      continue;
    access.store(slot.memref, at, value, lanes, mask, stridesHere(state));
  }
}

void ResultWriter::write(OpState &state, unsigned result,
                         const Instance &instance, Value value) {
  OpResult produced = state.op->getResult(result);
  bool accumulated = llvm::is_contained(state.accumulated, result);
  if (accumulated && storage.isCompleteInRegisters(state.number))
    kept.keep(state, result, instance, value);
  SmallVector<Value> aliases = storage.destinationAliases(produced);
  if (storage.needsMemory(produced))
    aliases.push_back(storage.chainRoot(produced));
  if (aliases.empty())
    return;
  SmallVector<unsigned> reduced = paddedLoops(nest, state.number, true);
  SmallVector<unsigned> padded = llvm::filter_to_vector(
      paddedLoops(nest, state.number),
      [&](unsigned loop) { return !llvm::is_contained(reduced, loop); });
  Value inside = positions.andInRanges(
      state.number, *state.op.getDpsInitOperand(result), instance,
      loops.isInside(state.number, padded, instance));
  llvm::erase_if(aliases, [&](Value alias) {
    return storeExchanged(state, result, instance, alias, value, inside);
  });
  if (aliases.empty())
    return;
  if (!inside)
    return store(state, result, instance, value, aliases);
  auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  store(state, result, instance, value, aliases);
}

} // namespace onnxc::krnl
