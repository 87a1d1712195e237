//===- Features.cpp - Columns of classical models ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// ArrayFeatureExtractor, FeatureVectorizer, Normalizer and OneHotEncoder, as
// the combinations of operators that they are.
//===----------------------------------------------------------------------===//

#include "Builders/GraphBuilder.h"
#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Text/Strings.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;

namespace onnxc {
namespace {

/// Columns of the last axis; a vector counts as one row.
Lowered lowerExtractor(onnx::MlArrayFeatureExtractorOp op,
                       onnx::MlArrayFeatureExtractorOp::Adaptor,
                       ConversionPatternRewriter &rewriter) {
  RankedTensorType type = rankedType(op.getX()), which = rankedType(op.getY());
  if (type.getRank() == 0)
    return rewriter.notifyMatchFailure(op, "operand is of rank 0");
  GraphBuilder graph(rewriter, op.getLoc());
  int64_t count =
      which.hasStaticShape() ? which.getNumElements() : ShapedType::kDynamic;
  Value index = graph.reshape(op.getY(), {-1}, count);
  Value x = graph.rows(op.getX());
  SmallVector<int64_t> shape(GraphBuilder::shapeOf(x));
  shape.back() = count;
  int64_t axis = int64_t(shape.size()) - 1;
  Value y = graph.make<onnx::GatherOp>(type.getElementType(), shape, {x, index},
                                       {graph.attribute("axis", axis)});
  graph.replace(op, y);
  return success();
}

/// Reshapes a tensor of more than two dimensions to two: all dimensions after
/// the first are columns.
Value joinColumns(GraphBuilder &graph, Value x) {
  GraphBuilder::Shape shape = GraphBuilder::shapeOf(x);
  if (shape.size() <= 2)
    return x;
  int64_t columns = 1;
  for (int64_t size : shape.drop_front())
    columns = ShapedType::isDynamic(size) || ShapedType::isDynamic(columns)
                  ? ShapedType::kDynamic
                  : columns * size;
  return graph.make<onnx::FlattenOp>(GraphBuilder::typeOf(x).getElementType(),
                                     {shape[0], columns}, {x},
                                     {graph.attribute("axis", int64_t(1))});
}

Value fit(GraphBuilder &graph, Value x, int64_t width) {
  Type f32 = graph.rewriter.getF32Type();
  x = joinColumns(graph, graph.cast(graph.rows(x), f32));
  int64_t rows = GraphBuilder::shapeOf(x)[0];
  int64_t has = GraphBuilder::shapeOf(x)[1];
  if (has == width)
    return x;
  if (ShapedType::isDynamic(has) || has < width) {
    bool known = !ShapedType::isDynamic(has);
    int64_t more = known ? width - has : width;
    has = known ? width : ShapedType::kDynamic;
    x = graph.make<onnx::PadOp>(f32, {rows, has},
                                {x, graph.ints({0, 0, 0, more}, 4)});
  }
  if (has == width)
    return x;
  return graph.make<onnx::SliceOp>(
      f32, {rows, width},
      {x, graph.ints(0, 1), graph.ints(width, 1), graph.ints(1, 1)});
}

/// Each operand cut or filled up with zeros to its number of columns, side by
/// side.
Lowered lowerVectorizer(onnx::MlFeatureVectorizerOp op,
                        onnx::MlFeatureVectorizerOp::Adaptor,
                        ConversionPatternRewriter &rewriter) {
  auto widths = op.getInputdimensions();
  if (!widths || widths->size() != op.getX().size() || widths->empty())
    return rewriter.notifyMatchFailure(
        op, "expects a number of columns for each operand");
  GraphBuilder graph(rewriter, op.getLoc());
  SmallVector<Value> parts;
  int64_t columns = 0, rows = ShapedType::kDynamic;
  for (auto [x, width] : llvm::zip(op.getX(), *widths)) {
    RankedTensorType type = rankedType(x);
    constexpr int64_t maxColumns = int64_t(1) << 31;
    if (type.getRank() < 1 || width < 0 || width > maxColumns)
      return rewriter.notifyMatchFailure(op, "expects rows of features");
    parts.push_back(fit(graph, x, width));
    columns += width;
    if (ShapedType::isDynamic(rows))
      rows = GraphBuilder::shapeOf(parts.back())[0];
  }
  Value y =
      graph.make<onnx::ConcatOp>(rewriter.getF32Type(), {rows, columns}, parts,
                                 {graph.attribute("axis", int64_t(1))});
  graph.replace(op, y);
  return success();
}

/// Rows divided by their norm.
Lowered lowerNormalizer(onnx::MlNormalizerOp op, onnx::MlNormalizerOp::Adaptor,
                        ConversionPatternRewriter &rewriter) {
  RankedTensorType type = rankedType(op.getX());
  if (type.getRank() == 0)
    return rewriter.notifyMatchFailure(op, "operand is of rank 0");
  GraphBuilder graph(rewriter, op.getLoc());
  Type f32 = rewriter.getF32Type();
  Type real = type.getElementType().isF64() ? type.getElementType() : f32;
  Value x = graph.cast(op.getX(), real), norm;
  if (op.getNorm() == "MAX")
    norm = graph.reduceLast<onnx::ReduceMaxOp>(graph.map<onnx::AbsOp>(x));
  else if (op.getNorm() == "L1")
    norm = graph.reduceLast<onnx::ReduceL1Op>(x);
  else if (op.getNorm() == "L2")
    norm = graph.reduceLast<onnx::ReduceL2Op>(x);
  else
    return rewriter.notifyMatchFailure(op, "norm is none of MAX, L1 and L2");
  norm = graph.map<onnx::MaxOp>(norm, graph.scalar(1e-30, real));
  graph.replace(op, graph.cast(graph.map<onnx::DivOp>(x, norm), f32));
  return success();
}

Value oneHot(GraphBuilder &graph, Value x, ArrayRef<int64_t> numbers) {
  SmallVector<int64_t> shape(GraphBuilder::shapeOf(x));
  Type i64 = graph.rewriter.getI64Type();
  SmallVector<int64_t> one = shape;
  one.push_back(1);
  shape.push_back(int64_t(numbers.size()));
  Value column =
      graph.make<onnx::UnsqueezeOp>(i64, one, {x, graph.ints(-1, 1)});
  Value same =
      graph.make<onnx::EqualOp>(graph.rewriter.getI1Type(), shape,
                                {column, graph.ints(numbers, shape.back())});
  return graph.convert(same, graph.rewriter.getF32Type());
}

/// Ends the run where an element is none of the categories.
void checkFound(GraphBuilder &graph, Value oneHot) {
  OpBuilder &b = graph.rewriter;
  Type f32 = b.getF32Type();
  Value found = graph.reduceLast<onnx::ReduceMaxOp>(oneHot);
  Value worst = graph.make<onnx::ReduceMinOp>(
      f32, {}, found, {graph.attribute("keepdims", int64_t(0))});
  Value element = onlyElement(b, graph.loc, worst);
  Value zero = arith::ConstantOp::create(b, graph.loc, b.getF32FloatAttr(0));
  krnl::CheckOp::create(b, graph.loc,
                        arith::CmpFOp::create(b, graph.loc,
                                              arith::CmpFPredicate::OGT,
                                              element, zero),
                        "OneHotEncoder: an element is none of the categories");
}

/// One more axis: 1 at the category's position, 0 elsewhere.
Lowered lowerOneHot(onnx::MlOneHotEncoderOp op,
                    onnx::MlOneHotEncoderOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  RankedTensorType type = rankedType(op.getX());
  GraphBuilder graph(rewriter, op.getLoc());
  Type i64 = rewriter.getI64Type();
  SmallVector<StringRef> texts = textsOf(op.getCatsStrings());
  SmallVector<int64_t> numbers;
  Value x;
  if (isString(type.getElementType())) {
    x = stringIndex(rewriter, op.getLoc(), adaptor.getX(), texts);
    llvm::append_range(numbers, llvm::seq<int64_t>(0, texts.size()));
  } else {
    x = graph.cast(op.getX(), i64);
    if (auto ints = op.getCatsInt64s())
      numbers.assign(ints->begin(), ints->end());
  }
  if (numbers.empty())
    return rewriter.notifyMatchFailure(op, "no categories of this type");
  Value y = oneHot(graph, x, numbers);
  if (!op.getZeros())
    checkFound(graph, y);
  graph.replace(op, y);
  return success();
}

} // namespace

void populateONNXToKrnlFeaturesPatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerExtractor, lowerNormalizer,
               lowerOneHot, lowerVectorizer);
}

} // namespace onnxc
