//===- ShortSums.h - Products of bytes added up in 16 bits ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// dot(k.q, sums=i16): an instruction that multiplies pairs of bytes has sums of
// 16 bits, which some bytes are too large for.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_SHORTSUMS_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_SHORTSUMS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include <optional>
#include <string>
#include <vector>

namespace onnxc::krnl {

class PackedLayoutAttr;

/// How an op adds up products of bytes in 16 bits.
struct ShortSums {
  /// The packed operand, whose table says which sums do not fit; nothing if all
  /// of them do.
  std::optional<unsigned> operand;
  /// The loops whose copies are added up, at most one with a table, and the
  /// groups that are added up before the sums have 32 bits.
  llvm::SmallVector<unsigned, 2> loops;
  int64_t copies = 1;
};

/// Nothing if it does not, or has copies of several loops and a table.
std::optional<ShortSums> shortSumsOf(const LoopNest &nest, unsigned op);

/// The layout of the bytes that say which sums of a packed operand do not fit;
/// null if no op has short ones.
PackedLayoutAttr longSumsLayout(const LoopNest &nest, const Pack &pack);

/// The reason why an op cannot add up the products of the group in 16 bits;
/// empty if it can.
std::string reasonAgainstShortSums(const LoopNest &nest, unsigned op,
                                   unsigned group);

/// The stored array of a layout with long sums, of a constant of signed bytes
/// of this shape; of its outermost entry only the positions from `first` on.
std::vector<char> longSumsOf(PackedLayoutAttr layout,
                             llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<char> bytes, int64_t first,
                             int64_t count);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_SHORTSUMS_H
