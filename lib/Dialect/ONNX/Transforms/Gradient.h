//===- Gradient.h - Reverse mode on the graph -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// From the gradient of an operator's result to those of its operands: one rule
// per operator, which says it in operators again.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_GRADIENT_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_GRADIENT_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace onnxc::onnx {

/// The way back from one value to others.
class Backward {
public:
  /// Operations are made where `builder` is; `onPath` are the values whose
  /// gradient somebody needs.
  Backward(mlir::OpBuilder &builder, mlir::Location loc,
           llvm::DenseSet<mlir::Value> onPath)
      : builder(builder), loc(loc), onPath(std::move(onPath)) {}

  /// For rules: is this operand's gradient needed?
  bool needs(mlir::Value operand) const { return onPath.contains(operand); }
  /// For rules: adds to the gradient of an operand, which has its shape. Does
  /// nothing where it is not needed.
  void give(mlir::Value operand, mlir::Value gradient);
  /// The same, summed up where the operand was broadcast.
  void giveBroadcast(mlir::Value operand, mlir::Value gradient);
  /// What was given so far; null if nothing.
  mlir::Value gradientOf(mlir::Value value) const {
    return gradients.lookup(value);
  }

  /// Result 0 of a new operation "onnx.NAME", its types inferred.
  mlir::Value make(llvm::StringRef name, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Operation *makeOp(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes,
                          unsigned results);
  /// A scalar of the element type of `like`.
  mlir::Value number(double value, mlir::Value like);
  /// A constant of one dimension.
  mlir::Value ints(llvm::ArrayRef<int64_t> values);
  mlir::Value shapeOf(mlir::Value value) { return make("Shape", value); }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
    return make("Reshape", {x, ints(shape)});
  }
  mlir::Value zerosLike(mlir::Value value);
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute real(llvm::StringRef name, float value) {
    return builder.getNamedAttr(name, builder.getF32FloatAttr(value));
  }
  mlir::NamedAttribute list(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::DenseSet<mlir::Value> onPath;
  llvm::DenseMap<mlir::Value, mlir::Value> gradients;
};

/// Gives the gradients of `op`'s operands, that of result 0 being `dy`. Fails
/// with an error at the operator where it is of a form without a rule.
using GradientRule = mlir::LogicalResult (*)(Backward &, mlir::Operation *op,
                                             mlir::Value dy);
using GradientRules = llvm::StringMap<GradientRule>;

/// Elementwise operators, reductions, and what only moves elements.
void addElementGradients(GradientRules &rules);
/// Products, convolutions, pooling and losses.
void addLayerGradients(GradientRules &rules);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_GRADIENT_H
