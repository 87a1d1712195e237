//===- EmitTranspose.cpp - Transposes in registers --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where lanes are rows of a tensor and the instances of another loop its
// columns, the rows are loaded or stored as they lie, and transposed in
// registers.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace onnxc::krnl {

/// In each step blocks of twice the size swap .
void transposeRows(ImplicitLocOpBuilder &b, MutableArrayRef<Value> rows) {
  int64_t count = rows.size(),
          lanes = cast<VectorType>(rows[0].getType()).getNumElements();
  for (int64_t size = 1; size < count; size *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool right = lane & size;
      upper.push_back(right ? lanes + lane - size : lane);
      lower.push_back(right ? lanes + lane : lane + size);
    }
    for (int64_t row = 0; row < count; ++row) {
      if (row & size)
        continue;
      Value x = rows[row], y = rows[row + size];
      rows[row] = vector::ShuffleOp::create(b, x, y, upper);
      rows[row + size] = vector::ShuffleOp::create(b, x, y, lower);
    }
  }
}

Value firstLanesMask(ImplicitLocOpBuilder &b, int64_t lanes, int64_t valid) {
  SmallVector<bool> bits;
  for (int64_t i = 0; i < lanes; ++i)
    bits.push_back(i < valid);
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), bits));
}

/// The loop, written out `least` to `most` times, whose instances are
/// neighbours in the last dimension of an access.
std::optional<unsigned> KernelEmitter::instanceLoop(const OpState &state,
                                                    OpOperand &operand,
                                                    int64_t least,
                                                    int64_t most) {
  Access written(operand), access(nest, state.number, operand);
  unsigned last = access.getRank() - 1;
  std::optional<unsigned> dim = written.loopAt(last);
  if (!dim || written.positionOf(*dim) != last)
    return std::nullopt;
  for (const LoopUse &use : nest.op(state.number).loops) {
    const ActiveLoop &at = active[use.loop];
    if (!use.reduced && at.instances >= least && at.instances <= most &&
        at.lanes == 1 && at.staticLimit < 0 && !at.dynamicLimit &&
        access.stepAt(last, use.loop) == 1)
      return use.loop;
  }
  return std::nullopt;
}

/// The loop, written out at most as often as there are lanes, that the last
/// dimension of an access follows while its lanes are rows of it.
std::optional<unsigned> KernelEmitter::transposedLoop(const OpState &state,
                                                      OpOperand &operand) {
  std::optional<unsigned> lane = laneLoop(state);
  Access access(nest, state.number, operand);
  if (!lane || access.getRank() == 0 ||
      access.getIndex(access.getRank() - 1).isFunctionOfDim(*lane))
    return std::nullopt;
  return instanceLoop(state, operand, 2, active[*lane].lanes);
}

/// Reads what all instances of the transposed loop read, a row for each lane,
/// and transposes it. False where the operand does not lie so.
bool KernelEmitter::loadTransposed(OpState &state, OpOperand &operand,
                                   const Instance &instance, Value memref) {
  linalg::LinalgOp reader = state.op;
  if (reader.isDpsInit(&operand))
    return false;
  std::optional<unsigned> transposed = transposedLoop(state, operand);
  if (!transposed || active[*laneLoop(state)].dynamicLimit)
    return false;
  const ActiveLoop &lane = active[*laneLoop(state)];
  Instance first = instance;
  first[*transposed] = 0;
  SmallVector<LaneIndex> at =
      indicesOf(state, operand, first, storage[chainRoot(operand.get())].local);
  if (llvm::any_of(at, [](const LaneIndex &index) { return index.vec; }))
    return false;
  int64_t rows = lane.lanes;
  if (lane.staticLimit >= 0)
    rows = std::min(rows,
                    lane.staticLimit - instance[*laneLoop(state)] * lane.lanes);
  auto type = VectorType::get(
      {lane.lanes}, cast<MemRefType>(memref.getType()).getElementType());
  int64_t count = active[*transposed].instances;
  Value nothing = arith::ConstantOp::create(b, b.getZeroAttr(type));
  SmallVector<Value> square(lane.lanes, nothing);
  for (int64_t row = 0; row < rows; ++row) {
    SmallVector<Value> indices;
    for (const LaneIndex &index : at)
      indices.push_back(
          math.scalar({index.base, index.offset + row * index.step, 0, {}}));
    if (count == lane.lanes)
      square[row] = vector::LoadOp::create(b, type, memref, indices);
    else
      square[row] = vector::MaskedLoadOp::create(
          b, type, memref, indices, firstLanesMask(b, lane.lanes, count),
          nothing);
  }
  transposeRows(b, square);
  for (int64_t copy = 0; copy < count; ++copy) {
    first[*transposed] = copy;
    Instance key = restrictTo(
        first, [&](unsigned loop) { return dependsOn(state, operand, loop); });
    state.reads[{operand.getOperandNumber(), key}] = square[copy];
  }
  return true;
}

namespace {
/// Rows of registers that become lines of memory.
struct Lines {
  Value memref;
  /// Where the first line begins; the steps lead from one to the next.
  SmallVector<LaneIndex> at;
  /// Elements of a line: as many as there are rows.
  int64_t length;
  bool freeMasks;
};
} // namespace

/// The index of the first lane, `more` elements further on.
static LaneIndex scalarIndex(const LaneIndex &index, int64_t more) {
  return {index.base, index.offset + more, 0, {}};
}

/// Writes one line, which begins at lane `first` of the vector: in pieces of
/// powers of two, or as one that has a mask.
static void storeLine(ImplicitLocOpBuilder &b, LaneMath &math, Value vector,
                      int64_t first, const Lines &lines, int64_t number) {
  auto whole = int64_t(llvm::bit_ceil(uint64_t(lines.length)));
  for (int64_t done = 0; done < lines.length;) {
    int64_t left = lines.length - done;
    auto size =
        lines.freeMasks ? whole : int64_t(llvm::bit_floor(uint64_t(left)));
    auto picks =
        llvm::to_vector(llvm::seq<int64_t>(first + done, first + done + size));
    Value piece = vector::ShuffleOp::create(b, vector, vector, picks);
    SmallVector<Value> indices;
    for (auto [dim, index] : llvm::enumerate(lines.at)) {
      int64_t more = dim + 1 == lines.at.size() ? done : 0;
      indices.push_back(
          math.scalar(scalarIndex(index, number * index.step + more)));
    }
    if (size > left)
      vector::MaskedStoreOp::create(b, lines.memref, indices,
                                    firstLanesMask(b, size, left), piece);
    else
      vector::StoreOp::create(b, piece, lines.memref, indices);
    done += size;
  }
}

/// Transposes the rows and writes the first `valid` lines.
static void storeLines(ImplicitLocOpBuilder &b, LaneMath &math,
                       ArrayRef<Value> rows, const Lines &lines,
                       int64_t valid) {
  SmallVector<Value> all(rows);
  auto square = int64_t(llvm::bit_ceil(all.size()));
  all.resize(square, all.front());
  transposeRows(b, all);
  for (int64_t n = 0; n < valid; ++n)
    storeLine(b, math, all[n % square], n / square * square, lines, n);
}

/// Writes the lines of several columns of registers in a loop, so that what
/// transposes them is there once: the registers go through memory on the stack.
static void storeColumns(ImplicitLocOpBuilder &b, LaneMath &math,
                         ArrayRef<Value> rows, const Lines &lines,
                         Block &entry) {
  auto vector = cast<VectorType>(rows.front().getType());
  int64_t lanes = vector.getNumElements(),
          width = int64_t(rows.size()) / lines.length * lanes;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  OpBuilder::InsertionGuard guard(b);
  OpBuilder::InsertPoint here = b.saveInsertionPoint();
  b.setInsertionPointToStart(&entry);
  Value tile = memref::AllocaOp::create(
      b, MemRefType::get({lines.length, width}, vector.getElementType()),
      b.getI64IntegerAttr(64));
  b.restoreInsertionPoint(here);
  for (auto [i, row] : llvm::enumerate(rows))
    vector::StoreOp::create(
        b, row, tile,
        ValueRange{number(int64_t(i) % lines.length),
                   number(int64_t(i) / lines.length * lanes)});
  auto loop = scf::ForOp::create(b, number(0), number(width), number(lanes));
  b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  SmallVector<Value> column;
  for (int64_t row = 0; row < lines.length; ++row)
    column.push_back(
        vector::LoadOp::create(b, vector, tile, ValueRange{number(row), lane}));
  Lines there = lines;
  for (LaneIndex &index : there.at) {
    LaneIndex further = math.scale({lane, 0, 0, {}}, index.step);
    int64_t step = index.step;
    index = math.add(scalarIndex(index, 0), further);
    index.step = step;
  }
  storeLines(b, math, column, there, lanes);
}

/// Keeps the value until all instances of the transposed loop are there, and
/// then writes what they have for each lane, which are neighbours. False where
/// the result does not lie so. The columns of a register tile are written
/// together.
bool KernelEmitter::storeTransposed(OpState &state, unsigned result,
                                    const Instance &instance, Value memref,
                                    ArrayRef<LaneIndex> at, Value value) {
  OpOperand &init = *state.op.getDpsInitOperand(result);
  std::optional<unsigned> transposed = transposedLoop(state, init);
  if (!transposed || scatterStoreOf(state.op, result))
    return false;
  unsigned across = *laneLoop(state);
  const ActiveLoop &lane = active[across];
  int64_t count = active[*transposed].instances, lanes = lane.lanes;
  if (lane.dynamicLimit || int64_t(llvm::bit_ceil(uint64_t(count))) > lanes ||
      !llvm::isPowerOf2_64(lanes) ||
      llvm::any_of(at, [](const LaneIndex &index) { return index.vec; }))
    return false;
  bool wholeTile = lane.instances > 1 && isRegisterTile(across) &&
                   Access(nest, state.number, init).isLinearAlong(across);
  int64_t columns = wholeTile ? lane.instances : 1,
          column = wholeTile ? instance[across] : 0;
  Instance first = instance;
  first[*transposed] = 0;
  first[across] -= column;
  SmallVector<Value> &waiting = state.waiting[memref][first];
  waiting.resize(count * columns);
  waiting[column * count + instance[*transposed]] = broadcast(value, lanes);
  if (llvm::is_contained(waiting, Value()))
    return true;
  SmallVector<Value> rows = std::move(waiting);
  state.waiting[memref].erase(first);
  // The last instance comes last; lines begin at the first.
  Lines lines{memref, llvm::to_vector(at), count, options.processor.freeMasks};
  lines.at.back().offset -= instance[*transposed];
  for (LaneIndex &index : lines.at)
    index.offset -= column * lanes * index.step;
  int64_t left = (first[across] + columns) * lanes;
  left = (lane.staticLimit >= 0 ? std::min(left, lane.staticLimit) : left) -
         first[across] * lanes;
  int64_t whole = left / lanes;
  if (whole > 1)
    storeColumns(b, math, ArrayRef(rows).take_front(whole * count), lines,
                 func.getBody().front());
  for (int64_t c = whole > 1 ? whole : 0; c < columns; ++c) {
    Lines there = lines;
    for (LaneIndex &index : there.at)
      index.offset += c * lanes * index.step;
    storeLines(b, math, ArrayRef(rows).slice(c * count, count), there,
               std::min(lanes, left - c * lanes));
  }
  return true;
}

} // namespace onnxc::krnl
