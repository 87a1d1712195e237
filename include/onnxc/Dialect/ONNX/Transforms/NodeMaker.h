//===- NodeMaker.h - Operators, one after the other -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Creates the operations of a rewrite of the graph, by name and with the types
// that their schemas infer, and the constants that they need.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_NODEMAKER_H
#define ONNXC_DIALECT_ONNX_TRANSFORMS_NODEMAKER_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/IR/Builders.h"

namespace onnxc::onnx {

/// The rank of a tensor, -1 if it is not known.
int64_t rankOf(mlir::Value value);

/// Makes operations of the onnx dialect; their types follow from their
/// operands.
class NodeMaker {
public:
  NodeMaker(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// Result 0 of a new operation "onnx.NAME".
  mlir::Value make(llvm::StringRef name, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// An operation of `results` results. A form that inference does not take
  /// would be a mistake of the caller: the types stay unknown, and are refused
  /// where they are needed.
  mlir::Operation *makeOp(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes,
                          unsigned results);
  /// An operation with results of `types`, null for those left out; its
  /// regions are empty.
  mlir::Operation *makeTyped(llvm::StringRef name, mlir::ValueRange operands,
                             llvm::ArrayRef<mlir::NamedAttribute> attributes,
                             llvm::ArrayRef<mlir::Type> types);
  /// Result 0 of a new operation, of a type more precise than that of the
  /// schema.
  template <typename Op>
  mlir::Value make(mlir::Type type, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return Op::create(builder, loc, mlir::TypeRange(type), operands, attributes)
        ->getResult(0);
  }

  mlir::Value constant(mlir::TypedAttr value);
  /// A scalar.
  mlir::Value number(double value, mlir::Type element);
  /// A scalar of the element type of `like`.
  mlir::Value number(double value, mlir::Value like);
  /// A vector of integers, of 64 bits unless `element` is another type, and a
  /// scalar.
  mlir::Value ints(llvm::ArrayRef<int64_t> values, mlir::Type element = {});
  mlir::Value integerScalar(int64_t value);
  mlir::Value zerosLike(mlir::Value value);

  /// Sizes, as vectors of integers.
  mlir::Value shapeOf(mlir::Value value) { return make("Shape", value); }
  mlir::Value sizeOf(mlir::Value value, int64_t dim);
  /// One vector of all elements of `vectors`.
  mlir::Value joined(mlir::ValueRange vectors) {
    return make("Concat", vectors, integer("axis", 0));
  }
  /// 0, 1, ... to the size of `dim`.
  mlir::Value positions(mlir::Value value, int64_t dim);

  mlir::Value add(mlir::Value a, mlir::Value b) { return make("Add", {a, b}); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make("Sub", {a, b}); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return make("Mul", {a, b}); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return make("Div", {a, b}); }
  mlir::Value cast(mlir::Value x, mlir::Type element);
  mlir::Value castLike(mlir::Value x, mlir::Value like);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
    return make("Reshape", {x, ints(shape)});
  }
  mlir::Value reshapeLike(mlir::Value x, mlir::Value like);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value unsqueeze(mlir::Value x, llvm::ArrayRef<int64_t> axes) {
    return make("Unsqueeze", {x, ints(axes)});
  }
  mlir::Value squeeze(mlir::Value x, llvm::ArrayRef<int64_t> axes) {
    return make("Squeeze", {x, ints(axes)});
  }
  /// ReduceSum, ReduceMean and their like; all axes where there are none.
  mlir::Value reduce(llvm::StringRef name, mlir::Value x,
                     llvm::ArrayRef<int64_t> axes, bool keepdims);

  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute real(llvm::StringRef name, double value) {
    return builder.getNamedAttr(name, builder.getF32FloatAttr(float(value)));
  }
  mlir::NamedAttribute list(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  }
  mlir::NamedAttribute text(llvm::StringRef name, llvm::StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_NODEMAKER_H
