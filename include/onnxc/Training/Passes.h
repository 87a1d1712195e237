//===- Passes.h - Passes for training ---------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TRAINING_PASSES_H
#define ONNXC_TRAINING_PASSES_H

#include "mlir/Pass/Pass.h"

namespace onnxc::training {

#define GEN_PASS_DECL
#include "onnxc/Training/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "onnxc/Training/Passes.h.inc"

} // namespace onnxc::training

#endif // ONNXC_TRAINING_PASSES_H
