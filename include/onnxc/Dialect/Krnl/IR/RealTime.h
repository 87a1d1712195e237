//===- RealTime.h - Models that run in planned memory ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_REALTIME_H
#define ONNXC_DIALECT_KRNL_IR_REALTIME_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::krnl {

/// The attribute of a module that runs on the thread of its caller, in the
/// arena and the scratch alone: krnl-check-real-time has refused all others.
inline constexpr llvm::StringLiteral realTimeAttrName = "krnl.real_time";

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_REALTIME_H
