//===- Ranges.cpp - Elements that are zero ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// %x[h + r - 1 in 0 to 56]: where the index leaves the range the first element
// is read, and another element taken instead. Results are not stored there. All
// lanes of a vector are inside of it, or none, except where an op without sums
// reads: its lanes are gathered.
//
//===----------------------------------------------------------------------===//

#include "Reasons.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Why the op cannot have the vectors that its loops have; empty if it can, or
/// has all elements of its operands.
std::string reasonAgainstRanges(const LoopNest &nest, unsigned number) {
  const BodyOp &op = nest.op(number);
  auto compute = dyn_cast_if_present<ComputeOp>(op.op);
  if (!compute || compute.getRanges().empty())
    return {};
  for (OpOperand &operand : compute->getOpOperands()) {
    if (!Access(operand).hasRanges())
      continue;
    Access access(nest, number, operand);
    // Copies to shared memory are element by element along a range.
    bool isCopied = sharedCacheOf(nest, operand, number) != nullptr;
    if (access.outside() && isCopied)
      return "copies to shared memory have zeros outside of it";
    if (access.outside() &&
        !paddedLoops(nest, number, access, /*reduced=*/true).empty())
      return "sums over whole blocks have zeros outside of it";
    bool isGathered =
        compute.isDpsInput(&operand) && compute.getNumReductionLoops() == 0;
    for (const LoopUse &use : op.loops) {
      std::string name = "loop '" + nest.loop(use.loop).name + "'";
      if (use.width() > 1 && !isCopied && !isGathered &&
          access.hasRangeAlong(use.loop))
        return "vectors of " + name + " would reach across its end";
      if (use.transpose || use.interleave || !use.strides.empty())
        return "accesses along " + name + " are shuffled";
      if (use.dot)
        return "groups of bytes along " + name + " are read at once";
    }
  }
  return {};
}

} // namespace onnxc::krnl
