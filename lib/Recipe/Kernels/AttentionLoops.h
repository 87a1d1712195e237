//===- AttentionLoops.h - The loops of an attention -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_KERNELS_ATTENTIONLOOPS_H
#define ONNXC_LIB_RECIPE_KERNELS_ATTENTIONLOOPS_H

#include "Kernels/ContractionLoops.h"

namespace onnxc {

/// The two products of a kernel that krnl-fuse made of an attention, and their
/// loops.
struct AttentionLoops {
  explicit AttentionLoops(krnl::KernelOp kernel)
      : kernel(kernel),
        ops(llvm::to_vector(kernel.getBody().getOps<krnl::ComputeOp>())) {}

  /// Returns false if the kernel is none of this kind.
  bool find() { return findProducts() && findOuter(); }
  bool has(krnl::ComputeOp op, llvm::StringRef loop) {
    return llvm::is_contained(op.getAxes(), loop);
  }

  krnl::KernelOp kernel;
  llvm::SmallVector<krnl::ComputeOp> ops;
  Contraction scores, sums;
  /// Loops that all ops have, outermost first, and the rows inside of them.
  llvm::SmallVector<std::string> outer;
  std::string row;
  /// The loop over parts of the keys that are merged one after the other; empty
  /// if there is none.
  std::string parts;

private:
  bool isMerged(llvm::StringRef loop);
  bool findProducts();
  bool findOuter();
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_KERNELS_ATTENTIONLOOPS_H
