//===- FusedPairs.cpp - Pairs of operators in one --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

using namespace onnxc::schema::microsoft;

static bool fillGemmFastGelu(Body &b) {
  b << "product = MatMul(X, W)"
    << (b.hasInput(2) ? "sum = Add(product, bias)" : "sum = Identity(product)")
    << "Y = Gelu<approximate = \"tanh\">(sum)";
  return true;
}
/// Softmax along all dimensions from the axis on. A bias of fewer dimensions
/// is one of the inner ones.
static bool fillBiasSoftmax(Body &b) {
  b << "sum = Add(data, bias)"
    << "rows = Flatten<axis = " + std::to_string(b.integer("axis", 1)) +
           ">(sum)"
    << "normal = Softmax<axis = -1>(rows)" << "shape = Shape(sum)"
    << "output = Reshape<allowzero = 1>(normal, shape)";
  return true;
}
static bool fillBiasDropout(Body &b) {
  b << "sum = Add(data, bias)"
    << "dropped, mask = Dropout" + b.attributes({"seed"}) +
           "(sum, ratio, training_mode)"
    << (b.hasInput(2) ? "output = Add(dropped, residual)"
                      : "output = Identity(dropped)");
  return true;
}
static bool fillIsAllFinite(Body &b) {
  bool onlyInf = b.integer("isinf_only", 0) != 0;
  bool onlyNaN = b.integer("isnan_only", 0) != 0;
  std::string all;
  for (const std::string &name : b.variadic(0, "input")) {
    b << name + "_wide = Cast<to = 11>(" + name + ")"
      << name + "_inf = IsInf(" + name + "_wide)"
      << name + "_nan = IsNaN(" + name + "_wide)"
      << name + "_any = Or(" + name + "_inf, " + name + "_nan)"
      << name + "_bad = Cast<to = 6>(" + name +
             (onlyInf   ? "_inf)"
              : onlyNaN ? "_nan)"
                        : "_any)")
      << name + "_most = ReduceSum<keepdims = 0>(" + name + "_bad)";
    all += (all.empty() ? "" : ", ") + name + "_most";
  }
  if (all.empty())
    return false;
  b << "most = Max(" + all + ")" << "found = Cast<to = 9>(most)"
    << "output = Not(found)";
  return true;
}
void onnxc::schema::microsoft::registerFusedPairs() {
  const Row rows[] = {
      {"GemmFastGelu", "GELU of a product, by tanh.", "X:T, W:T, bias:T?",
       "Y:T", "", "T=f32 f16 bf16", fillGemmFastGelu},
      {"BiasSoftmax", "Softmax of a sum.", "data:T, bias:T", "output:T",
       "axis:i=1, is_inner_broadcast:i", "T=f16 f32 f64", fillBiasSoftmax},
      {"BiasDropout", "Dropout of a sum, plus a residual.",
       "data:T, bias:T, residual:T?, ratio:T1?, training_mode:b?",
       "output:T, mask:b?", "seed:i?",
       "T=f16 f32 f64 bf16, T1=f16 f32 f64 bf16", fillBiasDropout},
      {"IsAllFinite", "Whether no element is infinite or NaN.", "input:V*",
       "output:b", "isinf_only:i=0, isnan_only:i=0", "V=f16 f32 f64 bf16",
       fillIsAllFinite}};
  for (const Row &row : rows)
    define(row);
}
