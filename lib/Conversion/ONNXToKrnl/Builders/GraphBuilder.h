//===- GraphBuilder.h - Operators in terms of operators ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An operator that is a combination of others is replaced by them, and their
// own lowerings apply. They may take results of kernels as operands, for
// tensors of f32, f64, i32 and i64 are the same in both dialects.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_GRAPHBUILDER_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_GRAPHBUILDER_H

#include "mlir/Transforms/DialectConversion.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

namespace onnxc {

class GraphBuilder {
public:
  using Shape = llvm::ArrayRef<int64_t>;

  GraphBuilder(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc)
      : rewriter(rewriter), loc(loc) {}

  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value floats(llvm::ArrayRef<float> values, Shape shape);
  /// A constant of the numbers with elements of type `element`, f32 or f64.
  mlir::Value reals(llvm::ArrayRef<float> values, Shape shape,
                    mlir::Type element);
  mlir::Value ints(llvm::ArrayRef<int64_t> values, Shape shape);
  mlir::Value scalar(double value, mlir::Type element);
  mlir::Value strings(llvm::ArrayRef<llvm::StringRef> texts, Shape shape);

  template <typename OnnxOp>
  mlir::Value make(mlir::Type element, Shape shape, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return OnnxOp::create(rewriter, loc,
                          mlir::TypeRange(tensor(element, shape)), operands,
                          attributes)
        ->getResult(0);
  }
  mlir::NamedAttribute attribute(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute attribute(llvm::StringRef name, float value);

  mlir::RankedTensorType tensor(mlir::Type element, Shape shape);
  static mlir::RankedTensorType typeOf(mlir::Value v);
  static Shape shapeOf(mlir::Value v) { return typeOf(v).getShape(); }

  mlir::Value cast(mlir::Value x, mlir::Type element);
  /// A cast by a node, for types that the krnl dialect represents differently.
  mlir::Value convert(mlir::Value x, mlir::Type element);
  /// Elementwise, the result as large as `x`.
  template <typename OnnxOp>
  mlir::Value map(mlir::Value x, mlir::ValueRange others = {}) {
    llvm::SmallVector<mlir::Value> operands{x};
    llvm::append_range(operands, others);
    return make<OnnxOp>(typeOf(x).getElementType(), shapeOf(x), operands);
  }
  /// Reduces the last axis and keeps it.
  template <typename OnnxOp>
  mlir::Value reduceLast(mlir::Value x) {
    llvm::SmallVector<int64_t> shape(shapeOf(x));
    shape.back() = 1;
    return make<OnnxOp>(typeOf(x).getElementType(), shape, {x, ints(-1, 1)});
  }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> to, Shape shape);
  /// A vector as its only row; anything else as it is.
  mlir::Value rows(mlir::Value x);
  /// Rows of features; null for anything but a vector or a matrix.
  mlir::Value features(mlir::Value x);
  /// The element at `index`, one for each, of a vector.
  mlir::Value pick(mlir::Value table, mlir::Value index);

  /// [low * s, s] for the single score s of each row.
  mlir::Value pairs(mlir::Value scores, float low = -1);

  /// Replaces `op`, whose results may be known by other sizes.
  void replace(mlir::Operation *op, mlir::ValueRange values);

  mlir::ConversionPatternRewriter &rewriter;
  mlir::Location loc;
};

/// The final transformation of the scores of classical models.
enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

/// The transformation of this name; nothing for a name that ONNX does not
/// define: `unknownPostTransform`.
std::optional<PostTransform> postTransformOf(llvm::StringRef name);
inline constexpr char unknownPostTransform[] =
    "post_transform is none of NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO and "
    "PROBIT";

/// `transform` of the rows of `scores`, f32 [n, e].
mlir::Value transformScores(GraphBuilder &graph, mlir::Value scores,
                            PostTransform transform);

/// The labels of classes, integers or strings.
struct ClassLabels {
  ClassLabels(std::optional<llvm::ArrayRef<int64_t>> ints,
              std::optional<mlir::ArrayAttr> strings);
  size_t size() const { return std::max(ints.size(), texts.size()); }
  /// The label of each class number in `index`, i64 [n].
  mlir::Value of(GraphBuilder &graph, mlir::Value index) const;

  llvm::ArrayRef<int64_t> ints;
  llvm::SmallVector<llvm::StringRef> texts;
};

/// The number of the largest of each row of `scores`, the first of equals.
mlir::Value largestOfRows(GraphBuilder &graph, mlir::Value scores);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_GRAPHBUILDER_H
