//===- CheckFormat.h - The sizes in the message of krnl.check ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_CHECKFORMAT_H
#define ONNXC_DIALECT_KRNL_IR_CHECKFORMAT_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// The attribute of a krnl.check whose sizes are not two that disagree: a text
/// that follows the message, with a `{}` for each size.
///
/// ```mlir
/// krnl.check %same, "another shape" sizes(%n, %m)
///     {krnl.format = "input [{}, 4], requested [{}]"}
/// // node 'view': another shape: input [3, 4], requested [13]
/// ```
inline constexpr llvm::StringLiteral checkFormatAttrName = "krnl.format";

/// "{} and {}" where none is given.
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
