//===- CombineThreads.cpp - Sums of the threads of a block ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The 32 threads of a warp exchange registers, each with that whose number
// differs in one bit. Then the first thread of each warp writes to memory that
// the block shares, and each warp combines what is there in the same way.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

static constexpr int64_t warpThreads = target::Processor{}.warpThreads;

static Value constant32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

/// The word of the thread whose number differs in the bits of `distance`.
static Value exchangeWord(ImplicitLocOpBuilder &b, Value word,
                          int64_t distance) {
  return NVVM::ShflOp::create(
      b, word.getType(), constant32(b, -1), word, constant32(b, distance),
      constant32(b, warpThreads - 1), NVVM::ShflKind::bfly, UnitAttr());
}

/// The same for a scalar of any type, in words of 32 bits.
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

/// Combines the values of so many threads with neighbouring numbers.
static Value combineLanes(ImplicitLocOpBuilder &b, Value value, int64_t threads,
                          TileThreads::Combine combine) {
  for (int64_t distance = threads / 2; distance > 0; distance /= 2)
    value = combine(value, exchange(b, value, distance));
  return value;
}

static Value combineScalars(ImplicitLocOpBuilder &b, const TileThreads &tile,
                            func::FuncOp func, Value value, int64_t threads,
                            TileThreads::Combine combine) {
  value = combineLanes(b, value, warpThreads, combine);
  int64_t warps = threads / warpThreads;
  if (warps == 1)
    return value;
  Value shared =
      tile.allocateShared(b, func, MemRefType::get({warps}, value.getType()),
                          /*alignment=*/16);
  Value thread = tile.number(b);
  Value size = arith::ConstantIndexOp::create(b, warpThreads);
  Value lane = arith::RemUIOp::create(b, thread, size);
  // All have read what was there before.
  tile.wait(b);
  auto isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                            arith::ConstantIndexOp::create(b, 0).getResult());
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value warp = arith::DivUIOp::create(b, thread, size);
    memref::StoreOp::create(b, value, shared, warp);
  }
  tile.wait(b);
  Value number = arith::RemUIOp::create(
      b, lane, arith::ConstantIndexOp::create(b, warps).getResult());
  value = memref::LoadOp::create(b, shared, number);
  return combineLanes(b, value, warps, combine);
}

/// Vectors are combined element by element.
Value BlockThreads::combine(ImplicitLocOpBuilder &b, func::FuncOp func,
                            Value value, int64_t threads,
                            Combine combine) const {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return combineScalars(b, *this, func, value, threads, combine);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(combineScalars(b, *this, func,
                                      vector::ExtractOp::create(b, value, i),
                                      threads, combine));
  return vector::FromElementsOp::create(b, type, elements);
}

} // namespace onnxc::krnl
