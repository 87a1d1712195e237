//===- AttentionParts.cpp - What forms of attention share ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "AttentionParts.h"

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

void onnxc::schema::microsoft::addPlaces(Body &b, const char *past) {
  b.ints("zero_axis", {0});
  b.ints("one_axis", {1});
  b << "zero_64 = Constant<value_int = 0>()"
    << "one_64 = Constant<value_int = 1>()"
    << "queries_1d = Shape<start = 1, end = 2>(q)"
    << "queries = Squeeze(queries_1d, zero_axis)"
    << "news_1d = Shape<start = 1, end = 2>(k)"
    << "news = Squeeze(news_1d, zero_axis)";
  if (past)
    b << std::string("pasts_1d = Shape<start = 2, end = 3>(") + past + ")"
      << "pasts = Squeeze(pasts_1d, zero_axis)";
  else
    b << "pasts = Identity(zero_64)";
  b << "keys = Add(news, pasts)" << "column = Range(zero_64, keys, one_64)"
    << "ends = Add(pasts, queries)"
    << "row_1d = Range(pasts, ends, one_64)"
    << "row = Unsqueeze(row_1d, one_axis)"
    << "mask_zero = CastLike(zero_64, q)";
}

void Mask::require(const std::string &condition, double value) {
  std::string name = fresh();
  b.number(name + "_low", value, "q");
  b << name + " = Where(" + condition + ", mask_zero, " + name + "_low)";
  add(name);
}

void Mask::add(const std::string &term) {
  if (sum.empty()) {
    sum = term;
    return;
  }
  std::string name = fresh();
  b << name + " = Add(" + sum + ", " + term + ")";
  sum = name;
}

void Mask::requireCausal() {
  b << "causal = GreaterOrEqual(row, column)";
  require("causal", lowestFloat);
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

void onnxc::schema::microsoft::splitHeads(Body &b, const std::string &input,
                                          int64_t heads,
                                          const std::string &result) {
  b.ints(result + "_shape", {0, 0, heads, -1});
  b << result + "_4d = Reshape(" + input + ", " + result + "_shape)"
    << result + " = Transpose<perm = [0, 2, 1, 3]>(" + result + "_4d)";
}

void onnxc::schema::microsoft::joinHeads(Body &b, const std::string &input,
                                         const std::string &result) {
  b.ints(result + "_shape", {0, 0, -1});
  b << result + "_4d = Transpose<perm = [0, 2, 1, 3]>(" + input + ")"
    << result + " = Reshape(" + result + "_4d, " + result + "_shape)";
}

void onnxc::schema::microsoft::attend(Body &b, int64_t heads, int64_t keyHeads,
                                      const Mask &mask,
                                      const std::string &past) {
  std::string attributes = "q_num_heads = " + std::to_string(heads) +
                           ", kv_num_heads = " + std::to_string(keyHeads);
  for (const char *name : {"scale", "softcap"})
    if (b.number(name, 0) != 0)
      attributes +=
          std::string(", ") + name + " = " + literal(b.number(name, 0));
  std::string inputs = "q, k, v";
  if (!mask.name().empty() || !past.empty())
    inputs += ", " + mask.name();
  if (!past.empty())
    inputs += ", " + past;
  b << "y, new_key, new_value = Attention<" + attributes + ">(" + inputs + ")";
  if (past.empty()) {
    splitHeads(b, "k", keyHeads, "all_keys");
    splitHeads(b, "v", keyHeads, "all_values");
  } else {
    b << "all_keys = Identity(new_key)" << "all_values = Identity(new_value)";
  }
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

void onnxc::schema::microsoft::rotate(Body &b, const std::string &input,
                                      int64_t heads, int64_t turned,
                                      const std::string &interleaved,
                                      const std::string &result) {
  std::string attributes = "interleaved = " + interleaved;
  if (heads > 0)
    attributes += ", num_heads = " + std::to_string(heads);
  if (turned > 0)
    attributes += ", rotary_embedding_dim = " + std::to_string(turned);
  b << result + " = RotaryEmbedding<" + attributes + ">(" + input +
           ", cos_cache, sin_cache, places)";
}

void onnxc::schema::microsoft::countPlaces(Body &b, const std::string &input,
                                           int sequenceDim,
                                           const std::string &start) {
  std::string dim = std::to_string(sequenceDim);
  std::string next = std::to_string(sequenceDim + 1);
  b.ints("places_axis", {0});
  b << "places_batch = Shape<start = 0, end = 1>(" + input + ")"
    << "places_length = Shape<start = " + dim + ", end = " + next + ">(" +
           input + ")"
    << "places_count = Squeeze(places_length, places_axis)"
    << "places_zero = Constant<value_int = 0>()"
    << "places_one = Constant<value_int = 1>()"
    << "places_range = Range(places_zero, places_count, places_one)"
    << "places_row = Add(places_range, " + start + ")"
    << "places_shape = Concat<axis = 0>(places_batch, places_length)"
    << "places = Expand(places_row, places_shape)";
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

void onnxc::schema::microsoft::addInteger(OpSchema &schema, const char *name,
                                          int64_t value) {
  schema.Attr(name, "See the operator's text.", AttributeProto::INT, value);
}

void onnxc::schema::microsoft::addReal(OpSchema &schema, const char *name,
                                       float value) {
  schema.Attr(name, "See the operator's text.", AttributeProto::FLOAT, value);
}

OpSchema &onnxc::schema::microsoft::addAttentionTypes(OpSchema &schema) {
  return schema
      .TypeConstraint("T",
                      {"tensor(float)", "tensor(float16)", "tensor(bfloat16)"},
                      "Reals.")
      .TypeConstraint("M", {"tensor(int32)", "tensor(int64)"}, "Integers.");
}
