//===- Pools.h - How the windows of pools are computed ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_POOLS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_POOLS_H

#include "llvm/ADT/StringRef.h"

namespace onnxc {

/// A unit attribute of a pool whose windows are computed in one dimension after
/// the other. The pass `onnx-choose-pools` sets it where that is profitable.
inline constexpr llvm::StringLiteral separatePoolAttr = "krnl.separate";

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_POOLS_H
