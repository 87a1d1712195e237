//===- MaskedAttention.cpp - Attention of decoders' steps ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "AttentionParts.h"
#include "Rows.h"

using namespace onnxc::schema::microsoft;

/// The past of a decoder's step, in a buffer with room if it is shared; keys by
/// head are those of an encoder, whole.
static bool addStepCaches(Body &b, int64_t heads) {
  if (b.rank(1) == 4) {
    b << "all_keys = Identity(key)" << "all_values = Identity(value)";
    return true;
  }
  splitHeads(b, "k", heads, "fresh_keys");
  splitHeads(b, "v", heads, "fresh_values");
  if (!b.hasInput(5) || !b.hasInput(6)) {
    b << "all_keys = Identity(fresh_keys)"
      << "all_values = Identity(fresh_values)";
    return true;
  }
  if (b.integer("past_present_share_buffer", 0) == 0) {
    b << "all_keys = Concat<axis = 2>(past_key, fresh_keys)"
      << "all_values = Concat<axis = 2>(past_value, fresh_values)";
    return true;
  }
  if (!b.hasInput(7))
    return false;
  b.ints("any", {-1});
  b << "batch = Shape<start = 0, end = 1>(query)"
    << "past_64 = Cast<to = 7>(past_sequence_length)"
    << "past_1d = Reshape(past_64, any)" << "starts = Expand(past_1d, batch)"
    << "presents = Shape<start = 2, end = 3>(past_key)";
  writeCache(b, "past_key", "fresh_keys", "all_keys");
  writeCache(b, "past_value", "fresh_values", "all_values");
  return true;
}

/// Defines q, k and v of the operands, or of parts of one, and of the bias.
static bool addStepOperands(Body &b) {
  bool isPacked = !b.hasInput(1), isCrossed = b.rank(1) == 4;
  if (!isPacked && !b.hasInput(2))
    return false;
  if (isPacked)
    b << "q0, k0, v0 = Split<axis = -1, num_outputs = 3>(query)";
  else
    b << "q0 = Identity(query)" << "k0 = Identity(key)"
      << "v0 = Identity(value)";
  if (!b.hasInput(10)) {
    b << "q = Identity(q0)" << "k = Identity(k0)" << "v = Identity(v0)";
    return true;
  }
  if (isCrossed) {
    b.ints("bias_start", {0});
    b << "bias_end = Shape<start = 2, end = 3>(query)"
      << "q_bias = Slice(bias, bias_start, bias_end)" << "q = Add(q0, q_bias)";
    return true;
  }
  b << "q_bias, k_bias, v_bias = Split<axis = 0, num_outputs = 3>(bias)"
    << "q = Add(q0, q_bias)" << "k = Add(k0, k_bias)" << "v = Add(v0, v_bias)";
  return true;
}

/// Defines `result` as `name` with as many columns as there are keys in the
/// buffer. `pads` are those of the other sides.
static void lengthen(Body &b, const std::string &name,
                     const std::vector<int64_t> &pads,
                     const std::string &result) {
  b.ints(result + "_pads", pads);
  b << result + "_length = Shape<start = -1>(" + name + ")"
    << result + "_missing = Sub(keys_1d, " + result + "_length)"
    << result + "_all = Concat<axis = 0>(" + result + "_pads, " + result +
           "_missing)"
    << result + " = Pad(" + name + ", " + result + "_all)";
}

static bool fillDecoderMasked(Body &b) {
  int64_t heads = b.integer("num_heads", 0);
  if (b.hasInput(9))
    b.refuse("cache_indirection");
  if (heads < 1 || !addStepOperands(b) || !addStepCaches(b, heads))
    return false;
  b.ints("mask_axes", {1, 2});
  b << "zero_64 = Constant<value_int = 0>()"
    << "one_64 = Constant<value_int = 1>()"
    << "mask_zero = CastLike(zero_64, q)";
  Mask mask(b);
  bool isShared = b.rank(1) != 4 && b.hasInput(5) &&
                  b.integer("past_present_share_buffer", 0) != 0;
  b << "keys_1d = Shape<start = 2, end = 3>(all_keys)";
  if (isShared) {
    b << "keys = Squeeze(keys_1d)" << "column = Range(zero_64, keys, one_64)"
      << "past_2d = Unsqueeze(past_1d, any)"
      << "counts = LessOrEqual(column, past_2d)";
    mask.require("counts", lowestFloat);
  }
  if (b.hasInput(3)) {
    lengthen(b, "mask_index", {0, 0, 0}, "long_mask");
    b << "words = Unsqueeze(long_mask, mask_axes)"
      << "words_64 = Cast<to = 7>(words)"
      << "is_word = Greater(words_64, zero_64)";
    mask.require("is_word", b.number("mask_filter_value", -10000.0f));
  }
  if (b.hasInput(4)) {
    lengthen(b, "attention_bias", {0, 0, 0, 0, 0, 0, 0}, "long_bias");
    mask.add("long_bias");
  }
  ScoreOptions options;
  options.isShown = b.hasOutput(3);
  attendCached(b, heads, heads, mask, options);
  b << "output = Identity(y)" << "present_key = Identity(all_keys)"
    << "present_value = Identity(all_values)";
  if (options.isShown)
    b << "qk = CastLike(scores, query)";
  return true;
}

void onnxc::schema::microsoft::registerMaskedAttention() {
  const Row rows[] = {
      {"DecoderMaskedMultiHeadAttention", "Attention of one query.",
       "query:T, key:T?, value:T?, mask_index:i32?, attention_bias:T?, "
       "past_key:T?, past_value:T?, past_sequence_length:i32?, "
       "beam_width:i32?, cache_indirection:i32?, bias:T?",
       "output:T, present_key:T?, present_value:T?, qk:T?",
       "num_heads:i, past_present_share_buffer:i?, scale:f?, "
       "mask_filter_value:f?, output_qk:i?",
       "T=f32 f16", fillDecoderMasked}};
  for (const Row &row : rows)
    define(row);
}
