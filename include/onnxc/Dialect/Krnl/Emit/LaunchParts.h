//===- LaunchParts.h - Bytes of buffers that launches access ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Launches that access different parts of one buffer, such as those of a
// concatenation, need not wait for each other. A part is the same range of
// bytes in each row:
//
//   %y[0, c + 64, h, w], 64 channels of 128    [64, 128) of 128 channels, once
//   %y[0, h, w, c + 64]                        the same in each of h * w rows
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_EMIT_LAUNCHPARTS_H
#define ONNXC_DIALECT_KRNL_EMIT_LAUNCHPARTS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// Lists the parts that the kernel accesses on its launch; `isReplaced` says of
/// which operands the launch has another form.
void setParts(LaunchOp launch, KernelOp kernel,
              llvm::function_ref<bool(unsigned operand)> isReplaced);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_EMIT_LAUNCHPARTS_H
