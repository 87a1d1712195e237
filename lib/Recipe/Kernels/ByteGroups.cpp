//===- ByteGroups.cpp - Products of bytes in groups -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Kernels/ByteGroups.h"

#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

int64_t byteGroupsOf(KernelOp kernel, StringRef loop, int64_t bytes) {
  return llvm::divideCeil(extentOf(kernel, loop, guessedExtent), bytes);
}

int64_t instancesOfGroups(KernelOp kernel, StringRef loop, int64_t bytes,
                          int64_t parts) {
  int64_t groups = byteGroupsOf(kernel, loop, bytes);
  if (groups * parts <= maxUnrolledGroups)
    return groups;
  return largestDivisor(groups,
                        std::min(unrolledGroups, maxUnrolledGroups / parts));
}

std::string chooseByteGroups(KernelOp kernel, ComputeOp op,
                             OpOperand &broadcast,
                             ArrayRef<std::string> reduced, int64_t bytes) {
  std::string chosen;
  if (!byteProductOf(op))
    return chosen;
  double best = minFilledGroups;
  for (const std::string &loop : reduced) {
    if (!isStatic(kernel, loop) ||
        !Access(broadcast).hasUnitStride(dimOf(op, loop)))
      continue;
    double filled = double(extentOf(kernel, loop, 0)) /
                    double(byteGroupsOf(kernel, loop, bytes) * bytes);
    if (filled > best) {
      chosen = loop;
      best = filled;
    }
  }
  return chosen;
}

bool canWiden(KernelOp kernel, const Contraction &way) {
  std::optional<ByteProduct> product = byteProductOf(way.op);
  bool isPlain = product && product->lhs.isPlain() && product->rhs.isPlain() &&
                 way.blocks.empty();
  bool isInput = isa<BlockArgument>(way.rowOperand->get()) &&
                 way.rowOperand->get() != way.columnOperand->get();
  bool isKnown = llvm::all_of(way.reduced, [&](const std::string &loop) {
    return isStatic(kernel, loop);
  });
  return isPlain && isInput && isKnown &&
         bytesOfPair * extentOfAll(kernel, way.reduced, 1) <= maxWideBytes;
}

std::string blockByteGroups(RecipeBuilder &recipe, KernelOp kernel,
                            const std::string &loop, int64_t bytes,
                            SmallVectorImpl<std::string> &reduced) {
  bool hasTail = extentOf(kernel, loop, 0) % bytes != 0;
  auto [groups, group] =
      recipe.block(loop, bytes, suffix::blocks, suffix::bytes,
                   hasTail ? TailStrategy::Peel : TailStrategy::Mask);
  llvm::replace(reduced, loop, groups);
  return group;
}

} // namespace onnxc
