//===- Transpose.cpp - Rows and columns in registers ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// In each step blocks of twice the size swap.
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

/// The index of the first lane, `more` elements further on.
static LaneIndex scalarIndex(const LaneIndex &index, int64_t more) {
  return {index.base, index.offset + more, 0, {}};
}

/// The number, or the last one if that is less and not null.
LaneIndex VectorAccess::upTo(Value last, int64_t number) {
  LaneIndex index{{}, number, 0, {}};
  if (last && number > 0)
    index = {arith::MinSIOp::create(b, last, math.scalar(index)), 0, 0, {}};
  return index;
}

/// The last of a dynamic number of rows, else null.
static Value lastOf(ImplicitLocOpBuilder &b, OpFoldResult rows) {
  auto count = dyn_cast<Value>(rows);
  return count ? Value(arith::SubIOp::create(
                     b, count, arith::ConstantIndexOp::create(b, 1)))
               : Value();
}

/// Row i of the result is rows i, i + count, i + 2 * count and so on of `rows`,
/// one after the other.
static SmallVector<Value> sideBySide(ImplicitLocOpBuilder &b,
                                     ArrayRef<Value> rows, int64_t count) {
  SmallVector<Value> joined(rows);
  while (int64_t(joined.size()) > count) {
    int64_t half = joined.size() / 2,
            lanes = cast<VectorType>(joined[0].getType()).getNumElements();
    auto both = llvm::to_vector(llvm::seq<int64_t>(2 * lanes));
    SmallVector<Value> longer;
    // Rows `count` apart are next to each other in the end.
    for (int64_t first = 0; first < int64_t(joined.size()); first += 2 * count)
      for (int64_t row = first; row < first + count; ++row)
        longer.push_back(vector::ShuffleOp::create(b, joined[row],
                                                   joined[row + count], both));
    assert(int64_t(longer.size()) == half && "rows are a power of two");
    (void)half;
    joined = std::move(longer);
  }
  return joined;
}

SmallVector<Value>
VectorAccess::loadTransposed(Value memref, ArrayRef<LaneIndex> at,
                             int64_t lanes, OpFoldResult rows, int64_t count) {
  // Squares as narrow as the rows lie side by side in vectors of all lanes.
  auto width = int64_t(llvm::bit_ceil(uint64_t(count)));
  auto type = VectorType::get(
      {width}, cast<MemRefType>(memref.getType()).getElementType());
  Value nothing = arith::ConstantOp::create(b, b.getZeroAttr(type));
  SmallVector<Value> square(lanes, nothing);
  std::optional<int64_t> known = getConstantIntValue(rows);
  // The last row stands for those after it.
  Value last = known ? Value() : lastOf(b, rows);
  for (int64_t row = 0; row < known.value_or(lanes); ++row) {
    LaneIndex which = upTo(last, row);
    SmallVector<Value> indices;
    for (const LaneIndex &index : at)
      indices.push_back(math.scalar(
          math.add(scalarIndex(index, 0), math.scale(which, index.step))));
    if (count == width)
      square[row] = vector::LoadOp::create(b, type, memref, indices);
    else
      square[row] = vector::MaskedLoadOp::create(
          b, type, memref, indices, firstLanesMask(b, width, count), nothing);
  }
  square = sideBySide(b, square, width);
  transposeRows(b, square);
  return square;
}

/// Writes one line, which begins at lane `first` of the vector: in pieces of
/// powers of two, or as one that has a mask.
void VectorAccess::storeLine(Value vector, int64_t first, const Lines &lines,
                             LaneIndex number) {
  auto whole = int64_t(llvm::bit_ceil(uint64_t(lines.length)));
  for (int64_t done = 0; done < lines.length;) {
    int64_t left = lines.length - done;
    auto size = lines.masked ? whole : int64_t(llvm::bit_floor(uint64_t(left)));
    auto picks =
        llvm::to_vector(llvm::seq<int64_t>(first + done, first + done + size));
    Value piece = vector::ShuffleOp::create(b, vector, vector, picks);
    SmallVector<Value> indices;
    for (auto [dim, index] : llvm::enumerate(lines.at)) {
      int64_t more = dim + 1 == lines.at.size() ? done : 0;
      indices.push_back(math.scalar(
          math.add(scalarIndex(index, more), math.scale(number, index.step))));
    }
    if (size > left)
      vector::MaskedStoreOp::create(b, lines.memref, indices,
                                    firstLanesMask(b, size, left), piece);
    else
      vector::StoreOp::create(b, piece, lines.memref, indices);
    done += size;
  }
}

void VectorAccess::storeLines(ArrayRef<Value> rows, const Lines &lines,
                              OpFoldResult valid) {
  SmallVector<Value> all(rows);
  auto square = int64_t(llvm::bit_ceil(all.size())),
       lanes = cast<VectorType>(rows[0].getType()).getNumElements();
  all.resize(square, all.front());
  transposeRows(b, all);
  std::optional<int64_t> known = getConstantIntValue(valid);
  Value last = known ? Value() : lastOf(b, valid);
  for (int64_t i = 0, count = known.value_or(lanes); i < count; ++i) {
    // Lines after the last one are stored in its place, before it is.
    int64_t n = last ? count - 1 - i : i;
    storeLine(all[n % square], n / square * square, lines, upTo(last, n));
  }
}

void VectorAccess::storeColumns(ArrayRef<Value> rows, const Lines &lines,
                                Value tile) {
  auto vector = cast<VectorType>(rows.front().getType());
  int64_t lanes = vector.getNumElements(),
          width = int64_t(rows.size()) / lines.length * lanes;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  for (auto [i, row] : llvm::enumerate(rows))
    vector::StoreOp::create(
        b, row, tile,
        ValueRange{number(int64_t(i) % lines.length),
                   number(int64_t(i) / lines.length * lanes)});
  OpBuilder::InsertionGuard guard(b);
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
  storeLines(column, there, b.getIndexAttr(lanes));
}

} // namespace onnxc::krnl
