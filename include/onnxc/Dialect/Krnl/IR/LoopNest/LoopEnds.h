//===- LoopEnds.h - Loops that end before their extent ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// skip_masked, early_exit: loops that a mask or the data end.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_LOOPENDS_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_LOOPENDS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// Returns how many iterations of the loop are not masked in a tile; nothing
/// where none are left out. Without the values of the mask's form, which are to
/// be subtracted from the elements.
std::optional<VisibleIterations> visibleIterations(const LoopNest &nest,
                                                   unsigned op, unsigned loop);

/// Returns true if the iterations of the loop change nothing once one of them
/// changes nothing.
bool canExitEarly(const LoopNest &nest, unsigned op, const LoopUse &use);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_LOOPENDS_H
