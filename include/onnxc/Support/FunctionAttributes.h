//===- FunctionAttributes.h - Of all arguments at once ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A function keeps the attributes of all its arguments in one list, which is
// made anew to set one of them: setting those of all arguments one by one takes
// quadratic time and memory.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_FUNCTIONATTRIBUTES_H
#define ONNXC_SUPPORT_FUNCTIONATTRIBUTES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace onnxc {

/// Gives each argument its attribute of this name, where `values` has one that
/// is not null for it. There may be fewer values than arguments.
void setArgAttrs(mlir::FunctionOpInterface function, llvm::StringRef name,
                 llvm::ArrayRef<mlir::Attribute> values);

/// The same for the results.
void setResultAttrs(mlir::FunctionOpInterface function, llvm::StringRef name,
                    llvm::ArrayRef<mlir::Attribute> values);

} // namespace onnxc

#endif // ONNXC_SUPPORT_FUNCTIONATTRIBUTES_H
