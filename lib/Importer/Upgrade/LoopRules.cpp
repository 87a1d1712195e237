//===- LoopRules.cpp - Recurrent operators and Scan --------------*- C++
//-*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

/// Whether a result is wanted is said by giving it a name.
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

  /// The graph that treats one element of the batch: a Scan of version 9.
  GraphProto makeBatchBody() const {
    GraphProto graph;
    graph.set_name(body.name() + "_batch");
    NodeProto &scan = *graph.add_node();
    scan.set_name(view.node.name());
    scan.set_op_type("Scan");
    ::onnx::StringStringEntryProto &version = *scan.add_metadata_props();
    version.set_key(madeInVersionKey);
    version.set_value("9");
    for (int i = 0; i < body.input_size(); ++i) {
      std::string name = "\x01" + view.output(0) + "_in" + std::to_string(i);
      graph.add_input()->set_name(name);
      scan.add_input(name);
    }
    for (int i = 0; i < body.output_size(); ++i) {
      std::string name = "\x01" + view.output(0) + "_out" + std::to_string(i);
      graph.add_output()->set_name(name);
      scan.add_output(name);
    }
    addGraph(scan, body);
    addInt(scan, scanInputs);
    std::vector<int64_t> directions = view.getInts("directions");
    if (directions.empty())
      return graph;
    AttributeProto &attribute = *scan.add_attribute();
    attribute.set_name("scan_input_directions");
    attribute.set_type(AttributeProto::INTS);
    for (int64_t direction : directions)
      attribute.add_ints(direction);
    return graph;
  }

  static void addGraph(NodeProto &node, const GraphProto &graph) {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name("body");
    attribute.set_type(AttributeProto::GRAPH);
    *attribute.mutable_g() = graph;
  }

  static void addInt(NodeProto &node, int64_t count) {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name("num_scan_inputs");
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(count);
  }
};
} // namespace

/// Scan(states[b, ..], inputs[b, s, ..]) {body}
///   --> Scan(states, inputs) {num_scan_inputs = all, body = (state, input) {
///         Scan(state, input) {body} }}
void rules::Scan_8_to_9(NodeView &view) {
  const AttributeProto *body = view.find("body");
  if (view.hasInput(0))
    return view.fail("sequences of different lengths (input 0) are not "
                     "supported");
  if (!body || view.node.input_size() == 0)
    return view.fail("the body or its inputs are missing");
  int64_t scanInputs = view.getInt("num_scan_inputs", 0);
  int64_t inputs = view.node.input_size() - 1;
  BatchedScan scan{view, body->g(), scanInputs};
  GraphProto batchBody = scan.makeBatchBody();
  view.node.mutable_input()->DeleteSubrange(0, 1);
  view.node.clear_attribute();
  BatchedScan::addGraph(view.node, batchBody);
  BatchedScan::addInt(view.node, inputs);
}
