//===- JoinedFactor.h - A product and its factor in one kernel --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_JOINEDFACTOR_H
#define ONNXC_LIB_RECIPE_PASSES_JOINEDFACTOR_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc {

/// Makes a kernel of a product, with the op of the kernel that computes its
/// first input before the sum, so that its threads can compute the slices that
/// they multiply. Null where a dimension of that input is not one or several of
/// the factor's.
krnl::KernelOp buildJoined(mlir::OpBuilder &b, krnl::KernelOp factor,
                           krnl::KernelOp product);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_JOINEDFACTOR_H
