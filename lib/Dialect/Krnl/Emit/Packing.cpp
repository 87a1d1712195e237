//===- Packing.cpp - Layout of packed operands ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"

using namespace mlir;

namespace onnxc::krnl {

PackedOperand packedOperand(KernelOp kernel, const LoopNest &nest,
                            const Pack &pack) {
  auto type = cast<RankedTensorType>(kernel.getOperand(pack.operand).getType());
  PackedOperand result;
  result.operand = pack.operand;
  result.loops = packedLoops(nest, pack);
  result.layout = packedLayout(nest, pack);
  result.shuffle = pack.shuffle;
  result.lanes = pack.lanes;
  result.type =
      RankedTensorType::get(result.layout.getSizes(), type.getElementType());
  return result;
}

} // namespace onnxc::krnl
