//===- Unlikely.h - Ways that runs hardly take ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_IR_UNLIKELY_H
#define ONNXC_DIALECT_KRNL_IR_UNLIKELY_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::krnl {

/// On an scf.if of the host: the second way is there for sizes that hardly any
/// run has, and its work counts for nothing.
inline constexpr llvm::StringLiteral unlikelyAttrName = "krnl.unlikely";

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_UNLIKELY_H
