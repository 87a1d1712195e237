//===- TensorCopies.h - Slices that are boxes of a tensor -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(.., by=tma): slices that one instruction copies in boxes.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_TENSORCOPIES_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_TENSORCOPIES_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

class TargetAttr;

/// The boxes that a slice is copied by; nothing, with the reason, if none are
/// all of it.
std::optional<TensorBoxes> tensorBoxes(const LoopNest &nest, const Cache &cache,
                                       unsigned op, std::string &reason);

/// Returns true if the op has all steps that are needed to copy boxes of a
/// tensor: `by=tma`, wgmma, and a pipeline of several stages.
bool copiesBoxes(const LoopNest &nest, const Cache &cache, unsigned op);

/// Returns true if the target copies boxes, to all blocks of a cluster if the
/// nest has one. False if the target is null.
bool mayCopyBoxes(const LoopNest &nest, TargetAttr target);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_TENSORCOPIES_H
