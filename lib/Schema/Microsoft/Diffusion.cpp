//===- Diffusion.cpp - Layers of diffusion models --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

using namespace onnxc::schema::microsoft;

/// Defines Y of `x`, whose channels are the second or the last dimension of
/// four.
static bool normalizeGroups(Body &b, const std::string &x) {
  if (b.rank(0) != 4)
    return false;
  bool isLast = b.integer("channels_last", 1) != 0;
  b << (isLast ? "planes = Transpose<perm = [0, 3, 1, 2]>(" + x + ")"
               : "planes = Identity(" + x + ")")
    << "scale = CastLike(gamma, X)" << "shift = CastLike(beta, X)"
    << "normal = GroupNormalization<num_groups = " +
           std::to_string(b.integer("groups", 1)) +
           ", epsilon = " + literal(b.number("epsilon", 1e-5f)) +
           ">(planes, scale, shift)";
  if (b.integer("activation", 0) == 1)
    b << "open = Sigmoid(normal)" << "active = Mul(normal, open)";
  else
    b << "active = Identity(normal)";
  b << (isLast ? "Y = Transpose<perm = [0, 2, 3, 1]>(active)"
               : "Y = Identity(active)");
  return true;
}

static bool fillGroupNorm(Body &b) { return normalizeGroups(b, "X"); }

/// The skip may have no height and width.
static bool fillSkipGroupNorm(Body &b) {
  bool isLast = b.integer("channels_last", 1) != 0;
  if (b.rank(3) < 2)
    return false;
  b.ints("positions",
         isLast ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{2, 3});
  b.ints("column", {-1, 1, 1});
  b << (b.rank(3) == 2 ? "skip_4d = Unsqueeze(skip, positions)"
                       : "skip_4d = Identity(skip)")
    << "both = Add(X, skip_4d)";
  if (b.hasInput(4))
    b << (isLast ? "bias_like = Identity(bias)"
                 : "bias_like = Reshape(bias, column)")
      << "sum = Add(both, bias_like)";
  else
    b << "sum = Identity(both)";
  b << "S = Identity(sum)";
  return normalizeGroups(b, "sum");
}
static bool fillBiasAdd(Body &b) {
  b << "biased = Add(X, bias)" << "Y = Add(biased, skip)";
  return true;
}
static bool fillBiasSplitGelu(Body &b) {
  b << "sum = Add(X, bias)"
    << "left, right = Split<axis = -1, num_outputs = 2>(sum)"
    << "gate = Gelu(right)" << "Y = Mul(left, gate)";
  return true;
}
static const std::vector<std::string> convAttributes = {
    "auto_pad", "kernel_shape", "dilations", "strides", "pads", "group"};

static bool fillNhwcConv(Body &b) {
  if (b.rank(0) != 4)
    return false;
  b << "filters = Transpose<perm = [0, 3, 1, 2]>(W)";
  b.withChannelsFirst("X", 4, "Conv" + b.attributes(convAttributes), "Y",
                      b.hasInput(2) ? ", filters, B)" : ", filters)");
  return true;
}

/// Fills in the body of NhwcFusedConv, whose filters have their channels
/// second.
static bool fillNhwcFusedConv(Body &b) {
  if (b.rank(0) != 4)
    return false;
  std::vector<std::string> names = convAttributes;
  names.insert(names.end(), {"activation", "activation_params"});
  std::string operands = b.hasInput(2) ? ", W, B" : ", W, ";
  if (b.hasInput(3)) {
    b << "sum = Transpose<perm = [0, 3, 1, 2]>(Z)";
    operands += ", sum";
  } else if (!b.hasInput(2)) {
    operands = ", W";
  }
  b.withChannelsFirst("X", 4, "com.microsoft.FusedConv" + b.attributes(names),
                      "Y", operands + ")");
  return true;
}

void onnxc::schema::microsoft::registerDiffusion() {
  const char *norm =
      "groups:i, activation:i, channels_last:i=1, epsilon:f=1e-5";
  const char *conv = "auto_pad:s=NOTSET, kernel_shape:is?, dilations:is?, "
                     "strides:is?, pads:is?, group:i=1";
  const char *types = "T=f16 f32, M=f16 f32";
  const Row rows[] = {
      {"GroupNorm", "Group normalization and SiLU.", "X:T, gamma:M, beta:M",
       "Y:T", norm, types, fillGroupNorm, Results::LikeFirst},
      {"SkipGroupNorm", "Group normalization of X + skip + bias, and SiLU.",
       "X:T, gamma:M, beta:M, skip:T, bias:T?", "Y:T, S:T?", norm, types,
       fillSkipGroupNorm, Results::LikeFirst},
      {"BiasAdd", "X + bias + skip.", "X:T, bias:T, skip:T", "Y:T", "",
       "T=f16 f32", fillBiasAdd},
      {"BiasSplitGelu", "Half of X + bias, times GELU of the other half.",
       "X:T, bias:T", "Y:T", "", "T=f16 f32", fillBiasSplitGelu},
      {"NhwcConv", "Conv, the channels of all operands being last.",
       "X:T, W:T, B:T?", "Y:T", conv, "T=f16 f32 f64", fillNhwcConv},
      {"NhwcFusedConv", "Conv with an activation, the channels of X last.",
       "X:T, W:T, B:T?, Z:T?", "Y:T",
       "auto_pad:s=NOTSET, kernel_shape:is?, dilations:is?, strides:is?, "
       "pads:is?, group:i=1, activation:s?, activation_params:fs?",
       "T=f16 f32 f64", fillNhwcFusedConv, Results::ElementsOfFirst}};
  for (const Row &row : rows)
    define(row);
}
