//===- TensorCopyOps.cpp - Copies of boxes of tensors -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;

namespace onnxc::krnl {

int64_t CopyTensorOp::getElementBytes() {
  return elementBytes(cast<MemRefType>(getSource().getType()).getElementType());
}

/// A cluster has a power of two of blocks.
static LogicalResult verifyCluster(Operation *op, int64_t blocks) {
  if (blocks >= 1 && blocks <= ONNXC_CLUSTER_BLOCKS &&
      llvm::isPowerOf2_64(blocks))
    return success();
  return op->emitOpError("expects a cluster of a power of two from 1 to ")
         << ONNXC_CLUSTER_BLOCKS << " blocks, but got " << blocks;
}

LogicalResult BarrierArriveOp::verify() {
  return verifyCluster(*this, getBlocks());
}

LogicalResult BarrierInitOp::verify() {
  // PTX ISA, mbarrier.init: the numbers that count fits.
  constexpr int64_t maxArrivals = (1 << 20) - 1;
  int64_t arrivals = getArrivals();
  if (arrivals >= 1 && arrivals <= maxArrivals)
    return success();
  return emitOpError("expects 1 to ")
         << maxArrivals << " arrivals, but got " << arrivals;
}

LogicalResult CopyTensorOp::verify() {
  if (failed(verifyCluster(*this, getBlocks())))
    return failure();
  auto source = cast<MemRefType>(getSource().getType()),
       memory = cast<MemRefType>(getMemory().getType());
  if (source.getElementType() != memory.getElementType())
    return emitOpError("copies elements of ")
           << source.getElementType() << " to those of "
           << memory.getElementType();
  if (std::string reason = reasonAgainstMap(source, getElementBytes());
      !reason.empty())
    return emitOpError("cannot copy boxes of ") << source << ": " << reason;
  int64_t rank = source.getRank();
  if (int64_t(getFrom().size()) != rank || int64_t(getBox().size()) != rank)
    return emitOpError("expects ") << rank << " indices and sizes of the box";
  if (memory.getRank() != 1)
    return emitOpError("expects memory of one dimension");
  for (int64_t size : getBox())
    if (size < 1 || size > TensorBoxes::maxLines)
      return emitOpError("copies 1 to ")
             << TensorBoxes::maxLines << " elements of a dimension, but got "
             << size;
  int64_t lines = 1;
  for (int64_t size : getBox().drop_back())
    lines *= size;
  if (lines % groupLines != 0)
    return emitOpError("copies groups of ")
           << groupLines << " lines, but got " << lines;
  int64_t swizzle = getSwizzle();
  if (swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitOpError("expects lines of 32, 64 or 128 bytes, but got ")
           << swizzle;
  if (getBox().back() * getElementBytes() != swizzle)
    return emitOpError("expects a line of ")
           << swizzle << " bytes, but got "
           << getBox().back() * getElementBytes();
  return success();
}

} // namespace onnxc::krnl
