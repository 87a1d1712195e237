//===- ByteGroups.cpp - Products of bytes in groups -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ByteGroups.h"

#include "KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// Iterations that the step takes together.
static constexpr int64_t bytesOfGroup = 4;
/// Groups that are mostly empty do not pay.
static constexpr double minFilled = 0.3;

int64_t byteGroupsOf(KernelOp kernel, StringRef loop) {
  return llvm::divideCeil(extentOf(kernel, loop, guessedExtent), bytesOfGroup);
}

int64_t instancesOfGroups(KernelOp kernel, StringRef loop) {
  constexpr int64_t most = 8, some = 4;
  int64_t groups = byteGroupsOf(kernel, loop);
  if (groups <= most)
    return groups;
  return groups % some == 0 ? some : 1;
}

std::string chooseByteGroups(KernelOp kernel, ComputeOp op,
                             OpOperand &broadcast,
                             ArrayRef<std::string> reduced) {
  std::string chosen;
  if (!byteProductOf(op))
    return chosen;
  double best = minFilled;
  for (const std::string &loop : reduced) {
    if (!isStatic(kernel, loop) ||
        !Access(broadcast).hasUnitStride(dimOf(op, loop)))
      continue;
    double filled = double(extentOf(kernel, loop, 0)) /
                    double(byteGroupsOf(kernel, loop) * bytesOfGroup);
    if (filled > best) {
      chosen = loop;
      best = filled;
    }
  }
  return chosen;
}

std::string blockByteGroups(RecipeBuilder &recipe, KernelOp kernel,
                            const std::string &loop,
                            SmallVectorImpl<std::string> &reduced) {
  bool hasTail = extentOf(kernel, loop, 0) % bytesOfGroup != 0;
  auto [groups, group] =
      recipe.block(loop, bytesOfGroup, "o", "q",
                   hasTail ? TailStrategy::Peel : TailStrategy::Mask);
  llvm::replace(reduced, loop, groups);
  return group;
}

} // namespace onnxc
