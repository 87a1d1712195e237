//===- SupportVectors.cpp - SVMClassifier and SVMRegressor ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The kernel function of all rows and support vectors is a matrix; one more
// product makes scores of it. Classifiers decide between each pair of classes.
//===----------------------------------------------------------------------===//

#include "Builders/GraphBuilder.h"
#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Text/Strings.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

using Floats = ArrayRef<float>;

/// A function of two vectors.
struct KernelFunction {
  StringRef type;
  float gamma = 0, coef0 = 0, degree = 0;

  KernelFunction(StringRef type, std::optional<Floats> params) : type(type) {
    if (!params || params->size() < 3)
      return;
    gamma = (*params)[0];
    coef0 = (*params)[1];
    degree = (*params)[2];
  }
  bool isKnown() const {
    return type == "LINEAR" || type == "POLY" || type == "RBF" ||
           type == "SIGMOID";
  }
};

/// `count` rows of `values` as columns: f32 [features, count].
Value transposed(GraphBuilder &graph, Floats values, int64_t count) {
  int64_t features = int64_t(values.size()) / count;
  SmallVector<float> result(values.size());
  for (int64_t v = 0; v < count; ++v)
    for (int64_t f = 0; f < features; ++f)
      result[f * count + v] = values[v * features + f];
  return graph.floats(result, {features, count});
}

/// The squared distance of each row from each vector, [n, v]. Not by way of the
/// product of rows and vectors, which cancels where both are far from zero.
Value squaredDistances(GraphBuilder &graph, Value x, Value vectors) {
  OpBuilder &b = graph.rewriter;
  Location loc = graph.loc;
  int64_t n = GraphBuilder::shapeOf(x)[0],
          v = GraphBuilder::shapeOf(vectors)[1],
          features = GraphBuilder::shapeOf(vectors)[0];
  x = withSize(b, loc, x, 1, features);
  KernelBuilder kernel(b, loc, "distances");
  AffineExpr row = kernel.loop("row", n), vector = kernel.loop("vector", v),
             feature = kernel.loop("feature", features);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(n))
    sizes.push_back(sizeOf(b, loc, x, 0));
  Value in = kernel.input(x), to = kernel.input(vectors);
  Value out =
      kernel.output(RankedTensorType::get({n, v}, b.getF32Type()), sizes);
  Value zero = kernel.constant(b.getF32FloatAttr(0));
  Value init = kernel.fill(zero, {out, {row, vector}});
  Value sum = kernel.generic({{in, {row, feature}}, {to, {feature, vector}}},
                             {init, {row, vector}}, {feature},
                             [&](OpBuilder &nb, Location l, ValueRange v) {
                               ScalarBuilder s(nb, l, nb.getF32Type());
                               Value d = s.sub(v[0], v[1]);
                               return s.add(v[2], s.mul(d, d));
                             });
  return kernel.finish({sum}).front();
}

/// The function of each row of `x` and each of the `count` vectors, [n, count].
Value kernelMatrix(GraphBuilder &graph, Value x, Floats vectors, int64_t count,
                   const KernelFunction &function) {
  Type f32 = graph.rewriter.getF32Type();
  Value columns = transposed(graph, vectors, count);
  auto scaled = [&](Value y, float scale) {
    return graph.map<onnx::MulOp>(y, graph.scalar(scale, f32));
  };
  if (function.type == "RBF")
    return graph.map<onnx::ExpOp>(
        scaled(squaredDistances(graph, x, columns), -function.gamma));
  Value product = graph.make<onnx::MatMulOp>(
      f32, {GraphBuilder::shapeOf(x)[0], count}, {x, columns});
  if (function.type == "LINEAR")
    return product;
  Value moved = graph.map<onnx::AddOp>(scaled(product, function.gamma),
                                       graph.scalar(function.coef0, f32));
  if (function.type == "SIGMOID")
    return graph.map<onnx::TanhOp>(moved);
  return graph.map<onnx::PowOp>(moved,
                                graph.scalar(std::trunc(function.degree), f32));
}

/// x * matrix + offsets, [n, columns].
Value affine(GraphBuilder &graph, Value x, Value matrix, Floats offsets) {
  int64_t columns = GraphBuilder::shapeOf(matrix)[1];
  return graph.make<onnx::GemmOp>(
      graph.rewriter.getF32Type(), {GraphBuilder::shapeOf(x)[0], columns},
      {x, matrix, graph.floats(offsets, int64_t(offsets.size()))});
}

/// matrix * weights + offsets, [n, columns], where the matrix is that of a
/// kernel function. In f64: the terms of many vectors cancel to a small score.
Value scoresOf(GraphBuilder &graph, Value matrix, Floats weights,
               Floats offsets) {
  Type f32 = graph.rewriter.getF32Type(), f64 = graph.rewriter.getF64Type();
  int64_t columns = int64_t(offsets.size()),
          vectors = int64_t(weights.size()) / columns;
  Value sum = graph.make<onnx::GemmOp>(
      f64, {GraphBuilder::shapeOf(matrix)[0], columns},
      {graph.cast(matrix, f64), graph.reals(weights, {vectors, columns}, f64),
       graph.reals(offsets, columns, f64)});
  return graph.cast(sum, f32);
}

/// Rows of features as f32; null if they are none, or of another length.
Value rowsOf(GraphBuilder &graph, Value x, int64_t features) {
  if (x = graph.features(x); !x)
    return {};
  x = graph.cast(x, graph.rewriter.getF32Type());
  int64_t known = GraphBuilder::shapeOf(x)[1];
  return ShapedType::isDynamic(known) || known == features ? x : Value();
}

/// 0 or 1 for each element, i64, whether it is above zero.
Value isPositive(GraphBuilder &graph, Value x) {
  OpBuilder &b = graph.rewriter;
  GraphBuilder::Shape shape = GraphBuilder::shapeOf(x);
  Value flag = graph.make<onnx::GreaterOp>(
      b.getI1Type(), shape, {x, graph.scalar(0, b.getF32Type())});
  return graph.convert(flag, b.getI64Type());
}

//===----------------------------------------------------------------------===//
// SVMRegressor
//===----------------------------------------------------------------------===//

Lowered lowerRegressor(onnx::MlSVMRegressorOp op,
                       onnx::MlSVMRegressorOp::Adaptor,
                       ConversionPatternRewriter &rewriter) {
  GraphBuilder graph(rewriter, op.getLoc());
  Floats coefficients = op.getCoefficients().value_or(Floats()),
         vectors = op.getSupportVectors().value_or(Floats()),
         rho = op.getRho().value_or(Floats());
  KernelFunction function(op.getKernelType(), op.getKernelParams());
  auto transform = postTransformOf(op.getPostTransform());
  int64_t count = op.getNSupports();
  bool isLinear = count <= 0;
  if (!transform)
    return rewriter.notifyMatchFailure(op, unknownPostTransform);
  if (!function.isKnown() || rho.empty() || coefficients.empty() ||
      (!isLinear && (int64_t(coefficients.size()) != count || vectors.empty() ||
                     vectors.size() % count)))
    return rewriter.notifyMatchFailure(
        op, "coefficients, support vectors and names do not fit together");
  Value x = rowsOf(graph, op.getX(),
                   isLinear ? int64_t(coefficients.size())
                            : int64_t(vectors.size()) / count);
  if (!x)
    return rewriter.notifyMatchFailure(op, "expects rows of features");
  if (!isLinear)
    x = kernelMatrix(graph, x, vectors, count, function);
  Value y = scoresOf(graph, x, coefficients, rho.take_front(1));
  if (op.getOneClass()) {
    Value sign = graph.pick(graph.ints({-1, 1}, 2), isPositive(graph, y));
    y = graph.cast(sign, rewriter.getF32Type());
  }
  graph.replace(op, transformScores(graph, y, *transform));
  return success();
}

//===----------------------------------------------------------------------===//
// SVMClassifier
//===----------------------------------------------------------------------===//

/// The attributes of SVMClassifier and values derived from them.
struct Classifier {
  explicit Classifier(onnx::MlSVMClassifierOp op)
      : labels(op.getClasslabelsInts(), op.getClasslabelsStrings()),
        function(op.getKernelType(), op.getKernelParams()),
        coefficients(op.getCoefficients().value_or(Floats())),
        vectors(op.getSupportVectors().value_or(Floats())),
        rho(op.getRho().value_or(Floats())),
        probA(op.getProbA().value_or(Floats())),
        probB(op.getProbB().value_or(Floats())),
        perClass(op.getVectorsPerClass().value_or(ArrayRef<int64_t>())),
        classes(std::max<int64_t>(int64_t(labels.size()), 1)) {
    for (int64_t n : perClass) {
      starts.push_back(count);
      if (llvm::AddOverflow(count, n, count))
        count = INT64_MAX; // more than there are weights
    }
    pairs = classes * (classes - 1) / 2;
  }

  bool isPairwise() const { return count > 0; }

  /// Returns true if the numbers of the attributes are consistent.
  bool isSound() const {
    if (!function.isKnown() || coefficients.empty() || rho.empty() ||
        llvm::any_of(perClass, [](int64_t n) { return n < 0; }))
      return false;
    if (!isPairwise())
      return int64_t(coefficients.size()) % classes == 0;
    // A matrix has a weight for each vector and pair.
    constexpr int64_t maxWeights = int64_t(1) << 28;
    return classes >= 2 && int64_t(perClass.size()) == classes &&
           pairs <= maxWeights / count &&
           int64_t(coefficients.size()) == (classes - 1) * count &&
           !vectors.empty() && int64_t(vectors.size()) % count == 0 &&
           int64_t(rho.size()) >= pairs &&
           (probA.empty() ||
            (int64_t(probA.size()) >= pairs && int64_t(probB.size()) >= pairs));
  }

  int64_t features() const {
    return isPairwise() ? int64_t(vectors.size()) / count
                        : int64_t(coefficients.size()) / classes;
  }

  /// The weight of each vector in the decision of each pair, [count, pairs].
  SmallVector<float> pairWeights() const {
    SmallVector<float> weights(count * pairs, 0.0f);
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        for (int64_t v = starts[i]; v < starts[i] + perClass[i]; ++v)
          weights[v * pairs + pair] = coefficients[(j - 1) * count + v];
        for (int64_t v = starts[j]; v < starts[j] + perClass[j]; ++v)
          weights[v * pairs + pair] = coefficients[i * count + v];
      }
    return weights;
  }

  /// How many pairs each class wins: of (i, j), i where the score is above 0.
  Value votes(GraphBuilder &graph, Value scores) const {
    SmallVector<float> gains(pairs * classes, 0.0f), without(classes, 0.0f);
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        gains[pair * classes + i] = 1;
        gains[pair * classes + j] = -1;
        without[j] += 1;
      }
    Value won =
        graph.cast(isPositive(graph, scores), graph.rewriter.getF32Type());
    return affine(graph, won, graph.floats(gains, {pairs, classes}), without);
  }

  /// The probability of each class, from the sigmoid of each pair's score.
  Value probabilities(GraphBuilder &graph, Value scores) const {
    Type f32 = graph.rewriter.getF32Type();
    SmallVector<float> a, b;
    for (int64_t pair = 0; pair < pairs; ++pair) {
      a.push_back(-probA[pair]);
      b.push_back(-probB[pair]);
    }
    Value inner = graph.map<onnx::AddOp>(
        graph.map<onnx::MulOp>(scores, graph.floats(a, pairs)),
        graph.floats(b, pairs));
    Value estimate = graph.map<onnx::ClipOp>(
        graph.map<onnx::SigmoidOp>(inner),
        {graph.scalar(1e-7, f32), graph.scalar(1 - 1e-7, f32)});
    int64_t n = GraphBuilder::shapeOf(scores)[0];
    return callTensor(graph.rewriter, graph.loc, "onnxc_call_couple_pairs",
                      graph.tensor(f32, {n, classes}), estimate, classes);
  }

  /// The label of the winning class; of one score without two labels, whether
  /// it is positive.
  Value winner(GraphBuilder &graph, Value votes) const {
    Value index = largestOfRows(graph, votes);
    if (rho.size() != 1)
      return labels.of(graph, index);
    Type f32 = graph.rewriter.getF32Type();
    int64_t n = GraphBuilder::shapeOf(votes)[0];
    Value largest =
        graph.reshape(graph.reduceLast<onnx::ReduceMaxOp>(votes), {-1}, n);
    if (labels.size() != 2)
      return isPositive(graph, largest);
    if (llvm::any_of(coefficients, [](float c) { return c < 0; }))
      return labels.of(graph, index);
    // Weights that are all positive make scores probabilities of the second.
    Value reached = graph.make<onnx::GreaterOrEqualOp>(
        graph.rewriter.getI1Type(), n, {largest, graph.scalar(0.5, f32)});
    Value second = graph.make<onnx::WhereOp>(
        graph.rewriter.getI64Type(), n, {reached, graph.ints(1, 1), index});
    return labels.of(graph, second);
  }

  ClassLabels labels;
  KernelFunction function;
  Floats coefficients, vectors, rho, probA, probB;
  ArrayRef<int64_t> perClass;
  SmallVector<int64_t> starts;
  int64_t classes, count = 0, pairs = 0;
};

/// A single score of two classes is [-s, s].
Value finish(GraphBuilder &graph, const Classifier &c, Value scores,
             PostTransform transform) {
  bool isSingle = GraphBuilder::shapeOf(scores)[1] == 1;
  if (isSingle && c.rho.size() == 1 && c.labels.size() == 2 &&
      transform != PostTransform::Probit)
    scores = graph.pairs(scores);
  else if (isSingle && transform != PostTransform::Probit)
    return scores;
  return transformScores(graph, scores, transform);
}

Lowered lowerClassifier(onnx::MlSVMClassifierOp op,
                        onnx::MlSVMClassifierOp::Adaptor,
                        ConversionPatternRewriter &rewriter) {
  GraphBuilder graph(rewriter, op.getLoc());
  Classifier c(op);
  auto transform = postTransformOf(op.getPostTransform());
  if (!transform)
    return rewriter.notifyMatchFailure(op, unknownPostTransform);
  if (!c.isSound())
    return rewriter.notifyMatchFailure(
        op, "labels, coefficients, support vectors and names do not fit "
            "together");
  Value x = rowsOf(graph, op.getX(), c.features());
  if (!x)
    return rewriter.notifyMatchFailure(op, "expects rows of features");
  Value scores, votes;
  if (c.isPairwise()) {
    Value matrix = kernelMatrix(graph, x, c.vectors, c.count, c.function);
    scores =
        scoresOf(graph, matrix, c.pairWeights(), c.rho.take_front(c.pairs));
    votes = c.votes(graph, scores);
  } else {
    SmallVector<float> offsets(c.classes, c.rho[0]);
    scores = votes =
        affine(graph, x, transposed(graph, c.coefficients, c.classes), offsets);
  }
  Value label = c.winner(graph, votes);
  if (c.isPairwise() && !c.probA.empty())
    scores = c.probabilities(graph, scores);
  graph.replace(op, {label, finish(graph, c, scores, *transform)});
  return success();
}

} // namespace

void populateONNXToKrnlSupportVectorsPatterns(TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerClassifier, lowerRegressor);
}

} // namespace onnxc
