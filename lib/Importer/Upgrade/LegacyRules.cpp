//===- LegacyRules.cpp - Operator versions of opsets 1 to 9 -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include <cmath>
#include <numeric>

using namespace onnxc::importer;
using ::onnx::TensorProto;

void rules::dropConsumedInputs(NodeView &view) { view.drop("consumed_inputs"); }

//===----------------------------------------------------------------------===//
// Ranks that are known at run time only
//===----------------------------------------------------------------------===//

/// How many dimensions `value` has from `start` on, which may be negative.
static std::string countDims(NodeView &view, const std::string &value,
                             int64_t start = 0) {
  std::string sizes = view.before(
      "Shape", {value}, [&](NodeView &n) { n.setInt("start", start); },
      /*version=*/15);
  return view.before("Size", {sizes}, nullptr, /*version=*/13);
}

/// `value` with `count` dimensions of size 1 after its own.
static std::string appendOnes(NodeView &view, const std::string &value,
                              const std::string &count) {
  std::string list = view.before(
      "Reshape", {count, view.constant(std::vector<int64_t>{1})}, nullptr,
      /*version=*/14);
  std::string ones = view.before(
      "Expand", {view.constant(std::vector<int64_t>{1}), list}, nullptr,
      /*version=*/13);
  std::string shape = view.before("Shape", {value}, nullptr, /*version=*/15);
  std::string sizes = view.before(
      "Concat", {shape, ones}, [](NodeView &n) { n.setInt("axis", 0); },
      /*version=*/13);
  return view.before("Reshape", {value, sizes}, nullptr, /*version=*/14);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Until opset 6 operators broadcast their second input only by an attribute,
/// and then from dimension `axis` of the first one on.
/// Add(a[2,3,4,5], b[3,4]) {broadcast = 1, axis = 1}
///   --> Add(a, Unsqueeze(b) {axes = [2]})
void rules::broadcastAlongAxis(NodeView &view) {
  bool broadcasts = view.getInt("broadcast", 0) != 0;
  bool hasAxis = view.has("axis");
  int64_t axis = view.getInt("axis", 0);
  view.drop("broadcast");
  view.drop("axis");
  view.drop("consumed_inputs");
  if (!broadcasts || !hasAxis)
    return;
  std::optional<int64_t> rank = view.rank(0), otherRank = view.rank(1);
  if (!rank || !otherRank) {
    std::string count = view.before(
        "Sub",
        {countDims(view, view.input(0), axis), countDims(view, view.input(1))},
        nullptr, /*version=*/14);
    return view.setInput(1, appendOnes(view, view.input(1), count));
  }
  if (axis < 0)
    axis += *rank;
  int64_t missing = *rank - axis - *otherRank;
  if (axis < 0 || missing < 0)
    return view.fail("input 1 does not fit after axis " + std::to_string(axis) +
                     " of input 0");
  // A scalar broadcasts by itself.
  if (missing == 0 || *otherRank == 0)
    return;
  std::vector<int64_t> axes(missing);
  std::iota(axes.begin(), axes.end(), *otherRank);
  view.setInput(1, view.before("Unsqueeze", {view.input(1)},
                               [&](NodeView &n) { n.setInts("axes", axes); }));
}

/// Cast {to = "FLOAT"} --> Cast {to = 1}
void rules::Cast_1_to_6(NodeView &view) {
  TensorProto::DataType type = TensorProto::UNDEFINED;
  std::string name = view.getString("to", "");
  if (!TensorProto::DataType_Parse(name, &type))
    return view.fail("'" + name + "' is not an element type");
  view.setInt("to", type);
}

/// The axis was 1 where none was given.
void rules::Concat_1_to_4(NodeView &view) {
  view.setInt("axis", view.getInt("axis", 1));
}

/// The third input broadcasts without an attribute.
void rules::Gemm_6_to_7(NodeView &view) { view.drop("broadcast"); }

/// How many dimensions the input has after the channels, or 0 if the slope is
/// no vector.
static std::string slopeOnes(NodeView &view) {
  std::string isVector = view.before(
      "Equal", {countDims(view, view.input(1)), view.scalar(1)}, nullptr,
      /*version=*/13);
  std::string factor = view.before(
      "Cast", {isVector},
      [](NodeView &n) { n.setInt("to", TensorProto::INT64); },
      /*version=*/13);
  return view.before("Mul", {countDims(view, view.input(0), 2), factor},
                     nullptr, /*version=*/14);
}

/// A slope per channel was a vector for every rank of the input.
/// PRelu(x[n,c,h,w], slope[c]) --> PRelu(x, Unsqueeze(slope) {axes = [1, 2]})
void rules::PRelu_6_to_7(NodeView &view) {
  std::optional<int64_t> slopeRank = view.rank(1), rank = view.rank(0);
  if (slopeRank && *slopeRank != 1)
    return;
  if (!slopeRank || !rank)
    return view.setInput(1, appendOnes(view, view.input(1), slopeOnes(view)));
  std::vector<int64_t> axes;
  for (int64_t i = 2; i < *rank; ++i)
    axes.push_back(i - 1);
  if (!axes.empty())
    view.setInput(1,
                  view.before("Unsqueeze", {view.input(1)},
                              [&](NodeView &n) { n.setInts("axes", axes); }));
}

/// Reshape(x) {shape = [2, 3]} --> Reshape(x, [2, 3])
void rules::Reshape_1_to_5(NodeView &view) {
  view.setInput(1, view.constant(view.getInts("shape")));
  view.drop("shape");
  view.drop("consumed_inputs");
}

void rules::Scatter_9_to_11(NodeView &view) {
  view.node.set_op_type("ScatterElements");
}

/// The default coefficients got more digits.
void rules::Selu_1_to_6(NodeView &view) {
  view.setFloat("alpha", view.getFloat("alpha", 1.6732f));
  view.setFloat("gamma", view.getFloat("gamma", 1.0507f));
  view.drop("consumed_inputs");
}

/// The number in a constant of one element, which Tile had of its data's type.
static std::optional<int64_t> constantNumber(const NodeView &view, int input) {
  std::optional<std::vector<int64_t>> ints =
      view.oracle.constantInts(view.input(input));
  if (ints && ints->size() == 1)
    return ints->front();
  std::optional<std::vector<float>> floats =
      view.oracle.constantFloats(view.input(input));
  if (floats && floats->size() == 1 && std::abs(floats->front()) < 1000)
    return static_cast<int64_t>(floats->front());
  return std::nullopt;
}

/// Tile(x[2,3], tiles = 4, axis = 1) --> Tile(x, [1, 4])
void rules::Tile_1_to_6(NodeView &view) {
  std::optional<int64_t> rank = view.rank(0);
  std::optional<int64_t> axis = constantNumber(view, 2);
  if (!rank || !axis)
    return view.fail("needs a constant axis and an input of known rank");
  int64_t at = *axis < 0 ? *axis + *rank : *axis;
  if (at < 0 || at >= *rank)
    return view.fail("axis " + std::to_string(*axis) +
                     " is out of range for rank " + std::to_string(*rank));
  std::string tiles = view.before("Cast", {view.input(1)}, [](NodeView &n) {
    n.setInt("to", TensorProto::INT64);
  });
  std::string vector =
      view.before("Reshape", {tiles, view.constant(std::vector<int64_t>{1})});
  std::vector<std::string> parts;
  if (at > 0)
    parts.push_back(view.constant(std::vector<int64_t>(at, 1)));
  parts.push_back(vector);
  if (at + 1 < *rank)
    parts.push_back(view.constant(std::vector<int64_t>(*rank - at - 1, 1)));
  view.setInput(1, view.before("Concat", parts,
                               [](NodeView &n) { n.setInt("axis", 0); }));
  view.node.mutable_input()->DeleteSubrange(2, 1);
}
