//===- ReshapedConstant.h - Constants in another shape ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_RESHAPEDCONSTANT_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_RESHAPEDCONSTANT_H

#include "mlir/IR/Builders.h"

namespace onnxc {

/// The constant with its elements in another shape of as many.
mlir::Value reshapedConstant(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value constant,
                             llvm::ArrayRef<int64_t> shape);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_RESHAPEDCONSTANT_H
