//===- ClusterOps.cpp - Instructions of clusters ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/ClusterOps.h"
#include "onnxc/rt/device.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "onnxc/Dialect/Krnl/IR/ClusterOps.cpp.inc"

namespace onnxc::krnl {

LogicalResult LoadClusterOp::verify() {
  auto memory = cast<MemRefType>(getMemory().getType());
  if (int64_t(getAt().size()) != memory.getRank())
    return emitOpError("expects ") << memory.getRank() << " indices";
  auto vector = dyn_cast<VectorType>(getValue().getType());
  if ((vector && vector.getRank() != 1) ||
      getElementTypeOrSelf(getValue()) != memory.getElementType())
    return emitOpError("loads ") << getValue().getType() << " from memory of "
                                 << memory.getElementType();
  if (getBlock() < 0 || getBlock() >= ONNXC_CLUSTER_BLOCKS)
    return emitOpError("expects one of ")
           << ONNXC_CLUSTER_BLOCKS << " blocks, but got block " << getBlock();
  return success();
}

} // namespace onnxc::krnl
