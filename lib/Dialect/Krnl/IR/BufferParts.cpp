//===- BufferParts.cpp - Parts of buffers of launches -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/BufferParts.h"

using namespace mlir;

namespace onnxc::krnl {

std::optional<BufferPart> partOf(LaunchOp launch, int64_t buffer) {
  auto known = launch->getAttrOfType<DenseI64ArrayAttr>(partsAttrName);
  ArrayRef<int64_t> parts;
  if (known)
    parts = known;
  for (; parts.size() >= 4; parts = parts.drop_front(4))
    if (parts[0] == buffer)
      return BufferPart{buffer, parts[1], parts[2], parts[3]};
  return std::nullopt;
}

} // namespace onnxc::krnl
