//===- ExplainKernel.h - One kernel of a node ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_EXPLAIN_EXPLAINKERNEL_H
#define ONNXC_LIB_EXPLAIN_EXPLAINKERNEL_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Explain/Explain.h"

namespace onnxc {

/// All but the choice of its recipe. The kernel has its recipe.
ExplainedKernel explainKernel(krnl::KernelOp kernel);

} // namespace onnxc

#endif // ONNXC_LIB_EXPLAIN_EXPLAINKERNEL_H
