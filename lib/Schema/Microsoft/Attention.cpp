//===- Attention.cpp - Forms of attention ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each puts its operands into the form of the standard's Attention, which has
// [batch, sequence, heads * size] operands and one mask that is added.
//
//===----------------------------------------------------------------------===//
#include "AttentionParts.h"

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Defines `words_end` and `words_start`, the keys that count, of a list of
/// ends, of ends and beginnings, or of ends and the sums of all lengths before
/// (3 * batch + 2 numbers). Which one it is may be known to a run only.
static void splitEnds(Body &b, const std::string &operand) {
  b.ints("words_from", {0});
  b << "words_batch = Shape<start = 0, end = 1>(" + operand + ")"
    << "words_twice = Add(words_batch, words_batch)"
    << "words_count = Shape(words_64)"
    << "words_pair = Equal(words_count, words_twice)"
    << "words_none = Expand(zero_64, words_batch)"
    << "words_padded = Concat<axis = 0>(words_64, words_none)"
    << "words_end = Slice(words_64, words_from, words_batch)"
    << "words_second = Slice(words_padded, words_batch, words_twice)"
    << "words_start = Where(words_pair, words_second, zero_64)";
}

/// A mask of words, 1 where they count: of [keys], [batch, keys], [batch,
/// queries, keys], or how many keys count from the left.
static bool requireWords(Body &b, Mask &mask, const std::string &operand,
                         int input, const std::string &name, float value) {
  int rank = b.rank(input);
  int64_t batch = b.size(0, 0), length = b.size(input, 0);
  b << "words_64 = Cast<to = 7>(" + name + ")";
  if (rank == 1) {
    bool isEnds = batch > 0 && length == batch;
    if (batch > 0 && length > 0 && !isEnds && length != 2 * batch &&
        length != 3 * batch + 2)
      return false;
    b.ints("words_axes", {1, 2, 3});
    if (isEnds)
      b << "words_end = Identity(words_64)";
    else
      splitEnds(b, operand);
    b << "word_ends = Unsqueeze(words_end, words_axes)"
      << "word_before = Less(column, word_ends)";
    if (!isEnds)
      b << "word_starts = Unsqueeze(words_start, words_axes)"
        << "word_after = GreaterOrEqual(column, word_starts)"
        << "word_counts = And(word_before, word_after)";
    else
      b << "word_counts = Identity(word_before)";
  } else if (rank == 2 || rank == 3) {
    b.ints("words_axes",
           rank == 2 ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1});
    b << "words_4d = Unsqueeze(words_64, words_axes)"
      << "word_counts = Greater(words_4d, zero_64)";
  } else {
    return false;
  }
  mask.require("word_counts", value);
  return true;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// One tensor of keys and values, [2, batch, heads, sequence, size].
static void splitPast(Body &b) {
  b.ints("past_axis", {0});
  b << "past_k5, past_v5 = Split<axis = 0, num_outputs = 2>(past)"
    << "past_k = Squeeze(past_k5, past_axis)"
    << "past_v = Squeeze(past_v5, past_axis)";
}

namespace {
/// Numbers of inputs; -1 if the operator has none such.
struct AttentionInputs {
  int mask, past, bias;
};
} // namespace

/// Attention of `all`, the projections side by side.
static bool attendProjected(Body &b, const AttentionInputs &inputs,
                            const std::vector<int64_t> &sizes) {
  int64_t heads = b.integer("num_heads", 0);
  if (b.integer("do_rotary", 0) != 0)
    b.refuse("do_rotary");
  if (heads < 1)
    return false;
  b.ints("sizes", sizes);
  b << (sizes.empty() ? "q, k, v = Split<axis = -1, num_outputs = 3>(all)"
                      : "q, k, v = Split<axis = -1>(all, sizes)");
  bool hasPast = b.hasInput(inputs.past);
  if (hasPast)
    splitPast(b);
  addPositions(b, hasPast ? "past_k" : nullptr);
  Mask mask(b);
  if (b.integer("unidirectional", 0) != 0)
    mask.requireCausal();
  if (b.hasInput(inputs.mask) &&
      !requireWords(b, mask, "input", inputs.mask, "mask_index",
                    b.number("mask_filter_value", -10000.0f)))
    return false;
  if (inputs.bias >= 0 && b.hasInput(inputs.bias))
    mask.add("attention_bias");
  attend(b, heads, heads, mask, hasPast ? "past_k, past_v" : "");
  b << "output = Identity(y)";
  // Without it values may be of another size than keys.
  if (b.hasOutput(1))
    b << "present_k = Unsqueeze(all_keys, zero_axis)"
      << "present_v = Unsqueeze(all_values, zero_axis)"
      << "present = Concat<axis = 0>(present_k, present_v)";
  return true;
}

static bool fillAttention(Body &b) {
  std::vector<int64_t> sizes = b.integers("qkv_hidden_sizes");
  if (!sizes.empty() && sizes.size() != 3)
    return false;
  b << "projected = MatMul(input, weights)"
    << (b.hasInput(2) ? "all = Add(projected, bias)"
                      : "all = Identity(projected)");
  return attendProjected(b, {3, 4, 5}, sizes);
}

static bool fillQAttention(Body &b) {
  b << "product = MatMulInteger(input, weight, input_zero_point, "
       "weight_zero_point)"
    << "input_real = Cast<to = 1>(input_scale)"
    << "weight_real = Cast<to = 1>(weight_scale)";
  b.scaleProduct("input_real", "weight_real");
  b << "projected = CastLike(scaled, bias)"
    << "all = Add(projected, bias)";
  return attendProjected(b, {5, 8, -1}, {});
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Element `index` of dimension 3 of [batch, sequence, heads, N, size], as
/// [batch, sequence, heads * size].
static void unpack(Body &b, const std::string &packed, int64_t index,
                   const std::string &result) {
  b.ints(result + "_at", {index});
  b.ints(result + "_axis", {3});
  b.ints(result + "_shape", {0, 0, -1});
  b << result + "_5d = Gather<axis = 3>(" + packed + ", " + result + "_at)"
    << result + "_4d = Squeeze(" + result + "_5d, " + result + "_axis)"
    << result + " = Reshape(" + result + "_4d, " + result + "_shape)";
}

/// Defines q0, k0 and v0, without bias.
static bool splitOperands(Body &b) {
  if (b.rank(0) == 5) {
    for (int64_t i = 0; i < 3; ++i)
      unpack(b, "query", i, std::string(1, "qkv"[i]) + "0");
    return true;
  }
  if (!b.hasInput(1))
    return false;
  b << "q0 = Identity(query)";
  if (b.rank(1) == 5) {
    unpack(b, "key", 0, "k0");
    unpack(b, "key", 1, "v0");
    return true;
  }
  if (!b.hasInput(2) || b.rank(1) < 3 || b.rank(2) < 3)
    return false;
  for (int input : {1, 2}) {
    std::string name = input == 1 ? "key" : "value";
    std::string result = input == 1 ? "k0" : "v0";
    if (b.rank(input) == 4)
      joinHeads(b, name, result);
    else
      b << result + " = Identity(" + name + ")";
  }
  return true;
}

/// q, k and v: the bias is that of all three, one after the other.
static void addBiases(Body &b) {
  if (!b.hasInput(3)) {
    b << "q = Identity(q0)" << "k = Identity(k0)" << "v = Identity(v0)";
    return;
  }
  std::string sizes;
  for (const char *name : {"q", "k", "v"}) {
    std::string n = name;
    b << n + "_size = Shape<start = 2, end = 3>(" + n + "0)";
    sizes += (sizes.empty() ? "" : ", ") + n + "_size";
  }
  b << "bias_sizes = Concat<axis = 0>(" + sizes + ")"
    << "q_bias, k_bias, v_bias = Split<axis = 0>(bias, bias_sizes)"
    << "q = Add(q0, q_bias)";
  // Keys of an encoder have been biased where they were made.
  bool isCached = b.rank(1) == 4;
  b << (isCached ? "k = Identity(k0)" : "k = Add(k0, k_bias)")
    << (isCached ? "v = Identity(v0)" : "v = Add(v0, v_bias)");
}

static bool fillMultiHeadAttention(Body &b) {
  int64_t heads = b.integer("num_heads", 0);
  if (b.hasOutput(3))
    b.refuse("qk");
  if (heads < 1 || !splitOperands(b))
    return false;
  addBiases(b);
  bool hasPast = b.hasInput(6) && b.hasInput(7);
  addPositions(b, hasPast ? "past_key" : nullptr);
  Mask mask(b);
  if (b.integer("unidirectional", 0) != 0)
    mask.requireCausal();
  if (b.hasInput(4) && !requireWords(b, mask, "query", 4, "key_padding_mask",
                                     b.number("mask_filter_value", -10000.0f)))
    return false;
  if (b.hasInput(5))
    mask.add("attention_bias");
  attend(b, heads, heads, mask, hasPast ? "past_key, past_value" : "");
  b << "output = Identity(y)" << "present_key = Identity(all_keys)"
    << "present_value = Identity(all_values)";
  return true;
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

static OpSchema attention() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("Attention")
      .SetDoc("Self attention with the projection of its input.")
      .Input(0, "input", "[batch, sequence, hidden]", "T")
      .Input(1, "weights", "[hidden, queries + keys + values]", "T")
      .Input(2, "bias", "Of the projection.", "T", optional)
      .Input(3, "mask_index", "Which keys count.", "M", optional)
      .Input(4, "past", "[2, batch, heads, past, size]", "T", optional)
      .Input(5, "attention_bias", "Added to the scores.", "T", optional)
      .Input(6, "past_sequence_length", "Of a shared past.", "M", optional)
      .Output(0, "output", "[batch, sequence, values]", "T")
      .Output(1, "present", "[2, batch, heads, keys, size]", "T", optional)
      .Attr("num_heads", "Number of heads.", AttributeProto::INT)
      .Attr("qkv_hidden_sizes", "Of queries, keys and values.",
            AttributeProto::INTS, ::onnx::OPTIONAL_VALUE);
  for (const char *name : {"do_rotary", "past_present_share_buffer",
                           "rotary_embedding_dim", "unidirectional"})
    addInteger(schema, name);
  addReal(schema, "mask_filter_value", -10000.0f);
  addReal(schema, "scale", 0);
  return addAttentionTypes(schema);
}

static OpSchema qAttention() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("QAttention")
      .SetDoc("Attention whose projection is a product of bytes.")
      .Input(0, "input", "[batch, sequence, hidden]", "T1")
      .Input(1, "weight", "[hidden, queries + keys + values]", "T2")
      .Input(2, "bias", "Of the projection.", "T")
      .Input(3, "input_scale", "Of the input.", "T")
      .Input(4, "weight_scale", "Of the weight or of each column.", "T")
      .Input(5, "mask_index", "Which keys count.", "M", optional)
      .Input(6, "input_zero_point", "Of the input.", "T1", optional)
      .Input(7, "weight_zero_point", "Of the weight.", "T2", optional)
      .Input(8, "past", "[2, batch, heads, past, size]", "T", optional)
      .Output(0, "output", "[batch, sequence, values]", "T")
      .Output(1, "present", "[2, batch, heads, keys, size]", "T", optional)
      .Attr("num_heads", "Number of heads.", AttributeProto::INT)
      .TypeConstraint("T1", byteTypes, "Bytes.")
      .TypeConstraint("T2", byteTypes, "Bytes.");
  for (const char *name :
       {"do_rotary", "past_present_share_buffer", "unidirectional"})
    addInteger(schema, name);
  addReal(schema, "mask_filter_value", -10000.0f);
  addReal(schema, "scale", 0);
  return addAttentionTypes(schema);
}

static OpSchema multiHeadAttention() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("MultiHeadAttention")
      .SetDoc("Attention of projected operands, also packed in one.")
      .Input(0, "query", "[batch, queries, hidden], or all packed", "T")
      .Input(1, "key", "[batch, keys, hidden], packed, or by head", "T",
             optional)
      .Input(2, "value", "Likewise.", "T", optional)
      .Input(3, "bias", "Of queries, keys and values.", "T", optional)
      .Input(4, "key_padding_mask", "Which keys count.", "M", optional)
      .Input(5, "attention_bias", "Added to the scores.", "T", optional)
      .Input(6, "past_key", "[batch, heads, past, size]", "T", optional)
      .Input(7, "past_value", "Likewise.", "T", optional)
      .Input(8, "past_sequence_length", "Of a shared past.", "M", optional)
      .Input(9, "cache_indirection", "Of a beam search.", "M", optional)
      .Output(0, "output", "[batch, queries, values]", "T")
      .Output(1, "present_key", "[batch, heads, all, size]", "T", optional)
      .Output(2, "present_value", "Likewise.", "T", optional)
      .Output(3, "qk", "The scores.", "T", optional)
      .Attr("num_heads", "Number of heads.", AttributeProto::INT);
  addInteger(schema, "unidirectional");
  addReal(schema, "mask_filter_value", -10000.0f);
  addReal(schema, "scale", 0);
  return addAttentionTypes(schema);
}

void onnxc::schema::microsoft::registerAttention() {
  define(attention(), fillAttention);
  define(qAttention(), fillQAttention);
  define(multiHeadAttention(), fillMultiHeadAttention);
}
