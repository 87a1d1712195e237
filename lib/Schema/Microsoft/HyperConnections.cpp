//===- HyperConnections.cpp - Streams beside each other --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include <numeric>

using namespace onnxc::schema::microsoft;

/// Defines `result` as `name` in 32 bits with the branches in a dimension of
/// their own; with none given they are in one already.
static void splitBranches(Body &b, const std::string &name,
                          const std::string &result) {
  int64_t branches = b.integer("num_branches", 0);
  b << result + "_wide = Cast<to = 1>(" + name + ")";
  if (branches <= 0) {
    b << result + " = Identity(" + result + "_wide)";
    return;
  }
  b.ints(result + "_sides", {branches, -1});
  b << result + "_front = Shape<end = -1>(" + name + ")"
    << result + "_shape = Concat<axis = 0>(" + result + "_front, " + result +
           "_sides)"
    << result + " = Reshape(" + result + "_wide, " + result + "_shape)";
}

/// Defines `result` as [.., branches, 1 or size] of gates in one of the forms
/// [.., branches], [.., branches, 1], [.., branches, size], or all flat.
static bool splitGates(Body &b, int streams, int input, const std::string &name,
                       const std::string &result) {
  bool isFlat = b.integer("num_branches", 0) > 0;
  int grouped = b.rank(streams) + (isFlat ? 1 : 0);
  if (b.rank(streams) < 1 || b.rank(input) < 1)
    return false;
  b.ints(result + "_axis", {-1});
  b << result + "_real = Cast<to = 1>(" + name + ")";
  if (b.rank(input) == grouped) {
    b << result + " = Identity(" + result + "_real)";
    return true;
  }
  if (b.rank(input) != grouped - 1)
    return false;
  int64_t width = b.size(input, b.rank(input) - 1);
  if (!isFlat || width == b.integer("num_branches", 0)) {
    b << result + " = Unsqueeze(" + result + "_real, " + result + "_axis)";
    return true;
  }
  if (width < 0)
    return false;
  splitBranches(b, name, result);
  return true;
}
static bool fillBranchNorm(Body &b) {
  splitBranches(b, "X", "branches");
  b.ints("last", {-1});
  b.ints("zero_axis", {0});
  b.real("epsilon", b.number("epsilon", 1e-5f));
  b << "squares = Mul(branches, branches)" << "mean = ReduceMean(squares, last)"
    << "shifted = Add(mean, epsilon)" << "root = Sqrt(shifted)"
    << "normal = Div(branches, root)";
  if (b.hasInput(1)) {
    b << "factor_wide = Cast<to = 1>(scale)"
      << "width = Shape<start = -1>(normal)" << "count = Size(scale)"
      << "width_0d = Squeeze(width)" << "factor_rows = Div(count, width_0d)"
      << "factor_rows_1d = Unsqueeze(factor_rows, zero_axis)"
      << "factor_shape = Concat<axis = 0>(factor_rows_1d, width)"
      << "factors = Reshape(factor_wide, factor_shape)"
      << "scaled = Mul(normal, factors)";
  } else {
    b << "scaled = Identity(normal)";
  }
  b << "shape = Shape(X)" << "whole = Reshape(scaled, shape)"
    << "Y = CastLike(whole, X)";
  return true;
}
static bool fillPreMix(Body &b) {
  splitBranches(b, "streams", "branches");
  if (!splitGates(b, 0, 1, "pre_mix", "gates"))
    return false;
  b.ints("branch_axis", {-2});
  b.real("factor", b.number("reduction_scale", 1));
  b << "gated = Mul(branches, gates)"
    << "sum = ReduceSum<keepdims = 0>(gated, branch_axis)"
    << "scaled = Mul(sum, factor)" << "output = CastLike(scaled, streams)";
  return true;
}
static bool fillPostMix(Body &b) {
  splitBranches(b, "streams", "branches");
  if (!splitGates(b, 0, 2, "post_mix", "gates"))
    return false;
  b.ints("branch_axis", {-2});
  int rank = b.rank(3);
  if (b.hasInput(3)) {
    if (rank < 2)
      return false;
    std::vector<int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[rank - 2], order[rank - 1]);
    b << "mix = Cast<to = 1>(stream_mix)"
      << "mix_transposed = Transpose<perm = " + list(order) + ">(mix)"
      << "mixed = MatMul(mix_transposed, branches)";
  } else {
    b << "mixed = Identity(branches)";
  }
  b << "block = Cast<to = 1>(block_output)"
    << "block_row = Unsqueeze(block, branch_axis)"
    << "gated = Mul(gates, block_row)" << "sum = Add(mixed, gated)"
    << "shape = Shape(streams)" << "whole = Reshape(sum, shape)"
    << "output = CastLike(whole, streams)";
  return true;
}
/// Defines `result` as `name` normalised along the last dimension, in 32 bits.
static void normalizeRows(Body &b, const std::string &name,
                          const std::string &scale, const std::string &result) {
  std::string n = result + "_";
  b << n + "wide = Cast<to = 1>(" + name + ")"
    << n + "squares = Mul(" + n + "wide, " + n + "wide)"
    << n + "mean = ReduceMean(" + n + "squares, last)"
    << n + "shifted = Add(" + n + "mean, epsilon)"
    << n + "root = Sqrt(" + n + "shifted)"
    << n + "normal = Div(" + n + "wide, " + n + "root)"
    << n + "scale = Cast<to = 1>(" + scale + ")"
    << result + " = Mul(" + n + "normal, " + n + "scale)";
}

static bool fillEngramGate(Body &b) {
  if (b.hasOutput(1) && !b.hasInput(5))
    return false;
  b.ints("last", {-1});
  b.ints("branch_axis", {-2});
  b.real("epsilon", b.number("epsilon", 1e-5f));
  b.real("least", 1e-6f);
  normalizeRows(b, "key", "key_norm_scale", "keys");
  normalizeRows(b, "query", "query_norm_scale", "queries");
  b << "products = Mul(keys, queries)" << "sum = ReduceSum(products, last)"
    << "width_1d = Shape<start = -1>(key)" << "width = Cast<to = 1>(width_1d)"
    << "width_root = Sqrt(width)" << "dot = Div(sum, width_root)"
    << "size = Abs(dot)" << "bound = Max(size, least)" << "root = Sqrt(bound)"
    << "sign = Sign(dot)" << "signed = Mul(sign, root)"
    << "gate = Sigmoid(signed)" << "values = Cast<to = 1>(value)"
    << "value_row = Unsqueeze(values, branch_axis)"
    << "gated = Mul(gate, value_row)" << "output = CastLike(gated, key)";
  if (b.hasOutput(1)) {
    normalizeRows(b, "gated", "conv_norm_scale", "normed");
    b << "gated_value_normed = CastLike(normed, key)";
  } else {
    b << "gated_value_normed = Identity(key)";
  }
  return true;
}

void onnxc::schema::microsoft::registerHyperConnections() {
  const char *mixed = "T=f32 f16 bf16, M=f32 f16 bf16";
  const Row rows[] = {
      {"BranchwiseRMSNorm", "RMS normalization of each branch.",
       "X:T, scale:M?", "Y:T", "num_branches:i=0, epsilon:f=1e-5", mixed,
       fillBranchNorm},
      {"HyperConnectionPreMix", "Weighted sum of streams.",
       "streams:T, pre_mix:M", "output:T",
       "num_branches:i=0, reduction_scale:f=1", mixed, fillPreMix},
      {"HyperConnectionPostMix", "Streams mixed, plus the result of a block.",
       "streams:T, block_output:T, post_mix:M, stream_mix:M?", "output:T",
       "num_branches:i=0", mixed, fillPostMix},
      {"EngramGate", "A value gated by the likeness of keys and queries.",
       "key:T, query:T, value:T, key_norm_scale:T, query_norm_scale:T, "
       "conv_norm_scale:T?",
       "output:T, gated_value_normed:T?", "epsilon:f=1e-5", "T=f32 f16 bf16",
       fillEngramGate}};
  for (const Row &row : rows)
    define(row);
}
