//===- ByteInstructions.cpp - Products of bytes of a target -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/IR/ByteInstructions.h"

using namespace mlir;

namespace onnxc::krnl {

bool multipliesSingleGroups(TargetAttr target, int64_t bytes) {
  if (!target)
    return false;
  if (bytes == bytesOfLongDot)
    return !target.getInstruction("bytes_sum", bytes).empty();
  return bytes == bytesOfDot && !target.getInstruction("pairs_sum", 1).empty();
}

/// Returns true if the target has an instruction for groups of bytes of `lanes`
/// sums.
static bool multipliesBytes(TargetAttr target, int64_t lanes) {
  return llvm::any_of(ArrayRef<StringRef>{"dot_us", "dot_ss", "dot_uu"},
                      [&](StringRef name) {
                        return !target.getInstruction(name, lanes).empty();
                      });
}

bool multipliesPairs(TargetAttr target, int64_t lanes) {
  return target && lanes > 1 && !multipliesBytes(target, lanes) &&
         !target.getInstruction("pairs", lanes).empty();
}

bool addsShortSums(TargetAttr target, int64_t lanes) {
  return multipliesPairs(target, lanes) &&
         !target.getInstruction("byte_pairs", lanes).empty();
}

bool multipliesGroups(TargetAttr target, int64_t lanes, int64_t bytes) {
  if (bytes == bytesOfPair)
    return multipliesPairs(target, lanes);
  if (lanes == 1 && target)
    return multipliesSingleGroups(target, bytes);
  return bytes == bytesOfDot && (!target || multipliesBytes(target, lanes) ||
                                 multipliesPairs(target, lanes));
}

bool multipliesOneKind(TargetAttr target) {
  return multipliesSingleGroups(target, bytesOfLongDot);
}

bool multipliesKinds(TargetAttr target, bool lhsSigned, bool rhsSigned) {
  if (multipliesOneKind(target))
    return lhsSigned == rhsSigned;
  if (lhsSigned != rhsSigned)
    return true;
  if (!target)
    return false;
  // Instructions for matrices have forms of all kinds.
  return !target
              .getInstruction(lhsSigned ? "dot_ss" : "dot_uu",
                              target.getProcessor().lanes(32))
              .empty() ||
         !target.getInstruction(byteMatricesOperation, byteMatricesDepth)
              .empty();
}

} // namespace onnxc::krnl
