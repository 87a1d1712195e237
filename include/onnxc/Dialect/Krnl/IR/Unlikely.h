//===- Unlikely.h - Ways that runs hardly take ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_IR_UNLIKELY_H
#define ONNXC_DIALECT_KRNL_IR_UNLIKELY_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::krnl {

/// The attribute of an scf.if whose else region is hardly ever taken: of the
/// host, for sizes that hardly any run has, where the work of this region
/// counts for nothing; of a kernel, in few steps of a loop.
inline constexpr llvm::StringLiteral unlikelyAttrName = "krnl.unlikely";

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_UNLIKELY_H
