//===- AttentionParts.cpp - Shared parts of attention ----------*- C++ -*-===//
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

void onnxc::schema::microsoft::addPositions(Body &b, const char *past) {
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
// Attention of a cache
//===----------------------------------------------------------------------===//

void onnxc::schema::microsoft::writeCache(Body &b, const std::string &past,
                                          const std::string &fresh,
                                          const std::string &result) {
  const std::string &n = result;
  b.ints(n + "_none", {0, 0, 0, 0, 0, 0});
  b.ints(n + "_last", {0});
  b << n + "_length = Shape<start = 2, end = 3>(" + past + ")"
    << n + "_missing = Sub(presents, " + n + "_length)"
    << n + "_pads = Concat<axis = 0>(" + n + "_none, " + n + "_missing, " + n +
           "_last)"
    << n + "_longer = Pad(" + past + ", " + n + "_pads)"
    << result + " = TensorScatter<axis = 2>(" + n + "_longer, " + fresh +
           ", starts)";
}

/// Defines `scores`, [batch, heads, queries, keys] of f32, the mask added. With
/// more heads than those of keys, groups of queries share the latter.
static void addScores(Body &b, int64_t heads, int64_t keyHeads,
                      const std::string &mask, double softcap) {
  b.ints("group_shape", {0, 0, keyHeads, heads / keyHeads, -1});
  b.ints("group_axis", {2});
  b.ints("heads_1d", {heads});
  b << "q_groups = Reshape(q, group_shape)"
    << "q_5d = Transpose<perm = [0, 2, 3, 1, 4]>(q_groups)"
    << "keys_5d = Unsqueeze(all_keys, group_axis)"
    << "keys_transposed = Transpose<perm = [0, 1, 2, 4, 3]>(keys_5d)";
  if (float scale = b.number("scale", 0); scale != 0) {
    b.number("scale_like", scale, "q");
  } else {
    b << "size_1d = Shape<start = 3, end = 4>(all_keys)"
      << "size_0d = Squeeze(size_1d)" << "size_real = Cast<to = 1>(size_0d)"
      << "size_root = Sqrt(size_real)"
      << "scale_f32 = Reciprocal(size_root)"
      << "scale_like = CastLike(scale_f32, q)";
  }
  b << "q_scaled = Mul(q_5d, scale_like)"
    << "scores_5d = MatMul(q_scaled, keys_transposed)"
    << "scores_wide = Cast<to = 1>(scores_5d)"
    << "scores_batch = Shape<start = 0, end = 1>(scores_5d)"
    << "scores_sides = Shape<start = 3, end = 5>(scores_5d)"
    << "scores_shape = Concat<axis = 0>(scores_batch, heads_1d, scores_sides)"
    << "scores_4d = Reshape(scores_wide, scores_shape)";
  if (softcap > 0) {
    b.real("cap", static_cast<float>(softcap));
    b << "scores_part = Div(scores_4d, cap)"
      << "scores_bent = Tanh(scores_part)"
      << "scores_capped = Mul(scores_bent, cap)";
  } else {
    b << "scores_capped = Identity(scores_4d)";
  }
  if (mask.empty())
    b << "scores = Identity(scores_capped)";
  else
    b << "mask_wide = Cast<to = 1>(" + mask + ")"
      << "scores = Add(scores_capped, mask_wide)";
}

/// Defines `weights`: the softmax, in whose sum the sink has a part.
static void addWeights(Body &b, const std::string &sink) {
  if (sink.empty()) {
    b << "weights = Softmax<axis = -1>(scores)";
    return;
  }
  b.ints("sink_shape", {-1, 1, 1});
  b.ints("weights_axis", {-1});
  b << "sink_wide = Cast<to = 1>(" + sink + ")"
    << "sink_3d = Reshape(sink_wide, sink_shape)"
    << "scores_max = ReduceMax(scores, weights_axis)"
    << "scores_top = Max(scores_max, sink_3d)"
    << "scores_below = Sub(scores, scores_top)"
    << "scores_exp = Exp(scores_below)"
    << "scores_sum = ReduceSum(scores_exp, weights_axis)"
    << "sink_below = Sub(sink_3d, scores_top)" << "sink_exp = Exp(sink_below)"
    << "weights_sum = Add(scores_sum, sink_exp)"
    << "weights = Div(scores_exp, weights_sum)";
}

void onnxc::schema::microsoft::attendCached(Body &b, int64_t heads,
                                            int64_t keyHeads, const Mask &mask,
                                            const ScoreOptions &options) {
  // The standard's Attention caps scores after the mask, which it so undoes.
  if (options.softcap <= 0 && options.sink.empty() && !options.isShown) {
    std::string scale = b.number("scale", 0) != 0
                            ? "<scale = " + literal(b.number("scale", 0)) + ">"
                            : "";
    splitHeads(b, "q", heads, "q_heads");
    b << "y_heads = Attention" + scale + "(q_heads, all_keys, all_values" +
             (mask.name().empty() ? "" : ", " + mask.name()) + ")";
    joinHeads(b, "y_heads", "y");
    return;
  }
  addScores(b, heads, keyHeads, mask.name(), options.softcap);
  addWeights(b, options.sink);
  b.ints("y_shape", {0, 0, -1});
  b << "weights_like = CastLike(weights, q)"
    << "weights_shape = Shape(scores_5d)"
    << "weights_5d = Reshape(weights_like, weights_shape)"
    << "values_5d = Unsqueeze(all_values, group_axis)"
    << "y_5d = MatMul(weights_5d, values_5d)"
    << "y_transposed = Transpose<perm = [0, 3, 1, 2, 4]>(y_5d)"
    << "y = Reshape(y_transposed, y_shape)";
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

void onnxc::schema::microsoft::rotate(Body &b, const std::string &input,
                                      int64_t heads, int64_t rotated,
                                      const std::string &interleaved,
                                      const std::string &result) {
  std::string attributes = "interleaved = " + interleaved;
  if (heads > 0)
    attributes += ", num_heads = " + std::to_string(heads);
  if (rotated > 0)
    attributes += ", rotary_embedding_dim = " + std::to_string(rotated);
  b << result + " = RotaryEmbedding<" + attributes + ">(" + input +
           ", cos_cache, sin_cache, positions)";
}

void onnxc::schema::microsoft::countPositions(Body &b, const std::string &input,
                                              int sequenceDim,
                                              const std::string &start) {
  std::string dim = std::to_string(sequenceDim);
  std::string next = std::to_string(sequenceDim + 1);
  b.ints("positions_axis", {0});
  b << "positions_batch = Shape<start = 0, end = 1>(" + input + ")"
    << "positions_length = Shape<start = " + dim + ", end = " + next + ">(" +
           input + ")"
    << "positions_count = Squeeze(positions_length, positions_axis)"
    << "positions_zero = Constant<value_int = 0>()"
    << "positions_one = Constant<value_int = 1>()"
    << "positions_range = Range(positions_zero, positions_count, positions_one)"
    << "positions_row = Add(positions_range, " + start + ")"
    << "positions_shape = Concat<axis = 0>(positions_batch, positions_length)"
    << "positions = Expand(positions_row, positions_shape)";
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
