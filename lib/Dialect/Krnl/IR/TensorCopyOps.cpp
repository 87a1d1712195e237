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

LogicalResult CopyTensorOp::verify() {
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
