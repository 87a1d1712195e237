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
  int rank = b.rank(0);
  int64_t turned = b.integer("rotary_embedding_dim", 0);
  int64_t heads = b.integer("num_heads", 0);
  if ((rank != 3 && rank != 4) || b.rank(1) < 1)
    return false;
  if (b.rank(1) == 1)
    countPlaces(b, "input", rank == 3 ? 1 : 2, "position_ids");
  else
    b << "places = Identity(position_ids)";
  std::string interleaved = std::to_string(b.integer("interleaved", 0));
  if (rank == 4 || heads > 0) {
    rotate(b, "input", rank == 3 ? heads : 0, turned, interleaved, "output");
    return true;
  }
  // Without a number of heads, heads are of the size of the caches.
  if (turned > 0)
    return false;
  b.ints("two", {2});
  b.ints("keep_and_split", {0, 0, -1});
  b << "half = Shape<start = 1, end = 2>(cos_cache)" << "size = Mul(half, two)"
    << "split_shape = Concat<axis = 0>(keep_and_split, size)"
    << "split = Reshape(input, split_shape)"
    << "by_head = Transpose<perm = [0, 2, 1, 3]>(split)";
  rotate(b, "by_head", 0, 0, interleaved, "turned");
  joinHeads(b, "turned", "output");
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

static void turnGroups(Body &b, int64_t heads, int64_t keyHeads) {
  if (b.integer("do_rotary", 0) == 0) {
    b << "q = Identity(q0)" << "k = Identity(k0)";
    return;
  }
  if (b.hasInput(9)) {
    b << "places = Identity(position_ids)";
  } else {
    if (b.hasInput(3))
      b << "place_start = Shape<start = 2, end = 3>(past_key)";
    else
      b.ints("place_start", {0});
    countPlaces(b, "q0", 1, "place_start");
  }
  std::string interleaved = std::to_string(b.integer("rotary_interleaved", 0));
  int64_t half = b.size(7, 1), width = b.size(0, 2);
  int64_t all = b.hasInput(1) ? heads : heads + 2 * keyHeads;
  int64_t turned =
      half > 0 && width > 0 && 2 * half < width / all ? 2 * half : 0;
  rotate(b, "q0", heads, turned, interleaved, "q");
  rotate(b, "k0", keyHeads, turned, interleaved, "k");
}

static bool fillGroupQueryAttention(Body &b) {
  int64_t heads = b.integer("num_heads", 0);
  int64_t keyHeads = b.integer("kv_num_heads", 0);
  if (heads < 1 || keyHeads < 1 || heads % keyHeads != 0 || b.hasInput(11) ||
      b.integer("smooth_softmax", 0) > 0 || b.hasInput(3) != b.hasInput(4))
    return false;
  splitGroups(b, heads, keyHeads);
  turnGroups(b, heads, keyHeads);
  bool hasPast = b.hasInput(3);
  addPlaces(b, hasPast ? "past_key" : nullptr);
  Mask mask(b);
  mask.requireCausal();
  // seqlens_k holds the last key that counts, of each of the batch.
  b.ints("last_axes", {1, 2, 3});
  b << "lasts_64 = Cast<to = 7>(seqlens_k)"
    << "lasts = Unsqueeze(lasts_64, last_axes)"
    << "counts = LessOrEqual(column, lasts)";
  mask.require("counts", lowestFloat);
  if (int64_t window = b.integer("local_window_size", -1); window > 0) {
    b << "window = Constant<value_int = " + std::to_string(window) + ">()"
      << "window_end = Add(column, window)"
      << "in_window = Greater(window_end, row)";
    mask.require("in_window", lowestFloat);
  }
  if (b.hasInput(10))
    mask.add("attention_bias");
  attend(b, heads, keyHeads, mask, hasPast ? "past_key, past_value" : "");
  b << "output = Identity(y)" << "present_key = Identity(all_keys)"
    << "present_value = Identity(all_values)";
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
      .Output(0, "output", "[batch, queries, hidden]", "T")
      .Output(1, "present_key", "[batch, heads, all, size]", "T", optional)
      .Output(2, "present_value", "Likewise.", "T", optional)
      .Attr("num_heads", "Heads of queries.", AttributeProto::INT)
      .Attr("kv_num_heads", "Heads of keys.", AttributeProto::INT);
  addInteger(schema, "do_rotary");
  addInteger(schema, "rotary_interleaved");
  addInteger(schema, "local_window_size", -1);
  addInteger(schema, "smooth_softmax");
  addReal(schema, "scale", 0);
  addReal(schema, "softcap", 0);
  return addAttentionTypes(schema);
}

static OpSchema rotaryEmbedding() {
  OpSchema schema;
  schema.SetName("RotaryEmbedding")
      .SetDoc("Turns pairs of elements by angles that follow the position.")
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
