//===- LoopExtents.h - Who says how long a loop is ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPEXTENTS_H
#define ONNXC_DIALECT_KRNL_IR_LOOPEXTENTS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// KernelOp::findExtentOperand among the operands that `isUsable` takes: of a
/// packed one a kernel does not get the sizes.
std::optional<std::pair<unsigned, unsigned>>
findExtentOperand(KernelOp kernel, unsigned loop,
                  llvm::function_ref<bool(unsigned)> isUsable);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPEXTENTS_H
