//===- Launches.h - Nodes of launches --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LAUNCHES_H
#define ONNXC_DIALECT_KRNL_IR_LAUNCHES_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::krnl {

/// On a module: the launches and calls of its host program, in order. Each is a
/// dictionary of `function`, `nodes` (names and operators in turn), in a
/// parallel region its number as `region`, and `work` where that is known.
inline constexpr llvm::StringLiteral launchesAttrName = "krnl.launches";
/// On a launch of a kernel: its `operations` and `bytes`, if they are known
/// when the model is compiled, and `f32` if all of the operations are on f32.
inline constexpr llvm::StringLiteral workAttrName = "krnl.work";
/// On an error word that is the one of the device: the row of its first message
/// among those that the module lists under the second name.
inline constexpr llvm::StringLiteral firstErrorAttrName = "krnl.first_error";
inline constexpr llvm::StringLiteral deviceErrorsAttrName =
    "krnl.device_errors";
/// On a launch or call whose time is taken: its number in that list.
inline constexpr llvm::StringLiteral launchNumberAttrName =
    "krnl.launch_number";

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LAUNCHES_H
