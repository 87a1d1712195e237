//===- NodeView.cpp - The view of an upgrade rule --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "NodeView.h"

using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

ValueOracle::~ValueOracle() = default;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const AttributeProto *NodeView::find(const std::string &name) const {
  for (const AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

void NodeView::drop(const std::string &name) {
  auto &attributes = *node.mutable_attribute();
  for (int i = attributes.size() - 1; i >= 0; --i)
    if (attributes.Get(i).name() == name)
      attributes.DeleteSubrange(i, 1);
}

void NodeView::rename(const std::string &from, const std::string &to) {
  for (AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.name() == from)
      attribute.set_name(to);
}

int64_t NodeView::getInt(const std::string &name, int64_t otherwise) const {
  const AttributeProto *attribute = find(name);
  return attribute ? attribute->i() : otherwise;
}

float NodeView::getFloat(const std::string &name, float otherwise) const {
  const AttributeProto *attribute = find(name);
  return attribute ? attribute->f() : otherwise;
}

std::string NodeView::getString(const std::string &name,
                                const std::string &otherwise) const {
  const AttributeProto *attribute = find(name);
  return attribute ? attribute->s() : otherwise;
}

std::vector<int64_t> NodeView::getInts(const std::string &name) const {
  const AttributeProto *attribute = find(name);
  if (!attribute)
    return {};
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<float> NodeView::getFloats(const std::string &name) const {
  const AttributeProto *attribute = find(name);
  if (!attribute)
    return {};
  return {attribute->floats().begin(), attribute->floats().end()};
}

AttributeProto &NodeView::reset(const std::string &name,
                                AttributeProto::AttributeType type) {
  drop(name);
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

void NodeView::setInt(const std::string &name, int64_t value) {
  reset(name, AttributeProto::INT).set_i(value);
}

void NodeView::setFloat(const std::string &name, float value) {
  reset(name, AttributeProto::FLOAT).set_f(value);
}

void NodeView::setString(const std::string &name, const std::string &value) {
  reset(name, AttributeProto::STRING).set_s(value);
}

void NodeView::setInts(const std::string &name,
                       const std::vector<int64_t> &values) {
  AttributeProto &attribute = reset(name, AttributeProto::INTS);
  for (int64_t value : values)
    attribute.add_ints(value);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string NodeView::input(int index) const {
  return index < node.input_size() ? node.input(index) : std::string();
}

void NodeView::setInput(int index, const std::string &value) {
  while (node.input_size() <= index)
    node.add_input();
  node.set_input(index, value);
}

void NodeView::trimInputs() {
  while (node.input_size() > 0 && node.input(node.input_size() - 1).empty())
    node.mutable_input()->RemoveLast();
}

std::string NodeView::output(int index) const {
  return index < node.output_size() ? node.output(index) : std::string();
}

std::string NodeView::renameOutput(int index) {
  std::string name = freshName();
  node.set_output(index, name);
  return name;
}

std::optional<int64_t> NodeView::rank(int index) const {
  std::optional<std::vector<int64_t>> dims = oracle.dims(input(index));
  if (!dims)
    return std::nullopt;
  return static_cast<int64_t>(dims->size());
}

//===----------------------------------------------------------------------===//
// Nodes around this one
//===----------------------------------------------------------------------===//

VersionedNode NodeView::make(const std::string &opType,
                             const std::vector<std::string> &inputs,
                             const std::string &output,
                             const std::function<void(NodeView &)> &fill,
                             int version) {
  VersionedNode made;
  made.version = version == 0 ? toVersion : version;
  made.node.set_name(node.name());
  made.node.set_op_type(opType);
  for (const std::string &value : inputs)
    made.node.add_input(value);
  made.node.add_output(output);
  if (fill) {
    NodeView view(made.node, made.version, oracle, freshName);
    fill(view);
  }
  return made;
}

std::string NodeView::before(const std::string &opType,
                             const std::vector<std::string> &inputs,
                             const std::function<void(NodeView &)> &fill,
                             int version) {
  std::string output = freshName();
  nodesBefore.push_back(make(opType, inputs, output, fill, version));
  return output;
}

void NodeView::after(const std::string &opType,
                     const std::vector<std::string> &inputs,
                     const std::string &output,
                     const std::function<void(NodeView &)> &fill, int version) {
  nodesAfter.push_back(make(opType, inputs, output, fill, version));
}

static std::string addConstant(NodeView &view, const TensorProto &tensor) {
  return view.before(
      "Constant", {},
      [&](NodeView &constant) {
        AttributeProto &value = *constant.node.add_attribute();
        value.set_name("value");
        value.set_type(AttributeProto::TENSOR);
        *value.mutable_t() = tensor;
      },
      /*version=*/13);
}

std::string NodeView::constant(const std::vector<int64_t> &values) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::INT64);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (int64_t value : values)
    tensor.add_int64_data(value);
  return addConstant(*this, tensor);
}

std::string NodeView::constant(const std::vector<float> &values) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (float value : values)
    tensor.add_float_data(value);
  return addConstant(*this, tensor);
}

std::string NodeView::scalar(int64_t value) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::INT64);
  tensor.add_int64_data(value);
  return addConstant(*this, tensor);
}

std::string NodeView::scalarLike(float value, const std::string &like) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.add_float_data(value);
  std::string single = addConstant(*this, tensor);
  if (oracle.elementType(like) == TensorProto::FLOAT)
    return single;
  return before("CastLike", {single, like}, nullptr, /*version=*/15);
}
