//===- Passes.h - Creation of the pass that writes recipes --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_PASSES_H
#define ONNXC_RECIPE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Recipe/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "onnxc/Recipe/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_RECIPE_PASSES_H
