//===- CopyAsync.cpp - Asynchronous copies ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;

namespace onnxc::krnl {

int64_t CopyAsyncOp::getBytes() {
  Type element = cast<MemRefType>(getSource().getType()).getElementType();
  return element.isIntOrFloat()
             ? getElements() * element.getIntOrFloatBitWidth() / 8
             : 0;
}

LogicalResult CopyAsyncOp::verify() {
  auto source = cast<MemRefType>(getSource().getType()),
       memory = cast<MemRefType>(getMemory().getType());
  if (source.getElementType() != memory.getElementType())
    return emitOpError("copies elements of ")
           << source.getElementType() << " to those of "
           << memory.getElementType();
  if (int64_t bytes = getBytes(); bytes != 4 && bytes != 8 && bytes != 16)
    return emitOpError("copies 4, 8 or 16 bytes, but got ") << bytes;
  for (auto [type, indices] : {std::pair(source, getFrom()), {memory, getAt()}})
    if (int64_t(indices.size()) != type.getRank())
      return emitOpError("expects ") << type.getRank() << " indices";
  return success();
}

} // namespace onnxc::krnl
