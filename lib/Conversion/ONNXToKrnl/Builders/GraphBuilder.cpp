//===- GraphBuilder.cpp - Operators in terms of operators -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/GraphBuilder.h"
#include "Elementwise/Elementwise.h"
#include "Text/Strings.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc {

Value GraphBuilder::constant(TypedAttr value) {
  return onnx::ConstantOp::create(rewriter, loc, TypeRange(value.getType()),
                                  ValueRange(),
                                  rewriter.getNamedAttr("value", value))
      ->getResult(0);
}

Value GraphBuilder::floats(ArrayRef<float> values, Shape shape) {
  return constant(
      DenseElementsAttr::get(tensor(rewriter.getF32Type(), shape), values));
}

Value GraphBuilder::reals(ArrayRef<float> values, Shape shape, Type element) {
  if (element.isF32())
    return floats(values, shape);
  SmallVector<double> wide(values.begin(), values.end());
  return constant(
      DenseElementsAttr::get(tensor(element, shape), ArrayRef<double>(wide)));
}

Value GraphBuilder::ints(ArrayRef<int64_t> values, Shape shape) {
  return constant(
      DenseElementsAttr::get(tensor(rewriter.getI64Type(), shape), values));
}

Value GraphBuilder::scalar(double value, Type element) {
  Attribute number = isa<FloatType>(element)
                         ? Attribute(rewriter.getFloatAttr(element, value))
                         : rewriter.getIntegerAttr(element, int64_t(value));
  return constant(DenseElementsAttr::get(tensor(element, {}), number));
}

Value GraphBuilder::strings(ArrayRef<StringRef> texts, Shape shape) {
  return constant(DenseStringElementsAttr::get(
      tensor(onnx::StringType::get(rewriter.getContext()), shape), texts));
}

NamedAttribute GraphBuilder::attribute(StringRef name, int64_t value) {
  return rewriter.getNamedAttr(name, rewriter.getI64IntegerAttr(value));
}

NamedAttribute GraphBuilder::attribute(StringRef name, float value) {
  return rewriter.getNamedAttr(name, rewriter.getF32FloatAttr(value));
}

RankedTensorType GraphBuilder::tensor(Type element, Shape shape) {
  return RankedTensorType::get(shape, element);
}

RankedTensorType GraphBuilder::typeOf(Value v) {
  return ::cast<RankedTensorType>(v.getType());
}

Value GraphBuilder::cast(Value x, Type element) {
  Type from = typeOf(x).getElementType();
  return from == element ? x : castNumbers(rewriter, loc, x, from, element);
}

Value GraphBuilder::convert(Value x, Type element) {
  return make<onnx::CastOp>(
      element, shapeOf(x), x,
      attribute("to", int64_t(onnx::getElementTypeNumber(element))));
}

Value GraphBuilder::pairs(Value scores, float low) {
  return make<onnx::MulOp>(rewriter.getF32Type(), {shapeOf(scores)[0], 2},
                           {scores, floats({low, 1}, {1, 2})});
}

Value GraphBuilder::reshape(Value x, ArrayRef<int64_t> to, Shape shape) {
  return make<onnx::ReshapeOp>(typeOf(x).getElementType(), shape,
                               {x, ints(to, int64_t(to.size()))});
}

Value GraphBuilder::rows(Value x) {
  if (typeOf(x).getRank() != 1)
    return x;
  return reshape(x, {1, -1}, {1, typeOf(x).getDimSize(0)});
}

Value GraphBuilder::features(Value x) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  bool areRows = type && (type.getRank() == 1 || type.getRank() == 2);
  return areRows ? rows(x) : Value();
}

Value GraphBuilder::pick(Value table, Value index) {
  return make<onnx::GatherOp>(typeOf(table).getElementType(), shapeOf(index),
                              {table, index});
}

void GraphBuilder::replace(Operation *op, ValueRange values) {
  SmallVector<Value> replacements;
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
    Type wanted = result.getType();
    bool isNew = value.getDefiningOp() &&
                 isa<onnx::ONNXDialect>(value.getDefiningOp()->getDialect());
    if (isNew && isa<RankedTensorType>(wanted))
      value.setType(wanted);
    else if (isa<RankedTensorType>(wanted) && value.getType() != wanted)
      value = tensor::CastOp::create(rewriter, loc, wanted, value);
    replacements.push_back(value);
  }
  rewriter.replaceOp(op, replacements);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

std::optional<PostTransform> postTransformOf(StringRef name) {
  return llvm::StringSwitch<std::optional<PostTransform>>(name)
      .Case("NONE", PostTransform::None)
      .Case("SOFTMAX", PostTransform::Softmax)
      .Case("LOGISTIC", PostTransform::Logistic)
      .Case("SOFTMAX_ZERO", PostTransform::SoftmaxZero)
      .Case("PROBIT", PostTransform::Probit)
      .Default(std::nullopt);
}

/// As softmax, but scores near zero are multiplied by exp(-largest) instead of
/// taking the exponential; the elements of a row of sum zero are 0.5.
static Value softmaxZero(GraphBuilder &graph, Value scores) {
  Type f32 = graph.rewriter.getF32Type();
  Value largest = graph.reduceLast<onnx::ReduceMaxOp>(scores);
  Value parts = buildElementwise(
      graph.rewriter, graph.loc, "softmax_zero", {scores, largest}, f32,
      [&](OpBuilder &b, Location l, ValueRange v) {
        ScalarBuilder s(b, l, f32);
        Value isLarge = s.lt(s.constant(0.0000001f), s.abs(v[0]));
        Value small = s.mul(v[0], s.exp(s.neg(v[1])));
        return s.select(isLarge, s.exp(s.sub(v[0], v[1])), small);
      });
  Value total = graph.reduceLast<onnx::ReduceSumOp>(parts);
  return buildElementwise(
      graph.rewriter, graph.loc, "softmax_zero", {parts, total}, f32,
      [&](OpBuilder &b, Location l, ValueRange v) {
        ScalarBuilder s(b, l, f32);
        Value isNone = s.eq(v[1], s.constant(0));
        return s.select(isNone, s.constant(0.5), s.div(v[0], v[1]));
      });
}

/// sqrt(2) * erfinv(2 x - 1), with Winitzki's approximation of the inverse
/// error function that the operators' reference uses.
static Value probit(GraphBuilder &graph, Value scores) {
  Type f32 = graph.rewriter.getF32Type();
  return buildElementwise(
      graph.rewriter, graph.loc, "probit", scores, f32,
      [&](OpBuilder &b, Location l, ValueRange v) {
        ScalarBuilder s(b, l, f32);
        constexpr double pi = 3.14159265358979323846, a = 0.147;
        Value one = s.constant(1), zero = s.constant(0);
        Value x = s.sub(s.mul(v[0], s.constant(2)), one);
        Value product = s.mul(s.sub(one, x), s.add(one, x));
        Value log = s.log(product);
        Value half =
            s.add(s.constant(2 / (pi * a)), s.mul(s.constant(0.5), log));
        Value root =
            s.sqrt(s.sub(s.mul(half, half), s.mul(s.constant(1 / a), log)));
        Value y = s.sqrt(s.sub(root, half));
        y = s.select(s.lt(x, zero), s.neg(y), y);
        y = s.select(s.eq(product, zero), zero, y);
        return s.mul(s.constant(1.41421356), y);
      });
}

Value transformScores(GraphBuilder &graph, Value scores,
                      PostTransform transform) {
  switch (transform) {
  case PostTransform::None:
    return scores;
  case PostTransform::Softmax:
    return graph.map<onnx::SoftmaxOp>(scores);
  case PostTransform::Logistic:
    return graph.map<onnx::SigmoidOp>(scores);
  case PostTransform::SoftmaxZero:
    return softmaxZero(graph, scores);
  case PostTransform::Probit:
    return probit(graph, scores);
  }
  llvm_unreachable("every transform is handled");
}

ClassLabels::ClassLabels(std::optional<ArrayRef<int64_t>> ints,
                         std::optional<ArrayAttr> strings)
    : texts(textsOf(strings)) {
  if (ints && texts.empty())
    this->ints = *ints;
}

Value ClassLabels::of(GraphBuilder &graph, Value index) const {
  if (!texts.empty())
    return graph.pick(graph.strings(texts, int64_t(texts.size())), index);
  if (ints.empty())
    return index;
  return graph.pick(graph.ints(ints, int64_t(ints.size())), index);
}

Value largestOfRows(GraphBuilder &graph, Value scores) {
  return graph.make<onnx::ArgMaxOp>(graph.rewriter.getI64Type(),
                                    GraphBuilder::shapeOf(scores).front(),
                                    scores,
                                    {graph.attribute("axis", int64_t(1)),
                                     graph.attribute("keepdims", int64_t(0))});
}

} // namespace onnxc
