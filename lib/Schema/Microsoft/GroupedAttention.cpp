//===- GroupedAttention.cpp - Attention of language models -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "AttentionParts.h"

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

static bool fillRotaryEmbedding(Body &b) {
  if (b.number("scale", 1) != 1)
    b.refuse("scale");
  int rank = b.rank(0);
  int64_t rotated = b.integer("rotary_embedding_dim", 0);
  int64_t heads = b.integer("num_heads", 0);
  if ((rank != 3 && rank != 4) || b.rank(1) < 1)
    return false;
  if (b.rank(1) == 1)
    countPositions(b, "input", rank == 3 ? 1 : 2, "position_ids");
  else
    b << "positions = Identity(position_ids)";
  std::string interleaved = std::to_string(b.integer("interleaved", 0));
  if (rank == 4 || heads > 0) {
    rotate(b, "input", rank == 3 ? heads : 0, rotated, interleaved, "output");
    return true;
  }
  // Without a number of heads, heads are of the size of the caches.
  if (rotated > 0)
    return false;
  b.ints("two", {2});
  b.ints("keep_and_split", {0, 0, -1});
  b << "half = Shape<start = 1, end = 2>(cos_cache)" << "size = Mul(half, two)"
    << "split_shape = Concat<axis = 0>(keep_and_split, size)"
    << "split = Reshape(input, split_shape)"
    << "by_head = Transpose<perm = [0, 2, 1, 3]>(split)";
  rotate(b, "by_head", 0, 0, interleaved, "rotated");
  joinHeads(b, "rotated", "output");
  return true;
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

/// Defines q0, k and v: the operands, or parts of one that holds all.
static void splitGroups(Body &b, int64_t heads, int64_t keyHeads) {
  if (b.hasInput(1) && b.hasInput(2)) {
    b << "q0 = Identity(query)" << "k0 = Identity(key)"
      << "v = Identity(value)";
    return;
  }
  b.ints("by_head", {0, 0, heads + 2 * keyHeads, -1});
  b.ints("group_heads", {heads, keyHeads, keyHeads});
  b.ints("joined", {0, 0, -1});
  b << "all_heads = Reshape(query, by_head)"
    << "q_4d, k_4d, v_4d = Split<axis = 2>(all_heads, group_heads)"
    << "q0 = Reshape(q_4d, joined)" << "k0 = Reshape(k_4d, joined)"
    << "v = Reshape(v_4d, joined)";
}

/// Defines `starts`, [batch], the number of keys before the new ones, and
/// `presents`, [1], the number of keys of the result. Sequences of a batch may
/// differ in length, and the past may be longer than its keys.
static void addStarts(Body &b) {
  b.ints("flat", {-1});
  b << "lasts_64 = Cast<to = 7>(seqlens_k)"
    << "lasts = Reshape(lasts_64, flat)";
  if (!b.hasInput(3)) {
    b << "starts = Sub(lasts, lasts)";
    return;
  }
  b << "total_64 = Cast<to = 7>(total_sequence_length)"
    << "total = Reshape(total_64, flat)"
    << "fresh = Shape<start = 1, end = 2>(query)"
    << "lasts_before = Sub(lasts, fresh)";
  b.ints("one_1d", {1});
  b.ints("zero_1d", {0});
  b << "ends_before = Add(lasts_before, one_1d)"
    << "is_first = Equal(fresh, total)"
    << "starts = Where(is_first, zero_1d, ends_before)"
    << "past_room = Shape<start = 2, end = 3>(past_key)"
    << "presents = Max(total, past_room)";
}

/// Defines `positions`, [batch, queries], from `starts` on.
static void addFreshPositions(Body &b) {
  b.ints("position_axis", {1});
  b << "position_count_1d = Shape<start = 1, end = 2>(query)"
    << "position_count = Squeeze(position_count_1d)"
    << "position_zero = Constant<value_int = 0>()"
    << "position_one = Constant<value_int = 1>()"
    << "position_row = Range(position_zero, position_count, position_one)"
    << "position_starts = Unsqueeze(starts, position_axis)"
    << "fresh_positions = Add(position_starts, position_row)";
}

/// Defines `result` as `input` with the heads of `weight` normalised.
static void normalizeHeads(Body &b, const std::string &input, int64_t heads,
                           const std::string &weight,
                           const std::string &result) {
  b.ints(result + "_by_head", {0, 0, heads, -1});
  b.ints(result + "_joined", {0, 0, -1});
  b << result + "_4d = Reshape(" + input + ", " + result + "_by_head)"
    << result + "_normal = RMSNormalization<axis = -1, epsilon = " +
           literal(b.number("qk_norm_epsilon", 1e-6f)) + ">(" + result +
           "_4d, " + weight + ")"
    << result + " = Reshape(" + result + "_normal, " + result + "_joined)";
}

/// Defines q and k of q0 and k0.
static void rotateGroups(Body &b, int64_t heads, int64_t keyHeads) {
  std::string from[] = {"q0", "k0"};
  if (b.hasInput(14)) {
    normalizeHeads(b, "q0", heads, "q_norm_weight", "q1");
    normalizeHeads(b, "k0", keyHeads, "k_norm_weight", "k1");
    from[0] = "q1";
    from[1] = "k1";
  }
  if (b.integer("do_rotary", 0) == 0) {
    b << "q = Identity(" + from[0] + ")" << "k = Identity(" + from[1] + ")";
    return;
  }
  b << (b.hasInput(9) ? "positions = Identity(position_ids)"
                      : "positions = Identity(fresh_positions)");
  std::string interleaved = std::to_string(b.integer("rotary_interleaved", 0));
  int64_t half = b.size(7, 1), width = b.size(0, 2);
  int64_t all = b.hasInput(1) ? heads : heads + 2 * keyHeads;
  int64_t rotated =
      half > 0 && width > 0 && 2 * half < width / all ? 2 * half : 0;
  rotate(b, from[0], heads, rotated, interleaved, "q");
  rotate(b, from[1], keyHeads, rotated, interleaved, "k");
}

/// Defines all_keys and all_values.
static void addCaches(Body &b, int64_t keyHeads) {
  bool hasPast = b.hasInput(3);
  splitHeads(b, "k", keyHeads, hasPast ? "fresh_keys" : "all_keys");
  splitHeads(b, "v", keyHeads, hasPast ? "fresh_values" : "all_values");
  if (hasPast) {
    writeCache(b, "past_key", "fresh_keys", "all_keys");
    writeCache(b, "past_value", "fresh_values", "all_values");
  }
}

/// The bias of the scores. Columns are keys and rows are queries by their
/// positions, which differ in a batch.
static void addGroupMask(Body &b, Mask &mask) {
  b.ints("row_axes", {1, 3});
  b.ints("last_axes", {1, 2, 3});
  b << "zero_64 = Constant<value_int = 0>()"
    << "one_64 = Constant<value_int = 1>()"
    << "keys_1d = Shape<start = 2, end = 3>(all_keys)"
    << "keys = Squeeze(keys_1d)" << "column = Range(zero_64, keys, one_64)"
    << "row = Unsqueeze(fresh_positions, row_axes)"
    << "mask_zero = CastLike(zero_64, q)";
  if (b.integer("causal", 1) != 0) {
    mask.requireCausal();
  } else {
    b << "lasts_4d = Unsqueeze(lasts, last_axes)"
      << "counts = LessOrEqual(column, lasts_4d)";
    mask.require("counts", lowestFloat);
  }
  if (int64_t window = b.integer("local_window_size", -1); window > 0) {
    b << "window = Constant<value_int = " + std::to_string(window) + ">()"
      << "window_end = Add(column, window)"
      << "in_window = Greater(window_end, row)";
    mask.require("in_window", lowestFloat);
  }
  if (!b.hasInput(10))
    return;
  // The cache may be longer than the sequences that the bias is for.
  b.ints("bias_none", {0, 0, 0, 0, 0, 0, 0});
  b << "bias_length = Shape<start = 3>(attention_bias)"
    << "bias_missing = Sub(keys_1d, bias_length)"
    << "bias_pads = Concat<axis = 0>(bias_none, bias_missing)"
    << "bias_longer = Pad(attention_bias, bias_pads)";
  mask.add("bias_longer");
}

static void refuseOtherGroups(const Body &b) {
  for (const char *name : {"k_quant_type", "v_quant_type"})
    if (!b.text(name).empty() && b.text(name) != "NONE")
      b.refuse("k_quant_type");
  if (b.hasInput(12) || b.hasInput(13))
    b.refuse("k_quant_type");
  if (b.integer("sliding_window_cache", 0) != 0)
    b.refuse("sliding_window_cache");
}

static bool fillGroupQueryAttention(Body &b) {
  int64_t heads = b.integer("num_heads", 0);
  int64_t keyHeads = b.integer("kv_num_heads", 0);
  refuseOtherGroups(b);
  if (heads < 1 || keyHeads < 1 || heads % keyHeads != 0 ||
      b.hasInput(3) != b.hasInput(4) || b.hasInput(14) != b.hasInput(15))
    return false;
  addStarts(b);
  addFreshPositions(b);
  splitGroups(b, heads, keyHeads);
  rotateGroups(b, heads, keyHeads);
  addCaches(b, keyHeads);
  Mask mask(b);
  addGroupMask(b, mask);
  ScoreOptions options;
  options.softcap = b.number("softcap", 0);
  options.isShown = b.hasOutput(3);
  if (b.hasInput(11)) {
    options.sink = "head_sink";
  } else if (b.integer("smooth_softmax", 0) > 0) {
    b.real("no_score", 0);
    options.sink = "no_score";
  }
  attendCached(b, heads, keyHeads, mask, options);
  b << "output = Identity(y)" << "present_key = Identity(all_keys)"
    << "present_value = Identity(all_values)";
  if (options.isShown)
    b << (b.integer("qk_output", 0) == 1
              ? "output_qk = CastLike(scores, query)"
              : "output_qk = CastLike(weights, query)");
  return true;
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

static OpSchema groupQueryAttention() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("GroupQueryAttention")
      .SetDoc("Causal attention, several heads of queries to one of keys.")
      .Input(0, "query", "[batch, queries, hidden], or all packed", "T")
      .Input(1, "key", "[batch, queries, hidden]", "T", optional)
      .Input(2, "value", "Likewise.", "T", optional)
      .Input(3, "past_key", "[batch, heads, past, size]", "T", optional)
      .Input(4, "past_value", "Likewise.", "T", optional)
      .Input(5, "seqlens_k", "The last key of each of the batch.", "M")
      .Input(6, "total_sequence_length", "The longest.", "M")
      .Input(7, "cos_cache", "Of the rotation.", "T", optional)
      .Input(8, "sin_cache", "Of the rotation.", "T", optional)
      .Input(9, "position_ids", "[batch, queries]", "tensor(int64)", optional)
      .Input(10, "attention_bias", "Added to the scores.", "T", optional)
      .Input(11, "head_sink", "Of the softmax.", "T", optional)
      .Input(12, "k_scale", "Of a cache of bytes.", "tensor(float)", optional)
      .Input(13, "v_scale", "Likewise.", "tensor(float)", optional)
      .Input(14, "q_norm_weight", "Normalises each head.", "T", optional)
      .Input(15, "k_norm_weight", "Likewise.", "T", optional)
      .Output(0, "output", "[batch, queries, hidden]", "T")
      .Output(1, "present_key", "[batch, heads, all, size]", "T", optional)
      .Output(2, "present_value", "Likewise.", "T", optional)
      .Output(3, "output_qk", "The scores or their softmax.", "T", optional)
      .Attr("num_heads", "Heads of queries.", AttributeProto::INT)
      .Attr("kv_num_heads", "Heads of keys.", AttributeProto::INT);
  addInteger(schema, "do_rotary");
  addInteger(schema, "rotary_interleaved");
  addInteger(schema, "local_window_size", -1);
  addInteger(schema, "smooth_softmax");
  addInteger(schema, "causal", 1);
  addInteger(schema, "qk_output");
  addInteger(schema, "sliding_window_cache");
  addInteger(schema, "kv_cache_bit_width");
  addReal(schema, "scale", 0);
  addReal(schema, "softcap", 0);
  addReal(schema, "qk_norm_epsilon", 1e-6f);
  for (const char *name : {"k_quant_type", "v_quant_type"})
    schema.Attr(name, "Of a cache of bytes.", AttributeProto::STRING, "NONE");
  return addAttentionTypes(schema);
}

static OpSchema rotaryEmbedding() {
  OpSchema schema;
  schema.SetName("RotaryEmbedding")
      .SetDoc("Rotates pairs of elements by angles that follow the position.")
      .Input(0, "input", "[batch, sequence, hidden] or by head", "T")
      .Input(1, "position_ids", "[1] or [batch, sequence]", "tensor(int64)")
      .Input(2, "cos_cache", "[positions, size / 2]", "T")
      .Input(3, "sin_cache", "Likewise.", "T")
      .Output(0, "output", "Like the input.", "T");
  for (const char *name : {"interleaved", "is_packed_batching", "num_heads",
                           "rotary_embedding_dim"})
    addInteger(schema, name);
  addReal(schema, "scale", 1);
  return addAttentionTypes(schema);
}

void onnxc::schema::microsoft::registerGroupedAttention() {
  define(groupQueryAttention(), fillGroupQueryAttention);
  define(rotaryEmbedding(), fillRotaryEmbedding);
}
