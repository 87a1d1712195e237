//===- Elementwise.h - One result element from one of each ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_ELEMENTWISE_ELEMENTWISE_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_ELEMENTWISE_ELEMENTWISE_H

#include "Builders/ScalarBuilder.h"

#include "mlir/Transforms/DialectConversion.h"

namespace onnxc {

/// Computes one element. The ScalarBuilder is that of the first operand's
/// element type; operands come in the compute type of their own, absent
/// optional ones left out. The result is in the compute type of the result, or
/// an i1 condition for operators whose result is bool.
using ElementFn = std::function<mlir::Value(ScalarBuilder &, mlir::Operation *,
                                            mlir::ValueRange)>;

/// How elements reach an ElementFn and leave it.
enum class Elements {
  /// Elements are in the types that are computed with.
  Computed,
  /// Elements are as they are stored, for operators that only move them.
  Stored
};

/// Adds the lowering of the operator `name` to one kernel over the broadcast
/// shape of its operands.
void addElementwise(mlir::TypeConverter &converter,
                    mlir::RewritePatternSet &patterns, llvm::StringRef name,
                    ElementFn fn, Elements elements = Elements::Computed);

/// Adds the lowering of OnnxOp, with `fn` taking an OnnxOp, as the rows of a
/// family's table do.
template <typename OnnxOp, typename Fn>
void addElementwise(mlir::TypeConverter &converter,
                    mlir::RewritePatternSet &patterns, Fn fn,
                    Elements elements = Elements::Computed) {
  addElementwise(
      converter, patterns, OnnxOp::getOperationName(),
      [fn](ScalarBuilder &s, mlir::Operation *op, mlir::ValueRange x) {
        return fn(s, mlir::cast<OnnxOp>(op), x);
      },
      elements);
}

/// One kernel that computes `fn` over the broadcast shape of `operands` (host
/// values); `resultType` is the element type in the onnx dialect. `fn` gets
/// stored elements and returns a stored one.
mlir::Value buildElementwise(
    mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
    mlir::ValueRange operands, mlir::Type resultType,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::ValueRange)>
        fn);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_ELEMENTWISE_ELEMENTWISE_H
