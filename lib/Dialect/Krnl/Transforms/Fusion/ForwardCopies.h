//===- ForwardCopies.h - Copies of copies -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_FORWARDCOPIES_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_FORWARDCOPIES_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc::krnl {

/// Erases a kernel that copies elements of a tensor, if all that reads its
/// result are copies, too: they read the tensor itself, at no more iterations
/// than the kernel did. False if it stays.
///
/// Before kernels are fused (`early`) all readers have to write parts of
/// tensors, as concatenations do, since those that compute are fused as readers
/// of one copy; and what is copied is no result, since a copy is fused with its
/// maker.
bool composeCopies(mlir::RewriterBase &rewriter, KernelOp kernel,
                   bool early = false);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_FORWARDCOPIES_H
