//===- PositionBias.cpp - Positions in attention ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "AttentionParts.h"
#include "Rows.h"

#include <cmath>

using namespace onnxc::schema::microsoft;

/// Computes `apart`, how far keys come after queries, and `distance`, which is
/// that of both directions or of keys that come before.
static void addDistance(Body &b, bool isBoth) {
  b << "queries = Reshape(query_length, none)"
    << "keys = Reshape(key_length, none)"
    << "rows = Range(zero, queries, one)" << "columns = Range(zero, keys, one)"
    << "rows_2d = Unsqueeze(rows, second)"
    << "apart = Sub(columns, rows_2d)"
    << (isBoth ? "distance = Abs(apart)" : "back = Neg(apart)");
  if (!isBoth)
    b << "distance = Max(back, zero)";
}

/// Buckets of T5: a distance of its own each for half of them, and logarithmic
/// ones up to the largest distance for the others (arXiv 1910.10683). The table
/// holds a row for each head, in any shape.
static bool fillRelative(Body &b) {
  int64_t buckets = b.size(0, 0), heads = b.size(0, 1);
  bool isBoth = b.integer("is_bidirectional", 0) != 0;
  int64_t maxDistance = b.integer("max_distance", 0);
  int64_t half = isBoth ? buckets / 2 : buckets, exact = half / 2;
  if (buckets < 4 || heads < 1 || maxDistance <= exact)
    return false;
  b.ints("none", {});
  b.ints("first", {0});
  b.ints("second", {1});
  b.ints("by_head", {heads, buckets});
  b.scalar("zero", 0);
  b.scalar("one", 1);
  b.scalar("half", half);
  b.scalar("exact", exact);
  b.scalar("last", half - 1);
  b.real("exact_real", static_cast<float>(exact));
  b.real("share", static_cast<float>(static_cast<double>(half - exact) /
                                     std::log(static_cast<double>(maxDistance) /
                                              static_cast<double>(exact))));
  addDistance(b, isBoth);
  b << "is_near = Less(distance, exact)" << "far = Max(distance, exact)"
    << "far_real = Cast<to = 1>(far)" << "ratio = Div(far_real, exact_real)"
    << "log = Log(ratio)" << "steps_real = Mul(log, share)"
    << "steps = Cast<to = 7>(steps_real)" << "after = Add(steps, exact)"
    << "bound = Min(after, last)"
    << "bucket = Where(is_near, distance, bound)";
  if (isBoth)
    b << "is_ahead = Greater(apart, zero)"
      << "shift = Where(is_ahead, half, zero)"
      << "position = Add(bucket, shift)";
  else
    b << "position = Identity(bucket)";
  b << "table = Reshape(bias_table, by_head)"
    << "found = Gather<axis = 1>(table, position)"
    << "output = Unsqueeze(found, first)";
  return true;
}
/// rel_pos * (u * (r * eco_a - 1) + 2), u and r being gates that a layer makes
/// of each head of the queries.
static bool fillGatedRelative(Body &b) {
  if (b.hasInput(6))
    b.refuse("token_offset");
  int64_t heads = b.integer("num_heads", 0);
  if (heads < 1)
    return false;
  b << "biased = Add(query_layer, query_bias)";
  splitHeads(b, "biased", heads, "by_head");
  b.ints("gates_shape", {0, 0, 0, 2, -1});
  b.ints("last", {-1});
  b.number("one", 1, "rel_pos");
  b.number("two", 2, "rel_pos");
  b << "product = MatMul(by_head, weight)" << "layer = Add(product, bias)"
    << "halves = Reshape(layer, gates_shape)"
    << "sums = ReduceSum<keepdims = 0>(halves, last)"
    << "gates = Sigmoid(sums)"
    << "u, r = Split<axis = -1, num_outputs = 2>(gates)"
    << "scaled = Mul(r, eco_a)" << "below = Sub(scaled, one)"
    << "gated = Mul(u, below)" << "factor = Add(gated, two)"
    << "output = Mul(factor, rel_pos)";
  return true;
}
static bool fillGemmaRotary(Body &b) {
  b.ints("head", {1});
  b << "angles = Unsqueeze(emb, head)" << "sin_wide = Sin(angles)"
    << "cos_wide = Cos(angles)" << "sin = CastLike(sin_wide, q)"
    << "cos = CastLike(cos_wide, q)" << "q_cos = Mul(q, cos)"
    << "q_sin = Mul(q_rot, sin)" << "output1 = Add(q_cos, q_sin)"
    << "k_cos = Mul(k, cos)" << "k_sin = Mul(k_rot, sin)"
    << "output2 = Add(k_cos, k_sin)";
  return true;
}
/// Which of the three positions an angle follows: 0 time, 1 height, 2 width.
static std::vector<int64_t> positionKinds(const std::vector<int64_t> &sections,
                                          bool isInterleaved) {
  std::vector<int64_t> kinds;
  for (int64_t kind = 0; kind < 3; ++kind)
    kinds.insert(kinds.end(), static_cast<size_t>(sections[kind]),
                 isInterleaved ? 0 : kind);
  for (int64_t kind = 1; isInterleaved && kind < 3; ++kind)
    for (int64_t i = kind; i < 3 * sections[kind]; i += 3)
      if (i < static_cast<int64_t>(kinds.size()))
        kinds[i] = kind;
  return kinds;
}

/// Looks `cos_chosen` and `sin_chosen` up in the caches, element by element:
/// positions are [batch, sequence, angle], and `kinds` says for each angle
/// which of the three rows of positions it has.
static void chooseAngles(Body &b, const std::vector<int64_t> &kinds) {
  b.ints("kinds", kinds);
  b.ints("last", {-1});
  b << "by_angle = Gather<axis = 0>(position_ids, kinds)"
    << "positions_3d = Transpose<perm = [1, 2, 0]>(by_angle)"
    << "angles = Shape<start = 1, end = 2>(cos_cache)"
    << "angle_count = Squeeze(angles)";
  b.scalar("zero", 0);
  b.scalar("one", 1);
  b << "numbers = Range(zero, angle_count, one)"
    << "starts = Mul(positions_3d, angle_count)"
    << "indices = Add(starts, numbers)" << "cos_flat = Reshape(cos_cache, last)"
    << "sin_flat = Reshape(sin_cache, last)"
    << "cos_chosen = Gather<axis = 0>(cos_flat, indices)"
    << "sin_chosen = Gather<axis = 0>(sin_flat, indices)";
}

/// RotaryEmbedding whose angles are taken from three rows of the caches.
static bool fillMRotary(Body &b) {
  std::vector<int64_t> sections = b.integers("mrope_section");
  int64_t half = 0;
  for (int64_t size : sections)
    half = size < 0 || size > 65536 ? INT64_MIN : half + size;
  if (b.integer("is_packed_batching", 0) != 0)
    b.refuse("is_packed_batching");
  if (b.number("scale", 1) != 1)
    b.refuse("scale");
  int rank = b.rank(0);
  if (sections.size() != 3 || half < 1 || (rank != 3 && rank != 4))
    return false;
  chooseAngles(b, positionKinds(sections, b.integer("mrope_layout", 0) == 1));
  int64_t heads = b.integer("num_heads", 0);
  std::string attributes =
      "interleaved = " + std::to_string(b.integer("interleaved", 0));
  if (int64_t rotated = b.integer("rotary_embedding_dim", 0); rotated > 0)
    attributes += ", rotary_embedding_dim = " + std::to_string(rotated);
  if (rank == 4 || heads > 0) {
    if (rank == 3)
      attributes += ", num_heads = " + std::to_string(heads);
    b << "output = RotaryEmbedding<" + attributes +
             ">(input, cos_chosen, sin_chosen)";
    return true;
  }
  b.ints("split_shape", {0, 0, -1, 2 * half});
  b << "split = Reshape(input, split_shape)"
    << "by_head = Transpose<perm = [0, 2, 1, 3]>(split)"
    << "rotated = RotaryEmbedding<" + attributes +
           ">(by_head, cos_chosen, sin_chosen)";
  joinHeads(b, "rotated", "output");
  return true;
}

void onnxc::schema::microsoft::registerPositionBias() {
  const Row rows[] = {
      {"RelativePositionBias", "Bias of T5 by the distance of positions.",
       "bias_table:T, query_length:i64, key_length:i64", "output:T",
       "max_distance:i, is_bidirectional:i=0", "T=f32 f16", fillRelative},
      {"GatedRelativePositionBias", "A bias that queries scale.",
       "query_layer:T, query_bias:T, rel_pos:T, weight:T, bias:T, eco_a:T, "
       "token_offset:i32?",
       "output:T", "num_heads:i", "T=f32 f16", fillGatedRelative},
      {"GemmaRotaryEmbedding", "Rotation by the angles emb.",
       "emb:f32, q:f16, q_rot:f16, k:f16, k_rot:f16",
       "output1:f16, output2:f16", "", "", fillGemmaRotary},
      {"MRotaryEmbedding", "Rotation by positions in time, height and width.",
       "input:T, position_ids:i64, cos_cache:T, sin_cache:T", "output:T",
       "mrope_section:is, mrope_layout:i=0, interleaved:i=0, num_heads:i=0, "
       "rotary_embedding_dim:i=0, is_packed_batching:i=0, scale:f=1",
       "T=f32 f16 bf16", fillMRotary}};
  for (const Row &row : rows)
    define(row);
}
