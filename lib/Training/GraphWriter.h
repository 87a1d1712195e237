//===- GraphWriter.h - Operators, one after the other -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TRAINING_GRAPHWRITER_H
#define ONNXC_LIB_TRAINING_GRAPHWRITER_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/IR/Builders.h"

namespace onnxc::training {

/// The rank of a tensor, -1 if it is not known.
int64_t rankOf(mlir::Value value);
/// The numbers begin, begin + 1, ..., end - 1.
llvm::SmallVector<int64_t> range(int64_t begin, int64_t end);
/// `axis` counted from the front.
inline int64_t fromFront(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}
/// An attribute that may be left out.
int64_t integerOf(mlir::Operation *op, llvm::StringRef name, int64_t otherwise);
double realOf(mlir::Operation *op, llvm::StringRef name, double otherwise);
/// All attributes but those that count operands and results.
llvm::SmallVector<mlir::NamedAttribute> attributesOf(mlir::Operation *op);

/// Makes operations of the onnx dialect; their types follow from their
/// operands.
class GraphWriter {
public:
  GraphWriter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// Result 0 of a new operation "onnx.NAME".
  mlir::Value make(llvm::StringRef name, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// An operation of `results` results.
  mlir::Operation *makeOp(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes,
                          unsigned results);
  /// An operation with results of `types`, null for those left out; its
  /// regions are empty.
  mlir::Operation *makeTyped(llvm::StringRef name, mlir::ValueRange operands,
                             llvm::ArrayRef<mlir::NamedAttribute> attributes,
                             llvm::ArrayRef<mlir::Type> types);

  /// A scalar of the element type of `like`.
  mlir::Value number(double value, mlir::Value like);
  /// A constant of one dimension.
  mlir::Value ints(llvm::ArrayRef<int64_t> values);
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
  mlir::Value places(mlir::Value value, int64_t dim);

  mlir::Value add(mlir::Value a, mlir::Value b) { return make("Add", {a, b}); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make("Sub", {a, b}); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return make("Mul", {a, b}); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return make("Div", {a, b}); }
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

} // namespace onnxc::training

#endif // ONNXC_LIB_TRAINING_GRAPHWRITER_H
