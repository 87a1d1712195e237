//===- LoopRules.cpp - Recurrent operators and Scan -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

/// A result is present if it has a name.
void rules::dropOutputSequence(NodeView &view) { view.drop("output_sequence"); }

/// The schema's default direction was misspelt.
void rules::GRU_1_to_3(NodeView &view) {
  if (view.getString("direction", "") == "foward")
    view.setString("direction", "forward");
}

namespace {
/// The parts of a Scan of version 8, which loops over the second dimension of
/// its inputs for each element of the first one, the batch.
struct BatchedScan {
  NodeView &view;
  const GraphProto &body;
  int64_t scanInputs;
  bool hasLengths;
  /// The graph that treats one element of the batch.
  GraphProto graph;

  std::string name(const std::string &what) const {
    return "\x01" + view.output(0) + "_" + what;
  }

  /// A node of the version `version`, or as the graph is.
  NodeProto &addNode(const std::string &opType, int version) {
    NodeProto &node = *graph.add_node();
    node.set_op_type(opType);
    ::onnx::StringStringEntryProto &entry = *node.add_metadata_props();
    entry.set_key(madeInVersionKey);
    entry.set_value(std::to_string(version));
    return node;
  }

  std::string addNode(const std::string &opType,
                      std::initializer_list<std::string> inputs,
                      const std::string &output) {
    NodeProto &node = addNode(opType, 15);
    for (const std::string &input : inputs)
      node.add_input(input);
    node.add_output(output);
    return output;
  }

  std::string addConstant(int64_t value, const std::string &output) {
    NodeProto &node = addNode("Constant", 13);
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name("value_ints");
    attribute.set_type(AttributeProto::INTS);
    attribute.add_ints(value);
    node.add_output(output);
    return output;
  }

  void makeBatchBody();
  std::string cutToLength(const std::string &input);
  void padToLongest(const std::string &result, const std::string &output);
  void addScan(const std::vector<std::string> &inputs,
               const std::vector<std::string> &outputs);

  static void addGraph(NodeProto &node, const GraphProto &graph) {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name("body");
    attribute.set_type(AttributeProto::GRAPH);
    *attribute.mutable_g() = graph;
  }

  static void addInt(NodeProto &node, const std::string &name, int64_t value) {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(value);
  }
};
} // namespace

/// The elements of the sequence, without the padding of the tensor.
std::string BatchedScan::cutToLength(const std::string &input) {
  return addNode("Slice", {input, name("zero"), name("length"), name("zero")},
                 input + "_cut");
}

/// Zeros after the results of a sequence that is shorter than the longest.
void BatchedScan::padToLongest(const std::string &result,
                               const std::string &output) {
  std::string shape = addNode("Shape", {result}, result + "_shape");
  std::string rest =
      addNode("Slice", {shape, name("one"), name("end"), name("zero")},
              result + "_rest");
  addNode("Concat", {name("missing"), rest}, result + "_sizes");
  addInt(*graph.mutable_node()->rbegin(), "axis", 0);
  addNode("ConstantOfShape", {result + "_sizes"}, result + "_zeros");
  addNode("CastLike", {result + "_zeros", result}, result + "_fill");
  addNode("Concat", {result, result + "_fill"}, output);
  addInt(*graph.mutable_node()->rbegin(), "axis", 0);
}

void BatchedScan::addScan(const std::vector<std::string> &inputs,
                          const std::vector<std::string> &outputs) {
  NodeProto &scan = addNode("Scan", 9);
  scan.set_name(view.node.name());
  for (const std::string &input : inputs)
    scan.add_input(input);
  for (const std::string &output : outputs)
    scan.add_output(output);
  addGraph(scan, body);
  addInt(scan, "num_scan_inputs", scanInputs);
  std::vector<int64_t> directions = view.getInts("directions");
  if (directions.empty())
    return;
  AttributeProto &attribute = *scan.add_attribute();
  attribute.set_name("scan_input_directions");
  attribute.set_type(AttributeProto::INTS);
  for (int64_t direction : directions)
    attribute.add_ints(direction);
}

void BatchedScan::makeBatchBody() {
  graph.set_name(body.name() + "_batch");
  int64_t states = body.input_size() - scanInputs;
  std::vector<std::string> inputs, outputs, results;
  for (int i = 0; i < body.input_size(); ++i)
    inputs.push_back(name("in" + std::to_string(i)));
  for (int i = 0; i < body.output_size(); ++i)
    outputs.push_back(name("out" + std::to_string(i)));
  for (const std::string &input : inputs)
    graph.add_input()->set_name(input);
  for (const std::string &output : outputs)
    graph.add_output()->set_name(output);
  if (!hasLengths)
    return addScan(inputs, outputs);

  graph.add_input()->set_name(name("lengths"));
  addConstant(0, name("zero"));
  addConstant(1, name("one"));
  addConstant(INT64_MAX, name("end"));
  addConstant(-1, name("all"));
  addNode("Reshape", {name("lengths"), name("all")}, name("given"));
  addNode("Shape", {inputs.back()}, name("sizes"));
  addNode("Slice", {name("sizes"), name("zero"), name("one"), name("zero")},
          name("longest"));
  addNode("Max", {name("given"), name("zero")}, name("positive"));
  addNode("Min", {name("positive"), name("longest")}, name("length"));
  addNode("Sub", {name("longest"), name("length")}, name("missing"));
  for (size_t i = states; i < inputs.size(); ++i)
    inputs[i] = cutToLength(inputs[i]);
  results = outputs;
  for (size_t i = states; i < results.size(); ++i)
    results[i] += "_cut";
  addScan(inputs, results);
  for (size_t i = states; i < results.size(); ++i)
    padToLongest(results[i], outputs[i]);
}

/// Scan(lengths, states[b, ..], inputs[b, s, ..]) {body}
///   --> Scan(states, inputs, lengths) {num_scan_inputs = all,
///         body = (state, input, length) { Scan(state, input) {body} }}
/// Without lengths all sequences are as long as the tensor.
void rules::Scan_8_to_9(NodeView &view) {
  const AttributeProto *body = view.find("body");
  if (!body || view.node.input_size() == 0)
    return view.fail("the body or its inputs are missing");
  int64_t scanInputs = view.getInt("num_scan_inputs", 0);
  if (scanInputs < 1 || scanInputs > body->g().input_size())
    return view.fail("num_scan_inputs is not a number of the body's inputs");
  std::string lengths = view.input(0);
  BatchedScan scan{view, body->g(), scanInputs, !lengths.empty(), {}};
  scan.makeBatchBody();
  view.node.mutable_input()->DeleteSubrange(0, 1);
  if (!lengths.empty())
    view.node.add_input(lengths);
  GraphProto batchBody = std::move(scan.graph);
  int64_t inputs = view.node.input_size();
  view.node.clear_attribute();
  BatchedScan::addGraph(view.node, batchBody);
  BatchedScan::addInt(view.node, "num_scan_inputs", inputs);
}
