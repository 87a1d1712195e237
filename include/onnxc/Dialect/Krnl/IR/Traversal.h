//===- Traversal.h - Ops that go by computed indices -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A reduction may be a data-dependent traversal: each iteration makes a new
// value of the one that is carried and uses nothing else of the loop, so the
// loop only counts the steps. Trees and searches in tables are such traversals.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_TRAVERSAL_H
#define ONNXC_DIALECT_KRNL_IR_TRAVERSAL_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// Returns true if iterator dimension `dim` of the op is a reduction whose
/// index neither a read of the op nor its payload uses. Once an iteration
/// leaves the integers that it carries unchanged, so do all that follow.
bool isTraversalDim(ComputeOp op, unsigned dim);

/// Returns true if the op has such a dimension and its payload reads at
/// computed indices.
bool isTraversal(ComputeOp op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_TRAVERSAL_H
