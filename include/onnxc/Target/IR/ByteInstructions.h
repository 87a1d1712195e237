//===- ByteInstructions.h - Products of bytes of a target -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_IR_BYTEINSTRUCTIONS_H
#define ONNXC_TARGET_IR_BYTEINSTRUCTIONS_H

#include "onnxc/Target/IR/Target.h"

namespace onnxc::krnl {

/// Bytes of a group: where vectors have the sums of their lanes, where they
/// have them of bytes that are extended to 16 bits, and where a vector of bytes
/// is for one sum, which is in no vector then.
inline constexpr int64_t bytesOfDot = 4, bytesOfPair = 2, bytesOfLongDot = 16;

/// The operation of instructions that multiply matrices of bytes of any kind,
/// and the number of products of each sum.
inline constexpr llvm::StringLiteral byteMatricesOperation = "mma_i8";
inline constexpr int64_t byteMatricesDepth = 32;

/// Returns true if the target has instructions for groups of `bytes` bytes of
/// single sums, which are in no vector.
bool multipliesSingleGroups(TargetAttr target, int64_t bytes);

/// Returns true if the target has instructions for groups of `bytes` bytes of
/// `lanes` sums; true for no target.
bool multipliesGroups(TargetAttr target, int64_t lanes, int64_t bytes);

/// Returns true if the target multiplies pairs of 16 bits for `lanes` sums, and
/// no groups of bytes.
bool multipliesPairs(TargetAttr target, int64_t lanes);

/// Returns true if the same target also multiplies pairs of bytes, unsigned by
/// signed, whose sums have 16 bits.
bool addsShortSums(TargetAttr target, int64_t lanes);

/// Returns true if the target multiplies only bytes of one kind, signed or
/// unsigned, in one step.
bool multipliesOneKind(TargetAttr target);

/// Returns true if the target multiplies bytes of these kinds in one step.
/// Without a target, these are one signed and one unsigned byte.
bool multipliesKinds(TargetAttr target, bool lhsSigned, bool rhsSigned);

} // namespace onnxc::krnl

#endif // ONNXC_TARGET_IR_BYTEINSTRUCTIONS_H
