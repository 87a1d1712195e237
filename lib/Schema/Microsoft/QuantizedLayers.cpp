//===- QuantizedLayers.cpp - Layers with quantised weights -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

//===----------------------------------------------------------------------===//
// QGemm
//===----------------------------------------------------------------------===//

/// The bias C is in units of a_scale * b_scale, so the sums are exact.
static bool fillGemm(Body &b) {
  b << (b.integer("transA", 0) ? "a = Transpose<perm = [1, 0]>(A)"
                               : "a = Identity(A)")
    << (b.integer("transB", 0) ? "b = Transpose<perm = [1, 0]>(B)"
                               : "b = Identity(B)")
    << "product = MatMulInteger(a, b, a_zero_point, b_zero_point)"
    << (b.hasInput(6) ? "sums = Add(product, C)" : "sums = Identity(product)")
    << "reals = Cast<to = 1>(sums)"
    << "scale = Mul(a_scale, b_scale)";
  b.real("alpha", b.number("alpha", 1));
  b << "factor = Mul(scale, alpha)";
  if (!b.hasInput(7)) {
    b << "Y = Mul(reals, factor)";
    return true;
  }
  b << "y = Mul(reals, factor)";
  b.quantize("Y", "y_scale", "y_zero_point", 8);
  return true;
}

static OpSchema gemm() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("QGemm")
      .SetDoc("Gemm on bytes.")
      .Input(0, "A", "The left factor.", "TA")
      .Input(1, "a_scale", "Its scale.", "tensor(float)")
      .Input(2, "a_zero_point", "Its zero point.", "TA")
      .Input(3, "B", "The right factor.", "TB")
      .Input(4, "b_scale", "Its scale or that of each column.", "tensor(float)")
      .Input(5, "b_zero_point", "Likewise.", "TB")
      .Input(6, "C", "Added to the sums.", "tensor(int32)", optional)
      .Input(7, "y_scale", "Scale of the result.", "tensor(float)", optional)
      .Input(8, "y_zero_point", "Zero point of the result.", "TYZ", optional)
      .Output(0, "Y", "Bytes, or reals if there is no scale.", "TY")
      .TypeConstraint("TA", byteTypes, "Bytes.")
      .TypeConstraint("TB", byteTypes, "Bytes.")
      .TypeConstraint("TYZ", byteTypes, "Bytes.")
      .TypeConstraint("TY", {"tensor(float)", "tensor(uint8)", "tensor(int8)"},
                      "Bytes or reals.");
  addAttributesOf(schema, "Gemm", {"beta"});
  return schema;
}

//===----------------------------------------------------------------------===//
// QLinearConv
//===----------------------------------------------------------------------===//

static bool fillConv(Body &b) {
  bool isChannelsLast = b.integer("channels_last", 0) != 0;
  if (isChannelsLast && b.rank(0) < 3)
    return false;
  std::string node = "QLinearConv" + b.attributesOf("QLinearConv");
  std::string rest = ", x_scale, x_zero_point, w, w_scale, w_zero_point, "
                     "y_scale, y_zero_point";
  rest += b.hasInput(8) ? ", B)" : ")";
  if (isChannelsLast)
    b.withChannelsFirst("x", b.rank(0), node, "y", rest);
  else
    b << "y = " + node + "(x" + rest;
  return true;
}

static OpSchema conv() {
  OpSchema schema;
  schema.SetName("QLinearConv")
      .SetDoc("QLinearConv, where channels may come last.")
      .Input(0, "x", "The input.", "T1")
      .Input(1, "x_scale", "Its scale.", "tensor(float)")
      .Input(2, "x_zero_point", "Its zero point.", "T1")
      .Input(3, "w", "Weights, output channels first.", "T2")
      .Input(4, "w_scale", "Of all or of each output channel.", "tensor(float)")
      .Input(5, "w_zero_point", "Likewise.", "T2")
      .Input(6, "y_scale", "Scale of the result.", "tensor(float)")
      .Input(7, "y_zero_point", "Zero point of the result.", "T3")
      .Input(8, "B", "Bias.", "T4", OpSchema::Optional)
      .Output(0, "y", "The result.", "T3")
      .Attr("channels_last", "Whether channels come last.", AttributeProto::INT,
            static_cast<int64_t>(0))
      .TypeConstraint("T1", byteTypes, "Bytes.")
      .TypeConstraint("T2", byteTypes, "Bytes.")
      .TypeConstraint("T3", byteTypes, "Bytes.")
      .TypeConstraint("T4", {"tensor(int32)"}, "Integers.");
  addAttributesOf(schema, "QLinearConv");
  return schema;
}

void onnxc::schema::microsoft::registerQuantizedLayers() {
  define(gemm(), fillGemm);
  define(conv(), fillConv);
}
