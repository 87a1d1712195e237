//===- CustomNodes.h - Nodes that a user's library computes ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_CUSTOMNODES_H
#define ONNXC_DIALECT_KRNL_IR_CUSTOMNODES_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::krnl {

/// Attribute of a target's module: an array with a dictionary for each node of
/// an operator that a library computes. The first parameter of the krnl.call of
/// onnxc_call_custom is the node's number in it.
///   library, domain, op_type, node: texts
///   version: number
///   attributes: those of the node, in the onnx dialect
///   inputs, outputs: the element type's number by slot, 0 for absent ones
inline constexpr llvm::StringLiteral customNodesAttrName = "krnl.custom_nodes";

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_CUSTOMNODES_H
