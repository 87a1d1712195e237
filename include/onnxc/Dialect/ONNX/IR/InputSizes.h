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

/// The attribute of an argument with the names that the model gives to its
/// dimensions, where `onnx.dims` has others: dimensions of one name there have
/// equal sizes in all runs.
inline constexpr llvm::StringLiteral declaredDimsAttrName =
    "onnx.declared_dims";

/// The names that the model gives to the dimensions of an argument or result
/// with these attributes; null if it gives none.
mlir::ArrayAttr declaredDims(mlir::DictionaryAttr attributes);

/// The name of a dimension of an argument in `onnx.dims`; empty if it has none.
llvm::StringRef givenSizeName(mlir::FunctionOpInterface function,
                              unsigned argument, unsigned dim);

/// The name that the model gives to a dimension of an argument, or else the
/// name of the argument with the number of the dimension.
std::string sizeName(mlir::FunctionOpInterface function, unsigned argument,
                     unsigned dim);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_INPUTSIZES_H
