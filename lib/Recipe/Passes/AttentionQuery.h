//===- AttentionQuery.h - Kernels of one query ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_ATTENTIONQUERY_H
#define ONNXC_LIB_RECIPE_PASSES_ATTENTIONQUERY_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc {

/// Gives all ops of the kernel a loop of one iteration along the last dimension
/// but one of its results, whose size is 1: the query of an attention. False,
/// and nothing has changed, where results have no such dimension.
bool addQuery(krnl::KernelOp kernel);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_ATTENTIONQUERY_H
