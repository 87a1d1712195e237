//===- CombineBlocks.cpp - Sums of the blocks of a cluster ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each thread writes its values to shared memory of its block, those for one
// block after those for the one before, and adds up what the threads with its
// number have written for its block:
//
//   store all values; wait for the cluster
//   for each own value: load that of block 0, 1, ..., add them up in this order
//   arrive at the cluster, which waits for that before it stores again
//
// Threads with adjacent numbers access adjacent elements.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/ClusterOps.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

static Value number(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// Writes a value, an element or a vector, to the row, whose vectors are
/// aligned by their size.
static void storeRow(ImplicitLocOpBuilder &b, Value value, Value memory,
                     int64_t row, Value column) {
  SmallVector<Value> at{number(b, row), column};
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    vector::StoreOp::create(
        b, value, memory, at, /*nontemporal=*/false,
        llvm::MaybeAlign(vector.getNumElements() *
                         elementBytes(vector.getElementType())));
  else
    memref::StoreOp::create(b, value, memory, at);
}

SmallVector<Value> BlockThreads::combineBlocks(ImplicitLocOpBuilder &b,
                                               func::FuncOp func,
                                               ArrayRef<Value> values,
                                               Value block, int64_t blocks,
                                               Combine combine) const {
  Type type = values.front().getType();
  auto vector = dyn_cast<VectorType>(type);
  int64_t lanes = vector ? vector.getNumElements() : 1,
          each = int64_t(values.size()) / blocks;
  Value memory = allocateShared(
      b, func,
      MemRefType::get({int64_t(values.size()), count(func) * lanes},
                      getElementTypeOrSelf(type)),
      Cache::sharedAlignment);
  Value column =
      arith::MulIOp::create(b, this->number(b), krnl::number(b, lanes));
  for (auto [row, value] : llvm::enumerate(values))
    storeRow(b, value, memory, int64_t(row), column);
  arriveInCluster(b, /*releases=*/true);
  waitForCluster(b);
  Value first = arith::MulIOp::create(b, block, krnl::number(b, each));
  SmallVector<Value> totals;
  for (int64_t own = 0; own < each; ++own) {
    Value row = arith::AddIOp::create(b, first, krnl::number(b, own));
    Value total;
    for (int64_t other = 0; other < blocks; ++other) {
      Value part = LoadClusterOp::create(b, type, memory,
                                         ValueRange{row, column}, other);
      total = total ? combine(total, part) : part;
    }
    totals.push_back(total);
  }
  arriveInCluster(b, /*releases=*/true);
  return totals;
}

} // namespace onnxc::krnl
