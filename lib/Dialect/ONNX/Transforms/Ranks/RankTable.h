//===- RankTable.h - The ranks that operators take -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKTABLE_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <limits>

namespace onnxc::onnx {

/// The rank of the operand in `slot` is at least `least` and at most `most`,
/// and that of the operand in `like` plus `more`, if there is one: no larger,
/// if `isBroadcast`.
struct RankRule {
  /// Any number of dimensions.
  static constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

  llvm::StringLiteral op;
  unsigned slot;
  int64_t least;
  int64_t most;
  int like = -1;
  int64_t more = 0;
  bool isBroadcast = false;
};

/// What schemas leave to the run: a row for each operand, by operators.
llvm::ArrayRef<RankRule> rankTable();

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKTABLE_H
