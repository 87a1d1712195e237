//===- Arguments.h - Inputs and outputs of an entry point ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TARGET_ARTEFACT_ARGUMENTS_H
#define ONNXC_LIB_TARGET_ARTEFACT_ARGUMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "onnxc/rt/model.h"

#include <string>
#include <vector>

namespace onnxc::target {

/// One argument as the runtime's OnnxcArg has it.
struct Argument {
  std::string name;
  int64_t kind = ONNXC_KIND_TENSOR;
  int64_t type = 0;
  /// The tensor's type in the signature: f32, i1, string, seq(f32).
  std::string typeText;
  int64_t rank = -1;
  llvm::SmallVector<int64_t> dims;
  /// The model's names of the dimensions, empty where it has none, or no
  /// elements.
  llvm::SmallVector<std::string> symbols;
  /// The type of the keys of a map; 0 for other kinds.
  int64_t key = 0;
  /// The type of a container's elements: one, or none for a tensor.
  std::vector<Argument> element;
};

/// The arguments of the attribute krnl.inputs or krnl.outputs.
llvm::SmallVector<Argument> readArguments(mlir::ArrayAttr attributes);

} // namespace onnxc::target

#endif // ONNXC_LIB_TARGET_ARTEFACT_ARGUMENTS_H
