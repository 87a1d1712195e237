//===- EmitTurn.cpp - Rows of memory that become columns --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where lanes are rows of a tensor and the copies of another loop its columns,
// the rows are loaded or stored as they lie, and turned in registers.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Turn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace onnxc::krnl {

/// In each step blocks of twice the size change places.
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

/// The loop, written out at most as often as there are lanes, that the last
/// dimension of an access follows while its lanes are rows of it.
std::optional<unsigned> KernelEmitter::turnedLoop(const OpState &state,
                                                  AffineMap map) {
  std::optional<unsigned> lane = laneLoop(state);
  if (!lane || map.getNumResults() == 0)
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last)
    return std::nullopt;
  const BodyOp &op = nest.op(state.number);
  unsigned axis = op.axes[last.getPosition()];
  if (nest.stemsFrom(*lane, axis) ||
      llvm::count_if(map.getResults(), [&](AffineExpr expr) {
        return expr.isFunctionOfDim(last.getPosition());
      }) != 1)
    return std::nullopt;
  unsigned loops = nest.loops().size(), axes = nest.numAxes();
  AffineExpr index = nest.axisExpr(state.number, last.getPosition());
  for (const LoopUse &use : op.loops) {
    const ActiveLoop &at = active[use.loop];
    if (use.reduced || at.copies < 2 || at.copies > active[*lane].lanes ||
        at.lanes > 1 || at.staticLimit >= 0 || at.dynamicLimit ||
        !nest.stemsFrom(use.loop, axis))
      continue;
    AffineExpr loop = getAffineDimExpr(use.loop, b.getContext());
    AffineExpr further = index.replace(loop, loop + 1) - index;
    if (simplifyAffineExpr(further, loops, axes) ==
        getAffineConstantExpr(1, b.getContext()))
      return use.loop;
  }
  return std::nullopt;
}

/// Reads what all copies of the turned loop read, a row for each lane, and
/// turns it. False where the operand does not lie so.
bool KernelEmitter::turn(OpState &state, OpOperand &operand,
                         const Copies &copies, Value memref) {
  linalg::LinalgOp reader = state.op;
  if (reader.isDpsInit(&operand))
    return false;
  std::optional<unsigned> turned =
      turnedLoop(state, reader.getMatchingIndexingMap(&operand));
  if (!turned || active[*laneLoop(state)].dynamicLimit)
    return false;
  const ActiveLoop &lane = active[*laneLoop(state)];
  Copies first = copies;
  first[*turned] = 0;
  SmallVector<LaneIndex> at =
      indicesOf(state, operand, first, storage[chainRoot(operand.get())].local);
  if (llvm::any_of(at, [](const LaneIndex &index) { return index.vec; }))
    return false;
  int64_t rows = lane.lanes;
  if (lane.staticLimit >= 0)
    rows = std::min(rows,
                    lane.staticLimit - copies[*laneLoop(state)] * lane.lanes);
  auto type = VectorType::get(
      {lane.lanes}, cast<MemRefType>(memref.getType()).getElementType());
  int64_t count = active[*turned].copies;
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
    first[*turned] = copy;
    Copies key = restrictTo(
        first, [&](unsigned loop) { return dependsOn(state, operand, loop); });
    state.reads[{operand.getOperandNumber(), key}] = square[copy];
  }
  return true;
}

/// Writes `count` elements from lane `first` on, in pieces of powers of two.
static void storePart(ImplicitLocOpBuilder &b, Value vector, int64_t first,
                      int64_t count, Value memref, ArrayRef<LaneIndex> at,
                      LaneMath &math) {
  for (int64_t done = 0; done < count;) {
    auto size = int64_t(llvm::bit_floor(uint64_t(count - done)));
    auto picks =
        llvm::to_vector(llvm::seq<int64_t>(first + done, first + done + size));
    Value piece = vector::ShuffleOp::create(b, vector, vector, picks);
    SmallVector<Value> indices;
    for (auto [dim, index] : llvm::enumerate(at)) {
      int64_t more = dim + 1 == at.size() ? done : 0;
      indices.push_back(math.scalar({index.base, index.offset + more, 0, {}}));
    }
    vector::StoreOp::create(b, piece, memref, indices);
    done += size;
  }
}

/// Keeps the value until all copies of the turned loop are there, and then
/// writes what they have for each lane, which are neighbours. False where the
/// result does not lie so.
bool KernelEmitter::storeTurned(OpState &state, unsigned result,
                                const Copies &copies, Value memref,
                                ArrayRef<LaneIndex> at, Value value) {
  std::optional<unsigned> turned = turnedLoop(
      state,
      state.op.getIndexingMapMatchingResult(state.op->getResult(result)));
  if (!turned || placeOf(state.op, result))
    return false;
  const ActiveLoop &lane = active[*laneLoop(state)];
  int64_t count = active[*turned].copies,
          square = int64_t(llvm::bit_ceil(uint64_t(count)));
  if (lane.dynamicLimit || square > lane.lanes ||
      lane.lanes != int64_t(llvm::bit_ceil(uint64_t(lane.lanes))) ||
      llvm::any_of(at, [](const LaneIndex &index) { return index.vec; }))
    return false;
  int64_t valid = lane.lanes;
  if (lane.staticLimit >= 0)
    valid = std::min(valid,
                     lane.staticLimit - copies[*laneLoop(state)] * lane.lanes);
  Copies first = copies;
  first[*turned] = 0;
  SmallVector<Value> &rows = state.waiting[memref][first];
  rows.resize(count);
  rows[copies[*turned]] = broadcast(value, lane.lanes);
  if (llvm::is_contained(rows, Value()))
    return true;
  SmallVector<Value> all = std::move(rows);
  state.waiting[memref].erase(first);
  all.resize(square, all.front());
  transposeRows(b, all);
  SmallVector<LaneIndex> from(at);
  from.back().offset -= copies[*turned];
  for (int64_t n = 0; n < valid; ++n) {
    SmallVector<LaneIndex> to(from);
    for (LaneIndex &index : to)
      index = {index.base, index.offset + n * index.step, 0, {}};
    storePart(b, all[n % square], n / square * square, count, memref, to, math);
  }
  return true;
}

} // namespace onnxc::krnl
