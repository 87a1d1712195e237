//===- Fused.cpp - Contractions with more in them --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

#include <functional>
#include <map>
#include <numeric>

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

//===----------------------------------------------------------------------===//
// FusedMatMul
//===----------------------------------------------------------------------===//

/// The order of dimensions that makes a factor a plain one. With `batch` the
/// rows come before the batch: [M, batch.., K] -> [batch.., M, K].
static std::vector<int64_t> factorOrder(int rank, bool transposed, bool batch) {
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (batch && rank > 2)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (transposed)
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  return order;
}

/// Defines `result` as the factor `name`, dimensions in MatMul's order.
static bool addFactor(Body &b, int input, const std::string &name,
                      const std::string &result) {
  bool transposed = b.integer("trans" + name, 0) != 0;
  bool batch = b.integer("transBatch" + name, 0) != 0;
  int rank = b.rank(input);
  if ((transposed || batch) && rank < 0)
    return false;
  if ((!transposed && !batch) || rank < 2) {
    b << result + " = Identity(" + name + ")";
    return true;
  }
  b << result +
           " = Transpose<perm = " + list(factorOrder(rank, transposed, batch)) +
           ">(" + name + ")";
  return true;
}

/// Defines `result` as the multiple of the product.
static bool addProduct(Body &b, const std::string &result) {
  if (!addFactor(b, 0, "A", "a") || !addFactor(b, 1, "B", "b"))
    return false;
  b << "product = MatMul(a, b)";
  b.number("factor", b.number("alpha", 1.0f), "product");
  b << (b.number("alpha", 1.0f) == 1.0f ? result + " = Identity(product)"
                                        : result + " = Mul(product, factor)");
  return true;
}

static bool fillFusedMatMul(Body &b) { return addProduct(b, "Y"); }

static OpSchema fusedMatMul(const char *name) {
  OpSchema schema;
  schema.SetName(name)
      .SetDoc("alpha * A * B, with dimensions of A and B transposed before.")
      .Input(0, "A", "The left factor.", "T")
      .Input(1, "B", "The right factor.", "T")
      .Output(0, "Y", "The product.", "T")
      .Attr("alpha", "Factor of the product.", AttributeProto::FLOAT, 1.0f)
      .TypeConstraint("T", floatTypes, "Floating-point tensors.");
  for (const char *attribute :
       {"transA", "transB", "transBatchA", "transBatchB"})
    schema.Attr(attribute, "Whether to transpose.", AttributeProto::INT,
                static_cast<int64_t>(0));
  return schema;
}

//===----------------------------------------------------------------------===//
// Activations after contractions
//===----------------------------------------------------------------------===//

namespace {

/// A parameter: its index in the list, its name and its default.
using Parameter = std::function<float(size_t, const char *, float)>;

} // namespace

/// Adds y = activation(x). False for an activation that has no meaning here.
static bool addActivation(Body &b, const std::string &name,
                          const Parameter &parameter) {
  // Parameters in the order of activation_params, with ONNX's defaults.
  static const std::map<std::string,
                        std::vector<std::pair<const char *, float>>>
      known = {{"Relu", {}},
               {"Tanh", {}},
               {"Sigmoid", {}},
               {"Softplus", {}},
               {"Softsign", {}},
               {"HardSwish", {}},
               {"Gelu", {}},
               {"LeakyRelu", {{"alpha", 0.01f}}},
               {"Elu", {{"alpha", 1.0f}}},
               {"Selu", {{"alpha", 1.67326319f}, {"gamma", 1.05070102f}}},
               {"ThresholdedRelu", {{"alpha", 1.0f}}},
               {"HardSigmoid", {{"alpha", 0.2f}, {"beta", 0.5f}}}};
  if (name.empty()) {
    b << "Y = Identity(x)";
    return true;
  }
  auto found = known.find(name);
  if (found == known.end())
    return false;
  std::string text;
  for (size_t i = 0; i < found->second.size(); ++i) {
    auto [attribute, usual] = found->second[i];
    text += (i ? ", " : "") + std::string(attribute) + " = " +
            literal(parameter(i, attribute, usual));
  }
  b << "Y = " + name + (text.empty() ? "" : "<" + text + ">") + "(x)";
  return true;
}

static bool fillFusedConv(Body &b) {
  b << "conv = Conv" + b.attributesOf("Conv") + "(X, W, B)"
    << (b.hasInput(3) ? "x = Add(conv, Z)" : "x = Identity(conv)");
  std::string activation = b.text("activation");
  std::vector<float> p = b.numbers("activation_params");
  if (activation == "Clip" && p.size() == 2) {
    b.number("low", p[0], "x");
    b.number("high", p[1], "x");
    b << "Y = Clip(x, low, high)";
    return true;
  }
  return addActivation(b, activation, [&](size_t i, const char *, float usual) {
    return i < p.size() ? p[i] : usual;
  });
}

/// Adds the activation that attributes name and describe.
static bool addNamedActivation(Body &b) {
  return addActivation(
      b, b.text("activation"), [&](size_t, const char *name, float usual) {
        return b.number("activation_" + std::string(name), usual);
      });
}

static bool fillFusedGemm(Body &b) {
  b << "x = Gemm" + b.attributesOf("Gemm") + "(A, B, C)";
  return addNamedActivation(b);
}

static bool fillFusedMatMulActivation(Body &b) {
  return addProduct(b, "x") && addNamedActivation(b);
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

static OpSchema fusedConv() {
  OpSchema schema;
  schema.SetName("FusedConv")
      .SetDoc("Conv, plus Z, and an activation.")
      .Input(0, "X", "The input.", "T")
      .Input(1, "W", "The weights.", "T")
      .Input(2, "B", "One number for each channel.", "T", OpSchema::Optional)
      .Input(3, "Z", "Added to the convolution.", "T", OpSchema::Optional)
      .Output(0, "Y", "The result.", "T")
      .Attr("activation", "Name of an operator.", AttributeProto::STRING,
            ::onnx::OPTIONAL_VALUE)
      .Attr("activation_params", "Its attributes or bounds.",
            AttributeProto::FLOATS, ::onnx::OPTIONAL_VALUE)
      .TypeConstraint("T", floatTypes, "Floating-point tensors.");
  addAttributesOf(schema, "Conv");
  return schema;
}

static void addActivationAttributes(OpSchema &schema) {
  for (const char *name :
       {"activation_alpha", "activation_beta", "activation_gamma"})
    schema.Attr(name, "Of the activation.", AttributeProto::FLOAT,
                ::onnx::OPTIONAL_VALUE);
}

static OpSchema fusedMatMulActivation() {
  OpSchema schema = fusedMatMul("FusedMatMulActivation");
  schema.Attr("activation", "Name of an operator.", AttributeProto::STRING)
      .Attr("activation_axis", "Of the activation.", AttributeProto::INT,
            ::onnx::OPTIONAL_VALUE);
  addActivationAttributes(schema);
  return schema;
}

static OpSchema fusedGemm() {
  OpSchema schema;
  schema.SetName("FusedGemm")
      .SetDoc("Gemm and an activation.")
      .Input(0, "A", "The left factor.", "T")
      .Input(1, "B", "The right factor.", "T")
      .Input(2, "C", "Added to the product.", "T", OpSchema::Optional)
      .Output(0, "Y", "The result.", "T")
      .Attr("activation", "Name of an operator.", AttributeProto::STRING,
            ::onnx::OPTIONAL_VALUE)
      .TypeConstraint("T", floatTypes, "Floating-point tensors.");
  addAttributesOf(schema, "Gemm");
  addActivationAttributes(schema);
  return schema;
}

//===----------------------------------------------------------------------===//
// CDist
//===----------------------------------------------------------------------===//

static bool fillCDist(Body &b) {
  std::string metric = b.text("metric");
  if (!metric.empty() && metric != "euclidean" && metric != "sqeuclidean")
    return false;
  b.ints("row_axis", {1});
  b.ints("column_axis", {0});
  b.ints("last", {2});
  b << "rows = Unsqueeze(A, row_axis)" << "columns = Unsqueeze(B, column_axis)"
    << "difference = Sub(rows, columns)"
    << "squares = ReduceSumSquare<keepdims = 0>(difference, last)"
    << (metric == "euclidean" ? "C = Sqrt(squares)" : "C = Identity(squares)");
  return true;
}

static OpSchema cdist() {
  OpSchema schema;
  schema.SetName("CDist")
      .SetDoc("Distances between the rows of A and those of B.")
      .Input(0, "A", "[M, K]", "T")
      .Input(1, "B", "[N, K]", "T")
      .Output(0, "C", "[M, N]", "T")
      .Attr("metric", "euclidean or sqeuclidean.", AttributeProto::STRING,
            "sqeuclidean")
      .TypeConstraint("T", {"tensor(float)", "tensor(double)"}, "Reals.");
  return schema;
}

void onnxc::schema::microsoft::registerFused() {
  define(fusedMatMul("FusedMatMul"), fillFusedMatMul);
  define(fusedMatMul("TransposeMatMul"), fillFusedMatMul);
  define(fusedMatMulActivation(), fillFusedMatMulActivation);
  define(fusedConv(), fillFusedConv);
  define(fusedGemm(), fillFusedGemm);
  define(cdist(), fillCDist);
}
