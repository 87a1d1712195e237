//===- NodeFacts.h - Facts about nodes for rules ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TRAINING_NODEFACTS_H
#define ONNXC_LIB_TRAINING_NODEFACTS_H

#include "mlir/IR/Operation.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"

namespace onnxc::training {

/// The numbers begin, begin + 1, ..., end - 1.
llvm::SmallVector<int64_t> range(int64_t begin, int64_t end);
using onnx::positiveAxis;
/// An attribute that may be left out.
int64_t integerOf(mlir::Operation *op, llvm::StringRef name, int64_t otherwise);
double realOf(mlir::Operation *op, llvm::StringRef name, double otherwise);
/// All attributes but those that count operands and results.
llvm::SmallVector<mlir::NamedAttribute> attributesOf(mlir::Operation *op);

} // namespace onnxc::training

#endif // ONNXC_LIB_TRAINING_NODEFACTS_H
