//===- QuantizedLSTM.cpp - LSTM with weights in bytes ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The input is quantised once and multiplied with its weights in all steps
// together. A Scan over the steps quantises the state of the step before and
// multiplies it with the recurrent weights.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

#include <algorithm>
#include <cctype>

using namespace onnxc::schema::microsoft;
using ::onnx::OpSchema;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
/// An activation of the standard's LSTM with the defaults of its parameters.
struct Known {
  const char *name;
  bool takesAlpha, takesBeta;
  double alpha, beta;
};

/// One with the parameters of a node.
struct Activation {
  const Known *known;
  double alpha, beta;
};
} // namespace

static constexpr Known knownActivations[] = {
    {"Affine", true, true, 1, 0},           {"Elu", true, false, 1, 0},
    {"HardSigmoid", true, true, 0.2, 0.5},  {"LeakyRelu", true, false, 0.01, 0},
    {"Relu", false, false, 0, 0},           {"ScaledTanh", true, true, 1, 1},
    {"Sigmoid", false, false, 0, 0},        {"Softplus", false, false, 0, 0},
    {"Softsign", false, false, 0, 0},       {"Tanh", false, false, 0, 0},
    {"ThresholdedRelu", true, false, 1, 0},
};

static bool isSameName(const std::string &a, const std::string &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

/// The three activations of each direction. Parameters are consumed by those
/// that take them.
static std::vector<Activation> activationsOf(const Body &b, size_t directions) {
  std::vector<std::string> names = b.texts("activations");
  if (names.empty())
    for (size_t d = 0; d < directions; ++d)
      names.insert(names.end(), {"Sigmoid", "Tanh", "Tanh"});
  if (names.size() != 3 * directions)
    b.refuse("activations");
  std::vector<float> alphas = b.numbers("activation_alpha");
  std::vector<float> betas = b.numbers("activation_beta");
  size_t nextAlpha = 0, nextBeta = 0;
  std::vector<Activation> result;
  for (const std::string &name : names) {
    const auto *known = std::find_if(
        std::begin(knownActivations), std::end(knownActivations),
        [&](const Known &row) { return isSameName(row.name, name); });
    if (known == std::end(knownActivations))
      b.refuse("activations");
    Activation bound{known, known->alpha, known->beta};
    if (known->takesAlpha && nextAlpha < alphas.size())
      bound.alpha = alphas[nextAlpha++];
    if (known->takesBeta && nextBeta < betas.size())
      bound.beta = betas[nextBeta++];
    result.push_back(bound);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

namespace {
/// Writes the body of the Scan for one direction, whose values outside of it
/// begin with `prefix`.
class StepWriter {
public:
  StepWriter(const Body &b, std::string prefix, const Activation *activations)
      : b(b), prefix(std::move(prefix)), activations(activations) {}
  std::string write();

private:
  void add(const std::string &node) { text += "  " + node + "\n"; }
  /// Defines `result` as activation `which` of `x`, clipped.
  void activate(const std::string &result, int which, const std::string &x);
  /// The name of `sum` plus peephole weights times a cell state.
  std::string withPeephole(const std::string &sum, const std::string &gate,
                           const std::string &cell);
  void addSums();
  void addStates();

  const Body &b;
  std::string prefix;
  const Activation *activations;
  std::string text;
};
} // namespace

void StepWriter::activate(const std::string &result, int which,
                          const std::string &x) {
  std::string in = x;
  if (b.has("clip")) {
    in = x + "_clipped";
    add(in + " = Clip(" + x + ", least, most)");
  }
  const Activation &f = activations[which];
  std::string name = f.known->name;
  std::string alpha = "alpha = " + literal(f.alpha);
  std::string beta = "beta = " + literal(f.beta);
  auto scaled = [&](const std::string &to, const std::string &from, double by) {
    add(to + "_factor = Constant<value_float = " + literal(by) + ">()");
    add(to + " = Mul(" + from + ", " + to + "_factor)");
  };
  if (name == "Affine") {
    scaled(result + "_scaled", in, f.alpha);
    add(result + "_offset = Constant<value_float = " + literal(f.beta) + ">()");
    add(result + " = Add(" + result + "_scaled, " + result + "_offset)");
  } else if (name == "ScaledTanh") {
    scaled(result + "_scaled", in, f.beta);
    add(result + "_tanh = Tanh(" + result + "_scaled)");
    scaled(result, result + "_tanh", f.alpha);
  } else {
    add(result + " = " + name +
        (f.known->takesBeta    ? "<" + alpha + ", " + beta + ">"
         : f.known->takesAlpha ? "<" + alpha + ">"
                               : "") +
        "(" + in + ")");
  }
}

std::string StepWriter::withPeephole(const std::string &sum,
                                     const std::string &gate,
                                     const std::string &cell) {
  if (!b.hasInput(7))
    return sum;
  add(sum + "_seen = Mul(" + prefix + "P_" + gate + ", " + cell + ")");
  add(sum + "_all = Add(" + sum + ", " + sum + "_seen)");
  return sum + "_all";
}

/// The sums of the gates i, o, f and c.
void StepWriter::addSums() {
  add("bytes, scale, zero_point = DynamicQuantizeLinear(h)");
  add("product = MatMulInteger(bytes, " + prefix + "R, zero_point, " + prefix +
      "R_zero_point)");
  add("sums = Cast<to = 1>(product)");
  add("factor = Mul(scale, " + prefix + "R_scale)");
  add("from_state = Mul(sums, factor)");
  add("gates = Add(from_input, from_state)");
  add("i_sum, o_sum, f_sum, c_sum = Split<axis = -1, num_outputs = 4>(gates)");
}

/// States after the step: those before it where a sequence has ended.
void StepWriter::addStates() {
  bool hasLengths = b.hasInput(4);
  activate("i", 0, withPeephole("i_sum", "i", "c"));
  if (b.integer("input_forget", 0))
    add("f = Sub(one, i)");
  else
    activate("f", 0, withPeephole("f_sum", "f", "c"));
  activate("candidate", 1, "c_sum");
  add("kept = Mul(f, c)");
  add("taken = Mul(i, candidate)");
  add("c_new = Add(kept, taken)");
  activate("o", 0, withPeephole("o_sum", "o", "c_new"));
  activate("shown", 2, "c_new");
  add("h_new = Mul(o, shown)");
  add(hasLengths ? "h_next = Where(is_inside, h_new, h)"
                 : "h_next = Identity(h_new)");
  add(hasLengths ? "c_next = Where(is_inside, c_new, c)"
                 : "c_next = Identity(c_new)");
  add(hasLengths ? "row = Where(is_inside, h_new, nothing)"
                 : "row = Identity(h_new)");
}

std::string StepWriter::write() {
  addSums();
  addStates();
  return std::string("step (h, c, from_input") +
         (b.hasInput(4) ? ", is_inside" : "") +
         ") => (h_next, c_next, row) {\n" + text + "}";
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

/// Defines `prefix` + `name` as the part of a direction of the input `name`.
static void addPart(Body &b, const std::string &prefix,
                    const std::string &name) {
  b << prefix + name + " = Gather<axis = 0>(" + name + ", " + prefix +
           "direction)";
}

static void addState(Body &b, const std::string &prefix,
                     const std::string &name, int input) {
  if (b.hasInput(input))
    addPart(b, prefix, name);
  else
    b << prefix + name + " = Expand(nothing, state_shape)";
}

/// The input times its weights, plus both biases, of all steps.
static void addProjection(Body &b, const std::string &n) {
  b << n + "product = MatMulInteger(x_bytes, " + n + "W, x_zero_point, " + n +
           "W_zero_point)"
    << n + "sums = Cast<to = 1>(" + n + "product)"
    << n + "factor = Mul(x_scale, " + n + "W_scale)";
  if (!b.hasInput(3)) {
    b << n + "from_input = Mul(" + n + "sums, " + n + "factor)";
    return;
  }
  addPart(b, n, "B");
  b << n + "B_W, " + n + "B_R = Split<axis = 0, num_outputs = 2>(" + n + "B)"
    << n + "bias = Add(" + n + "B_W, " + n + "B_R)"
    << n + "scaled = Mul(" + n + "sums, " + n + "factor)"
    << n + "from_input = Add(" + n + "scaled, " + n + "bias)";
}

/// The steps of one direction: final states and rows begin with its prefix.
static void addDirection(Body &b, int64_t number, bool isReverse,
                         const Activation *activations) {
  std::string n = "d" + std::to_string(number) + "_";
  b.scalar(n + "direction", number);
  for (const char *name :
       {"W", "R", "W_scale", "W_zero_point", "R_scale", "R_zero_point"})
    addPart(b, n, name);
  addProjection(b, n);
  addState(b, n, "initial_h", 5);
  addState(b, n, "initial_c", 6);
  if (b.hasInput(7)) {
    addPart(b, n, "P");
    b << n + "P_i, " + n + "P_o, " + n +
             "P_f = Split<axis = 0, num_outputs = 3>(" + n + "P)";
  }
  std::string inputs = n + "initial_h, " + n + "initial_c, " + n + "from_input";
  std::string backward = isReverse ? "1" : "0", order = backward;
  int64_t count = 1;
  if (b.hasInput(4)) {
    inputs += ", is_inside";
    order += ", " + backward;
    ++count;
  }
  b << n + "h, " + n + "c, " + n +
           "rows = Scan<num_scan_inputs = " + std::to_string(count) +
           ", scan_input_directions = [" + order +
           "], scan_output_directions = [" + backward +
           "], body = " + StepWriter(b, n, activations).write() + ">(" +
           inputs + ")";
}

/// Constants, the quantised input, the shape of a state, and whether a
/// sequence of the batch goes on in a step.
static void addShared(Body &b) {
  b.real("nothing", 0);
  b.real("one", 1);
  if (b.has("clip")) {
    b.real("least", -b.number("clip", 0));
    b.real("most", b.number("clip", 0));
  }
  b << "x_bytes, x_scale, x_zero_point = DynamicQuantizeLinear(X)"
    << "batch = Shape<start = 1, end = 2>(X)"
    << "hidden = Shape<start = 1, end = 2>(R)"
    << "state_shape = Concat<axis = 0>(batch, hidden)";
  if (!b.hasInput(4))
    return;
  b.scalar("first", 0);
  b.scalar("stride", 1);
  b.ints("of_steps", {1, 2});
  b.ints("of_batch", {0, 2});
  b << "steps_1d = Shape<start = 0, end = 1>(X)"
    << "steps = Squeeze(steps_1d)" << "numbers = Range(first, steps, stride)"
    << "numbers_3d = Unsqueeze(numbers, of_steps)"
    << "lengths = Cast<to = 7>(sequence_lens)"
    << "lengths_3d = Unsqueeze(lengths, of_batch)"
    << "is_inside = Less(numbers_3d, lengths_3d)";
}

static bool fillLSTM(Body &b) {
  std::string direction = b.text("direction");
  int64_t count = direction == "bidirectional" ? 2 : 1;
  std::vector<Activation> activations = activationsOf(b, count);
  addShared(b);
  for (int64_t d = 0; d < count; ++d)
    addDirection(b, d, d == 1 || direction == "reverse", &activations[3 * d]);
  const struct {
    const char *name, *part;
    int64_t axis;
  } outputs[] = {{"Y", "rows", 1}, {"Y_h", "h", 0}, {"Y_c", "c", 0}};
  for (int i = 0; i < 3; ++i) {
    if (!b.hasOutput(i))
      continue;
    auto [name, part, axis] = outputs[i];
    std::string axes = std::string(name) + "_axis", parts;
    b.ints(axes, {axis});
    for (int64_t d = 0; d < count; ++d) {
      std::string own = "d" + std::to_string(d) + "_" + part;
      b << own + "_part = Unsqueeze(" + own + ", " + axes + ")";
      parts += (d ? ", " : "") + own + "_part";
    }
    b << std::string(name) + " = Concat<axis = " + std::to_string(axis) + ">(" +
             parts + ")";
  }
  return true;
}

void onnxc::schema::microsoft::registerQuantizedLSTM() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("DynamicQuantizeLSTM")
      .SetDoc("LSTM with weights in bytes.")
      .Input(0, "X", "[steps, batch, size]", "T")
      .Input(1, "W", "[directions, size, 4 * hidden]", "T2")
      .Input(2, "R", "[directions, hidden, 4 * hidden]", "T2")
      .Input(3, "B", "As in LSTM.", "T", optional)
      .Input(4, "sequence_lens", "As in LSTM.", "tensor(int32)", optional)
      .Input(5, "initial_h", "As in LSTM.", "T", optional)
      .Input(6, "initial_c", "As in LSTM.", "T", optional)
      .Input(7, "P", "As in LSTM.", "T", optional)
      .Input(8, "W_scale", "Of each direction, or each column.", "T")
      .Input(9, "W_zero_point", "Likewise.", "T2")
      .Input(10, "R_scale", "Likewise.", "T")
      .Input(11, "R_zero_point", "Likewise.", "T2")
      .Output(0, "Y", "As in LSTM.", "T", optional)
      .Output(1, "Y_h", "As in LSTM.", "T", optional)
      .Output(2, "Y_c", "As in LSTM.", "T", optional)
      .TypeConstraint("T", {"tensor(float)"}, "Reals.")
      .TypeConstraint("T2", byteTypes, "Bytes.");
  addAttributesOf(schema, "LSTM", {"layout"});
  define(std::move(schema), fillLSTM);
}
