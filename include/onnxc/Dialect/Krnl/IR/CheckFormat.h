//===- CheckFormat.h - The sizes in the message of krnl.check ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_CHECKFORMAT_H
#define ONNXC_DIALECT_KRNL_IR_CHECKFORMAT_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// The format of the sizes, "{} and {}" where none is given.
llvm::StringRef formatOf(CheckOp check);

/// "[4, {}]": the format of a shape whose dynamic sizes are among those of the
/// check.
std::string shapeFormat(llvm::ArrayRef<int64_t> shape);

/// A krnl.check whose sizes follow the message in that format.
CheckOp makeCheck(mlir::OpBuilder &b, mlir::Location loc, mlir::Value condition,
                  llvm::StringRef message, mlir::ValueRange sizes,
                  llvm::StringRef format);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_CHECKFORMAT_H
