//===- Upgrading.cpp - Upgrades a node for a test ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Upgrading.h"
#include "../../../lib/Importer/Upgrade/UpgradeTable.h"

#include "onnx/defs/parser.h"
#include "onnx/defs/printer.h"

#include "gtest/gtest.h"

#include <regex>

using namespace onnxc::importer;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

namespace {
class FakeOracle : public ValueOracle {
public:
  std::optional<std::vector<int64_t>>
  dims(const std::string &value) const override {
    if (value == "s")
      return std::vector<int64_t>{};
    if (value == "v")
      return std::vector<int64_t>{3};
    if (value == "none")
      return std::vector<int64_t>{0};
    if (value == "m")
      return std::vector<int64_t>{2, 3};
    if (value == "t")
      return std::vector<int64_t>{2, 6, 4, 5};
    return std::nullopt;
  }
  int32_t elementType(const std::string &value) const override {
    if (value == "names")
      return TensorProto::STRING;
    if (value == "whole")
      return TensorProto::INT32;
    return value == "half" ? TensorProto::FLOAT16 : TensorProto::FLOAT;
  }
  std::optional<std::vector<int64_t>>
  constantInts(const std::string &value) const override {
    if (value == "one")
      return std::vector<int64_t>{1};
    if (value == "sizes")
      return std::vector<int64_t>{2, 4};
    return std::nullopt;
  }
  std::optional<std::vector<float>>
  constantFloats(const std::string &value) const override {
    if (value == "oneFloat")
      return std::vector<float>{1};
    if (value == "doubled")
      return std::vector<float>{1, 1, 2, 2};
    if (value == "halved")
      return std::vector<float>{1, 1, 0.5f, 0.5f};
    if (value == "mixed")
      return std::vector<float>{1, 1, 0.5f, 2};
    return std::nullopt;
  }
};

struct Upgraded {
  std::string text;
  std::string error;
};
} // namespace

/// One line per node, constants as `name = [1, 2]`.
static std::string print(NodeProto node) {
  node.clear_name();
  if (node.op_type() != "Constant") {
    // Graphs are printed on many indented lines.
    std::string text = std::regex_replace(::onnx::ProtoToString(node),
                                          std::regex("\\s+"), " ");
    return text.substr(1, text.size() - 2);
  }
  const TensorProto &tensor = node.attribute(0).t();
  std::string text;
  for (int64_t element : tensor.int64_data())
    text += (text.empty() ? "" : ", ") + std::to_string(element);
  for (float element : tensor.float_data())
    text += (text.empty() ? "" : ", ") + std::to_string(element).substr(0, 4);
  if (tensor.dims_size() != 0)
    text = "[" + text + "]";
  return node.output(0) + " = " + text;
}

static void upgradeInto(const NodeProto &node, int version, int &names,
                        Upgraded &result) {
  UpgradeResult upgraded = upgradeNode(node, version, FakeOracle(), [&] {
    return "n" + std::to_string(++names);
  });
  if (!upgraded.error.empty())
    result.error = upgraded.error;
  else if (upgraded.nodes.empty())
    result.text += print(node) + "\n";
  for (const VersionedNode &next : upgraded.nodes)
    upgradeInto(next.node, next.version, names, result);
}

static Upgraded upgrade(const std::string &text, int version) {
  NodeProto node;
  ::onnx::OnnxParser parser(text.c_str());
  EXPECT_TRUE(parser.Parse(node).IsOK()) << text;
  Upgraded result;
  int names = 0;
  upgradeInto(node, version, names, result);
  return result;
}

void expectUpgraded(const std::string &node, int version,
                    const std::string &expected) {
  Upgraded upgraded = upgrade(node, version);
  EXPECT_EQ(upgraded.error, "") << node;
  EXPECT_EQ(upgraded.text, expected) << node;
}

void expectRefused(const std::string &node, int version,
                   const std::string &why) {
  Upgraded upgraded = upgrade(node, version);
  EXPECT_NE(upgraded.error.find(why), std::string::npos)
      << node << ": " << upgraded.error << upgraded.text;
}
