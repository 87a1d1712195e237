//===- CombineThreads.cpp - Sums of the threads of a block ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The threads of a warp exchange registers, each with that whose number differs
// in one bit. Then the first ones of each warp write to memory that the block
// shares, and each thread or warp combines what is there.
//
//===----------------------------------------------------------------------===//

#include "Device/ExchangeWords.h"
#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// The attribute of memory by which warps exchange values: it is used again.
static constexpr StringLiteral exchangeAttrName = "krnl.exchange";

static Value constant32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Value exchangeWord(ImplicitLocOpBuilder &b, Value word, int64_t distance) {
  return NVVM::ShflOp::create(
      b, word.getType(), constant32(b, -1), word, constant32(b, distance),
      constant32(b, warpThreads - 1), NVVM::ShflKind::bfly, UnitAttr());
}

/// The scalar of the thread whose number differs in the bits of `distance`, for
/// any type, in words of 32 bits.
static Value exchange(ImplicitLocOpBuilder &b, Value value, int64_t distance) {
  Type type = value.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  if (type.isF32() || type == i32)
    return exchangeWord(b, value, distance);
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width);
  value = b.createOrFold<arith::BitcastOp>(bits, value);
  if (width <= 32) {
    value = arith::ExtUIOp::create(b, i32, value);
    value = exchangeWord(b, value, distance);
    value = arith::TruncIOp::create(b, bits, value);
    return b.createOrFold<arith::BitcastOp>(type, value);
  }
  if (width < 64)
    value = arith::ExtUIOp::create(b, i64, value);
  Value half = arith::ConstantIntOp::create(b, 32, 64);
  auto part = [&](Value word) -> Value {
    word = exchangeWord(b, arith::TruncIOp::create(b, i32, word), distance);
    return arith::ExtUIOp::create(b, i64, word);
  };
  Value high = part(arith::ShRUIOp::create(b, value, half));
  value = arith::OrIOp::create(b, part(value),
                               arith::ShLIOp::create(b, high, half));
  if (width < 64)
    value = arith::TruncIOp::create(b, bits, value);
  return b.createOrFold<arith::BitcastOp>(type, value);
}

/// Combines each value with those of so many threads with adjacent numbers.
static void combineLanes(ImplicitLocOpBuilder &b, MutableArrayRef<Value> values,
                         int64_t threads, TileThreads::Combine combine) {
  for (int64_t distance = threads / 2; distance > 0; distance /= 2)
    for (Value &value : values)
      value = combine(value, exchange(b, value, distance));
}

namespace {
/// Where values are combined, and how; `maxValues` is the number of values that
/// the memory of an exchange is for.
struct Exchange {
  ImplicitLocOpBuilder &b;
  const TileThreads &tile;
  func::FuncOp func;
  int64_t maxValues;
  TileThreads::Combine combine;
};
} // namespace

/// Memory for an exchange: that of an earlier one of the same type and size, as
/// all threads wait before they write to it.
static Value exchangeMemory(const Exchange &by, MemRefType type) {
  func::FuncOp func = by.func;
  for (Operation &op : func.getBody().front())
    if (op.hasAttr(exchangeAttrName) && op.getResult(0).getType() == type)
      return op.getResult(0);
  Value memory = by.tile.allocateShared(by.b, func, type,
                                        /*alignment=*/Cache::sharedAlignment);
  memory.getDefiningOp()->setAttr(exchangeAttrName, by.b.getUnitAttr());
  return memory;
}

/// Lets warps exchange values by memory: the first of each `lanes` threads
/// writes those of all of them. Returns a row of words for each value.
static Value shareByWarps(const Exchange &by, ArrayRef<Value> values,
                          int64_t lanes, int64_t words) {
  ImplicitLocOpBuilder &b = by.b;
  const TileThreads &tile = by.tile;
  Value shared = exchangeMemory(
      by, MemRefType::get({by.maxValues, words}, values.front().getType()));
  Value thread = tile.number(b);
  Value size = arith::ConstantIndexOp::create(b, lanes);
  Value lane = arith::RemUIOp::create(b, thread, size);
  // All have read what was there before.
  tile.wait(b);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                            arith::ConstantIndexOp::create(b, 0).getResult());
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value word = arith::DivUIOp::create(b, thread, size);
    for (auto [number, value] : llvm::enumerate(values)) {
      Value row = arith::ConstantIndexOp::create(b, number);
      memref::StoreOp::create(b, value, shared, ValueRange{row, word});
    }
  }
  tile.wait(b);
  return shared;
}

/// Combines the values of the threads of a whole block.
static void combineBlock(const Exchange &by, MutableArrayRef<Value> values,
                         int64_t warps) {
  ImplicitLocOpBuilder &b = by.b;
  combineLanes(b, values, warpThreads, by.combine);
  Value shared = shareByWarps(by, values, warpThreads, warps);
  Value lane = arith::RemUIOp::create(
      b, by.tile.number(b),
      arith::ConstantIndexOp::create(b, warpThreads).getResult());
  Value part = arith::RemUIOp::create(
      b, lane, arith::ConstantIndexOp::create(b, warps).getResult());
  for (auto [number, value] : llvm::enumerate(values)) {
    Value row = arith::ConstantIndexOp::create(b, number);
    value = memref::LoadOp::create(b, shared, ValueRange{row, part});
  }
  combineLanes(b, values, warps, by.combine);
}

/// Combines the values of threads with the same place in some warps, each of
/// which has combined those of so many adjacent threads.
static void combineWarps(const Exchange &by, MutableArrayRef<Value> values,
                         int64_t lanes, int64_t words, ThreadLoop warps) {
  ImplicitLocOpBuilder &b = by.b;
  Value shared = shareByWarps(by, values, lanes, words);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value thread = by.tile.number(b);
  Value place = arith::RemUIOp::create(b, thread, number(warps.stride));
  Value group =
      arith::DivUIOp::create(b, thread, number(warps.stride * warps.extent));
  Value first = arith::AddIOp::create(
      b, place,
      arith::MulIOp::create(b, group, number(warps.stride * warps.extent))
          .getResult());
  Value word = arith::DivUIOp::create(b, first, number(lanes));
  for (auto [row, value] : llvm::enumerate(values)) {
    Value total;
    for (int64_t warp = 0; warp < warps.extent; ++warp) {
      Value at =
          arith::AddIOp::create(b, word, number(warp * warps.stride / lanes));
      Value part = memref::LoadOp::create(b, shared,
                                          ValueRange{number(int64_t(row)), at});
      total = total ? by.combine(total, part) : part;
    }
    value = total;
  }
}

static void combineLoops(const Exchange &by, MutableArrayRef<Value> values,
                         ArrayRef<ThreadLoop> threads) {
  int64_t lanes = 1;
  for (auto [loop, words] : llvm::zip_equal(
           threads, exchangedWords(threads, by.tile.count(by.func)))) {
    if (loop.stride > 1) {
      combineWarps(by, values, lanes, words, loop);
      continue;
    }
    if (crossesWarps(loop))
      return combineBlock(by, values, words);
    lanes = loop.extent;
    combineLanes(by.b, values, lanes, by.combine);
  }
}

/// The elements of a vector are values of their own.
void BlockThreads::combine(ImplicitLocOpBuilder &b, func::FuncOp func,
                           MutableArrayRef<Value> values, int64_t maxValues,
                           ArrayRef<ThreadLoop> threads,
                           Combine combine) const {
  auto type = dyn_cast<VectorType>(values.front().getType());
  int64_t lanes = type ? type.getNumElements() : 1;
  SmallVector<Value> elements(values);
  if (type) {
    elements.clear();
    for (Value value : values)
      for (int64_t i = 0; i < lanes; ++i)
        elements.push_back(vector::ExtractOp::create(b, value, i));
  }
  combineLoops({b, *this, func, maxValues * lanes, combine}, elements, threads);
  for (auto [number, value] : llvm::enumerate(values))
    value = type ? vector::FromElementsOp::create(
                       b, type, ArrayRef(elements).slice(number * lanes, lanes))
                       .getResult()
                 : elements[number];
}

} // namespace onnxc::krnl
