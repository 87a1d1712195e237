//===- Lookup.h - How a target looks bytes up in a table -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOKUP_H
#define ONNXC_DIALECT_KRNL_IR_LOOKUP_H

#include "onnxc/Target/IR/Target.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace onnxc::krnl {

/// Elements of the table of krnl.lookup: all values of a byte.
inline constexpr int64_t tableBytes = 256;

/// The instructions for krnl.lookup of one vector.
struct LookupForm {
  /// Looks up in parts of the table of so many bytes.
  int64_t partBytes;
  /// Bytes that it looks up at once.
  int64_t lanes;
  /// LLVM's intrinsic.
  llvm::StringRef instruction;

  /// Operations on vectors that a lookup of so many bytes takes.
  int64_t operations(int64_t bytes) const;
};

/// The form for vectors of so many bytes; nothing if the target has no
/// instruction for it, or is null.
std::optional<LookupForm> lookupFormOf(TargetAttr target, int64_t lanes);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOKUP_H
