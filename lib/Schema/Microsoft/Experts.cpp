//===- Experts.cpp - Mixtures of experts -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A token takes part in the layers of the k experts that its router prefers.
// Pairs of token and expert are sorted by expert, so that the rows of each
// expert are a slice and no unused product is computed.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

namespace {

/// A layer of each expert, of up to three: the numbers of its inputs, -1 for
/// none, and the name of its attribute of bits.
struct Layer {
  const char *prefix;
  int weights, scales, bias, zeros;
};

/// Writes the layers of one kind of operator, MoE or QMoE.
class Experts {
public:
  Experts(Body &b, bool isQuantized);

  bool fill();

private:
  void addRoutes();
  void addExpert(int64_t expert);
  void addLayer(const Layer &layer, int64_t expert, const std::string &input,
                const std::string &result);
  void addQuantizedLayer(const Layer &layer, int64_t expert,
                         const std::string &input, const std::string &result);
  void activate(int64_t expert);
  void addGatedProduct(const std::string &gate, const std::string &linear,
                       const std::string &result);
  void addSum();

  std::string at(int64_t expert, const std::string &name) const {
    return "e" + std::to_string(expert) + "_" + name;
  }
  /// Defines `result` as row `expert` of `name`.
  void takeExpert(const std::string &name, int64_t expert,
                  const std::string &result);
  int64_t bitsOf(const Layer &layer) const;

  Body &b;
  bool isQuantized;
  int64_t count = 0, chosen = 1;
  Layer first, second, third;
};

} // namespace

/// The maximum number of experts that the body has one after the other.
static constexpr int64_t maxExperts = 256;

Experts::Experts(Body &b, bool isQuantized) : b(b), isQuantized(isQuantized) {
  if (isQuantized) {
    first = {"fc1", 2, 3, 4, 11};
    second = {"fc2", 5, 6, 7, 12};
    third = {"fc3", 8, 9, 10, 13};
  } else {
    first = {"fc1", 2, -1, 3, -1};
    second = {"fc2", 4, -1, 5, -1};
    third = {"fc3", 6, -1, 7, -1};
  }
}

bool Experts::fill() {
  count = b.size(first.weights, 0);
  chosen = b.integer("k", 1);
  if (b.integer("use_sparse_mixer", 0) != 0)
    b.refuse("use_sparse_mixer");
  if (isQuantized && !b.text("quant_type").empty() &&
      b.text("quant_type") != "int")
    b.refuse("quant_type");
  if (isQuantized && b.integer("weights_prepacked", -1) > 0)
    b.refuse("weights_prepacked");
  std::string kind = b.text("activation_type");
  bool isKnown = kind.empty() || kind == "relu" || kind == "gelu" ||
                 kind == "silu" || kind == "swiglu" || kind == "identity";
  if (count < 1 || chosen < 1 || chosen > count || !isKnown)
    return false;
  if (count > maxExperts)
    b.refuse("experts");
  addRoutes();
  for (int64_t expert = 0; expert < count; ++expert)
    addExpert(expert);
  addSum();
  return true;
}

/// Defines rows, [tokens * k, hidden], sorted by expert, `ends`, where each
/// expert has its last, `order`, which pair of token and choice each row is,
/// and `shares`, [tokens, k].
void Experts::addRoutes() {
  b.ints("chosen_1d", {chosen});
  b.ints("any", {-1});
  b.scalar("chosen_0d", chosen);
  b.scalar("zero", 0);
  b.scalar("one", 1);
  b.scalar("experts", count);
  b.ints("sum_axis", {-1});
  b.ints("column_axis", {1});
  b << "hidden = Shape<start = -1>(input)"
    << "rows_shape = Concat<axis = 0>(any, hidden)"
    << "tokens = Reshape(input, rows_shape)"
    << "logits = Cast<to = 1>(router_probs)"
    << "probabilities = Softmax<axis = -1>(logits)"
    << "tops, choices = TopK<axis = -1>(probabilities, chosen_1d)";
  bool isApart = isQuantized && b.hasInput(14);
  b << (isApart ? "weight_reals = Cast<to = 1>(router_weights)"
                : "weight_reals = Identity(tops)")
    << (isApart ? "picked = GatherElements<axis = 1>(weight_reals, choices)"
                : "picked = Identity(weight_reals)");
  // onnxruntime's QMoE takes the softmax of the chosen ones alone.
  if (b.integer("normalize_routing_weights", 0) != 0 ||
      (isQuantized && !isApart))
    b << "picked_sum = ReduceSum(picked, sum_axis)"
      << "shares = Div(picked, picked_sum)";
  else
    b << "shares = Identity(picked)";
  b << "pairs = Reshape(choices, any)" << "pair_count = Shape(pairs)"
    << "sorted, order = TopK<axis = 0, largest = 0>(pairs, pair_count)"
    << "owners = Div(order, chosen_0d)"
    << "rows = Gather<axis = 0>(tokens, owners)"
    << "numbers = Range(zero, experts, one)"
    << "numbers_2d = Unsqueeze(numbers, column_axis)"
    << "is_before = LessOrEqual(sorted, numbers_2d)"
    << "before = Cast<to = 7>(is_before)"
    << "ends = ReduceSum<keepdims = 0>(before, sum_axis)";
}

void Experts::takeExpert(const std::string &name, int64_t expert,
                         const std::string &result) {
  b.scalar(result + "_at", expert);
  b << result + " = Gather<axis = 0>(" + name + ", " + result + "_at)";
}

void Experts::addLayer(const Layer &layer, int64_t expert,
                       const std::string &input, const std::string &result) {
  if (isQuantized) {
    addQuantizedLayer(layer, expert, input, result);
    return;
  }
  std::string n = result + "_", prefix = layer.prefix;
  takeExpert(prefix + "_experts_weights", expert, n + "w");
  b << n + "transposed = Transpose<perm = [1, 0]>(" + n + "w)"
    << n + "product = MatMul(" + input + ", " + n + "transposed)";
  if (b.hasInput(layer.bias)) {
    takeExpert(prefix + "_experts_bias", expert, n + "b");
    b << result + " = Add(" + n + "product, " + n + "b)";
  } else {
    b << result + " = Identity(" + n + "product)";
  }
}

int64_t Experts::bitsOf(const Layer &layer) const {
  return b.integer(std::string(layer.prefix) + "_expert_weight_bits",
                   b.integer("expert_weight_bits", 4));
}

/// The layer as a MatMulNBits, which it is for each of the experts.
void Experts::addQuantizedLayer(const Layer &layer, int64_t expert,
                                const std::string &input,
                                const std::string &result) {
  std::string n = result + "_", prefix = layer.prefix;
  int64_t bits = bitsOf(layer), rows = b.size(layer.weights, 1);
  int64_t columns = b.size(layer.weights, 2) * 8 / bits;
  int64_t block = b.integer("block_size", 0);
  block = block > 0 ? block : columns;
  int64_t blocks = (columns + block - 1) / block;
  b.ints(n + "shape", {rows, blocks, block * bits / 8});
  b.ints(n + "flat", {-1});
  takeExpert(prefix + "_experts_weights", expert, n + "w");
  takeExpert(prefix + "_scales", expert, n + "s");
  b << n + "blocks = Reshape(" + n + "w, " + n + "shape)"
    << n + "scales = Reshape(" + n + "s, " + n + "flat)";
  std::string operands = input + ", " + n + "blocks, " + n + "scales, ";
  if (b.hasInput(layer.zeros)) {
    takeExpert(prefix + "_zero_points", expert, n + "z");
    b << n + "zeros = Reshape(" + n + "z, " + n + "flat)";
    operands += n + "zeros";
  }
  if (b.hasInput(layer.bias)) {
    takeExpert(prefix + "_experts_bias", expert, n + "b");
    operands += (b.hasInput(layer.zeros) ? ", , " : ", , ") + n + "b";
  }
  b << result + " = com.microsoft.MatMulNBits<K = " + std::to_string(columns) +
           ", N = " + std::to_string(rows) +
           ", bits = " + std::to_string(bits) +
           ", block_size = " + std::to_string(block) + ", accuracy_level = " +
           std::to_string(b.integer("accuracy_level", 0)) + ">(" + operands +
           ")";
}

/// gate * sigmoid(alpha * gate) * (linear + beta), both of them limited.
void Experts::addGatedProduct(const std::string &gate,
                              const std::string &linear,
                              const std::string &result) {
  std::string n = result + "_", g = gate, l = linear;
  if (b.has("swiglu_limit")) {
    float limit = b.number("swiglu_limit", 0);
    b.number(n + "high", limit, g);
    b.number(n + "low", -limit, g);
    b << n + "g = Min(" + g + ", " + n + "high)"
      << n + "l = Clip(" + l + ", " + n + "low, " + n + "high)";
    g = n + "g";
    l = n + "l";
  }
  b.number(n + "alpha", b.number("activation_alpha", 1), g);
  b.number(n + "beta", b.number("activation_beta", 0), g);
  b << n + "scaled = Mul(" + g + ", " + n + "alpha)"
    << n + "sigmoid = Sigmoid(" + n + "scaled)"
    << n + "swish = Mul(" + g + ", " + n + "sigmoid)"
    << n + "shifted = Add(" + l + ", " + n + "beta)"
    << result + " = Mul(" + n + "swish, " + n + "shifted)";
}

/// Defines `active` of `up`, the result of the first layer, and, if there is a
/// third layer, of `side`, its result.
void Experts::activate(int64_t expert) {
  std::string up = at(expert, "up"), side = at(expert, "side");
  std::string active = at(expert, "active"), kind = b.text("activation_type");
  bool hasThird = b.hasInput(third.weights);
  if (kind == "swiglu") {
    int64_t fusion = b.integer("swiglu_fusion", 0);
    std::string gate = at(expert, "gate"), linear = at(expert, "linear");
    if (hasThird) {
      addGatedProduct(up, side, active);
      return;
    }
    if (fusion == 2) {
      b << gate + ", " + linear + " = Split<axis = -1, num_outputs = 2>(" + up +
               ")";
    } else {
      b.ints(at(expert, "pairs"), {0, -1, 2});
      b << at(expert, "up_3d") + " = Reshape(" + up + ", " +
               at(expert, "pairs") + ")"
        << gate + " = Gather<axis = 2>(" + at(expert, "up_3d") + ", zero)"
        << linear + " = Gather<axis = 2>(" + at(expert, "up_3d") + ", one)";
    }
    addGatedProduct(gate, linear, active);
    return;
  }
  std::string bent = hasThird ? at(expert, "bent") : active;
  if (kind == "gelu")
    b << bent + " = Gelu<approximate = \"tanh\">(" + up + ")";
  else if (kind == "silu")
    b << bent + " = Swish(" + up + ")";
  else
    b << bent + " = " + (kind == "identity" ? "Identity(" : "Relu(") + up + ")";
  if (hasThird)
    b << active + " = Mul(" + bent + ", " + side + ")";
}

/// Defines the result of the expert for its rows.
void Experts::addExpert(int64_t expert) {
  auto n = [&](const char *name) { return at(expert, name); };
  b.ints(n("index"), {expert});
  b.ints(n("before"), {expert - 1});
  b << n("end") + " = Gather<axis = 0>(ends, " + n("index") + ")";
  if (expert == 0)
    b.ints(n("start"), {0});
  else
    b << n("start") + " = Gather<axis = 0>(ends, " + n("before") + ")";
  b.ints(n("axis"), {0});
  b << n("rows") + " = Slice(rows, " + n("start") + ", " + n("end") + ", " +
           n("axis") + ")";
  addLayer(first, expert, n("rows"), n("up"));
  if (b.hasInput(third.weights))
    addLayer(third, expert, n("rows"), n("side"));
  activate(expert);
  addLayer(second, expert, n("active"), n("down"));
}

/// Brings the rows into the order of the tokens and adds those of a token up.
void Experts::addSum() {
  std::string all;
  for (int64_t expert = 0; expert < count; ++expert)
    all += (expert ? ", " : "") + at(expert, "down");
  b.ints("weight_axis", {2});
  b.ints("choice_axis", {1});
  b.ints("by_token", {-1, chosen});
  b << "downs = Concat<axis = 0>(" + all + ")"
    << "pairs_0d = Squeeze(pair_count)"
    << "numbers_of_rows = Range(zero, pairs_0d, one)"
    << "positions = ScatterElements<axis = 0>(order, order, numbers_of_rows)"
    << "positions_2d = Reshape(positions, by_token)"
    << "results = Gather<axis = 0>(downs, positions_2d)"
    << "shares_like = CastLike(shares, input)"
    << "shares_3d = Unsqueeze(shares_like, weight_axis)"
    << "shared = Mul(results, shares_3d)"
    << "summed = ReduceSum<keepdims = 0>(shared, choice_axis)"
    << "shape = Shape(input)" << "output = Reshape(summed, shape)";
}

static bool fillMoE(Body &b) { return Experts(b, false).fill(); }

static bool fillQMoE(Body &b) {
  for (int layer : {2, 5})
    if (b.size(layer, 1) < 1 || b.size(layer, 2) < 1)
      return false;
  for (int64_t i : {1, 2, 3}) {
    int64_t bits = b.integer("fc" + std::to_string(i) + "_expert_weight_bits",
                             b.integer("expert_weight_bits", 4));
    if (bits != 2 && bits != 4 && bits != 8)
      return false;
  }
  return Experts(b, true).fill();
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

static OpSchema &addRouting(OpSchema &schema) {
  auto integer = AttributeProto::INT;
  return schema
      .Attr("activation_type", "relu, gelu, silu, swiglu or identity.",
            AttributeProto::STRING, "relu")
      .Attr("k", "How many experts a token has.", integer,
            static_cast<int64_t>(1))
      .Attr("normalize_routing_weights", "Whether their shares sum up to 1.",
            integer, static_cast<int64_t>(0))
      .Attr("use_sparse_mixer", "Another routing.", integer,
            static_cast<int64_t>(0))
      .Attr("swiglu_fusion", "1: interleaved, 2: one after the other.", integer,
            static_cast<int64_t>(0))
      .Attr("swiglu_limit", "Of the factors.", AttributeProto::FLOAT,
            ::onnx::OPTIONAL_VALUE)
      .Attr("activation_alpha", "Of SwiGLU.", AttributeProto::FLOAT, 1.0f)
      .Attr("activation_beta", "Of SwiGLU.", AttributeProto::FLOAT, 0.0f)
      .Output(0, "output", "Like the input.", "T")
      .TypeConstraint("T",
                      {"tensor(float)", "tensor(float16)", "tensor(bfloat16)"},
                      "Reals.")
      .TypeAndShapeInferenceFunction(
          ::onnx::propagateShapeAndTypeFromFirstInput);
}

static OpSchema moe() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("MoE")
      .SetDoc("Layers of which each token takes part in a few.")
      .Input(0, "input", "[tokens, hidden], or [batch, sequence, hidden]", "T")
      .Input(1, "router_probs", "[tokens, experts]", "T")
      .Input(2, "fc1_experts_weights", "[experts, inner, hidden]", "T")
      .Input(3, "fc1_experts_bias", "[experts, inner]", "T", optional)
      .Input(4, "fc2_experts_weights", "[experts, hidden, inner]", "T")
      .Input(5, "fc2_experts_bias", "[experts, hidden]", "T", optional)
      .Input(6, "fc3_experts_weights", "[experts, inner, hidden]", "T",
             optional)
      .Input(7, "fc3_experts_bias", "[experts, inner]", "T", optional);
  return addRouting(schema);
}

static OpSchema qMoE() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("QMoE")
      .SetDoc("MoE, the weights being blocks of 2, 4 or 8 bits.")
      .Input(0, "input", "[tokens, hidden], or [batch, sequence, hidden]", "T")
      .Input(1, "router_probs", "[tokens, experts]", "T");
  int next = 2;
  for (std::string layer : {"fc1", "fc2", "fc3"}) {
    auto given = layer == "fc3" ? OpSchema::Optional : OpSchema::Single;
    schema.Input(next++, layer + "_experts_weights", "Packed.", "T1", given)
        .Input(next++, layer + "_scales", "Of each row or block.", "T",
               optional)
        .Input(next++, layer + "_experts_bias", "[experts, rows]", "T",
               optional);
  }
  for (std::string layer : {"fc1", "fc2", "fc3"})
    schema.Input(next++, layer + "_zero_points", "Packed.", "T1", optional);
  schema.Input(next++, "router_weights", "The terms that are weighted.", "T",
               optional);
  for (const char *name : {"expert_weight_bits", "block_size", "accuracy_level",
                           "weights_prepacked"})
    schema.Attr(name, "See the operator's text.", AttributeProto::INT,
                static_cast<int64_t>(name[0] == 'e'   ? 4
                                     : name[0] == 'w' ? -1
                                                      : 0));
  for (std::string layer : {"fc1", "fc2", "fc3"})
    schema.Attr(layer + "_expert_weight_bits", "Instead of the common one.",
                AttributeProto::INT, ::onnx::OPTIONAL_VALUE);
  schema
      .Attr("quant_type", "Kind of the weights.", AttributeProto::STRING, "int")
      .TypeConstraint("T1", {"tensor(uint8)"}, "Packed numbers.");
  return addRouting(schema);
}

void onnxc::schema::microsoft::registerExperts() {
  define(moe(), fillMoE);
  define(qMoE(), fillQMoE);
}
