//===- ExchangedStores.h - Stores after an exchange of threads --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A thread of a matrix instruction has two adjacent elements of each eight, and
// the threads next to it have the others. Of 16 bits that is half of a sector
// of memory in each store. The threads exchange what they have of several
// tiles, so that each stores a vector of one of them:
//
//   thread    0  1  2  3                    0  1  2  3
//   tile 0    a  b  c  d      thread 0      a  b  c  d    of tile 0
//   tile 1    e  f  g  h      thread 1      e  f  g  h    of tile 1
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_EXCHANGEDSTORES_H
#define ONNXC_DIALECT_KRNL_IR_EXCHANGEDSTORES_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include <optional>

namespace onnxc::krnl {

/// The loop of threads with adjacent numbers, the unrolled one over tiles that
/// lie one after the other, the elements of a row of a tile, and how many tiles
/// as many threads exchange: all threads that have a part of a tile, or fewer
/// where there are fewer tiles.
struct ExchangedStore {
  unsigned threads, tiles;
  int64_t tileElements, count;
};

/// Nothing where the result of the op does not lie so, where some threads may
/// not reach the store, or where each stores 16 bytes already.
std::optional<ExchangedStore> exchangedStore(const LoopNest &nest, unsigned op,
                                             mlir::OpOperand &result);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_EXCHANGEDSTORES_H
