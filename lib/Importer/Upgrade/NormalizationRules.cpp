//===- NormalizationRules.cpp - Normalizations and softmax ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

using namespace onnxc::importer;
using ::onnx::TensorProto;

/// A model for inference has is_test, or no results of training.
void rules::BatchNormalization_6_to_7(NodeView &view) {
  bool trains = view.getInt("is_test", 0) == 0;
  for (int i = 1; i < view.node.output_size(); ++i)
    if (trains && view.hasOutput(i))
      return view.fail("it trains (is_test is 0), with results of training");
  // Exporters that leave is_test out of a node with one result mean
  // inference: later versions have no other meaning of one result.
  view.drop("is_test");
  view.drop("consumed_inputs");
}

/// With spatial = 0 each activation has statistics of its own:
///   (x - mean) / Sqrt(var + epsilon) * scale + bias
void rules::BatchNormalization_7_to_9(NodeView &view) {
  bool spatial = view.getInt("spatial", 1) != 0;
  view.drop("spatial");
  if (spatial)
    return;
  for (int i = 1; i < view.node.output_size(); ++i)
    if (view.hasOutput(i))
      return view.fail("it trains statistics per activation (spatial is 0)");
  std::string x = view.input(0), scale = view.input(1), bias = view.input(2),
              mean = view.input(3), variance = view.input(4);
  std::string epsilon = view.scalarLike(view.getFloat("epsilon", 1e-5f), x);
  std::string centred = view.before("Sub", {x, mean});
  std::string deviation =
      view.before("Sqrt", {view.before("Add", {variance, epsilon})});
  std::string normal = view.before("Div", {centred, deviation});
  std::string scaled = view.before("Mul", {normal, scale});
  std::string output = view.output(0);
  view.node.set_op_type("Add");
  view.node.clear_attribute();
  view.node.clear_input();
  view.setInput(0, scaled);
  view.setInput(1, bias);
  view.node.clear_output();
  view.node.add_output(output);
}

/// More than one result meant training; two of the five results are gone.
void rules::BatchNormalization_9_to_14(NodeView &view) {
  bool trains = false;
  for (int i = 1; i < view.node.output_size(); ++i) {
    trains |= view.hasOutput(i);
    if (i > 2 && view.hasOutput(i))
      return view.fail("result " + std::to_string(i) +
                       ", the saved statistics of training, does not exist "
                       "since version 14");
  }
  while (view.node.output_size() > (trains ? 3 : 1))
    view.node.mutable_output()->RemoveLast();
  if (trains)
    view.setInt("training_mode", 1);
}

/// Scale and bias per group become scale and bias per channel.
/// scale[g] --> Reshape(Expand(Reshape(scale, [g, 1]), [g, c / g]), [-1])
void rules::GroupNormalization_18_to_21(NodeView &view) {
  int64_t groups = view.getInt("num_groups", 1);
  std::optional<std::vector<int64_t>> dims = view.oracle.dims(view.input(0));
  std::string shape;
  if (groups <= 0)
    return view.fail("num_groups is not positive");
  if (dims && dims->size() > 1 && (*dims)[1] >= 0) {
    shape = view.constant(std::vector<int64_t>{groups, (*dims)[1] / groups});
  } else {
    std::string channels =
        view.before("Shape", {view.input(0)}, [](NodeView &n) {
          n.setInt("start", 1);
          n.setInt("end", 2);
        });
    std::string count = view.constant(std::vector<int64_t>{groups});
    std::string each = view.before("Div", {channels, count});
    shape = view.before("Concat", {count, each},
                        [](NodeView &n) { n.setInt("axis", 0); });
  }
  for (int i : {1, 2}) {
    std::string column = view.before(
        "Reshape",
        {view.input(i), view.constant(std::vector<int64_t>{groups, 1})});
    std::string wide = view.before("Expand", {column, shape});
    view.setInput(i,
                  view.before("Reshape",
                              {wide, view.constant(std::vector<int64_t>{-1})}));
  }
}

/// Until version 11 the input was seen as a matrix, split at `axis`.
/// Softmax(x) {axis = 1}
///   --> Reshape(Softmax(Flatten(x) {axis = 1}) {axis = 1}, Shape(x))
///         {allowzero = 1}
/// Nothing changes where `axis` is the last one.
void rules::flattenBeforeSoftmax(NodeView &view) {
  int64_t axis = view.getInt("axis", 1);
  std::optional<int64_t> rank = view.rank(0);
  if (rank && axis < 0)
    axis += *rank;
  if (axis == -1 || (rank && axis == *rank - 1))
    return view.setInt("axis", -1);
  if (rank && *rank == 0)
    return view.fail("a scalar has no axis " + std::to_string(axis));
  std::string x = view.input(0), output = view.output(0);
  view.setInput(0, view.before("Flatten", {x},
                               [&](NodeView &n) { n.setInt("axis", axis); }));
  view.setInt("axis", 1);
  std::string shape = view.before("Shape", {x});
  view.after(
      "Reshape", {view.renameOutput(0), shape}, output,
      [](NodeView &n) { n.setInt("allowzero", 1); }, /*version=*/14);
}

/// ReduceLogSum(x: int32) --> Cast(ReduceLogSum(Cast(x) {to = DOUBLE}))
///                            {to = INT32}
/// Logarithms of integers are rounded to zero.
void rules::castLogarithmOfIntegers(NodeView &view) {
  int32_t type = view.oracle.elementType(view.input(0));
  if (type != TensorProto::INT32 && type != TensorProto::INT64 &&
      type != TensorProto::UINT32 && type != TensorProto::UINT64)
    return;
  auto castTo = [](int32_t to) {
    return [=](NodeView &n) { n.setInt("to", to); };
  };
  view.setInput(
      0, view.before("Cast", {view.input(0)}, castTo(TensorProto::DOUBLE)));
  std::string output = view.output(0);
  view.after("Cast", {view.renameOutput(0)}, output, castTo(type));
}
