//===- MemoryPlan.h - The plan of the arena, for reports -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_MEMORYPLAN_H
#define ONNXC_DIALECT_KRNL_IR_MEMORYPLAN_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::krnl {

/// The attribute of a function of the host: an array with an element for each
/// slot of the arena. It is an array of its offset, its bytes, the first and
/// the last launch or call that needs it, by number in program order, and its
/// location.
inline constexpr llvm::StringLiteral arenaPlanAttrName = "krnl.arena_plan";

/// The attribute of such a function whose launches are on a device: the
/// launches of the critical path that run with assumed sizes, by the same
/// numbers.
inline constexpr llvm::StringLiteral criticalPathAttrName =
    "krnl.critical_path";

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_MEMORYPLAN_H
