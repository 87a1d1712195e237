//===- StackBytes.h - What kernels have on the stack ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_STACKBYTES_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_STACKBYTES_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// The alignment in bytes of tiles and slices on the stack of a thread: enough
/// for any vector.
constexpr uint64_t stackAlignment = 64;

/// Bytes of all slices of scratch memory, which are on the stack of a thread.
int64_t scratchSliceBytes(const LoopNest &nest);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_STACKBYTES_H
