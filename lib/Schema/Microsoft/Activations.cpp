//===- Activations.cpp - Forms of GELU -------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

using namespace onnxc::schema::microsoft;
using ::onnx::OpSchema;

/// An operator whose result has the type of its first input.
static OpSchema unary(const char *name, const char *doc) {
  OpSchema schema;
  schema.SetName(name)
      .SetDoc(doc)
      .Input(0, "X", "The input.", "T")
      .Output(0, "Y", "The result.", "T")
      .TypeConstraint("T", floatTypes, "Floating-point tensors.")
      .TypeAndShapeInferenceFunction(
          ::onnx::propagateShapeAndTypeFromFirstInput);
  return schema;
}

/// x * Phi(x), the normal distribution's function: arXiv 1606.08415.
static bool fillGelu(Body &b) {
  b << "Y = Gelu(X)";
  return true;
}

/// Fills in the body of FastGelu, which approximates Gelu by tanh.
static bool fillFastGelu(Body &b) {
  b << (b.hasInput(1) ? "sum = Add(X, bias)" : "sum = Identity(X)")
    << "Y = Gelu<approximate = \"tanh\">(sum)";
  return true;
}

static bool fillBiasGelu(Body &b) {
  b << "sum = Add(A, B)" << "C = Gelu(sum)";
  return true;
}

/// x * sigmoid(alpha * x)
static bool fillQuickGelu(Body &b) {
  b.number("factor", b.number("alpha", 1.702f), "X");
  b << "scaled = Mul(X, factor)" << "gate = Sigmoid(scaled)"
    << "Y = Mul(X, gate)";
  return true;
}

void onnxc::schema::microsoft::registerActivations() {
  define(unary("Gelu", "Gaussian error linear unit."), fillGelu);
  define(unary("FastGelu", "GELU by its approximation with tanh.")
             .Input(1, "bias", "Added to X first.", "T", OpSchema::Optional),
         fillFastGelu);
  define(unary("QuickGelu", "X * sigmoid(alpha * X).")
             .Attr("alpha", "Factor inside of the sigmoid.",
                   ::onnx::AttributeProto::FLOAT, 1.702f),
         fillQuickGelu);
  define(OpSchema()
             .SetName("BiasGelu")
             .SetDoc("GELU of A + B.")
             .Input(0, "A", "The input.", "T")
             .Input(1, "B", "One number for each of the last dimension.", "T")
             .Output(0, "C", "The result.", "T")
             .TypeConstraint("T", floatTypes, "Floating-point tensors.")
             .TypeAndShapeInferenceFunction(
                 ::onnx::propagateShapeAndTypeFromFirstInput),
         fillBiasGelu);
}
