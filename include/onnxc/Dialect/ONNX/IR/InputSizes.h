//===- InputSizes.h - Names of the sizes of inputs --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_INPUTSIZES_H
#define ONNXC_DIALECT_ONNX_IR_INPUTSIZES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace onnxc::onnx {

/// The name that the model gives to a dimension of an argument; empty if it
/// gives none.
llvm::StringRef givenSizeName(mlir::FunctionOpInterface function,
                              unsigned argument, unsigned dim);

/// The name that the model gives to a dimension of an argument, or else the
/// name of the argument with the number of the dimension.
std::string sizeName(mlir::FunctionOpInterface function, unsigned argument,
                     unsigned dim);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_INPUTSIZES_H
