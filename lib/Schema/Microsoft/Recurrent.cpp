//===- Recurrent.cpp - Layers with a state instead of a cache --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

using namespace onnxc::schema::microsoft;

/// The standard's operator, which has no window of states and as many heads of
/// queries as of keys or more.
static bool fillLinearAttention(Body &b) {
  int64_t heads = b.integer("q_num_heads", 0);
  int64_t keyHeads = b.integer("kv_num_heads", 0);
  if (b.integer("state_window", 0) != 0)
    b.refuse("state_window");
  if (heads < 1 || keyHeads < 1)
    return false;
  if (keyHeads > heads)
    b.refuse("kv_num_heads");
  b << "output, present_state = LinearAttention" +
           b.attributes({"q_num_heads", "kv_num_heads", "update_rule", "scale",
                         "chunk_size"}) +
           "(query, key, value, past_state, decay, beta)";
  return true;
}
/// decay = decay_scale * softplus(a + dt_bias), beta = sigmoid(b), in 32 bits.
static bool fillGate(Body &b) {
  if (b.hasOutput(1) && !b.hasInput(3))
    return false;
  b << "wide = Cast<to = 1>(a)" << "biased = Add(wide, dt_bias)"
    << "soft = Softplus(biased)" << "scaled = Mul(soft, decay_scale)"
    << "decay = CastLike(scaled, a)";
  if (b.hasInput(3))
    b << "rate = Cast<to = 1>(b)" << "open = Sigmoid(rate)"
      << "beta = CastLike(open, a)";
  else
    b << "beta = Identity(a)";
  return true;
}
/// Sequences come last for the standard's operator, which has neither dilations
/// nor more dimensions.
static bool fillCausalConv(Body &b) {
  for (const char *form : {"ndim", "dilation"})
    if (b.integer(form, 1) != 1)
      b.refuse(form);
  for (const char *form : {"state_window", "channels_last"})
    if (b.integer(form, 0) != 0)
      b.refuse(form);
  b << "output, present_state = CausalConvWithState" +
           b.attributes({"activation"}) + "(input, weight, bias, past_state)";
  return true;
}
/// Groups of the last dimension are as long as the scale.
static bool fillGatedNorm(Body &b) {
  std::string activation = b.text("activation");
  b.ints("any", {-1});
  b << "shape = Shape(X)" << "group = Shape(scale)"
    << "groups = Concat<axis = 0>(any, group)" << "wide = Cast<to = 1>(X)"
    << "rows = Reshape(wide, groups)" << "factors = Cast<to = 1>(scale)"
    << "normal = RMSNormalization<axis = -1, epsilon = " +
           literal(b.number("epsilon", 1e-5f)) + ">(rows, factors)"
    << "whole = Reshape(normal, shape)" << "gates = Cast<to = 1>(gate)"
    << "open = Sigmoid(gates)"
    << (activation == "sigmoid" ? "active = Identity(open)"
                                : "active = Mul(gates, open)")
    << "gated = Mul(whole, active)" << "Y = CastLike(gated, X)";
  return true;
}
static bool fillGatedAdd(Body &b) {
  b << "gated = Mul(Y, gate)" << "output = Add(X, gated)";
  return true;
}
static bool fillScaledSiLU(Body &b) {
  if (b.hasInput(1))
    b << "factor_wide = Cast<to = 1>(scale)";
  else
    b.real("factor_wide", b.number("alpha", 1));
  b << "wide = Cast<to = 1>(X)" << "product = Mul(wide, factor_wide)"
    << "z = CastLike(product, X)" << "open = Sigmoid(z)" << "Y = Mul(z, open)";
  return true;
}

static const char *const reals = "T=f32 f16 bf16";

void onnxc::schema::microsoft::registerRecurrent() {
  const Row rows[] = {
      {"LinearAttention", "Attention by a state that is updated.",
       "query:T, key:T, value:T, past_state:S?, decay:T?, beta:T?",
       "output:T, present_state:S",
       "q_num_heads:i, kv_num_heads:i, update_rule:s=gated_delta, scale:f=0, "
       "chunk_size:i=64, state_window:i=0",
       "T=f32 f16 bf16, S=f32 f16 bf16", fillLinearAttention},
      {"LinearAttentionGate", "Decay and update rate of LinearAttention.",
       "a:T, dt_bias:f32, decay_scale:f32, b:T?", "decay:T, beta:T?", "", reals,
       fillGate},
      {"CausalConvWithState", "Convolution of each channel with its past.",
       "input:T, weight:T, bias:T?, past_state:T?", "output:T, present_state:T",
       "activation:s=none, ndim:i=1, dilation:i=1, channels_last:i=0, "
       "state_window:i=0",
       reals, fillCausalConv},
      {"GatedRMSNorm", "RMS normalization, times an activation of a gate.",
       "X:T, scale:T, gate:T", "Y:T", "activation:s=silu, epsilon:f=1e-5",
       reals, fillGatedNorm},
      {"GatedAdd", "X + Y * gate.", "X:T, Y:T, gate:T", "output:T", "", reals,
       fillGatedAdd},
      {"ScaledSiLU", "SiLU of a multiple of X.", "X:T, scale:M?", "Y:T",
       "alpha:f=1", "T=f32 f16 bf16, M=f32 f16 bf16", fillScaledSiLU}};
  for (const Row &row : rows)
    define(row);
}
