//===- CodeAttributes.h - Attributes that code generation reads -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_IR_CODEATTRIBUTES_H
#define ONNXC_TARGET_IR_CODEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::target {

/// The attribute of a function of LLVM IR whose instructions are not scheduled
/// before registers are allocated, by the name that the dialect krnl gives it.
inline constexpr llvm::StringLiteral keepsOrderAttrName = "krnl.keeps_order";

} // namespace onnxc::target

#endif // ONNXC_TARGET_IR_CODEATTRIBUTES_H
