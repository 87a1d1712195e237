//===- CompleteRecipe.h - Steps that loops determine -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PLANNERS_COMPLETERECIPE_H
#define ONNXC_LIB_RECIPE_PLANNERS_COMPLETERECIPE_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/IR/Processor.h"

namespace onnxc {

/// Adds to the legal recipe of the kernel how its tiles, vectors and copies are
/// finished and accessed: tails of unrolled loops, prefetch, transpose and
/// interleave, wherever they are legal.
void completeRecipe(krnl::KernelOp kernel, const target::Processor &target);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PLANNERS_COMPLETERECIPE_H
